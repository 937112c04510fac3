# make run: start the service. make check: static checks. make test: tests of some minutes.
# make test-long: browser, broker, kill and fuzzing tests. make slow: before a release.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime-installed
DEVELOPMENT := $(VENV)/.development-installed
PARALLEL := -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: run install test test-long check format slow clean

run: $(RUNTIME)
	@exec $(BIN)/levygrid serve

install: $(RUNTIME)

test: $(DEVELOPMENT)
	$(BIN)/python -m pytest $(PARALLEL)

test-long: $(DEVELOPMENT)
	$(BIN)/python -m pytest $(PARALLEL) -m "long and not slow and not paper"

check: $(DEVELOPMENT)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && export LEVYGRID_DATA_DIR="$$folder" && \
		$(BIN)/alembic upgrade head && $(BIN)/alembic check

slow: $(DEVELOPMENT)
	$(BIN)/python -m pytest -m "slow or paper"

format: $(DEVELOPMENT)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache build *.egg-info

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Levygrid needs Python 3.11 or newer; this is " + sys.version.split()[0])'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "Could not create a virtual environment. On Debian and Ubuntu, install python3-venv." >&2; exit 1; }

$(RUNTIME): requirements.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(DEVELOPMENT): requirements-dev.txt $(RUNTIME)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

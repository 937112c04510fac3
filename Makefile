# make run: the product. make test: every test. make check: every static check. Nothing else is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime-installed
DEVELOPMENT := $(VENV)/.development-installed

.PHONY: run install test check format slow clean

run: $(RUNTIME)
	@exec $(BIN)/levygrid serve

install: $(RUNTIME)

test: $(DEVELOPMENT)
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

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
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Levygrid needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "No virtual environment could be made: on Debian and Ubuntu install python3-venv." >&2; exit 1; }

$(RUNTIME): requirements.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(DEVELOPMENT): requirements-dev.txt $(RUNTIME)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

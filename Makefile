# Every target does its own set-up: a virtual environment in .venv with the pinned
# versions of tests/constraints.txt. Set PYTHON to build it with another interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LIGHT := .venv-light

.PHONY: run run-light package test lint fuzz bench screenshots clean

run: $(STAMP)
	$(BIN)/aoti-tui --demo

# Browsing and explaining alone, without torch.
run-light: $(LIGHT)/.installed
	$(LIGHT)/bin/aoti-tui --demo

$(LIGHT)/.installed: pyproject.toml tests/constraints.txt
	@echo "Setting up $(LIGHT): 80 MB, without torch; the replay is off in it"
	$(PYTHON) -m venv $(LIGHT)
	$(LIGHT)/bin/python -m pip install --disable-pip-version-check -c tests/constraints.txt -e .
	@touch $@

$(STAMP): pyproject.toml tests/constraints.txt
	@echo "Setting up $(VENV): 1.8 GB with torch and triton, some minutes (make run-light needs 80 MB)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check -c tests/constraints.txt -e '.[replay,dev]'
	@touch $@

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest -n 2 --dist worksteal

# Damaged and hostile files of every kind, N of each: make fuzz N=10000
N ?= 1000
fuzz: $(STAMP)
	FUZZ_N=$(N) $(BIN)/pytest -q -n 2 tests/fuzz

bench: $(STAMP)
	$(BIN)/python -m tests.bench

# Wheel and sdist into dist/, and the wheel tried in a fresh environment and a terminal.
package: $(STAMP)
	$(BIN)/python -m tests.package

screenshots: $(STAMP)
	$(BIN)/python -m tests.screenshots

clean:
	rm -rf $(VENV) $(LIGHT) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# Every target does its own set-up: a virtual environment in .venv with the pinned
# versions of tests/constraints.txt. Set PYTHON to build it with another interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run test lint fuzz bench screenshots clean

run: $(STAMP)
	$(BIN)/aoti-tui --demo

$(STAMP): pyproject.toml tests/constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c tests/constraints.txt -e '.[dev]'
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

screenshots: $(STAMP)
	$(BIN)/python -m tests.screenshots

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

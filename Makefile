# Two commands: `make demo` and `make test`. Everything else is for those who work on Seedlot.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORES  ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
export PYTHONHASHSEED := 0
SMK    := $(BIN)/snakemake --cores $(CORES)

.PHONY: help env demo test soak bench lint docs clean
help: ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

env: $(VENV)/.ready ## Create .venv with the locked versions, and download the pinned data wheels
	@$(BIN)/python -m seedlot.catalog.wheels .wheels

$(VENV)/.ready: envs/requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=python3.11 $(MAKECMDGOALS)")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "seedlot: installing the locked packages (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r envs/requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.ready-test: $(VENV)/.ready envs/requirements-test.lock
	@echo "seedlot: installing the test extras"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r envs/requirements-test.lock
	@touch $@

demo: env ## Run the workflow on the embedded default; ends with the path of the report
	@$(SMK) --quiet rules host
	@$(BIN)/seedlot report

test: env $(VENV)/.ready-test ## Unit, rule and end-to-end tests
	@$(BIN)/python -m pytest tests

soak: env $(VENV)/.ready-test ## The same tests with larger numbers; writes docs/soak.md
	@SEEDLOT_SOAK=1 $(BIN)/python -m pytest tests -m soak --durations=0

bench: $(VENV)/.ready-test ## Ratios against what you would pick instead; writes results/benchmarks/*.json
	@$(BIN)/python -m tests.benchmarks

lint: $(VENV)/.ready-test ## ruff, snakefmt, import layers, snakemake --lint
	@$(BIN)/ruff check src tests scripts && $(BIN)/ruff format --check src tests scripts
	@$(BIN)/snakefmt --check Snakefile rules
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/snakemake --lint

docs: $(VENV)/.ready ## Regenerate config/schema.json and docs/config.md
	@$(BIN)/seedlot config --schema > config/schema.json && $(BIN)/seedlot config --docs > docs/config.md

clean: ## Remove results of the demo run, keep raw files and the environment
	@rm -rf results/datasets/demo results/studies/demo results/figures/demo results/report/demo results/logs/demo results/benchmarks/demo

# Targets for people with nothing but python3, its venv module and make. Every path is relative, so
# a checkout may lie in a folder with spaces in its name.
PYTHON ?= python3
PY := .venv/bin/python
MAKEFLAGS += --no-print-directory
export PYTHON
# Where it is set, each of the tests' processes would compile all of privgate anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help environment demo test test-fast check generate docs bench clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

environment: ## make .venv fit this checkout
	@sh scripts/environment.sh

demo: environment ## judge two releases of real people's data, reports in build/demo
	$(PY) -c "from privgate.cli.main import run; run()" demo --out build/demo

test: environment ## run every test
	$(PY) -m pytest -n 2 --dist worksteal

test-fast: environment ## run the tests that take no statistical runs and no builds
	$(PY) -m pytest -n 2 --dist worksteal -m "not slow"

check: environment ## format, lint, types, imports, generated files, every test
	$(PY) -m ruff format --check
	$(PY) -m ruff check
	$(PY) -m mypy
	$(PY) -c "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
	$(PY) -m privgate.testing.generate --check
	@$(MAKE) test

generate: environment ## write the files that are made from the metrics' cards
	$(PY) -m privgate.testing.generate

docs: environment ## build the documentation as a site in build/docs
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build

bench: environment ## compare with other tools, known leaks and no leak, pages in docs
	$(PY) benchmarks/which_metric_notices.py
	$(PY) benchmarks/privet_null.py
	$(PY) benchmarks/policy_calibration.py
	$(PY) benchmarks/anonymeter/compare.py
	$(PY) benchmarks/power.py
	$(PY) benchmarks/speed/compare.py

clean: ## remove everything that make made
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

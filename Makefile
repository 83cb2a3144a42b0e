# Two commands do everything on a fresh machine: `make demo` and `make test`.
VENV ?= .venv
export CODEQUAKE_VENV := $(VENV)
BIN := $(VENV)/bin
DEMO ?= codequake-demo
WHEEL_TREE := build/installed

.PHONY: help demo test lint types wheel installed tests quality bench docs clean setup-demo setup-test

help:            ## list the targets
	@grep -E '^[a-z]+: .*##|^[a-z]+:  *##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

demo: setup-demo ## the main job: bundled problems, bundled model, report in $(DEMO)/report
	$(BIN)/codequake demo --out $(DEMO)

test: setup-test lint types wheel tests installed ## all checks; CI runs exactly this

setup-demo:
	@scripts/setup.sh demo

setup-test:
	@scripts/setup.sh test

lint:            ## style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:           ## mypy, strict
	$(BIN)/mypy

wheel:           ## build the wheel and unpack it beside the source
	rm -rf dist $(WHEEL_TREE)
	$(BIN)/python -m build --wheel --no-isolation --outdir dist . >/dev/null
	$(BIN)/python -m pip --disable-pip-version-check -q install --no-deps --no-compile --target $(WHEEL_TREE) dist/*.whl

tests:           ## the test suite, run on the built wheel and not on the source
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup -o "pythonpath=$(WHEEL_TREE) ." -m "not quality" $(PYTEST)

installed:       ## the wheel alone in a new environment with the core dependencies only
	scripts/check_installed.sh

quality:         ## full-size claims: slow
	$(BIN)/python -m pytest -q -m quality $(PYTEST)

bench:           ## benchmarks; each prints its ratios
	$(BIN)/python benchmarks/pipeline.py
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/grading.py
	$(BIN)/python benchmarks/formula.py

clean:
	rm -rf $(VENV) build dist $(DEMO)

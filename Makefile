# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Needs only make and Python 3.11+; uses uv where it is installed.

VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(shell command -v uv 2>/dev/null)
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

DEMO   := .[local-llm]
DEV    := .[dev,bedrock,local-llm]

.PHONY: demo test format lint layers types unit docs bench wheel clean

demo: $(VENV)/.demo
	@$(BIN)/proctor models add smollm2 || echo "the local model could not be fetched: only the agent is run"
	@sh examples/help_desk/demo.sh $(BIN)/proctor

test: $(VENV)/.dev lint layers types unit

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

layers: $(VENV)/.dev
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

unit: $(VENV)/.dev
	@$(BIN)/proctor models add smollm2 || echo "the local model could not be fetched: its tests are skipped"
	$(BIN)/python -m pytest -n 2

docs: $(VENV)/.dev
	$(BIN)/python docs/cli_reference.py

wheel: $(VENV)/.dev
	$(BIN)/python -m build --wheel --outdir dist

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks.run

clean:
	rm -rf $(VENV) dist out .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.python:
ifdef UV
	uv venv --quiet --allow-existing --seed --python '>=3.11' $(VENV)
else
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed"; exit 2; }
	$(PYTHON) -m venv $(VENV)
endif
	@touch $@

$(VENV)/.demo: $(VENV)/.python pyproject.toml
	$(call install,$(DEMO))
	@touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml
	$(call install,$(DEV))
	@touch $@

ifdef UV
install = uv pip install --quiet --python $(BIN)/python -e '$(1)'
else
install = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '$(1)'
endif

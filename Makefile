# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Needs only make and Python 3.11+; uses uv where it is installed.

VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(shell command -v uv 2>/dev/null)
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# One more than the two cores of CI, since a test that waits for a process leaves a core idle. The tests of a file stay
# together, so that what they share is made once; files go in order, so that the long ones are not the last.
WORKERS ?= 3

# How thorough the tests are: short, or long for four times as many examples and the slow tests too (make test PROFILE=long).
PROFILE ?= short
SLOW   := $(if $(filter long,$(PROFILE)),--slow)

# What Python compiles is kept, whatever the caller's environment says: each worker, and each of the hundreds of processes
# that the tests start, would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

DEMO   := .[local-llm]
DEV    := .[dev,bedrock,local-llm,history,postgres,ray]

.PHONY: demo demo-redteam test format lint layers types unit docs bench wheel clean

demo: $(VENV)/.demo
	@$(BIN)/proctor models add smollm2 || echo "the local model could not be fetched: only the agent is run"
	@sh examples/help_desk/demo.sh $(BIN)/proctor

# Three attacks on the travel desk, without and with the guard; ends non-zero if the guard does not stop them.
demo-redteam: $(VENV)/.demo
	@sh examples/travel_desk/demo_redteam.sh $(BIN)/proctor

# The types are checked beside all else, which leaves a core idle now and then; what is said of them comes last.
test: $(VENV)/.dev
	@$(BIN)/mypy > $(VENV)/types.txt 2>&1 & beside=$$!; \
	$(MAKE) --no-print-directory lint layers && $(MAKE) --no-print-directory unit; tests=$$?; \
	wait $$beside; types=$$?; \
	cat $(VENV)/types.txt; \
	exit $$((tests || types))

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

unit: $(VENV)/.compiled
	@$(BIN)/proctor models add smollm2 || echo "the local model could not be fetched: its tests are skipped"
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --hypothesis-profile=$(PROFILE) $(SLOW)

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

# Workers begin together and read the same modules: on a new machine each would compile every one. One does it for all.
$(VENV)/.compiled: $(VENV)/.dev
	$(BIN)/python -m pytest --collect-only -q > $(VENV)/collected.txt || { cat $(VENV)/collected.txt; exit 1; }
	@touch $@

ifdef UV
install = uv pip install --quiet --python $(BIN)/python -e '$(1)'
else
install = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '$(1)'
endif

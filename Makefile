# Everything needs only Python 3.11 or newer and make: each target makes .venv first if it is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Three sets of packages in one .venv: what playing needs, with it what developing needs, and with that what `make mutants` needs.
PLAYABLE := $(VENV)/.playable
READY := $(VENV)/.ready
MUTANTS := $(VENV)/.mutants

# More than there are cores: many tests wait for processes of their own, or for a browser.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 2)')

# The tests start hundreds of programs; where this is set each of them would compile its modules anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
SECONDS ?= 3600
SOAK ?= tests
.PHONY: help play nodes test lint bench soak mutants proto goldens clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' Makefile

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "This project needs Python 3.11 or newer; $$($(PYTHON) --version) was found. Say make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(PLAYABLE): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[terminal,websocket]'
	@touch $@

$(READY): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(PLAYABLE) $@

play: $(PLAYABLE) ## play TaE against a bot: one open seat on 127.0.0.1
	@$(BIN)/tpserver play tae

nodes: $(READY) ## run a cluster of three nodes on this machine, on a PostgreSQL that is there
	@$(BIN)/tpserver run --config tpserver/three-nodes.toml $(ARGS)

test: $(READY) ## run all tests (under five minutes on two cores)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

lint: $(READY) ## style, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY) ## measure codec, reads, orders, end of turn, connections
	@$(BIN)/python -m tests.bench $(ARGS)

soak: $(READY) ## for nights: simulated worlds for SECONDS (3600), then the tests marked soak, of SOAK (all); ARGS="--first 100000"
	@status=0; $(BIN)/python -m tests.simulation --kind all --seconds $(SECONDS) $(ARGS) || status=1; \
	  $(BIN)/python -m pytest -m soak -s $(SOAK) || status=1; exit $$status

$(MUTANTS): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutants]'
	@touch $@

mutants: $(MUTANTS) ## change a module, and look whether its tests notice; ARGS=lease
	@$(BIN)/python -m tests.mutants $(ARGS)

proto: $(READY) ## regenerate the modules of protocol/tp.proto and tpserver/edge/link.proto
	cd protocol && ../$(BIN)/python -m grpc_tools.protoc -I . --python_out=tpproto --pyi_out=tpproto tp.proto
	$(BIN)/python -m grpc_tools.protoc -I . --python_out=. --pyi_out=. tpserver/edge/link.proto

goldens: $(READY) ## rewrite golden playthroughs, frames and their page after a deliberate change
	$(BIN)/python -m tests.rulesets.goldens
	$(BIN)/python -m tpproto vectors protocol/vectors
	$(BIN)/python -m tpproto frames protocol/FRAMES.md

clean: ## remove .venv and every cache
	rm -rf $(VENV) dist build .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

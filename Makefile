# Everything needs only Python 3.11 or newer and make: each target makes .venv first if it is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Three sets of packages in one .venv: what playing needs, with it what developing needs, and with that what `make mutants` needs.
PLAYABLE := $(VENV)/.playable
LOCK := tpserver/requirements.lock
# Warnings of pip are about the machine; its errors are shown.
INSTALL := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check
READY := $(VENV)/.ready
MUTANTS := $(VENV)/.mutants
# Programs for releases have packages of their own, so that they change nothing of what is tested.
RELEASE := .cache/release

# No more than there are cores, as each worker collects all tests again.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(os.cpu_count() or 1)')

# The tests start hundreds of programs; where this is set each of them would compile its modules anew.
export PYTHONDONTWRITEBYTECODE :=

define SHOW_AUDIT
import json, sys
found = [one for one in json.load(open(sys.argv[1]))["dependencies"] if one.get("vulns")]
for one in found:
    print(one["name"], one["version"], *(vuln["id"] for vuln in one["vulns"]))
print("Known vulnerabilities:", len(found) or "none")
sys.exit(bool(found))
endef
export SHOW_AUDIT

.DEFAULT_GOAL := help
SECONDS ?= 3600
SOAK ?= tests
.PHONY: help play nodes test lint bench soak lock sbom audit mutants proto goldens clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' Makefile

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "This project needs Python 3.11 or newer; $$($(PYTHON) --version) was found. Say make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Making $(VENV), an environment for Python (some seconds) ..."
	@$(PYTHON) -m venv $(VENV)

$(PLAYABLE): pyproject.toml $(LOCK) | $(VENV)/bin/python
	@echo "Installing tpserver and what it needs into $(VENV), about 50 packages (a minute, once) ..."
	@$(INSTALL) --require-hashes --requirement $(LOCK)
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(READY): pyproject.toml | $(VENV)/bin/python
	@echo "Installing tpserver and what its tests need into $(VENV), about 100 packages (two minutes, once) ..."
	@$(INSTALL) --editable '.[dev]'
	@touch $(PLAYABLE) $@

play: $(PLAYABLE) ## play TaE against a bot on 127.0.0.1; ARGS="swarm --no-browser" plays another game
	@$(BIN)/tpserver play $(if $(filter-out -%,$(firstword $(ARGS))),,tae) $(ARGS)

nodes: $(READY) ## run a cluster of three nodes on this machine, on a PostgreSQL that is there
	@$(BIN)/tpserver run --config tpserver/three-nodes.toml $(ARGS)

test: $(READY) ## run all tests (about six minutes on two cores)
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
	@$(INSTALL) --editable '.[mutants]'
	@touch $@

$(RELEASE): | $(VENV)/bin/python
	@echo "Installing the programs for releases into $(RELEASE) (a minute, once) ..."
	@$(PYTHON) -m venv $(RELEASE)
	@$(RELEASE)/bin/python -m pip install --quiet --quiet --disable-pip-version-check 'uv>=0.13,<1' 'cyclonedx-bom>=7.5,<8' 'pip-audit>=2.10,<3'
	@touch $@

lock: $(RELEASE) ## write tpserver/requirements.lock from pyproject.toml anew
	@{ sed '/^[^#]/,$$d' $(LOCK); echo 'hatchling>=1.27' > $(RELEASE)/build.in; $(RELEASE)/bin/uv pip compile --quiet \
	  pyproject.toml $(RELEASE)/build.in --universal --python-version 3.11 --upgrade --generate-hashes --no-header --no-annotate \
	  --extra postgres --extra metrics --extra terminal --extra websocket; } > $(LOCK).new
	@mv $(LOCK).new $(LOCK)

sbom: $(RELEASE) ## for a release: write dist/tpserver.cdx.json, a CycloneDX list of what the lock installs
	@mkdir -p dist
	@$(RELEASE)/bin/python -W ignore -m cyclonedx_py requirements --pyproject pyproject.toml --output-reproducible --of JSON -o dist/tpserver.cdx.json $(LOCK)
	@echo "Written: dist/tpserver.cdx.json"

audit: $(RELEASE) ## look for known vulnerabilities of what the lock installs; skipped where their list cannot be reached
	@mkdir -p dist && rm -f dist/audit.json
	@if $(RELEASE)/bin/pip-audit --progress-spinner off --disable-pip --require-hashes --requirement $(LOCK) \
	  --format json --output dist/audit.json 2>dist/audit.log || [ -s dist/audit.json ]; then \
	  $(RELEASE)/bin/python -c "$$SHOW_AUDIT" dist/audit.json; \
	else echo "Skipped: the list of known vulnerabilities cannot be reached ($$(tail -n 1 dist/audit.log | cut -c 1-150))."; fi

mutants: $(MUTANTS) ## change a module, and look whether its tests notice; ARGS=lease
	@$(BIN)/python -m tests.mutants $(ARGS)

proto: $(READY) ## regenerate what is made from protocol/tp.proto and tpserver/portal/link.proto
	cd protocol && ../$(BIN)/python -m grpc_tools.protoc -I . --python_out=tpproto --pyi_out=tpproto tp.proto
	$(BIN)/python -m tpproto methods clients/tpclient/requests.py clients/tpclient/web/core/requests.js
	$(BIN)/python -m grpc_tools.protoc -I . --python_out=. --pyi_out=. tpserver/portal/link.proto

goldens: $(READY) ## rewrite golden playthroughs, frames, policies and generated pages after a deliberate change
	$(BIN)/python -m tests.rulesets.goldens
	$(BIN)/python -m tpproto vectors protocol/vectors
	$(BIN)/python -m tpproto frames protocol/FRAMES.md
	$(BIN)/python -m tests.config_page
	$(BIN)/python -m tests.requests.request_policy
	$(BIN)/python -m tests.command_page

clean: ## remove .venv and every cache
	rm -rf $(VENV) dist build .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

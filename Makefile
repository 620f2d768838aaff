# `make` alone lists the goals. STUDY=te narrows a goal to one study.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.DEFAULT_GOAL := help
# A make that this one starts shares its workers.
MAKEFLAGS += $(if $(filter 0,$(MAKELEVEL)),-j$(shell getconf _NPROCESSORS_ONLN)) --no-print-directory

PYTHON ?= python3
BIN ?= .venv/bin
STUDIES := $(filter-out models,$(basename $(notdir $(wildcard params/*.yaml))))
STUDY ?= $(STUDIES)
$(foreach study,$(filter-out $(STUDIES),$(STUDY)),\
  $(error params/$(study).yaml: no such study; there are: $(STUDIES)))
# A section is run for the studies whose parameter file has its block.
SECTIONS := 01_calibration 02_sensitivity 03_human_agreement 04_peer_ranking 05_judge_card
with_block = $(basename $(notdir $(shell grep -l "^$$(echo $(1) | cut -c4-):" params/*.yaml)))
EXECUTED := $(foreach section,$(SECTIONS),\
  $(patsubst %,build/%/$(section).ipynb,$(filter $(STUDY),$(call with_block,$(section)))))
ENV := $(if $(filter .venv/bin,$(BIN)),.venv/.ready)
# Numerical libraries would otherwise start a thread a core in every notebook at once.
export OMP_NUM_THREADS := 1
export PYTHONHASHSEED := 0
# CLUSTER=tcp://… : a Dask scheduler whose workers take the parts of what is computed.
export JUDGEWORTHY_CLUSTER ?= $(CLUSTER)
export PYDEVD_DISABLE_FILE_VALIDATION := 1

.PHONY: help env env-local reproduce report validate accept verify plan record models bench bench-peers notebooks lab test test-live test-faults lock clean

help: ## List the goals.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
	@echo; echo "Studies: $(STUDIES)"

env: $(ENV) ## Make the environment in .venv from the lock.

.venv/.ready: requirements.lock requirements-uv.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.12 env")'
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-uv.lock
	.venv/bin/uv pip sync --quiet --compile-bytecode --python .venv/bin/python --require-hashes requirements.lock
	.venv/bin/uv pip install --quiet --python .venv/bin/python --no-deps -e .
	touch $@

# GCC 12 takes the stores that set up the tiles of AMX for dead and leaves them out, so that the
# server would end at its first tile.
ALL_STORES := $(if $(shell grep -sw amx_tile /proc/cpuinfo),-fno-tree-dse -fno-dse)
CMAKE_ARGS ?= $(if $(ALL_STORES),-DCMAKE_C_FLAGS="$(ALL_STORES)" -DCMAKE_CXX_FLAGS="$(ALL_STORES)")

env-local: .venv-local/.ready ## Build the llama.cpp server for local models in .venv-local (about 5 minutes).

.venv-local/.ready: requirements-local.lock requirements-uv.lock
	$(PYTHON) -m venv .venv-local
	.venv-local/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-uv.lock
	CMAKE_ARGS='$(CMAKE_ARGS)' .venv-local/bin/uv pip sync --quiet --compile-bytecode --python .venv-local/bin/python --require-hashes requirements-local.lock
	touch $@

# A notebook's executed copy stands for its figures and tables too. The modules that it imports
# are prerequisites by the rules that its run wrote; .venv/.ready only has to be there.
define RULE
build/%/$(1).ipynb: notebooks/$(1).ipynb params/%.yaml params/models.yaml requirements.lock \
    $$$$(wildcard data/questions/*.csv data/replies/$$$$* data/replies/$$$$*/*.gz) \
    $$$$(wildcard data/judgments/$$$$*/* data/labels/$$$$*/* data/maps/$$$$*.csv) | $(ENV)
	@$(BIN)/python -m judgeworthy.execute $$< $$*
endef
$(foreach section,$(SECTIONS),$(eval $(call RULE,$(section))))
-include $(wildcard build/*/*.d)
# The card of all studies reads the tables that their notebooks wrote. It is run where it is named,
# or where no study is.
SUMMARY := build/summary/05_judge_card.ipynb
$(SUMMARY): $(wildcard params/*.yaml) $(filter-out $(SUMMARY),$(EXECUTED))

reproduce: $$(EXECUTED) ## Execute the notebooks, compare every number with the committed one, publish, report.
	@$(BIN)/python -S src/judgeworthy/verify.py --publish $(STUDY)
	@$(MAKE) -s report

verify: $$(EXECUTED) ## Compare every fresh number with the committed one; publish nothing.
	@$(BIN)/python -S src/judgeworthy/verify.py $(STUDY)

accept: $$(EXECUTED) ## Publish the fresh figures and tables though they differ.
	@$(BIN)/python -S src/judgeworthy/verify.py --accept $(STUDY)

# Of the pages only those are made anew that something changed for.
REPORT := build/report/index.html
report: $(REPORT) ## Put everything on pages that open without a network: build/report/index.html.

$(REPORT): $$(EXECUTED) $(wildcard figures/manifest.json) \
    $(shell find src/judgeworthy/report -type f -not -name '*.pyc')
	@$(BIN)/judgeworthy report

# Exit code 3 says that a local model is to be asked and its server is not built yet.
plan: $(ENV) ## Say what recording would ask for, take and cost.
	@$(BIN)/judgeworthy plan $(filter-out summary,$(STUDY))

record: $(ENV) ## Ask the models for the replies that are not recorded yet.
	@status=0; for study in $(filter-out summary,$(STUDY)); do \
	  $(BIN)/judgeworthy record $$study || { [ $$? = 3 ] && $(MAKE) env-local && \
	    $(BIN)/judgeworthy record $$study; } || status=1; \
	done; exit $$status

models: $(ENV) ## Bring the local models' files and check them.
	@$(BIN)/judgeworthy models

notebooks: $(ENV) ## Refresh the outputs that are stored in notebooks/.
	@for section in $(SECTIONS); do $(BIN)/python -m judgeworthy.execute notebooks/$$section.ipynb; done

lab: $(ENV) ## Explore in JupyterLab.
	@$(BIN)/jupyter lab notebooks

validate: $(ENV) ## Simulate how often intervals hold a planted truth, and decisions are right.
	$(BIN)/python -m judgeworthy.validation.human_agreement validation
	$(BIN)/python -m judgeworthy.validation.judging validation

# Tools that are compared with live in environments of their own; one that cannot be installed is
# said to be missing.
PEERS := $(basename $(notdir $(wildcard benchmarks/peers/*.txt)))

bench-peers: $(PEERS:%=.venv-bench/%/.ready) ## Make the environments of the tools that bench compares with.

.venv-bench/%/.ready: benchmarks/peers/%.txt | $(ENV)
	$(PYTHON) -m venv --without-pip .venv-bench/$*
	$(BIN)/uv pip sync --quiet --python .venv-bench/$*/bin/python $<
	touch $@

bench: $(ENV) ## Measure everything in benchmarks/, or ONLY="loops faults".
	@$(MAKE) -k bench-peers || true
	@$(BIN)/python benchmarks/bench.py $(ONLY)

test: $(ENV) ## Lint, types, tests, notebooks.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $$(getconf _NPROCESSORS_ONLN) -q

test-live: $(ENV) .venv-local/.ready ## Ask the smallest real model for three verdicts.
	JUDGEWORTHY_LIVE=1 $(BIN)/python -m pytest -q tests/live

test-faults: $(ENV) ## Record through kills, full disks, storms and garbage; print what was lost.
	JUDGEWORTHY_FAULTS=1 $(BIN)/python -m pytest -q tests/endurance

lock: $(ENV) ## Pin every package anew.
	$(BIN)/uv pip compile --quiet pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-header -o requirements.lock
	$(BIN)/uv pip compile --quiet pyproject.toml --extra local --universal --python-version 3.11 --generate-hashes --no-header -o requirements-local.lock
	$(BIN)/uv pip compile --quiet pyproject.toml --extra scale --universal --python-version 3.11 --generate-hashes --no-header -o requirements-scale.lock

clean: ## Remove what the notebooks made in build/.
	rm -rf build

# Archiviste. `make demo` and `make test` do all their set-up themselves.
PYTHON ?= python3
VENV ?= .venv
VENV_BGE ?= .venv-bge
BIN := $(VENV)/bin
DEMO_DATA ?= .demo
PORT ?= 8080

# llama.cpp for any x86-64 of the last ten years, not for the machine that builds it.
export CMAKE_ARGS ?= -DGGML_NATIVE=OFF
PIP := -m pip --disable-pip-version-check --quiet

.PHONY: demo run test test-bge lint format check bench bench-import bench-llm bench-scale bench-search quality claims-report gate-report kill-test i18n docs package clean

# --- set-up ------------------------------------------------------------------------------------

$(VENV)/.base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP) install --upgrade pip
	$(BIN)/python $(PIP) install --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/python $(PIP) install --editable '.[llm,dev]'
	touch $@

$(VENV_BGE)/.bge: pyproject.toml
	$(PYTHON) -m venv $(VENV_BGE)
	$(VENV_BGE)/bin/python $(PIP) install --upgrade pip
	$(VENV_BGE)/bin/python $(PIP) install 'torch==2.13.0'
	$(VENV_BGE)/bin/python $(PIP) install --editable '.[bge]' pytest pytest-asyncio hypothesis
	touch $@

# The browser journeys drive Debian's Chromium; the queue is also tested on Debian's Redis.
.PHONY: chromium redis-server
chromium redis-server:
	@command -v $@ >/dev/null || { \
	  if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq $@; \
	  else echo "make test needs it: sudo apt-get install $@" >&2; exit 1; fi; }

# --- what a newcomer runs ----------------------------------------------------------------------

demo: $(VENV)/.base
	$(BIN)/archiviste --data $(DEMO_DATA) demo
	$(BIN)/archiviste --data $(DEMO_DATA) serve --port $(PORT)

run: $(VENV)/.base
	$(BIN)/archiviste serve --port $(PORT)

test: $(VENV)/.dev chromium redis-server lint
	$(BIN)/python -m pytest tests --ignore=tests/bge

test-bge: $(VENV_BGE)/.bge
	$(VENV_BGE)/bin/python -m pytest tests/bge

# --- keeping it tidy ---------------------------------------------------------------------------

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

check: test

PO := i18n/fr/LC_MESSAGES/archiviste.po
i18n: $(VENV)/.dev
	mkdir -p build
	$(BIN)/pybabel --quiet extract -F i18n/babel.cfg --no-location --sort-output -w 110 -o build/archiviste.pot .
	$(BIN)/pybabel --quiet update -i build/archiviste.pot -o $(PO) -l fr --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date -w 110

docs: $(VENV)/.dev
	$(BIN)/python -m tests.readme

# --- figures -----------------------------------------------------------------------------------

bench: $(VENV)/.dev
	$(BIN)/python -m tests.bench.speed

# Our language model's process against llama.cpp used bare; on a quiet machine.
bench-llm: $(VENV)/.dev
	$(BIN)/python -m tests.bench.llm

# A forum of 425,000 posts, stage by stage; about an hour and 8 GB. `make bench-scale MORE="--posts 20000 --only words"`
bench-scale: $(VENV)/.dev
	$(BIN)/python $(PIP) install --editable '.[bench]'
	$(BIN)/python -m tests.bench.scale $(MORE)

# CNIL and PIAF from ../shared/data; `make quality SETS=scifact` for another. About ten minutes the first time.
SETS ?= cnil piaf
quality: $(VENV)/.dev
	$(BIN)/python -m tests.quality.run $(SETS)

# What the gate turns away and what it misses, probe by probe.
gate-report: $(VENV)/.dev
	$(BIN)/python -m tests.quality.gate

# How well sentences are checked against their sources; `make claims-report MORE=--piaf` for an independent set.
claims-report: $(VENV)/.dev
	$(BIN)/python -m tests.quality.claims $(MORE)

kill-test: $(VENV)/.dev
	$(BIN)/python -m tests.bench.kill

package: $(VENV)/.dev
	$(BIN)/python $(PIP) install build
	$(BIN)/python -m build --wheel

clean:
	rm -rf $(VENV) $(VENV_BGE) $(DEMO_DATA) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

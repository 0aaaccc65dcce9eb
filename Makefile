# make run    open the window; without a display, say so and run the tour
# make test   lint, types, layers, budgets and every test
# make fuzz   ten minutes of hostile input for each parser and decoder; FUZZ_SECONDS=30 for a try
# make kills  the program killed 500 times, and what the next start finds; KILLS=50 for a try, SEED=2 for others
# make soak   an hour of mixed work, and whether anything grows; MINUTES=2 for a try
# make hostile  every text of the hostile lists through the window, every export and a browser
# make stores the tests of the vector databases, whose clients (0.8 GB) go into build/stores
# make no-network the tour and every test without a network; counts the bytes that they tried to send
# make screenshots  every picture of the window anew, into resources/screenshots
# make compare BEFORE=FOLDER  which pictures differ from those of an earlier folder; AFTER=FOLDER for others than the last
# make wheel  the wheel and the sdist, into dist
# make release  those, and the program without Python as a folder and a Debian package, with checksums and a list of parts
# Each sets up everything it needs first: see packaging/setup.sh.

VENV := .venv
PYTHON := $(VENV)/bin/python
STAMP := $(VENV)/.ready
export HF_HUB_OFFLINE = 1
export TOKENIZERS_PARALLELISM = false
# The tests start hundreds of programs, each of which would compile anew what setup.sh leaves uncompiled.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run tour test stores no-network fuzz kills hostile soak lint types layers check benchmark behaviours translations screenshots compare lock wheel release clean

run: $(STAMP)
	@sh packaging/run.sh $(PYTHON)

tour: $(STAMP)
	@QT_QPA_PLATFORM=offscreen $(PYTHON) -m workbench tour

test: $(STAMP) lint layers
	@sh packaging/model-server.sh
	@sh packaging/types-and-tests.sh $(PYTHON)

stores: $(STAMP)
	@sh packaging/stores.sh $(PYTHON)

fuzz: $(STAMP)
	$(PYTHON) tests/fuzz/fuzz.py $(FUZZ)

kills: $(STAMP)
	$(PYTHON) tests/durability/kills.py --kills $(or $(KILLS),500) --seed $(or $(SEED),1)
	$(PYTHON) tests/durability/shared_kills.py --kills $(or $(KILLS),100) --seed $(or $(SEED),1)

hostile: $(STAMP)
	WORKBENCH_EVERY_HOSTILE_TEXT=1 QT_QPA_PLATFORM=offscreen $(PYTHON) -m pytest -q --timeout=1800 -o faulthandler_timeout=1800 \
	  tests/ui/test_ui_hostile_text.py tests/ui/test_ui_hostile_window.py tests/unit/export/test_export_hostile_lists.py \
	  tests/unit/export/test_export_in_browser.py tests/unit/export/test_export_spreadsheet.py

lint: $(STAMP)
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types: $(STAMP)
	$(PYTHON) -m mypy

layers: $(STAMP)
	$(VENV)/bin/lint-imports

no-network: $(STAMP)
	@QT_QPA_PLATFORM=offscreen $(PYTHON) packaging/no_network.py $(PYTHON) -m workbench tour
	@QT_QPA_PLATFORM=offscreen $(PYTHON) packaging/no_network.py sh packaging/tests.sh $(PYTHON)

benchmark: $(STAMP)
	$(PYTHON) tests/benchmarks/run_all.py

soak: $(STAMP)
	$(PYTHON) tests/benchmarks/soak.py --minutes $(or $(MINUTES),60)

behaviours: $(STAMP)
	$(PYTHON) tests/behaviours.py

translations: $(STAMP)
	$(PYTHON) packaging/translations.py

screenshots: $(STAMP)
	$(PYTHON) packaging/screenshots

compare: $(STAMP)
	$(PYTHON) packaging/screenshots --compare $(BEFORE) $(AFTER)

wheel: $(STAMP)
	@sh packaging/wheel.sh $(PYTHON)

release: $(STAMP)
	@sh packaging/release.sh $(PYTHON)

lock:
	sh packaging/lock.sh

$(STAMP): packaging/requirements.lock pyproject.toml packaging/setup.sh
	@sh packaging/setup.sh $(VENV)

clean:
	rm -rf $(VENV) build dist tour-output .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

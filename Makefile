# The commands of development. Each target is a few plain commands; the README lists them for machines without make.
PYTHON ?= python3
BIN := .venv/bin
WORKERS := --numprocesses auto --maxprocesses 4 --dist worksteal

.PHONY: demo docs release test test-all test-postgres lint bench fuzz soak scale pictures requirements audit-dependencies clean

demo: .venv/runs  ## the demonstration campaign on http://127.0.0.1:8000/
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py collectstatic --noinput --verbosity 0
	@$(BIN)/python manage.py load_demo
	@echo "Jurypool is on http://$(or $(JURYPOOL_BIND),127.0.0.1:8000)/ until you press Ctrl-C."
	@$(BIN)/python manage.py serve

test: .venv/tests  ## what CI runs: the linters beside every test that is quick, with a browser where it matters most
	$(BIN)/python manage.py makemigrations --check --dry-run
	@output=$$(mktemp); $(MAKE) --no-print-directory lint >"$$output" 2>&1 & lint=$$!; \
	$(BIN)/python -m pytest -m "smoke or not (browser or slow)" $(WORKERS); tests=$$?; \
	wait $$lint; lint=$$?; cat "$$output"; rm "$$output"; \
	[ $$lint -eq 0 ] || echo "The linters failed: see above."; \
	exit $$((lint ? lint : tests))

test-all: lint  ## every test there is, on SQLite and on PostgreSQL
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python -m pytest $(WORKERS)
	$(MAKE) test-postgres

test-postgres: .venv/tests  ## every test on a temporary PostgreSQL server, from the binaries on this machine
	$(BIN)/python -m tests.support.postgres $(BIN)/python -m pytest $(WORKERS)

lint: .venv/tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/djangofmt --check templates
	$(BIN)/djangofmt check --preview templates
	$(BIN)/oxfmt --config static/.oxfmtrc.json --check static/js static/css tests/js
	$(BIN)/oxlint --config static/.oxlintrc.json static/js tests/js
	$(BIN)/mypy

docs: .venv/docs  ## the documentation site, which the application then serves under /docs/; needs no network
	rm -rf config/web_root/docs
	$(BIN)/python -m sphinx -W --keep-going -n -q -j auto -d build/docs docs config/web_root/docs

bench: .venv/tests  ## the speed of Jurypool and of other programs on this machine, as ratios
	$(BIN)/pip install --quiet --disable-pip-version-check -r tests/benchmarks/requirements.txt
	$(BIN)/python -m tests.benchmarks.bench_scoring
	$(BIN)/python -m tests.benchmarks.bench_pooling
	$(BIN)/python -m tests.benchmarks.bench_reading
	$(BIN)/python -m tests.benchmarks.bench_judge_swap
	$(BIN)/python -m tests.benchmarks.bench_agreement
	$(BIN)/python -m tests.benchmarks.bench_agreement_page
	$(BIN)/python -m tests.benchmarks.bench_leaderboard
	$(BIN)/python -m tests.benchmarks.bench_near_duplicates
	$(BIN)/python -m tests.benchmarks.bench_active_learning
	$(BIN)/python -m tests.benchmarks.bench_battles

fuzz: .venv/tests  ## each file reader for a minute under atheris, then the API and the forms with new random examples
	$(BIN)/pip install --quiet --disable-pip-version-check -r tests/fuzz/requirements.txt
	$(BIN)/python -m tests.fuzz --seconds 60
	JURYPOOL_API_EXAMPLES=80 $(BIN)/python -m pytest -q tests/config/test_api_document.py
	$(BIN)/python -m pytest -q $(WORKERS) --hypothesis-profile "new examples" tests/config/test_forms.py tests/config/test_upload_services.py tests/fuzz/test_readers.py tests/config/test_hostile_archives.py tests/metrics tests/assess/kappa

soak: .venv/tests  ## half an hour of load, network failures and kill -9; prints figures
	$(BIN)/python -m tests.soak sittings load crash jobs

scale: .venv/tests  ## a campaign as large as a TREC track: the time and memory of every page, on both databases
	$(BIN)/python -m tests.soak scale

pictures: .venv/tests  ## take the screenshots of the README again
	$(BIN)/python -m tests.browser.pictures

release: .venv/tests docs  ## wheel, sdist and SHA256SUMS of the last commit with its documentation, in dist/
	@$(BIN)/python .ci/release.py --add config/web_root

requirements: .venv/tests  ## resolve the four requirements files again and pin every package
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --custom-compile-command "make requirements" pyproject.toml --extra server -o requirements.txt
	$(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --custom-compile-command "make requirements" pyproject.toml --extra s3 -c requirements.txt -o requirements-s3.txt
	$(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --custom-compile-command "make requirements" docs/requirements.in -o docs/requirements.txt
	$(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --custom-compile-command "make requirements" tests/requirements.in -o tests/requirements.txt

audit-dependencies: .venv/tests  ## ask whether a pinned package has a known hole; needs the network
	$(BIN)/pip install --quiet uv
	@$(BIN)/uvx pip-audit==2.10.1 --strict --disable-pip --require-hashes -r requirements.txt -r requirements-s3.txt -r docs/requirements.txt -r tests/requirements.txt \
		|| { echo "A hole, or no answer: read above which. Without an answer nothing is known; ask again with the network."; exit 1; }

.venv/runs: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit("Jurypool needs Python 3.11 or newer; this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv .venv || { echo "On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@echo "Installing what Jurypool runs on …"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

.venv/docs: .venv/runs docs/requirements.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r docs/requirements.txt
	@touch $@

.venv/tests: .venv/runs tests/requirements.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r tests/requirements.txt
	@touch $@

clean:  ## the virtual environment and caches; your data in var/ stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis

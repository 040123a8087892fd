# Each of these does everything from a bare clone: `make demo`, `make quick`, `make test`, `make wheel`.
VENV ?= .venv
PY = $(VENV)/bin/python
PYTHON ?= python3

.PHONY: demo serve wheel quick test browser simulate faults benchmark clean

demo: $(VENV)/.installed
	$(VENV)/bin/deniable demo

# The respondent's page and the organiser's, on this machine, with the demo survey.
serve: $(VENV)/.installed
	$(VENV)/bin/deniable survey open deniable/survey/town.yaml --db town.db
	$(VENV)/bin/deniable serve --db town.db

# One file in dist/ to install on a server (docs/deploy.md).
wheel: $(VENV)/bin/python
	rm -rf dist
	$(VENV)/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist/*.whl

# Two workers keep two cores busy: linear algebra with threads of its own makes them wait for each other (twice the time behind noise).
quick test: export OPENBLAS_NUM_THREADS = 1

# For every day, in under a minute on two cores: tests that need nothing but Python (the kinds of tests: pyproject.toml), without the
# examples of docstrings.
# Folders without any such test are not even imported.
# Compiled tests are kept even where the environment says not to: reading them all anew takes a quarter of the time.
quick: export PYTHONDONTWRITEBYTECODE =
NOT_QUICK = attacks browser charts cli engines results statistical web
quick: $(VENV)/.installed-test
	$(PY) -m pytest -q -n 2 --dist loadgroup -m "unit and not slow" --hypothesis-profile=quick -p no:schemathesis \
		tests $(NOT_QUICK:%=--ignore=tests/%)

# Everything.
test: $(VENV)/.installed-test browser
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-cache
	$(PY) -m pytest -q -n 2 --dist loadgroup

# The respondent's page is tested in a real Chromium, from the system's packages.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| { apt-get update -q && apt-get install -yq --no-install-recommends chromium; } \
		|| { echo "Install Chromium (for example: sudo apt-get install chromium), then run again." >&2; exit 1; }

# The long simulations behind the statistical claims.
simulate: $(VENV)/.installed-test
	$(PY) -m pytest -q -s -m slow tests
	$(PY) -m benchmarks.information_loss
	$(PY) -m benchmarks.deconvolution
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -e ".[benchmark]"
	$(PY) -m benchmarks.sample_audit

# Do the tests see small faults? At most an hour; a second call goes on where the first one ended.
faults: $(VENV)/.installed-test
	$(PY) -m benchmarks.planted_faults

benchmark: $(VENV)/.installed-test
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -e ".[benchmark]"
	$(PY) -m benchmarks.channels
	$(PY) -m benchmarks.order
	$(PY) -m benchmarks.reconstruction
	$(PY) -m benchmarks.mining --no-mlxtend
	$(PY) -m benchmarks.service

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -e ".[serve]"
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

clean:
	rm -rf $(VENV) build dist

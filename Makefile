# Two commands do everything from a bare clone: `make demo` and `make test`.
VENV ?= .venv
PY = $(VENV)/bin/python
PYTHON ?= python3

.PHONY: demo test simulate benchmark clean

demo: $(VENV)/.installed
	$(VENV)/bin/deniable demo

test: $(VENV)/.installed-test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-cache
	$(PY) -m pytest -q -n 2 --dist loadgroup

# The long simulations behind the statistical claims.
simulate: $(VENV)/.installed-test
	$(PY) -m pytest -q -s -m slow tests
	$(PY) -m benchmarks.information_loss
	$(PY) -m benchmarks.deconvolution

benchmark: $(VENV)/.installed-test
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -e ".[benchmark]"
	$(PY) -m benchmarks.channels
	$(PY) -m benchmarks.reconstruction
	$(PY) -m benchmarks.service

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

clean:
	rm -rf $(VENV) build dist

"""Requests made up from the interface's own description, fitting and not: no failure inside, none slow, nothing stored that should not."""

import contextlib
import time

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

SLOWEST_SECONDS = 2.0


def fuzz(town, cases):
    schema = schemathesis.openapi.from_url(f"{town.url}/openapi.json")
    tried = {}
    for found in schema.get_all_operations():
        operation = found.ok()
        for mode in GenerationMode:
            name = f"{operation.method.upper()} {operation.path} {mode.name.lower()}"
            tried[name] = _fuzz_one(town.url, operation.as_strategy(generation_mode=mode), cases)
    return tried


def _fuzz_one(url, requests, cases):
    statuses = {}

    @settings(max_examples=cases, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=requests, known=st.booleans())
    def one(case, known):
        if known and "slug" in (case.path_parameters or {}):
            case.path_parameters["slug"] = "town"
        began = time.perf_counter()
        reply = case.call(base_url=url)
        assert time.perf_counter() - began < SLOWEST_SECONDS
        assert reply.status_code < 500, reply.text
        if reply.status_code >= 400:
            assert set(reply.json()) == {"code", "message"}
        assert "content-security-policy" in reply.headers
        statuses[reply.status_code] = statuses.get(reply.status_code, 0) + 1

    with contextlib.suppress(Unsatisfiable):  # an operation without parameters has no request that does not fit
        one()
    return statuses


def check(town, tried, cases):
    assert len(tried) >= 6
    assert sum(sum(statuses.values()) for statuses in tried.values()) >= cases * 3
    answers = tried["POST /api/surveys/{slug}/answers negative"]
    assert set(answers) <= {400, 403, 404, 405, 409, 411, 413, 415, 422}
    # None of the made-up reports answers the questions of this survey.
    assert sum(town.store.waiting()[1]) == 0


def test_made_up_requests_are_answered_with_4xx_and_quickly(serve, standin):
    town = serve(standin.Standin(), burst=0)
    check(town, fuzz(town, 25), 25)


@pytest.mark.slow
def test_a_thousand_made_up_requests_an_operation(serve, standin):
    town = serve(standin.Standin(), burst=0)
    tried = fuzz(town, 1_000)
    check(town, tried, 1_000)
    for name, statuses in tried.items():
        print(f"\n{name}: {dict(sorted(statuses.items()))}", end="")

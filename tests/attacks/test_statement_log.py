"""An attacker who reads every statement that the database is sent, with its parameters: `log_min_duration_statement = 0`.

Tokens are seen as they are used. Answers can be read only when they are mixed in: if they came in the order in which they waited, the
n-th token and the n-th answer would belong to each other, for everybody (300 of 300 when this was tried).
"""

import json
import re

import pytest
import sqlalchemy as sa

import deniable as dn
from deniable.survey.invitations import new_token
from deniable.survey.store import mixing, submissions
from deniable.survey.submission import read_submission, token_hash

PEOPLE = 300
# Right guesses of a random order are Poisson(1): above 11 once in 10^9.
CHANCE = 11
HASH = re.compile(r"[0-9a-f]{64}")


@pytest.fixture
def consultation(store, standin):
    """A survey, people with tokens, and every statement that was sent."""
    schema = dn.Schema({"number": dn.Retention(dn.Integer(1, PEOPLE), 0.5)})
    store.open_survey(standin.Standin(schema=schema, invited=True))
    tokens = [new_token() for _ in range(PEOPLE)]
    store.add_invitations("town", [(token_hash("town", token), None, None) for token in tokens])
    log = []
    sa.event.listen(store.engine, "before_cursor_execute", lambda _, __, statement, given, *___: log.append((statement, given)))
    return store, tokens, log


def answer(store, tokens, standin, together):
    asked = store.current("town")[0]
    bodies = [standin.body({"number": i}, token=token) for i, token in enumerate(tokens)]
    for begin in range(0, len(bodies), together):
        assert set(store.submit([read_submission(asked, body) for body in bodies[begin : begin + together]])) == {None}


def used_in_order(log):
    """Tokens in the order in which statements mark them as used."""
    return [hashed for statement, given in log if "UPDATE invitation" in statement for hashed in HASH.findall(repr(given))]


def answers_in_order(log):
    """Answers in the order in which statements carry them in the clear."""
    return [
        row[0]
        for statement, given in log
        if statement.startswith("INSERT INTO mixing") and given
        for row in json.loads(given[0])
    ]


def right(store, tokens, log):
    truth = {token_hash("town", token): i for i, token in enumerate(tokens)}
    found = answers_in_order(log)
    assert sorted(found) == list(range(PEOPLE))
    return sum(truth[hashed] == code for hashed, code in zip(used_in_order(log), found, strict=True))


@pytest.mark.parametrize("together", [1, 30])
def test_statements_do_not_tell_whose_answer_is_whose(consultation, standin, together):
    store, tokens, log = consultation
    answer(store, tokens, standin, together)
    assert store.mix(1) == PEOPLE
    assert right(store, tokens, log) <= CHANCE


def test_without_the_shuffling_they_tell_it_of_everybody(consultation, standin, monkeypatch):
    store, tokens, log = consultation
    for module in (mixing, submissions):
        monkeypatch.setattr(module, "shuffled", list)
    answer(store, tokens, standin, 1)
    assert store.mix(1) == PEOPLE
    assert right(store, tokens, log) > 0.9 * PEOPLE


def test_a_group_is_sent_in_another_order_in_every_statement(consultation, standin):
    store, tokens, log = consultation
    answer(store, tokens, standin, PEOPLE)
    lists = [HASH.findall(repr(given)) for _, given in log if len(HASH.findall(repr(given))) >= PEOPLE]
    arrived = [token_hash("town", token) for token in tokens]
    assert lists
    for found in lists:
        assert sum(a == b for a, b in zip(found, arrived, strict=False)) <= CHANCE


def test_databases_that_log_statements_are_told_of(store):
    if store.engine.dialect.name == "sqlite":
        assert store.logged_statements() == []
        return
    before = store.logged_statements()
    with store.engine.connect() as connection:
        connection.exec_driver_sql("SET log_min_duration_statement = 0")
        connection.commit()
        # The same connection goes back to the pool and is looked at again.
    assert "log_min_duration_statement = 0" in store.logged_statements()
    assert all("log_min_duration_statement" not in one for one in before)

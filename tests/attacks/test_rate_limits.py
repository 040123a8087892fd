"""Somebody behind the same address as honest people (a school, a library, a village's proxy) sends junk to have them shut out."""

import json

import pytest

from deniable.survey.invitations import new_token
from deniable.survey.submission import token_hash
from deniable.web import collecting

JUNK = {
    "no JSON": b"{",
    "no answer": b"{}",
    "an unknown label": json.dumps({"version": 1, "id": "x" * 22, "report": {"smokes": 99, "age": 0}}).encode(),
    "an unknown token": None,
}


def flood(town, standin, kind, times):
    path, headers = "/api/surveys/town/answers", {"Content-Type": "application/json"}
    for _ in range(times):
        content = JUNK[kind] or json.dumps(standin.body(token="made-up")).encode()
        assert town.client.post(path, content=content, headers=headers).status_code >= 400


@pytest.mark.parametrize("kind", list(JUNK))
def test_junk_does_not_shut_out_people_behind_the_same_address(serve, standin, kind):
    town = serve(standin.Standin(invited=True), burst=20, per_second=0.01)
    tokens = [new_token() for _ in range(15)]
    town.store.add_invitations("town", [(token_hash("town", token), None, None) for token in tokens])
    flood(town, standin, kind, 60)
    assert [town.post(standin.body(token=token)).status_code for token in tokens] == [201] * 15


def test_a_limit_that_counts_everything_shuts_them_out(serve, standin, monkeypatch):
    """The attack is real: before, every request was counted when it came."""

    async def counted_first(collector, limit, slug, request):
        limit.check(collecting.address_of(request))
        return await stored(collector, limit, slug, request)

    stored = collecting.stored
    monkeypatch.setattr(collecting, "stored", counted_first)
    town = serve(standin.Standin(), burst=20, per_second=0.01)
    flood(town, standin, "no JSON", 60)
    assert [town.post(standin.body()).status_code for _ in range(15)] == [429] * 15


@pytest.mark.parametrize("told_apart", [True, False])
def test_one_answer_that_is_sent_again_and_again_shuts_nobody_out(serve, standin, monkeypatch, told_apart):
    if not told_apart:
        monkeypatch.setattr("deniable.survey.store.submissions.REPEATED", None)
    town = serve(standin.Standin(), burst=20, per_second=0.01)
    one = standin.body()
    assert {town.post(one).status_code for _ in range(15)} == {201}
    assert {town.post(one).status_code for _ in range(45)} == ({201} if told_apart else {201, 429})
    assert [town.post(standin.body()).status_code for _ in range(15)] == [201 if told_apart else 429] * 15

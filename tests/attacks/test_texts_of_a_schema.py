"""A schema file from elsewhere: its texts reach terminals and pages, and must not write there what they like."""

from __future__ import annotations

import json

import pytest

import deniable as dn
from deniable.core.question_texts import QuestionTexts

SCHEMA = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)})


def reworded(title: str, yes: str) -> str:
    content = json.loads(SCHEMA.to_json())
    labels = {"no": {"en": "No"}, "yes": {"en": yes}}
    content["texts"] = {"languages": ["en"], "attributes": {"smokes": {"title": {"en": title}, "labels": labels}}}
    return json.dumps(content)


@pytest.mark.parametrize("text", ["\x1b[2J\x1b[H100% safe", "a\rb", "\u202eon", "\x9b2J", "", " ", 5, None])
def test_texts_cannot_move_the_cursor_or_turn_letters_round(text):
    for content in (reworded(text, "Yes"), reworded("Do you smoke?", text)):
        with pytest.raises(dn.DeniableError) as refused:
            dn.Schema.from_json(content)
        assert refused.value.code == "text_bad"
        assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize(
    "texts",
    [
        "words", {"languages": ["en"]}, {"languages": [], "attributes": {}}, {"languages": ["en"], "attributes": {"other": {}}},
        {"languages": ["en"], "attributes": {"smokes": {"title": {"pl": "x"}, "labels": {}}}},
        {"languages": ["en"], "attributes": {"smokes": {"title": {"en": "x"}}}},
    ],
)  # fmt: skip
def test_texts_that_make_no_sense_are_refused_with_the_file_named(texts):
    content = {**json.loads(SCHEMA.to_json()), "texts": texts}
    with pytest.raises(dn.DeniableError, match=r"town\.schema\.json"):
        dn.Schema.from_json(json.dumps(content), where="town.schema.json")


def test_texts_change_nothing_of_what_is_drawn_or_estimated():
    texts = QuestionTexts(["en"], {"smokes": {"title": {"en": "Do you smoke?"}, "labels": {}}})
    told = SCHEMA.with_texts(texts)
    assert told.fingerprint == SCHEMA.fingerprint
    assert dn.Schema.from_json(told.to_json()).texts.to_json() == texts.to_json()
    assert told.recipe() == SCHEMA.recipe()

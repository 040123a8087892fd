"""An address alone rebuilds the question; whatever is unknown, repeated or malformed is refused in a sentence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable.errors import ParameterError
from deniable.results.address import address, from_address
from deniable.results.conditions import chosen, narrowed, parts_of, read_condition, widened
from deniable.results.questions import (
    KINDS,
    Comparison,
    CrossTable,
    MeanOf,
    OneQuestion,
    Overview,
    Prediction,
    Together,
    Versions,
    from_json,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
OPTIONAL = st.none() | TEXTS
NAMES = st.lists(TEXTS, min_size=2, max_size=8, unique=True).map(tuple)
VERSION = st.none() | st.integers(1, 99)
QUESTIONS = st.one_of(
    st.builds(Overview, where=OPTIONAL, version=VERSION),
    st.builds(OneQuestion, TEXTS, where=OPTIONAL, bins=st.none() | st.integers(2, 50), version=VERSION),
    st.builds(MeanOf, TEXTS, where=OPTIONAL, version=VERSION),
    st.builds(CrossTable, st.just("a"), TEXTS.filter(lambda text: text != "a"), version=VERSION),
    st.builds(Comparison, TEXTS, TEXTS, TEXTS, label=OPTIONAL, version=VERSION),
    st.builds(Comparison, TEXTS, TEXTS, TEXTS, mean=st.booleans(), version=VERSION),
    st.builds(Together, NAMES, st.floats(0.01, 1), st.floats(0, 1), st.integers(2, 3), version=VERSION),
    st.builds(Prediction, st.just(""), NAMES.filter(lambda names: "" not in names), version=VERSION).filter(lambda q: q.of),
    st.builds(Versions, TEXTS),
)


@given(QUESTIONS)
def test_address_and_json_give_the_question_back(question):
    assert from_address(address(question)) == question
    assert from_json(json.dumps(question.to_json())) == question
    assert address(from_address(address(question))) == address(question)


def test_every_kind_is_tried():
    assert {"overview", "question", "mean", "cross", "compare", "together", "prediction", "versions"} == set(KINDS)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("view=nothing", "unknown_view"),
        ("view=question", "missing_key"),
        ("view=question&of=a&of=b", "repeated_key"),
        ("view=question&of=a&of=a", "repeated_key"),
        ("view=question&of=a&limit=3", "unknown_key"),
        ("view=question&of=", "wrong_kind"),
        ("view=question&of=a&bins=ten", "wrong_kind"),
        ("view=question&of=a&bins=%D9%A3", "wrong_kind"),
        ("view=question&of=a&bins=1000", "out_of_range"),
        ("view=question&of=a&by=a", "same_attribute"),
        ("view=cross&of=a&by=a", "same_attribute"),
        ("view=together&of=a", "how_many_questions"),
        ("view=together&of=a,a", "how_many_questions"),
        ("view=together&of=a,b,c,d,e,f,g,h,i", "how_many_questions"),
        ("view=together&of=a,b&longest=9", "out_of_range"),
        ("view=together&of=a,b&support=nan", "out_of_range"),
        ("view=prediction&of=a&given=a,b", "same_attribute"),
        ("view=compare&of=a&first=b&second=c&mean=perhaps", "wrong_kind"),
        ("view=compare&of=a&first=b&second=c&mean=yes&label=x", "mean_or_label"),
        ("view", "bad_address"),
        ("view=%FF", "bad_address"),
        ("view=overview&where=" + "a" * 5_000, "long_address"),
    ],
)
def test_bad_addresses_are_refused(text, code):
    with pytest.raises(ParameterError) as caught:
        from_address(text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "text", ["[]", "3", "{", '{"view": "question", "of": "a", "of": "b"}', '{"view": ["question"]}', "[" * 100_000]
)
def test_bad_json_is_refused(text):
    with pytest.raises(ParameterError):
        from_json(text)


def test_no_address_is_the_overview():
    assert from_address("") == Overview()


def test_conditions_by_clicks():
    where = narrowed(None, chosen("sex", "F"))
    where = narrowed(where, chosen("town", "it's", 'a "b"'))
    assert parts_of(where) == ["sex == 'F'", r"""town in ('it\'s', 'a "b"')"""]
    assert widened(where, chosen("sex", "F")) == parts_of(where)[1]
    assert widened(widened(where, chosen("sex", "F")), parts_of(where)[1]) is None


@pytest.mark.parametrize("text", ["(" * 900, "not " * 240 + "a == 1", "a == 1 or " * 200])
def test_conditions_that_are_too_deep_are_refused(text):
    try:
        read_condition(text)
    except ParameterError as error:
        assert error.code in ("long_condition", "unexpected")  # noqa: PT017 - one that can be read is fine, too

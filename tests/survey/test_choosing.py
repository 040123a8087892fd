"""A number's design follows from what it is asked for: the cheapest at its odds, the same every time, frozen when a survey is opened."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.domains.domain import NO_ANSWER
from deniable.core.domains.missing import WithMissing
from deniable.errors import ParameterError, QuestionnaireError
from deniable.planning.mean_errors import MeanErrors
from deniable.survey.choosing import cheapest
from deniable.survey.export import export
from deniable.survey.page_rules import check_page
from deniable.survey.planning import advice, costs
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.questions import reading
from deniable.survey.store import Store

HEAD = """survey: {slug}
title: Habits
organiser: Town hall
contact: survey@town.example
other_way: Call 555 0100.
pages:
- elements:
  - {{type: number, name: hours, title: 'Hours?', grid: true, min: 0, max: 99{more}}}
"""


def asked(more="", slug="habits"):
    return Questionnaire.parse(HEAD.format(slug=slug, more=more))


def slow_largest(channel):
    """The largest standard error of one answer for the mean, from the table, by weights that are solved for: no closed form."""
    rows, numbers = channel.matrix(), channel.domain.numbers()
    weights = np.linalg.lstsq(rows, numbers, rcond=None)[0]
    np.testing.assert_allclose(rows @ weights, numbers, atol=1e-6)
    return float(np.sqrt(rows @ weights**2 - numbers**2).max())


@pytest.mark.parametrize("odds", [3, 5, 9, 20])
def test_for_a_mean_no_other_design_at_these_odds_has_a_smaller_error(odds):
    domain = dn.Integer(0, 30)
    chosen = cheapest(domain, odds, "mean")
    assert chosen.cost == pytest.approx(slow_largest(chosen.channel), rel=1e-6)
    others = [dn.KRR(domain, Fraction(odds, odds + 30)), dn.OneBit(domain, odds)]
    others += [dn.Piecewise(domain, odds, reports=reports, width=1) for reports in range(2, 9)]
    for other in others:
        assert other.epsilon <= math.log(odds) + 1e-12
        assert chosen.cost <= slow_largest(other) * (1 + 1e-5)
    assert [one.cost for one in chosen.considered[1:]] == sorted(one.cost for one in chosen.considered[1:])


@pytest.mark.servers
@pytest.mark.parametrize("use", ["mean", "share", "quantile"])
@pytest.mark.parametrize("odds", [3, 5, 9])
def test_the_odds_are_kept_by_every_column_and_the_choice_is_always_the_same(use, odds):
    domain = WithMissing(dn.Integer(0, 40), NO_ANSWER)
    chosen, again = cheapest(domain, odds, use), cheapest(WithMissing(dn.Integer(0, 40), NO_ANSWER), odds, use)
    assert chosen.channel == again.channel
    rows = chosen.channel.integer_rows()
    assert max(Fraction(int(most), int(least)) for least, most in zip(rows.min(axis=0), rows.max(axis=0), strict=True)) <= odds
    assert chosen.cost <= min(one.cost for one in chosen.considered) * (1 + 1e-5)


def test_shares_and_quantiles_of_many_numbers_are_not_left_to_randomised_response():
    for use in ("share", "quantile"):
        chosen = cheapest(dn.Integer(0, 99), 5, use)
        costs_of = {one.name: one.cost for one in chosen.considered}
        assert chosen.name == "Piecewise"
        assert chosen.cost < costs_of["KRR"] / 3
        assert chosen.cost < costs_of["Laplace noise"] / 1.5
        assert not chosen.channel.tells_means_only


def test_what_makes_no_sense_is_refused():
    for domain, odds, use, says in (
        (dn.Integer(0, 9), 5, "median", "one of"),
        (dn.Nominal(["a", "b"]), 5, "mean", "a number of a grid"),
        (dn.Ordinal(["a", "b", "c"]), 5, "mean", "all of them numbers"),
        (dn.Continuous(0, 1), 5, "mean", "a number of a grid"),
        (dn.Integer(0, 9), 1, "mean", "above 1"),
    ):
        with pytest.raises(ParameterError, match=says):
            cheapest(domain, odds, use)


def test_without_a_use_a_number_is_hidden_as_it_always_was():
    channel = asked().schema["hours"]
    assert channel == dn.KRR(WithMissing(dn.Integer(0, 99), NO_ANSWER), Fraction(5, 105))
    [block] = asked().client()["recipe"]["blocks"]
    assert block == {"law": "mixture", "denominator": 105, "diagonal": 4, "replacement": [1] * 101, "attributes": ["hours"]}
    assert "for" not in json.dumps(asked(", for: mean").client()["pages"]), "the page has no need to know"


@pytest.mark.servers
@pytest.mark.parametrize("level", ["strong", "standard", "light"])
@pytest.mark.parametrize("use", ["mean", "share", "quantile"])
def test_a_use_chooses_the_design_at_the_odds_of_the_level_and_pages_accept_it(use, level):
    found = asked(f", for: {use}, privacy: {level}")
    odds = {"strong": 3, "standard": 5, "light": 9}[level]
    assert found.schema["hours"] == cheapest(WithMissing(dn.Integer(0, 99), NO_ANSWER), odds, use).channel
    assert found.schema["hours"].epsilon <= math.log(odds)
    assert found.schema["hours"].tells_means_only == (use == "mean")
    check_page({**found.client(), "version": 1, "open": True})


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (", for: median", "for says what the answer is asked for, one of"),
        (", for: meen", "did you mean 'mean'"),
        (", for: [mean]", "one of"),
        (", for: mean, privacy: {design: krr, p: 0.5}", "take one of them away"),
        (", fro: mean", "a number has no 'fro'; it may have"),
    ],
)
def test_mistakes_are_told_in_plain_words(more, says):
    with pytest.raises(QuestionnaireError) as caught:
        asked(more)
    assert says in str(caught.value)


RATING = "type: rating, name: buses, title: 'The buses?'"


def rated(question, use="mean", level="standard"):
    text = HEAD.format(slug="habits", more="")
    return Questionnaire.parse(text[: text.index("  - {type")] + f"  - {{{question}, for: {use}, privacy: {level}}}\n")


@pytest.mark.servers
@pytest.mark.parametrize("level", ["strong", "standard", "light"])
@pytest.mark.parametrize("most", [5, 10])
def test_a_rating_that_is_asked_for_its_mean_has_the_design_that_tells_it_best(level, most):
    found = rated(f"{RATING}, rateMax: {most}", "mean", level)
    odds, channel = {"strong": 3, "standard": 5, "light": 9}[level], found.schema["buses"]
    ratings = dn.Ordinal([str(i) for i in range(1, most + 1)], missing=NO_ANSWER)
    assert channel == cheapest(ratings, odds, "mean").channel
    assert channel.epsilon <= math.log(odds)
    assert (channel.domain, channel.reported) == (ratings, ratings)
    assert found.asked_for == {"buses": "mean"}
    # By the same computation as for numbers, and better than randomised response by a fifth at least.
    chosen, plain = (MeanErrors(each).largest for each in (channel, dn.KRR(ratings, Fraction(odds, odds + most))))
    numbers = WithMissing(dn.Integer(1, most), NO_ANSWER)
    assert chosen == pytest.approx(min(cheapest(numbers, odds, "mean").cost, plain), rel=1e-9)
    assert chosen < 0.85 * plain
    check_page({**found.client(), "version": 1, "open": True})


def test_checking_a_rating_says_what_its_mean_costs_and_so_does_its_plan():
    found = rated(RATING)
    [cost] = costs(found, 1_000)
    assert cost.margin_in_words.startswith("mean: ± 0.")
    said = [one.text for one in advice(found, 1_000) if one.kind == "note"]
    assert any("chosen for what it is asked for (mean): Piecewise" in text and "without `for`" in text for text in said)
    plan = dn.plan(found, 1_000)
    assert [key for key in plan.rows[0].figures if key.startswith("share")] == []
    assert plan.rows[0].figures["mean"] is not None


def test_of_ordered_words_quantiles_and_shares_are_known_and_of_others_nothing_is_gained():
    words = "type: radiogroup, name: heat, title: 'Too warm?', choices: [cold, fine, warm, hot]"
    for use in ("share", "quantile"):
        assert isinstance(rated(f"{words}, ordered: true", use).schema["heat"], dn.KRR)
    for question, use, says in (
        (f"{words}, ordered: true", "mean", "for: mean is said of numbers"),
        (words, "share", "for: share is said of answers in an order"),
        ("type: rating, name: x, title: 'X?', rateMax: 2", "mean", "more than two answers"),
        ("type: number, name: x, title: 'X?', bands: [10, 20, 30]", "mean", "Of ranges and words only shares and quantiles"),
        ("type: boolean, name: x, title: 'X?'", "share", "has no 'for'"),
    ):
        with pytest.raises(QuestionnaireError, match=says):
            rated(question, use)


@pytest.mark.parametrize("question", [RATING, "type: age, name: age, title: 'How old?'"])
def test_without_a_use_ordered_answers_are_hidden_as_they_always_were(question):
    text = HEAD.format(slug="habits", more="")
    found = Questionnaire.parse(text[: text.index("  - {type")] + f"  - {{{question}}}\n")
    [channel] = found.schema.values()
    assert channel == dn.KRR(channel.domain, Fraction(5, 5 + channel.domain.size - 1))
    assert found.asked_for == {}


def test_what_is_asked_openly_may_have_a_use_too():
    found = asked(", for: mean, privacy: none")
    assert isinstance(found.schema["hours"], dn.Identity)
    [cost] = costs(found, 100)
    # 0 to 99, all equally frequent, as plans assume: a standard deviation of 28.87; one in 101 does not answer.
    assert cost.margin * 99 == pytest.approx(1.96 * 28.87 / (100 * 100 / 101) ** 0.5, rel=1e-2)
    assert cost.worth == pytest.approx(100 * 100 / 101, rel=1e-3)


@pytest.mark.statistical
def test_the_cost_of_a_mean_is_that_of_a_simulation_where_all_answers_are_equally_frequent():
    found = asked(", for: mean")
    channel, [cost] = found.schema["hours"], costs(found, 500)
    rng = np.random.default_rng(5)
    truth = np.arange(101)  # silence is one of them
    numbers, ones = (np.append(values, 0.0) for values in (np.arange(100.0), np.ones(100)))
    top, size = channel.law.weights(numbers), channel.law.weights(ones)
    means = []
    for _ in range(1_500):
        reports = channel.law.choose(rng.choice(truth, 500), rng.integers(channel.denominator, size=500))
        means.append(top[reports].sum() / size[reports].sum())
    assert 1.96 * np.std(means) == pytest.approx(99 * cost.margin, rel=0.06)
    assert cost.margin_in_words.startswith("mean: ± ")


def test_errors_of_a_mean_are_those_of_enumeration():
    channel = dn.Piecewise(WithMissing(dn.Integer(0, 12)), 5, reports=3, width=1)
    rows = channel.matrix()
    numbers, ones = (np.append(values, 0.0) for values in (np.arange(13.0), np.ones(13)))
    top, size = (np.linalg.lstsq(rows, values, rcond=None)[0] for values in (numbers, ones))
    alike = [np.sqrt(rows[x] @ (top - x * size) ** 2) for x in range(13)]
    assert MeanErrors(channel).largest == pytest.approx(max(alike), rel=1e-9)


def test_check_names_the_design_and_what_it_gains():
    said = [str(one) for one in advice(asked(", for: mean"), 1_000)]
    assert (
        said[0]
        == "note: hours: chosen for what it is asked for (mean): Piecewise. With 1,000 answers: ± 4.4 (without `for`: ± 47)."
    )
    assert said[1].startswith("note: hours: its reports tell means alone")
    assert not any(one.startswith("warning: hours") for one in said)


@pytest.mark.servers
def test_a_later_release_that_would_choose_otherwise_changes_nothing_that_is_open(tmp_path, monkeypatch):
    store = Store(str(tmp_path / "answers.db"), None)
    found = asked(", for: mean")
    assert store.open_survey(found) == 1
    told, kept = store.current("habits")[1], store.version("habits").schema
    other = cheapest(WithMissing(dn.Integer(0, 99), NO_ANSWER), 5, "share")
    monkeypatch.setattr(reading, "_cheapest", lambda *_: other.channel)
    changed = asked(", for: mean")
    assert changed.schema["hours"] != kept["hours"]
    assert store.open_survey(changed) == 1, "the questionnaire is as it was"
    assert store.current("habits")[1] == told
    assert store.version("habits").schema.fingerprint == kept.fingerprint
    store.close()


@pytest.mark.servers
@pytest.mark.parametrize("spreadsheet", [False, True])
def test_answers_come_back_from_an_export_as_what_was_sent_in_whole_numbers(tmp_path, standin, send, spreadsheet):
    found = Questionnaire.parse(
        HEAD.format(slug="habits", more=", for: mean")
        + "  - {type: number, name: pay, title: 'Pay?', grid: true, min: 0, max: 9, for: mean, privacy: strong}\n"
        + "  - {type: number, name: age, title: 'Age?', grid: true, min: 0, max: 99, for: share}\n"
    )
    schema = found.schema
    assert schema["pay"].outputs == ("low", "high", NO_ANSWER)
    assert schema["hours"].outputs == (0, 50, 99, NO_ANSWER)
    assert schema["age"].outputs[0] < 0, "what is reported lies on a wider grid"
    with Store(str(tmp_path / "answers.db")) as store:
        store.open_survey(found)
        rng = np.random.default_rng(8)
        truths = {
            "hours": rng.integers(0, 100, 200),
            "pay": rng.integers(0, 10, 200),
            "age": np.append(np.arange(100), [None] * 100),
        }
        frame = pd.DataFrame({name: pd.array(values.tolist(), dtype="Int64") for name, values in truths.items()})
        reported = schema.randomise(frame, rng)
        codes = {name: schema[name].reported.encode(reported[name]) for name in schema}
        send(store, *(standin.body({name: int(codes[name][i]) for name in codes}) for i in range(200)), slug="habits")
        store.close_survey("habits")
        assert export(store, "habits", tmp_path / "out.csv", spreadsheet=spreadsheet) == 200
        view = store.overview("habits").view
        live = dn.read(f"{store.place}#{view}", store.version("habits").schema)
        for sample in (dn.read(tmp_path / "out.csv"), live):
            for name in ("hours", "pay", "age"):
                assert sample.mean(name).value[0] == pytest.approx(dn.Sample(reported, schema).mean(name).value[0])
    assert "." not in (tmp_path / "out.csv").read_text(encoding="utf-8-sig")

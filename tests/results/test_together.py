"""What goes together: nothing is listed by chance more often than the report says, and what does go together is found."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.engines.count import as_countable
from deniable.results.asking import ask
from deniable.results.questions import Together
from deniable.results.together import found_rules

LABELS = ["no", "yes"]
NAMES = [f"q{i}" for i in range(8)]
ASKED = Together(tuple(NAMES), support=0.1, confidence=0.3)


def survey(rng, n, hidden, agree=0.5):
    """Answers to eight questions of yes and no: q0 and q1 are alike in this share of people, as are q2 and q3, the others by chance."""
    channel = dn.KRR(dn.Nominal(LABELS), 0.75) if hidden else dn.Identity(dn.Nominal(LABELS))
    schema = dn.Schema(dict.fromkeys(NAMES, channel))
    codes = rng.integers(0, 2, (n, len(NAMES)))
    for first in (0, 2):
        codes[:, first + 1] = np.where(rng.random(n) < agree, codes[:, first], 1 - codes[:, first])
    truth = pd.DataFrame({name: np.array(LABELS)[codes[:, i]] for i, name in enumerate(NAMES)})
    return schema.randomise(truth, rng) if hidden else truth, schema


def sides(rules):
    """Both sides of each rule, as texts."""
    return [(next(iter(a)), next(iter(c))) for a, c in zip(rules["antecedents"], rules["consequents"], strict=True)]


def holds(rule):
    """Whether a rule is true in `survey` where `agree` is above a half."""
    (one, said), (other, also) = (side.split("=") for side in rule)
    return said == also and {one, other} in ({"q0", "q1"}, {"q2", "q3"})


def listed_by_chance(rng, surveys, n, hidden):
    """The share of surveys of independent questions that list any rule."""
    found = [
        len(found_rules(as_countable(frame), schema, ASKED, {})) > 0
        for frame, schema in (survey(rng, n, hidden) for _ in range(surveys))
    ]
    return float(np.mean(found))


@pytest.mark.statistical
def test_where_nothing_goes_together_nothing_is_listed():
    """Seed 11, 150 surveys of 2,000 with eight independent questions, open ones: at most 5% list a rule, up to two errors of the
    simulation. Intervals that counted all rules with this confidence, and not only those that are listed, made it 22%."""
    assert listed_by_chance(np.random.default_rng(11), 150, 2_000, False) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 150)


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [False, True])
def test_where_nothing_goes_together_nothing_is_listed_in_long(hidden):
    """Seed 12, 1,000 surveys, of open questions and of hidden ones."""
    assert listed_by_chance(np.random.default_rng(12), 1_000, 2_000, hidden) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 1_000)


@pytest.mark.statistical
@pytest.mark.parametrize(("hidden", "n", "agree"), [(False, 2_000, 0.56), (True, 8_000, 0.625)])
def test_what_goes_together_is_found(hidden, n, agree):
    """Seed 5, 20 surveys in which two pairs of answers are alike a little more often than by chance: of their eight rules at least nine in
    ten are listed, and of those listed at most 5% are false on average, up to two errors of the simulation."""
    rng, true, false = np.random.default_rng(5), 0, []
    for _ in range(20):
        frame, schema = survey(rng, n, hidden, agree)
        told = [holds(rule) for rule in sides(found_rules(as_countable(frame), schema, ASKED, {}))]
        true += sum(told)
        false.append(1 - np.mean(told) if told else 0.0)
    assert true >= 0.9 * 8 * 20
    assert np.mean(false) <= 0.05 + 2 * np.std(false) / math.sqrt(20)


def test_what_is_asked_of_confidence_cuts_the_list_and_changes_no_interval():
    """The rules of a higher confidence are those of a lower one, with the same ends: the level is that of all that surely go together."""
    frame, schema = survey(np.random.default_rng(1), 3_000, False, 0.7)
    low, high = (
        found_rules(as_countable(frame), schema, Together(tuple(NAMES), 0.1, confidence), {}) for confidence in (0.0, 0.7)
    )
    assert 0 < len(high) < len(low)
    assert (high["confidence"] >= 0.7 - 1e-9).all()
    ends = ["confidence", "confidence_low", "confidence_high", "lift_low"]
    every = dict(zip(sides(low), low[ends].to_numpy().tolist(), strict=True))
    for rule, numbers in zip(sides(high), high[ends].to_numpy().tolist(), strict=True):
        assert every[rule] == numbers


def test_the_script_gives_what_the_page_shows(capsys):
    frame, schema = survey(np.random.default_rng(2), 3_000, True, 0.8)
    sample = dn.Sample(frame, schema)
    answer = ask(sample, ASKED)
    shown = [(figure.value, figure.low, figure.high) for figure in answer.blocks[0].figures]
    assert shown
    lines = [*answer.found.code, "import json", "print(json.dumps(numbers))"]
    exec("\n".join(lines), {"sample": sample})
    (printed,) = json.loads(capsys.readouterr().out)
    np.testing.assert_allclose(shown, list(zip(printed["value"], printed["low"], printed["high"], strict=True)), rtol=1e-12)

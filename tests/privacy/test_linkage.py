"""Check 22: the re-identification rate from distorted quasi-identifiers is estimated and shown to the owner."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import DataError, ParameterError

SCHEMA = dn.datasets.town_schema()


def test_the_estimate_equals_going_through_all_reports_of_a_small_group():
    """(1/n) sum_z max_j P(z | x_j), enumerated."""
    schema = dn.Schema({"sex": dn.KRR(dn.Nominal(["f", "m"]), 0.9), "level": dn.Neighbours(dn.Ordinal([1, 2, 3]), [0.6, 0.2])})
    people = pd.DataFrame({"sex": ["f", "f", "m", "m", "m"], "level": [1, 3, 3, 3, 2]})
    sex, level = schema["sex"].matrix(), schema["level"].matrix()
    codes = [(["f", "m"].index(s), v - 1) for s, v in zip(people["sex"], people["level"], strict=True)]
    chances = [[sex[a, y] * level[b, z] for a, b in codes] for y, z in itertools.product(range(2), range(3))]
    exact = sum(max(each) for each in chances) / len(codes)
    square = sum(max(each) ** 2 / sum(each) for each in chances) / len(codes)
    error = math.sqrt((square - exact**2) / 20_000)
    found = dn.privacy.reidentification_rate(schema, people, sample=20_000, rng=np.random.default_rng(1))
    assert found.rate == pytest.approx(exact, abs=4 * error)
    assert found.error == pytest.approx(error, rel=0.05)
    assert found.undistorted == pytest.approx(4 / 5)  # two people are the same
    assert found.chance == pytest.approx(1 / 5)


@pytest.mark.statistical
@pytest.mark.parametrize("attributes", [["sex", "age"], ["age", "children", "credit"], None])
def test_the_estimate_agrees_with_the_attack_carried_out(attributes):
    rng = np.random.default_rng(2)
    people = dn.datasets.town(1500, rng)
    found = dn.privacy.reidentification_rate(SCHEMA, people, attributes, sample=1500, rng=rng)
    traced = [dn.privacy.linkage_attack(SCHEMA, people, SCHEMA.randomise(people, rng), attributes, rng) for _ in range(2)]
    # What lies between 0 and 1 varies no more than hits and misses do: 3,000 of the attack, 1,500 of the estimate.
    spread = math.sqrt(found.rate * (1 - found.rate) * (1 / 3000 + 1 / 1500))
    assert np.mean(traced) == pytest.approx(found.rate, abs=4 * spread)
    assert found.chance < found.rate < found.undistorted


def test_more_quasi_identifiers_trace_more_people():
    rng = np.random.default_rng(3)
    people = dn.datasets.town(1000, rng)
    few = dn.privacy.reidentification_rate(SCHEMA, people, ["sex"], rng=rng)
    many = dn.privacy.reidentification_rate(SCHEMA, people, ["sex", "age", "salary"], rng=rng)
    assert many.rate > 5 * few.rate


def test_answers_that_share_a_draw_trace_more_people_than_answers_apart():
    asked = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)
    names = [f"q{i}" for i in range(6)]
    rng = np.random.default_rng(4)
    people = pd.DataFrame({name: rng.integers(0, 2, 64) for name in names})
    together = dn.privacy.reidentification_rate(dn.Schema(dict.fromkeys(names, asked), groups={"g": names}), people, rng=rng)
    apart = dn.privacy.reidentification_rate(dn.Schema(dict.fromkeys(names, asked)), people, rng=rng)
    assert together.rate > apart.rate + 5 * (together.error + apart.error)


def test_part_of_a_group_keeps_its_own_innocuous_table():
    """Two of three members that share a draw: the third is summed out."""
    asked = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)
    cells = {(a, b, c): 0.2 if a == b else 0.05 for a in (0, 1) for b in (0, 1) for c in (0, 1)}
    schema = dn.Schema(dict.fromkeys("abc", asked), groups={"g": dn.Group(["a", "b", "c"], innocuous=cells)})
    people = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 0, 0, 1]})
    found = dn.privacy.reidentification_rate(schema, people, ["a", "b"], sample=4000, rng=np.random.default_rng(5))
    assert found.rate == pytest.approx(0.5 + 0.5 * 0.25, abs=5 * found.error + 1e-9)


def test_the_sentence_shows_the_rate_to_the_owner():
    people = dn.datasets.town(600, np.random.default_rng(6))
    told = dn.privacy.report(SCHEMA, population=people, rng=np.random.default_rng(7))
    assert "traces" in repr(told)
    assert f"{told.linkage.rate:.2%}" in told.to_html()


def test_frames_that_do_not_fit_are_refused():
    people = dn.datasets.town(100, np.random.default_rng(8))
    with pytest.raises(DataError, match="no column 'age'"):
        dn.privacy.reidentification_rate(SCHEMA, people.drop(columns="age"))
    with pytest.raises(ParameterError, match="shoe size"):
        dn.privacy.reidentification_rate(SCHEMA, people, ["shoe size"])
    with pytest.raises(ParameterError, match="same people"):
        dn.privacy.linkage_attack(SCHEMA, people, people.head(50))


def test_polars_and_arrow_frames_give_the_same_rate():
    import polars as pl

    people = dn.datasets.town(300, np.random.default_rng(9))
    rates = [
        dn.privacy.reidentification_rate(SCHEMA, frame, sample=200, rng=np.random.default_rng(1)).rate
        for frame in (people, pl.from_pandas(people), pl.from_pandas(people).to_arrow())
    ]
    assert rates[0] == rates[1] == rates[2]

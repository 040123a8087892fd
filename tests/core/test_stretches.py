"""Columns that tell roughly where in the input a row was are named where that tells answers, and only there."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import deniable as dn
from deniable.core.stretches import Stretches
from deniable.errors import OrderWarning

ROWS = 12_000
RNG = np.random.default_rng(1)
SCHEMA = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)})
SORTED = np.repeat(["no", "yes"], ROWS // 2)
DAYS = pd.Timestamp("2023-01-01") + pd.to_timedelta(np.arange(ROWS) // 100, "D")
FEW_RANDOM = np.where(RNG.random(ROWS) < 0.06, RNG.integers(0, ROWS, ROWS), np.arange(ROWS))

TELLING = {
    "a date": DAYS,
    "a date as text": DAYS.strftime("%Y-%m-%d"),
    "an unpadded date": [f"{d.day}.{d.month}.{d.year}" for d in DAYS],
    "an American date": [f"{d.month}/{d.day}/{d.year}" for d in DAYS],
    "a date and time": [f"{d:%d.%m.%Y} {i % 24:02}:15" for i, d in enumerate(DAYS)],
    "weeks": np.arange(ROWS) * 52 // ROWS + 1,
    # Of two as large as each other it would explain a quarter of the places, which a sample misses once in 70,000 times.
    "two registers": np.concatenate([np.arange(ROWS // 3), np.arange(ROWS * 2 // 3)]),
    "ids with jitter": np.arange(ROWS) + RNG.normal(0, 400, ROWS),
    "ids, some of them random": FEW_RANDOM,
    "text ids, some of them random": [f"p{i}" for i in FEW_RANDOM],
    "an odd cell": ["unknown", *map(str, np.arange(1, ROWS) // 30)],
    "wards in no order": RNG.permutation(200)[np.arange(ROWS) * 200 // ROWS],
}
# Ids that begin again in the second half are met in both halves: they tell the place within a half, and smokes is told by the half.
ANSWERS = {"two registers": np.repeat(["no", "yes", "no", "yes"], [ROWS // 6, ROWS // 6, ROWS // 3, ROWS // 3])}


@pytest.mark.statistical
@pytest.mark.parametrize("kind", TELLING)
def test_a_column_that_tells_the_stretch_is_named_where_answers_are_sorted(kind):
    frame = pd.DataFrame({"smokes": ANSWERS.get(kind, SORTED), "when": TELLING[kind]})
    with pytest.warns(OrderWarning, match=r"when \((about [\d,]+ stretches|row by row|to within about \d+ rows)\)"):
        SCHEMA.randomise(frame, keep=["when"])


@pytest.mark.parametrize("kind", ["a date", "weeks", "an unpadded date", "wards in no order", "two registers"])
def test_it_is_not_named_where_the_order_tells_nothing(kind):
    frame = pd.DataFrame({"smokes": RNG.permutation(SORTED), "when": TELLING[kind]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SCHEMA.randomise(frame, keep=["when"])


def test_an_attribute_that_is_reported_as_it_is_tells_it_too_and_is_not_its_own_secret():
    labels = [f"day {i}" for i in range(365)]
    schema = dn.Schema({**SCHEMA, "day": dn.Identity(dn.Nominal(labels))})
    day = [labels[i * 365 // ROWS] for i in range(ROWS)]
    with pytest.warns(OrderWarning, match=r"day \(about 3\d\d stretches\).*smokes \(sorted, or nearly"):
        schema.randomise(pd.DataFrame({"smokes": SORTED, "day": day}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema.randomise(pd.DataFrame({"smokes": RNG.permutation(SORTED), "day": day}))


@pytest.mark.statistical
def test_columns_that_have_nothing_to_do_with_the_order_are_not_named():
    rng = np.random.default_rng(2)  # its own: what is drawn must not depend on which tests came before
    draws = [
        lambda n: rng.integers(0, 1 << 40, n),
        lambda n: rng.integers(0, 30, n),
        lambda n: rng.normal(size=n),
        lambda n: np.array([f"{x:032x}" for x in rng.integers(0, 1 << 62, n)]),
        lambda n: np.array([f"{d}.{m}.1980" for d, m in zip(rng.integers(1, 29, n), rng.integers(1, 13, n), strict=True)]),
    ]
    alarms = 0
    for i in range(400):
        seen = Stretches()
        seen.add(pa.array(draws[i % 5](int(rng.integers(20, 1_500)))))
        alarms += seen.found() is not None
    assert alarms == 0


def test_pieces_of_a_large_column_are_sampled_evenly():
    seen = Stretches()
    for begin in range(0, 400_000, 50_000):
        seen.add(pa.array(np.arange(begin, begin + 50_000) // 4_000))
    assert seen.found() == pytest.approx(100, abs=10)
    assert len(seen._places) == 4096
    assert abs(seen._places.mean() / 200_000 - 1) < 0.1

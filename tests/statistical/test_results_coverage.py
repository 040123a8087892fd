"""Intervals that the views show hold the truth in 93 to 97% of simulated surveys (seed 21; 500 surveys with `pytest -m slow`, 40 here).

Every figure is judged by itself, and all of them jointly: if each is covered so often, even one of them is called wrong 1 time in 100.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import deniable as dn
from deniable.results.asking import ask
from deniable.results.questions import Comparison, CrossTable, OneQuestion

SCHEMA = dn.Schema(
    {
        "sex": dn.Identity(dn.Nominal(["F", "M"])),
        "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75),
        "town": dn.KRR(dn.Nominal(["a", "b", "c"]), 0.7),
    }
)
SMOKING = {"F": 0.2, "M": 0.35}
TOWNS = [0.5, 0.3, 0.2]


def simulated(n, rng):
    """A survey of so many people of a large population, as it was reported."""
    sex = rng.choice(["F", "M"], n)
    smokes = np.where(rng.random(n) < np.where(sex == "F", SMOKING["F"], SMOKING["M"]), "yes", "no")
    truth = pd.DataFrame({"sex": sex, "smokes": smokes, "town": rng.choice(["a", "b", "c"], n, p=TOWNS)})
    return dn.Sample(SCHEMA.randomise(truth, rng), SCHEMA)


def covered(surveys, seed=21, n=1_500):
    """How often each figure holds the truth: one row per survey, one column per figure, and their names."""
    rng = np.random.default_rng(seed)
    smoking = np.mean(list(SMOKING.values()))
    rows = []
    for _ in range(surveys):
        sample = simulated(n, rng)
        truths = []
        for figure, true in zip(ask(sample, OneQuestion("town")).blocks[0].figures, TOWNS, strict=True):
            truths.append(("question", figure, true))
        for figure in ask(sample, OneQuestion("smokes", "sex")).blocks[0].figures:
            true = SMOKING[figure.codes[0]]
            truths.append(("by", figure, true if figure.codes[1] == "yes" else 1 - true))
        for figure in ask(sample, CrossTable("town", "smokes")).blocks[0].figures:
            share = smoking if figure.codes[0] == "yes" else 1 - smoking
            truths.append(("cross", figure, share * TOWNS["abc".index(figure.codes[1])]))
        (figure,) = ask(sample, Comparison("smokes", "sex == 'F'", "sex == 'M'", label="yes")).blocks[1].figures
        truths.append(("difference", figure, SMOKING["F"] - SMOKING["M"]))
        rows.append({(kind, *figure.codes): figure.low <= true <= figure.high for kind, figure, true in truths})
    return pd.DataFrame(rows)


def wrong(hits, least, most, level=0.01):
    """The figures that are surely covered less or more often than that, of all of them jointly (Bonferroni)."""
    surveys, each = len(hits), level / (2 * hits.shape[1])
    found = hits.sum()
    too_seldom = binom.cdf(found, surveys, least) < each
    too_often = binom.sf(found - 1, surveys, most) < each
    return [name for name, seldom, often in zip(hits.columns, too_seldom, too_often, strict=True) if seldom or often]


def test_intervals_cover():
    hits = covered(40)
    assert hits.shape == (40, 14)
    assert wrong(hits, 0.93, 0.97) == []


def test_intervals_that_are_too_short_or_too_long_are_found():
    """The judge itself: of 500 surveys, 14 figures of which one is covered 86% or 99.9% of the time."""
    rng = np.random.default_rng(1)
    for share in (0.86, 0.999):
        hits = pd.DataFrame(rng.random((500, 14)) < np.array([share, *[0.95] * 13]))
        assert wrong(hits, 0.93, 0.97) == [0]


@pytest.mark.slow
def test_intervals_cover_as_promised():
    hits = covered(500)
    each = hits.mean()
    print(
        f"500 surveys, seed 21: mean {each.mean():.1%}, worst {each.min():.1%} {each.idxmin()}, most {each.max():.1%} {each.idxmax()}"
    )
    assert wrong(hits, 0.93, 0.97) == []
    for kind in ("question", "by", "cross", "difference"):
        mean = each[[name for name in hits.columns if name[0] == kind]].mean()
        print(f"{kind}: {mean:.1%}")
    assert 0.93 <= each.mean() <= 0.97

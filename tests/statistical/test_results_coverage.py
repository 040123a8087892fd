"""Intervals that the views show hold the truth in 93 to 97% of simulated surveys (seed 21; 500 surveys with `pytest -m slow`, 40 here)."""

import numpy as np
import pandas as pd
import pytest

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
    """How often each kind of figure holds the truth."""
    rng = np.random.default_rng(seed)
    hits = {"question": [], "by": [], "cross": [], "difference": []}
    for _ in range(surveys):
        sample = simulated(n, rng)
        for figure, true in zip(ask(sample, OneQuestion("town")).blocks[0].figures, TOWNS, strict=True):
            hits["question"].append(figure.low <= true <= figure.high)
        for figure in ask(sample, OneQuestion("smokes", "sex")).blocks[0].figures:
            true = SMOKING[figure.codes[0]]
            hits["by"].append(figure.low <= (true if figure.codes[1] == "yes" else 1 - true) <= figure.high)
        for figure in ask(sample, CrossTable("town", "smokes")).blocks[0].figures:
            smoking = np.mean(list(SMOKING.values()))
            share = (smoking if figure.codes[0] == "yes" else 1 - smoking) * TOWNS["abc".index(figure.codes[1])]
            hits["cross"].append(figure.low <= share <= figure.high)
        (figure,) = ask(sample, Comparison("smokes", "sex == 'F'", "sex == 'M'", label="yes")).blocks[1].figures
        hits["difference"].append(figure.low <= SMOKING["F"] - SMOKING["M"] <= figure.high)
    return {kind: float(np.mean(each)) for kind, each in hits.items()}


def test_intervals_cover():
    assert all(0.88 <= share <= 0.995 for share in covered(40).values())


@pytest.mark.slow
def test_intervals_cover_as_promised():
    found = covered(500)
    print(found)
    # Of 500 differences the standard error of a coverage of 95% is 1%.
    assert all(0.93 <= share <= 0.97 for share in found.values())

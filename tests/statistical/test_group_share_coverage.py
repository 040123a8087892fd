"""Do the intervals of a share among a group, and of its difference between two groups, hold the truth 95% of the time? 2,000 simulations of
each case; a short run is part of the test suite.

Seed 20261116. Command: `python -m pytest -s -m slow tests/statistical/test_group_share_coverage.py`.

From 2,000 answers on 93.5% to 97% is asked for; of fewer, and behind noise (where intervals count the largest bias), too much is no fault.
"""

import math
import zlib

import numpy as np
import pytest

import deniable as dn
from deniable.core.tables import Axis, CellTable
from deniable.engines.countable import Countable
from deniable.statistics.joint import Product

SEED = 20_261_116
CASES = {}
YES = dn.Nominal(["no", "yes"])
SEX = dn.Nominal(["woman", "man", "other"])
DESIGNS = {
    "mild": lambda: {"v": dn.KRR(YES, 0.9), "sex": dn.KRR(SEX, 0.9)},
    "strong": lambda: {"v": dn.KRR(YES, 0.7), "sex": dn.KRR(SEX, 0.7)},
    "open groups": lambda: {"v": dn.KRR(YES, 0.75), "sex": dn.Identity(SEX)},
    "open answers": lambda: {"v": dn.Identity(YES), "sex": dn.Retention(SEX, 0.7)},
    "nothing hidden": lambda: {"v": dn.Identity(YES), "sex": dn.Identity(SEX)},
    "uneven": lambda: {"v": dn.Matrix(YES, [["0.95", "0.05"], ["0.3", "0.7"]]), "sex": dn.Retention(SEX, 0.8, ["0.2", "0.2", "0.6"])},
}  # fmt: skip


class Drawn(Countable):
    """Reports of people who are counted by their truths; none is drawn by itself, so that thousands of samples take a minute."""

    def __init__(self, schema, people, rng):
        self.name = "drawn"
        sizes = [schema[name].law.outputs for name in schema]
        self._table = Product([schema[name].matrix() for name in schema]).draw(people.reshape(-1), rng).reshape(sizes)
        self._names = list(schema)

    def cell_table(self, schema, attributes):
        axes = tuple(i for i, name in enumerate(self._names) if name not in attributes)
        kept = [name for name in self._names if name in attributes]
        table = np.transpose(self._table.sum(axis=axes), [kept.index(name) for name in attributes])
        cells = np.argwhere(table)
        return CellTable([Axis(name, schema[name].reported.labels) for name in attributes], cells, table[tuple(cells.T)])


def drawn(schema, shares, n, rng):
    """Of n people with these shares of joint truths: a sample of their reports, and the people."""
    people = rng.multinomial(n, shares.reshape(-1)).reshape(shares.shape)
    return (Drawn(schema, people, rng), schema), people


def rates_of(people):
    """The share of yes by group, from a table of (no, yes) by group."""
    return people[1] / people.sum(axis=0)


def joint(sizes, rates):
    return np.array([np.multiply(sizes, np.subtract(1, rates)), np.multiply(sizes, rates)])


USUAL = (0.45, 0.5, 0.05)
GROUPS = ("sex == 'woman'", "sex == 'man'")
SAME, APART, RARE = (0.3, 0.3, 0.3), (0.4, 0.2, 0.3), (0.02, 0.06, 0.5)


def simulated(design, rates, n, sizes=USUAL, target="population", question="difference"):
    schema = dn.Schema(DESIGNS[design]())

    def run(rng):
        reports, people = drawn(schema, joint(sizes, rates), n, rng)
        sample = dn.Sample(*reports)
        woman, man, _ = rates_of(people) if target == "respondents" else rates
        if question == "share":
            return sample.share("v == 'yes'", among=GROUPS[0], target=target), woman
        return sample.difference("v == 'yes'", between=GROUPS, target=target), woman - man

    return run


for design in DESIGNS:
    for n in (200, 2_000, 20_000):
        for words, rates in (("same", SAME), ("apart", APART), ("rare", RARE)):
            CASES[f"{design}, {words}, n {n}"] = simulated(design, rates, n)
for design in ("mild", "strong", "open groups"):
    CASES[f"{design}, respondents, n 2000"] = simulated(design, APART, 2_000, target="respondents")
    CASES[f"{design}, small group, n 2000"] = simulated(design, APART, 2_000, (0.08, 0.9, 0.02))
    for n in (200, 2_000):
        CASES[f"share, {design}, n {n}"] = simulated(design, APART, n, question="share")


def overlapping(target):
    schema = dn.Schema({"v": dn.KRR(YES, 0.8), "age": dn.KRR(dn.Integer(0, 5), 0.8)})

    def run(rng):
        reports, people = drawn(schema, joint(np.full(6, 1 / 6), 0.1 + 0.1 * np.arange(6)), 3_000, rng)
        asked = dn.Sample(*reports).difference("v == 'yes'", between=("age >= 3", "age <= 4"), target=target)
        old, young = people[:, 3:].sum(axis=1), people[:, :5].sum(axis=1)
        return asked, rates_of(old) - rates_of(young) if target == "respondents" else 0.5 - 0.3

    return run


for target in ("population", "respondents"):
    CASES[f"overlapping groups, {target}, n 3000"] = overlapping(target)


def two_parts(rng):
    parts = [drawn(dn.Schema(DESIGNS[d]()), joint(USUAL, APART), n, rng)[0] for d, n in (("mild", 1_000), ("strong", 2_000))]
    return dn.Sample(parts).difference("v == 'yes'", between=GROUPS), 0.2


def survey_weights(rng):
    # Nine tenths of the people are a half of the respondents; in the other tenth sex makes no difference.
    schema = dn.Schema({**DESIGNS["mild"](), "w": dn.Identity(dn.Integer(1, 9))})
    shares = np.zeros((2, 3, 9))
    shares[:, :, 8], shares[:, :, 0] = joint(USUAL, APART) / 2, joint(USUAL, (0.5, 0.5, 0.5)) / 2
    (data, _), _ = drawn(schema, shares, 3_000, rng)
    return dn.Sample(data, schema, weights="w").difference("v == 'yes'", between=GROUPS), 0.9 * 0.2


NOISE = dn.Schema({"v": dn.KRR(YES, 0.8), "age": dn.Additive(dn.Integer(18, 77), dn.Normal(4))})


def behind_noise(rng):
    reports, _ = drawn(NOISE, joint(np.full(60, 1 / 60), np.where(np.arange(60) < 20, 0.4, 0.2)), 2_000, rng)
    return dn.Sample(*reports).difference("v == 'yes'", between=("age < 38", "age >= 38")), 0.2


CASES |= {
    "two parts, n 3000": two_parts,
    "survey weights, n 3000": survey_weights,
    "groups behind noise, n 2000": behind_noise,
}


def simulate(name, runs):
    """The share of intervals that hold the truth, and how often none was given."""
    rng = np.random.default_rng([SEED, zlib.crc32(name.encode())])
    held = refused = 0
    for _ in range(runs):
        try:
            asked, truth = CASES[name](rng)
        except dn.DeniableError:
            refused += 1
            continue
        low, high = (float(end[0]) for end in asked.interval())
        assert low <= np.clip(asked.value[0], *asked.limits) <= high
        held += low - 1e-9 <= truth <= high + 1e-9
    return held / max(1, runs - refused), refused


def check(name, coverage, runs):
    noise = 0 if runs >= 2_000 else 4 * math.sqrt(0.95 * 0.05 / runs)
    few = name.endswith("n 200")
    assert coverage >= (0.92 if few else 0.935) - noise, f"{name}: {coverage:.4f}"
    assert few or "noise" in name or coverage <= 0.97 + noise, f"{name}: {coverage:.4f}"


SHORT = ["strong, apart, n 2000", "mild, same, n 200", "overlapping groups, respondents, n 3000", "share, strong, n 2000"]


@pytest.mark.parametrize("name", SHORT)
def test_intervals_hold_the_truth_in_a_short_run(name):
    coverage, refused = simulate(name, 120)
    assert refused == 0
    check(name, coverage, 120)


@pytest.mark.slow
def test_intervals_hold_the_truth_in_two_thousand_runs():
    wrong = []
    for name in CASES:
        coverage, refused = simulate(name, 2_000)
        print(f"{name:45s} {coverage:.4f}" + (f"  ({refused} refused)" if refused else ""), flush=True)
        try:
            check(name, coverage, 2_000)
        except AssertionError as error:
            wrong.append(str(error))
    assert not wrong, wrong

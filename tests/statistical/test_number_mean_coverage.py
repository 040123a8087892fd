"""Do intervals of means behind one bit, three reports and the piecewise mechanism hold the truth as often as they say?

The distributions of truths are those that a mean may meet: spread evenly, crowded at one end, and split between the ends. Seeds 7 and 11.
    pytest tests/statistical/test_number_mean_coverage.py               150 surveys of 400 answers for each, under 10 seconds
    pytest tests/statistical/test_number_mean_coverage.py -m slow       10,000 surveys of 400 answers for each
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import deniable as dn
from deniable.core.domains.missing import WithMissing

NUMBERS = dn.Integer(0, 20)
DESIGNS = {
    "bit": dn.OneBit(NUMBERS, 5),
    "three": dn.Piecewise(NUMBERS, 5, reports=3, width=1),
    "wang": dn.Piecewise(NUMBERS, 5),
    "silent": dn.Piecewise(WithMissing(NUMBERS), 5, reports=3, width=1),
}
TRUTHS = {
    "even": np.full(21, 1 / 21),
    "low": np.append([0.7, 0.2], np.full(19, 0.1 / 19)),
    "ends": np.append(np.append(0.5, np.zeros(19)), 0.5),
}
ANSWERS = 400


def coverage(design, truths, surveys, seed, target="population"):
    """How often the interval of 95% holds the mean of the population, or of the respondents."""
    channel, generator = DESIGNS[design], np.random.default_rng(seed)
    shares = TRUTHS[truths]
    numbers, rows = np.arange(21), channel.matrix()
    schema = dn.Schema({"x": channel})
    held, known = 0, {}
    for _ in range(surveys):
        people = generator.multinomial(ANSWERS, shares)
        reports = sum(generator.multinomial(n, row) for n, row in zip(people, rows[:21], strict=True))
        if reports.tobytes() not in known:
            column = channel.reported.column(np.repeat(np.arange(len(reports)), reports))
            estimate = dn.Sample(pa.table({"x": column}), schema).mean("x", target=target)
            known[reports.tobytes()] = [float(end[0]) for end in estimate.interval(0.95)]
        wanted = shares @ numbers if target == "population" else people @ numbers / ANSWERS
        low, high = known[reports.tobytes()]
        held += bool(low <= wanted <= high)
    return held / surveys


def least(surveys):
    """What 95% may fall to by chance, four standard errors down; intervals by normal errors may fall short by a little more."""
    return 0.95 - 0.005 - 4 * math.sqrt(0.95 * 0.05 / surveys)


@pytest.mark.parametrize("design", DESIGNS)
def test_means_are_held_quickly(design):
    assert coverage(design, "low", 150, seed=7) >= least(150)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("truths", TRUTHS)
@pytest.mark.parametrize("design", DESIGNS)
def test_means_are_held_as_often_as_they_say(design, truths, target):
    found = coverage(design, truths, 10_000, seed=11, target=target)
    print(f"{design}, {truths}, {target}: {found:.4f}")
    assert found >= least(10_000)

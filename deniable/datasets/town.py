"""A fictitious town: five sensitive attributes that depend on one another as they do among people.

age ──▶ sex        women live longer
age, sex ──▶ children   at home: most around forty, with single mothers more often than with single fathers
age, sex, children ──▶ salary     a hump over working life, a gap between the sexes that children widen, a long tail, zeros
age, salary ──▶ credit            the young have had none, the old have repaid, the poor are overdue
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from deniable.core.channels.designs import KRR, ForcedResponse, Retention, UnrelatedQuestion
from deniable.core.domains.grids import Integer
from deniable.core.domains.labels import Nominal
from deniable.core.schema import Schema
from deniable.errors import ParameterError

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]

YOUNGEST, OLDEST = 18, 90
HIGHEST_SALARY, SALARY_STEP = 12_000, 100
SEX = ("F", "M")
CREDIT = ("none", "overdue", "present", "repaid")
CHILDREN = ("no", "yes")

_AGES: Floats = np.arange(YOUNGEST, OLDEST + 1, dtype=np.float64)


def town(n: int = 20_000, rng: np.random.Generator | None = None) -> pd.DataFrame:
    """The true answers of `n` fictitious people: salary (monthly), age, sex, credit, and children at home.

    Every value lies in the domains of `town_schema`. `rng=None` takes a fresh generator: there is nobody to protect here.

    >>> import numpy as np
    >>> from deniable.datasets import town
    >>> people = town(10_000, np.random.default_rng(1))
    >>> people.columns.tolist()
    ['salary', 'age', 'sex', 'credit', 'children']
    >>> bool(people.salary[people.sex == "M"].mean() > people.salary[people.sex == "F"].mean())
    True
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise ParameterError("town_size", "town: n must be a whole number of at least 1, got {got!r}.", got=n)
    if rng is None:
        rng = np.random.default_rng()
    elif not isinstance(rng, np.random.Generator):
        raise ParameterError(
            "town_rng",
            "town: rng must be None or a numpy Generator; for a seed use numpy.random.default_rng(seed). Got {got!r}.",
            got=rng,
        )
    size = int(n)
    age = np.searchsorted(_age_cumulative(), rng.random(size), side="right")
    sex = (rng.random(size) >= _share_of_women()[age]).astype(np.int64)
    children = (rng.random(size) < _share_with_children()[sex, age]).astype(np.int64)
    salary = _salaries(age, sex, children, rng)
    # One table of cumulative shares over age and salary: how many of its steps lie below the draw is the code.
    credit = (rng.random(size)[:, None] >= _credit_cumulative()[age, salary]).sum(axis=1)
    return pd.DataFrame(
        {
            "salary": salary * SALARY_STEP,
            "age": age + YOUNGEST,
            "sex": _words(SEX, sex),
            "credit": _words(CREDIT, credit),
            "children": _words(CHILDREN, children),
        }
    )


def town_schema() -> Schema:
    """How the town's people hide their answers in the demonstrations: five channels, each with a finite epsilon.

    All of them stay exact when values are merged into coarser bins, so salaries and ages can be shown in bins of any kind.

    >>> from deniable.datasets import town_schema
    >>> schema = town_schema()
    >>> {name: round(channel.epsilon, 2) for name, channel in schema.items()}
    {'salary': 4.8, 'age': 4.3, 'sex': 1.39, 'credit': 1.5, 'children': 1.39}
    """
    return Schema(
        {
            "salary": Retention(Integer(0, HIGHEST_SALARY, step=SALARY_STEP), p=0.5),
            "age": Retention(Integer(YOUNGEST, OLDEST), p=0.5),
            "sex": UnrelatedQuestion(Nominal(SEX), theta=0.6, innocuous=0.5),
            "credit": KRR(Nominal(CREDIT), p=0.6),
            "children": ForcedResponse(p_yes=0.2, p_no=0.2, domain=Nominal(CHILDREN)),
        }
    )


def _words(labels: tuple[str, ...], codes: Ints) -> Any:
    return np.array(labels, dtype=object)[codes]


def _age_cumulative() -> Floats:
    """Upper ends of the ages' shares: the post-war years are the broadest, then fewer and fewer."""
    shares = np.interp(_AGES, [18, 30, 45, 58, 70, 80, 90], [0.8, 1.05, 1.1, 1.3, 0.95, 0.55, 0.12])
    ends: Floats = np.cumsum(shares) / shares.sum()
    return ends[:-1]


def _share_of_women() -> Floats:
    shares: Floats = np.interp(_AGES, [18, 60, 75, 90], [0.49, 0.51, 0.55, 0.68])
    return shares


def _share_with_children() -> Floats:
    """Rows by sex, columns by age."""

    def hump(most: float, centre: float, width: float) -> Floats:
        return most * np.exp(-(((_AGES - centre) / width) ** 2) / 2)

    return np.stack([hump(0.74, 38, 8.5), hump(0.60, 41, 9.0)])


def _salaries(age: Ints, sex: Ints, children: Ints, rng: np.random.Generator) -> Ints:
    """Codes on the salary grid: log-normal around a median, or nothing at all."""
    median = np.interp(_AGES, [18, 22, 30, 48, 60, 66, 70, 90], [900, 1500, 2650, 3500, 3300, 2100, 1850, 1650])
    spread = np.interp(_AGES, [18, 30, 60, 68, 90], [0.45, 0.42, 0.52, 0.40, 0.36])
    # Rows: women without and with children at home, then men; what each earns of the median, and who earns nothing.
    part = np.array([[0.90, 0.72], [1.08, 1.16]])
    without = np.stack(
        [
            np.interp(_AGES, [18, 24, 30, 58, 66, 90], [0.42, 0.12, 0.06, 0.09, 0.04, 0.03]),
            np.interp(_AGES, [18, 24, 30, 58, 66, 90], [0.40, 0.12, 0.05, 0.06, 0.02, 0.02]),
        ]
    )
    mothers = 0.08 * ((sex == 0) & (children == 1))
    drawn = median[age] * part[sex, children] * np.exp(spread[age] * rng.standard_normal(len(age)))
    codes: Ints = np.clip(np.rint(drawn / SALARY_STEP), 1, HIGHEST_SALARY // SALARY_STEP).astype(np.int64)
    codes[rng.random(len(age)) < without[sex, age] + mothers] = 0
    return codes


def _credit_cumulative() -> Floats:
    """Upper ends of the shares of the kinds of credit but the last: axes age, salary code, kind."""
    salary = np.arange(0, HIGHEST_SALARY + 1, SALARY_STEP)
    age, earned = _AGES[:, None], np.log1p(salary / 1000)[None, :]
    none = 1.5 - 0.045 * (age - 18) + 0.018 * np.maximum(age - 60, 0) - 0.1 * earned
    overdue = -0.3 - 0.030 * np.abs(age - 35) - 1.35 * earned
    present = -1.3 + 0.95 * earned - 0.0022 * (age - 40) ** 2
    repaid = -3.0 + 0.050 * (age - 18) + 0.45 * earned
    odds = np.exp(np.stack(np.broadcast_arrays(none, overdue, present, repaid), axis=-1))
    ends: Floats = np.cumsum(odds, axis=-1) / odds.sum(axis=-1, keepdims=True)
    return ends[..., :-1]

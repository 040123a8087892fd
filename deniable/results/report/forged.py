"""What forged answers could do: the largest shift of each estimate that is shown, if a share of the answers were sent to push it.

A forged answer is one whose sender left out the draw and sent what moves the estimate most. The estimate is made again as if a share of
the answers, like all others on average, had been replaced by copies of one such answer, for every answer that could be sent. So whatever is
done to make an estimate (weights, smoothing, ends at 0 and 100%) is in the figure. For k-ary randomised response this is
share * |w_y(z) - estimate|, w being the weights of `privacy/measures/influence.py`. Where there are many combinations of answers, weights
say which of them push a figure furthest (`pushing.py`), and only these are tried.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.core.schema import Schema
from deniable.core.tables import CellTable
from deniable.engines.countable import Countable
from deniable.errors import NoIntervalError
from deniable.results.calls import Call
from deniable.results.material import Material
from deniable.results.report.pushing import Pushed, codes_that_differ, combinations_of, quotients_of

SHARES = (0.01, 0.05)
"""The shares of forged answers that a report speaks of."""
MOST = 48
"""Up to so many answers that could be sent are all tried."""
FEWEST_NUMBERS = 3
"""Of numbers behind noise at least so many are tried, evenly spaced with both ends."""


class Forged(Countable):
    """Answers of which a share was replaced by copies of one."""

    def __init__(self, data: Countable, share: float, sent: Mapping[str, int]) -> None:
        self.name = data.name
        self._data, self._share, self._sent = data, share, dict(sent)

    def cell_table(self, schema: Schema, attributes: Sequence[str]) -> CellTable:
        """How often each combination of reports would occur; attributes must be among those whose reports were forged."""
        table = self._data.cell_table(schema, list(attributes))
        forged = round(self._share * table.total)
        codes = np.array([[self._sent[name] for name in attributes]], dtype=np.int64)
        kept = _scaled(table.n, table.total - forged)
        return CellTable(table.axes, np.vstack([table.cells, codes]), np.append(kept, forged))


def _scaled(n: Ints, total: int) -> Ints:
    """Counts in the same proportions that add up to a total: the largest remainders are rounded up."""
    wanted = n * (total / max(int(n.sum()), 1))
    whole: Ints = np.floor(wanted).astype(np.int64)
    left = total - int(whole.sum())
    whole[np.argsort(wanted - whole, kind="stable")[::-1][:left]] += 1
    return whole


def largest_shifts(material: Material, call: Call, names: Sequence[str], shares: Sequence[float] = SHARES) -> Floats:
    """By how much forged answers can move each number that a call gives.

    Parameters
    ----------
    material
        The answers.
    call
        The question to their sample.
    names
        The attributes that it is about.
    shares
        How many of the answers are forged.

    Returns
    -------
    array
        One row for each share, one column for each number; NaN where there is no number.

    Examples
    --------
    >>> import deniable as dn, pandas as pd
    >>> from deniable.engines.count import as_countable
    >>> schema = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)})
    >>> data = as_countable(pd.DataFrame({"smokes": ["no"] * 1400 + ["yes"] * 600}))
    >>> largest_shifts(Material.of(1, data, schema), Call("distribution", ("smokes",)), ["smokes"]).round(3).tolist()
    [[0.014, 0.014], [0.07, 0.07]]
    """
    schema = material.schema
    now = call.run(material.sample)
    labels, before = list(now.labels), now.shown
    largest = np.full((len(shares), len(before)), np.nan)
    every = [np.arange(len(schema[name].outputs)) for name in names]
    figures = quotients_of(call, schema)
    if math.prod(map(len, every)) > MOST:
        every = codes_that_differ(schema, names, figures)
    few = math.prod(map(len, every)) <= MOST or not all(schema[name].lumpable for name in names)
    pushed = None if few else Pushed(schema, figures, material.table(names), combinations_of(names, every))
    if pushed is not None and call.method != "mean" and not any(one.bottom.attributes for figure in figures for one in figure):
        return np.array([pushed.of_everyone(share) for share in shares])
    for place, share in enumerate(shares):
        for sent in could_be_sent(schema, names, every) if pushed is None else pushed.worth_trying(share):
            forged = Material.of(material.number, Forged(material.data, share, sent), schema)
            try:
                then = call.run(forged.sample)
            except NoIntervalError:  # a group that nobody is left in
                continue
            # A forged answer can make a group of its own, where nobody was.
            after = dict(zip(then.labels, then.shown.tolist(), strict=True))
            shifts = np.abs(np.array([after.get(label, np.nan) for label in labels]) - before)
            largest[place] = np.fmax(largest[place], shifts)
    return largest


def could_be_sent(schema: Schema, names: Sequence[str], codes: Sequence[Ints] | None = None) -> Iterator[dict[str, int]]:
    """The combinations of reports that are tried: all of them, but of numbers behind noise fewer if there are many.

    Parameters
    ----------
    schema, names
        The attributes, and how they were hidden.
    codes
        Those of each attribute's reports that are worth trying; all unless given.

    Returns
    -------
    iterator of dict
        Codes by the name of the attribute.

    Examples
    --------
    >>> import deniable as dn
    >>> list(could_be_sent(dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)}), ["a"]))
    [{'a': 0}, {'a': 1}]
    """
    each = [np.arange(len(schema[name].outputs)) for name in names] if codes is None else list(codes)
    noisy = [place for place, name in enumerate(names) if schema[name].domain.is_numeric and not schema[name].lumpable]
    others = math.prod(len(one) for place, one in enumerate(each) if place not in noisy)
    for place in noisy:
        # Noise treats neighbours alike. Other designs do not: each label has a weight of its own, and so has silence, the last code.
        count = max(FEWEST_NUMBERS, int((MOST / others) ** (1 / len(noisy))))
        all_numbers = each[place][:-1] if schema[names[place]].domain.missing is not None else each[place]
        spaced = np.linspace(0, len(all_numbers) - 1, min(count, len(all_numbers))).round().astype(np.int64)
        each[place] = np.concatenate([all_numbers[np.unique(spaced)], each[place][len(all_numbers) :]])
    for combination in itertools.product(*(one.tolist() for one in each)):
        yield dict(zip(names, combination, strict=True))

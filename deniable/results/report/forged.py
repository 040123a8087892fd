"""What forged answers could do: the largest shift of each estimate that is shown, if a share of the answers were sent to push it.

A forged answer is one whose sender left out the draw and sent what moves the estimate most. The estimate is made again as if a share of
the answers, like all others on average, had been replaced by copies of one such answer, for every answer that could be sent. So whatever is
done to make an estimate (weights, smoothing, ends at 0 and 100%) is in the figure. For k-ary randomised response this is
share * |w_y(z) - estimate|, w being the weights of `privacy/measures/influence.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from deniable.core.domains.exact import Floats, Ints
from deniable.core.schema import Schema
from deniable.core.tables import CellTable
from deniable.engines.countable import Countable
from deniable.errors import NoIntervalError
from deniable.results.calls import Call
from deniable.results.material import Material

SHARES = (0.01, 0.05)
"""The shares of forged answers that a report speaks of."""
MOST = 48
"""So many answers that could be sent are tried; of more, evenly spaced ones with both ends, since noise treats neighbours alike."""


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
    now = call.run(material.sample)
    labels, before = list(now.labels), now.shown
    largest = np.full((len(shares), len(before)), np.nan)
    for place, share in enumerate(shares):
        for sent in could_be_sent(material.schema, names):
            forged = Material.of(material.number, Forged(material.data, share, sent), material.schema)
            try:
                then = call.run(forged.sample)
            except NoIntervalError:  # a group that nobody is left in
                continue
            # A forged answer can make a group of its own, where nobody was.
            after = dict(zip(then.labels, then.shown.tolist(), strict=True))
            shifts = np.abs(np.array([after.get(label, np.nan) for label in labels]) - before)
            largest[place] = np.fmax(largest[place], shifts)
    return largest


def could_be_sent(schema: Schema, names: Sequence[str]) -> Iterator[dict[str, int]]:
    """The combinations of reports, as codes, that are tried.

    >>> import deniable as dn
    >>> list(could_be_sent(dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)}), ["a"]))
    [{'a': 0}, {'a': 1}]
    """
    each = [len(schema[name].outputs) for name in names]
    while np.prod(each, dtype=np.float64) > MOST and max(each) > 2:
        each[each.index(max(each))] -= 1
    codes = [
        np.unique(np.linspace(0, len(schema[name].outputs) - 1, count).round().astype(np.int64)).tolist()
        for name, count in zip(names, each, strict=True)
    ]
    for combination in itertools.product(*codes):
        yield dict(zip(names, combination, strict=True))

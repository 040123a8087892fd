"""One distribution for each of several groups: small multiples, with one axis for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
import numpy as np

from deniable.charts.curve import curve_layout
from deniable.charts.distribution import distribution_chart
from deniable.charts.layout import label_room, lay_out
from deniable.charts.panels import AXIS, panels
from deniable.errors import ParameterError
from deniable.picture_words import ENGLISH, Words

MOST_GROUPS = 24
"""More panels than this are scrolled past, not compared."""
PAGE = 1_150
"""Pixels that panels share side by side."""
NARROW_PANEL = 240
"""Pixels of a panel whose labels stand beside its rows."""


@dataclass(frozen=True)
class Group:
    """What one panel shows: the shares of a group, in the order of the labels, and words for how large it is."""

    name: str
    values: Any
    low: Any = None
    high: Any = None
    size: float = 0.0
    size_words: str = ""
    compare: Mapping[str, Any] = field(default_factory=dict)


def grouped_chart(
    labels: Sequence[Any],
    groups: Sequence[Group],
    *,
    title: str = "",
    note: str = "",
    beneath: Sequence[str] = (),
    as_percent: bool = True,
    whiskers: str = "95% interval",
    words: Words = ENGLISH,
    positions: Sequence[float] | None = None,
) -> alt.VConcatChart:
    """One panel per group, all with the same axis, so that they can be compared.

    Of more than 24 groups the largest are drawn, in the order given, and the picture says so.

    Parameters
    ----------
    labels, groups
        What each panel shows, and how much of it there is in each group.
    title, note
        What stands above the panels, the note in smaller letters.
    beneath
        The sentences under them.
    as_percent, whiskers, words
        As of `distribution_chart`.
    positions
        The labels as numbers, where they are so many that curves are drawn.

    Returns
    -------
    altair.VConcatChart

    Examples
    --------
    >>> from deniable.charts import Group, grouped_chart
    >>> chart = grouped_chart(["no", "yes"], [Group("north", [0.7, 0.3]), Group("south", [0.4, 0.6])], title="Smokes")
    >>> chart.description
    'Smokes. north. Estimate: no 70.0%; yes 30.0%. south. Estimate: no 40.0%; yes 60.0%.'
    """
    if not groups:
        raise ParameterError("no_charts", "grouped_chart: groups is empty; there is nothing to draw.")
    said = list(beneath)
    drawn = list(groups)
    if len(drawn) > MOST_GROUPS:
        largest = sorted(range(len(drawn)), key=lambda at: -drawn[at].size)[:MOST_GROUPS]
        drawn = [groups[at] for at in sorted(largest)]
        said.append(words.not_all_drawn.format(drawn=MOST_GROUPS, count=len(groups)))
    numbers = [
        np.asarray(each, dtype=np.float64) for one in drawn for each in (one.values, one.low, one.high) if each is not None
    ]
    numbers += [np.asarray(each, dtype=np.float64) for one in drawn for each in one.compare.values()]
    reach = float(min(np.nanmin(each) for each in numbers)), float(max(np.nanmax(each) for each in numbers))
    look = lay_out([str(label) for label in labels]) if positions is None else curve_layout(NARROW_PANEL)
    # Rows have their labels once, in the first column; below columns they are short enough to be repeated.
    width = NARROW_PANEL if look.horizontal else look.width
    beside = label_room(list(map(str, labels)), look)
    columns = max(1, min(3, len(drawn), int((PAGE - beside) // (width + AXIS))))
    charts = []
    for at, one in enumerate(drawn):
        chart = distribution_chart(
            labels, one.values, one.low, one.high, title=one.name, note=one.size_words, compare=one.compare, as_percent=as_percent,
            whiskers=whiskers, reach=reach, labelled=not look.horizontal or at % columns == 0, width=width, words=words,
            positions=positions,
        )  # fmt: skip
        charts.append(chart)
    return panels(charts, title, columns, note=note, beneath=said, fill=False)

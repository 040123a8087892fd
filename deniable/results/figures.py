"""Figures: what is shown of one estimated number. A point is there only together with its interval, and lies inside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deniable.core.estimate import Estimate
from deniable.core.question_texts import Question
from deniable.results.bins import label_in_words
from deniable.results.rounding import supported_ends
from deniable.results.words import Said, for_programs

SHARE, MEAN, POINTS, NUMBER = "share", "mean", "points", "number"
"""Shares of people; means on the scale of a question; differences of shares; differences of means."""


@dataclass(frozen=True)
class Figure:
    """One estimated number: what it is of, the estimate with its interval, or what is said instead."""

    label: str
    group: str | None
    codes: tuple[Any, ...]
    """The group and the label as the data has them."""
    value: float | None
    low: float | None
    high: float | None
    reported: float | None
    """The same number if reports were taken for answers."""
    worth: float | None
    """How many direct answers, of the same group, would tell as much."""
    sentence: str
    """Between what it lies, or what is said instead of it."""
    told: bool | None = None
    """Of a difference: whether it can be told from 0, adjusted for the number of such verdicts."""

    def to_json(self) -> dict[str, Any]:
        """As the JSON twin has it."""
        return {
            "label": self.label, "group": self.group, "codes": [_plain(code) for code in self.codes], "value": self.value,
            "low": self.low, "high": self.high, "reported": self.reported, "worth": self.worth, "told": self.told,
            "sentence": for_programs(self.sentence),
        }  # fmt: skip


@dataclass(frozen=True)
class Block:
    """Figures that are drawn on one axis, with what is said of them together."""

    name: str
    title: str
    kind: str
    figures: tuple[Figure, ...]
    n: int | None
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    limits: tuple[float, float] | None = None
    table: bool = False
    """Whether it is a cross table: groups are its rows, labels its columns."""
    hidden: bool = True
    """Whether some of the answers behind it were hidden: direct ones are worth as many as there are, of which nothing need be said."""
    extra: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As the JSON twin has it."""
        return {
            "name": self.name, "title": self.title, "kind": self.kind, "n": self.n, "limits": self.limits,
            "figures": [figure.to_json() for figure in self.figures],
            "sentences": list(map(for_programs, self.sentences)), "notes": list(self.notes),
            **self.extra,
        }  # fmt: skip


def _plain(code: Any) -> Any:
    return (
        code.item()
        if isinstance(code, np.generic)
        else code
        if isinstance(code, (str, int, float, bool, type(None)))
        else str(code)
    )


def figures_of(
    estimate: Estimate, kind: str, said: Said, texts: Sequence[Question | None], reported: Any = None
) -> tuple[Figure, ...]:
    """The figures of an estimate.

    Parameters
    ----------
    estimate
        The estimate; labels are labels, or (group, label).
    kind
        Of what kind its numbers are.
    said
        The sentences of a language.
    texts
        The question that labels are answers to; of groups, theirs and then that of the labels.
    reported
        What was reported, one number for each, or None.

    Returns
    -------
    tuple of Figure
    """
    labels = [label if isinstance(label, tuple) else (label,) for label in estimate.labels]
    if not estimate.has_interval:
        low = high = shown = np.full(len(labels), np.nan)
    else:
        (low, high), shown = estimate.interval(), estimate.shown
    worth = estimate.worth if estimate.worth is not None and len(estimate.worth) == len(labels) else [None] * len(labels)
    marks = [None] * len(labels) if reported is None else reported
    found = []
    for i, label in enumerate(labels):
        words = [label_in_words(question, part, said) for question, part in zip(texts[-len(label) :], label, strict=True)]
        group = words[0] if len(words) > 1 else None
        if not np.isfinite([shown[i], low[i], high[i]]).all():
            instead = said.too_few if estimate.too_few[i] else said.cannot_be_told
            found.append(Figure(words[-1], group, label, None, None, None, None, None, instead))
            continue
        # A point may leave its interval by the last bit of a rounding.
        value = float(np.clip(shown[i], low[i], high[i]))
        found.append(
            Figure(
                words[-1], group, label, value, float(low[i]), float(high[i]), _number(marks[i]), _number(worth[i]),
                sentence(kind, float(low[i]), float(high[i]), said),
            )
        )  # fmt: skip
    return tuple(found)


def sentence(kind: str, low: float, high: float, said: Said) -> str:
    """Between what a number lies, in words."""
    if kind == SHARE:
        return said.share(low, high)
    if kind == POINTS:
        # Outward, and a hair's breadth of rounding is no reason to go to the next number. Adding 0 takes the sign from -0.
        outward = math.floor(1000 * low + 1e-6) / 10 + 0.0, math.ceil(1000 * high - 1e-6) / 10 + 0.0
        ends = [said.words.number(end, "+.1f") for end in outward]
        return said.between.format(low=ends[0], high=f"{ends[1]} {said.words.points}")
    least, most = supported_ends(low, high, said, signed=kind == NUMBER)
    return said.between.format(low=least, high=most)


def _number(given: Any) -> float | None:
    return None if given is None or not np.isfinite(given) else float(given)

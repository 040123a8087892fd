"""An estimate as a picture: its values with their intervals, groups as panels of one axis, many numbers as a curve with a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.core.estimate_sentences import caption, sentences_of
from deniable.core.estimate_text import label_words
from deniable.core.estimated_values import FEWEST, EstimatedValues
from deniable.core.intervals import Ends, check_level
from deniable.core.simplex import nearest_possible, project
from deniable.errors import NoIntervalError
from deniable.picture_words import ENGLISH, POLISH, Words, words_of

MOST_ROOM = 10
"""An axis of means shows all that is possible unless that is this many times as wide as what is drawn."""


def picture(estimate: EstimatedValues, level: float, compare: Mapping[str, Any] | None, title: str | None) -> Any:
    """The estimate as an Altair chart that travels with its picture; `compare` are further series, `title` replaces its name."""
    check_level(level)
    # Altair takes longer to import than most estimates to compute; only pictures pay for it.
    from deniable import charts

    if np.isnan(estimate.shown).all():
        raise _nothing_to_draw(estimate, estimate.said_instead[0])
    words = words_of(estimate.language)
    ends = estimate.interval(level) if estimate.has_interval else estimate.band(level) if estimate.has_band else None
    whiskers = (words.interval if estimate.has_interval else words.band).format(level=words.number(100 * level, "g"))
    heading, scope = _heading(estimate.name)
    drawing = _Drawing(estimate, words, ends, whiskers, compare or {}, heading if title is None else title, scope)
    groups = _groups(estimate.labels)
    chart = drawing.labels() if groups is None else drawing.panels(groups)
    return charts.with_picture(charts.in_language(chart, words))


@dataclass(frozen=True)
class _Drawing:
    """What is drawn: the ends of the lines and their name, further series, the title and what its small line ends with."""

    estimate: EstimatedValues
    words: Words
    ends: Ends | None
    whiskers: str
    compare: Mapping[str, Any]
    title: str
    scope: str

    def labels(self) -> Any:
        """One picture of all labels; those that may not be shown are named beneath."""
        from deniable import charts

        estimate, words, compare = self.estimate, self.words, self.compare
        unseen = np.isnan(estimate.shown)
        seen = np.flatnonzero(~unseen)
        sentences: list[str] = []
        left_out = [f"{label_words(estimate.labels[i])}: {estimate.said_instead[i]}" for i in np.flatnonzero(unseen)]
        if left_out:
            sentences.append(words.not_drawn.format(groups="; ".join(left_out)))
        # A curve would hide that something is left out.
        positions, beside = (None, []) if left_out else _curve(estimate.labels, charts.MANY_NUMBERS)
        if positions is not None:
            sentences.append(words.curve.format(count=words.number(len(positions), ",")))
            sentences += [self._cell(seen[i]) for i in beside]
            seen = np.delete(seen, beside)
            compare = {name: np.delete(series, beside) for name, series in compare.items()}
        scale = 100.0 if estimate.in_points else 1.0
        low, high = (None, None) if self.ends is None else (scale * self.ends[0][seen], scale * self.ends[1][seen])
        names = [label_words(estimate.labels[i]) for i in seen]
        chart = charts.distribution_chart(
            names,
            scale * estimate.shown[seen],
            low,
            high,
            title=self.title,
            compare={name: scale * np.asarray(series) for name, series in compare.items()} if scale != 1 else compare,
            note=caption(estimate) + self.scope,
            as_percent=estimate.is_share,
            whiskers=self.whiskers,
            words=words,
            unit=words.percentage_points if estimate.in_points else None,
            reach=self._reach(seen),
            from_zero=not estimate.on_a_scale,
            positions=positions,
        )
        return charts.with_sentences(
            chart, [*sentences, *sentences_of(estimate, words)], 0 if positions else charts.room_of(names)
        )

    def panels(self, groups: Sequence[tuple[Any, slice]]) -> Any:
        """One panel for each group, with its estimated size; groups of too few people to say anything are named beneath."""
        from deniable import charts

        estimate, words = self.estimate, self.words
        within = [label for _, label in estimate.labels[groups[0][1]]]
        positions, beside = _curve(within, charts.MANY_NUMBERS)
        kept = np.delete(np.arange(len(within)), beside)
        drawn, left_out = [], []
        for (name, place), size in zip(groups, _people_in(estimate, groups), strict=True):
            if estimate.is_share and (size < FEWEST or np.isnan(estimate.shown[place]).any()):
                few = words.few_answers.format(size=words.number(size, ",.0f"))
                left_out.append(f"{label_words(name)}: {estimate.said_instead[place.start] or few}")
            else:
                drawn.append(self._panel(name, size, place.start + kept, [place.start + i for i in beside]))
        if not drawn:
            raise _nothing_to_draw(estimate, "; ".join(left_out))
        beneath = [words.not_drawn.format(groups="; ".join(left_out))] if left_out else []
        beneath += [] if positions is None else [words.curve.format(count=words.number(len(positions), ","))]
        return charts.grouped_chart(
            [label_words(within[i]) for i in kept],
            drawn,
            title=self.title,
            note=f"{caption(estimate)}; {words.of_everyone if estimate.group_sizes is None else words.within_groups}",
            beneath=[*beneath, *sentences_of(estimate, words)],
            as_percent=estimate.is_share,
            whiskers=self.whiskers,
            words=words,
            positions=positions,
        )

    def _panel(self, name: Any, size: float, members: Any, beside: Sequence[int]) -> Any:
        """The values `members` of one group; those `beside` them are told in words."""
        from deniable import charts

        estimate, words = self.estimate, self.words
        low, high = (None, None) if self.ends is None else (self.ends[0][members], self.ends[1][members])
        sized = words.known_size if estimate.sizes_known else words.size
        told = sized.format(size=words.number(size, ",.0f"), n=words.number(estimate.n, ",")) if estimate.is_share else ""
        told += "".join(f"; {self._cell(i)}" for i in beside)
        # A number by itself is no title.
        above = name if isinstance(name, str) or not estimate.attributes else f"{estimate.attributes[0]}: {label_words(name)}"
        values = nearest_possible(estimate.value, estimate.limits, estimate.whole)[members]
        compared = {key: np.asarray(series)[members] for key, series in self.compare.items()}
        return charts.Group(label_words(above), values, low, high, size, told, compared)

    def _cell(self, i: int) -> str:
        """One value in words, without its group."""
        estimate, words = self.estimate, self.words
        written = words.percent if estimate.is_share else words.number
        between = ""
        if self.ends is not None:
            between = " " + words.between.format(low=written(self.ends[0][i]), high=written(self.ends[1][i]))
        label = estimate.labels[i]
        return (
            f"{label_words(label if _groups(estimate.labels) is None else label[-1])}: {written(estimate.shown[i])}{between}."
        )

    def _reach(self, seen: Any) -> tuple[float, float] | None:
        """The numbers that an axis shows in any case: all possible ones of a scale, unless what is drawn would shrink to a dot on it."""
        limits = self.estimate.limits
        if not self.estimate.on_a_scale or limits is None or not np.isfinite(limits).all():
            return None
        drawn = np.concatenate([series[seen] for series in (self.estimate.shown, *(self.ends or ()))])
        return limits if MOST_ROOM * (np.nanmax(drawn) - np.nanmin(drawn)) >= limits[1] - limits[0] else None


def _nothing_to_draw(estimate: EstimatedValues, reason: str | None) -> NoIntervalError:
    return NoIntervalError("too_few", "No picture of {name}: {reason}.", name=estimate.name, reason=reason)


def _heading(name: str) -> tuple[str, str]:
    """The name without what is said of those who answered, and that, for the small line."""
    for words in (ENGLISH, POLISH):
        heading, among, rest = name.rpartition(f" ({words.among_answers}")
        if among:
            return heading, f", {words.among_answers}{rest.removesuffix(')')}"
    return name, ""


def _groups(labels: Sequence[Any]) -> list[tuple[Any, slice]] | None:
    """Where the values of each group stand, if every label is (group, label) and all groups have the same labels."""
    if not all(isinstance(label, tuple) and len(label) == 2 for label in labels):
        return None
    names = list(dict.fromkeys(group for group, _ in labels))
    size = len(labels) // len(names)
    within = [label for _, label in labels[:size]]
    if tuple(labels) != tuple((group, label) for group in names for label in within):
        return None
    return [(group, slice(at * size, (at + 1) * size)) for at, group in enumerate(names)]


def _people_in(estimate: EstimatedValues, groups: Sequence[tuple[Any, slice]]) -> list[float]:
    """How many respondents each group of labels is estimated to have."""
    if estimate.group_sizes is not None:
        return [float(estimate.group_sizes[place.start]) for _, place in groups]
    if estimate.row_people is not None:
        return [float(people) for people in estimate.row_people()]
    # Cells as they are shown, none below 0, would make rare labels too frequent.
    sums: Floats = np.array([estimate.value[place].sum() for _, place in groups])
    return [estimate.n * float(share) for share in (project(sums) if estimate.is_share else sums)]


def _curve(labels: Sequence[Any], most: int) -> tuple[list[float] | None, list[int]]:
    """The labels as numbers where more than `most` of them rise one after the other, and the places of the others, such as "no answer"."""
    beside = [i for i, label in enumerate(labels) if isinstance(label, bool) or not isinstance(label, (int, float, np.number))]
    if len(beside) > 1 or len(labels) - len(beside) <= most:
        return None, []
    numbers = [float(label) for i, label in enumerate(labels) if i not in beside]
    return (numbers, beside) if all(a < b for a, b in pairwise(numbers)) else (None, [])

"""The curves of a plan as pages draw them: places in the picture, what stands at each of them, and the same figures as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from deniable.charts.dots import ticks_between
from deniable.planning import plan_text
from deniable.planning.curves import Curve
from deniable.planning.words import Words
from deniable.survey.drafts.planned import Curves, DraftPlan, Question
from deniable.web.pages import Speech

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 320, 204, 36, 14, 24, 40
LETTER = 7
"""About how wide a letter of the axis is."""
MOST = 6
"""Curves in one picture; more could not be told from each other."""
KEYS = {"share": "share_20", "quantile": "quantile", "mean": "mean"}
"""The figure of a plan that a curve is of."""


@dataclass(frozen=True)
class Axis:
    """What lies across: how its numbers are written, what a point and a column of them are called, and the words under it."""

    written: Callable[[float], str]
    called: str
    column: str
    words: Sequence[tuple[float, str, str]]


@dataclass(frozen=True)
class Series:
    """One curve, and what it is of."""

    name: str
    curve: Curve


def of_question(one: Question, planned: DraftPlan, speech: Speech, words: Words) -> list[dict[str, Any]]:
    """The two pictures of a question: by number of answers, and by strength of protection."""
    return _pair([("", planned.curves(one))], planned, speech, words)


def of_all(
    questions: Sequence[tuple[str, Question]], planned: DraftPlan, speech: Speech, words: Words
) -> dict[str, Any] | None:
    """The same for all private questions in two pictures, with those that are not drawn; None where there is but one. Questions that are
    hidden alike share a curve."""
    together: dict[int, tuple[Curves, list[str]]] = {}
    for title, one in questions:
        found = planned.curves(one)
        together.setdefault(id(found), (found, []))[1].append(title)
    shares = [(", ".join(titles), found) for found, titles in together.values() if found.what == "share"]
    drawn = [one for one in shares if one[1].answers.points or one[1].odds.points][:MOST]
    if len(questions) < 2 or not drawn:
        return None
    names = {name for name, _ in drawn}
    left = [", ".join(titles) for found, titles in together.values() if ", ".join(titles) not in names or found.what != "share"]
    return {
        "pictures": _pair(drawn, planned, speech, words),
        "legend": [name for name, _ in drawn],
        "left": [speech["quoted"].format(text=one) for one in left],
    }


def _pair(drawn: Sequence[tuple[str, Curves]], planned: DraftPlan, speech: Speech, words: Words) -> list[dict[str, Any]]:
    what, number = drawn[0][1].what, words.numbers.number
    answers = number(planned.wishes.answers, ",d")
    middle = (LEFT + WIDTH - RIGHT) / 2
    name = speech["curve_answers_axis"]
    by_answers = Axis(lambda n: number(round(n), ",d"), "curve_at_answers", "curve_answers_axis", [(middle, "middle", name)])
    by_odds = Axis(
        lambda odds: number(odds, ".3g"),
        "curve_at_odds",
        "curve_odds_column",
        [(LEFT, "start", speech["curve_stronger"]), (WIDTH - RIGHT, "end", speech["curve_weaker"])],
    )
    return [
        _picture(axis, what, [Series(name, getattr(found, part)) for name, found in drawn], speech, words)
        | {"caption": speech[f"curve_by_{part}"].format(what=speech[f"curve_{what}"], answers=answers)}
        for part, axis in (("answers", by_answers), ("odds", by_odds))
    ]


@dataclass(frozen=True)
class Frame:
    """Where points lie in a picture: numbers across by their logarithm, margins upward from 0, in units of `scale`."""

    low: float
    high: float
    top: float
    scale: int

    @classmethod
    def around(cls, points: Sequence[tuple[float, float]], scale: int) -> Frame:
        """The frame that holds all points."""
        return cls(min(x for x, _ in points), max(x for x, _ in points), scale * max(y for _, y in points) or 1.0, scale)

    def across(self, x: float) -> float:
        """The place from the left."""
        wide = math.log(self.high / self.low) or 1.0
        return round(LEFT + math.log(x / self.low) / wide * (WIDTH - LEFT - RIGHT), 1)

    def up(self, y: float) -> float:
        """The place from the top."""
        return round(HEIGHT - BOTTOM - self.scale * y / self.top * (HEIGHT - TOP - BOTTOM), 1)


def _picture(axis: Axis, what: str, series: Sequence[Series], speech: Speech, words: Words) -> dict[str, Any]:
    """One picture; without points it has none of the places."""
    every = [point for one in series for point in [*one.curve.points, *([one.curve.now] if one.curve.now else [])]]
    if not every:
        return {"series": []}
    frame = Frame.around(every, 1 if what == "mean" else 100)

    def told(point: tuple[float, float], name: str) -> str:
        margin = plan_text.figure(KEYS[what], point[1], words)
        said = speech[axis.called].format(place=axis.written(point[0]), margin=margin)
        return f"{name} – {said}" if name else said

    lines = [_line(i, one, frame, told, speech["curve_now"]) for i, one in enumerate(series)]
    places = {line["now"][0] for line in lines if line["now"] is not None}
    now = places.pop() if len(places) == 1 else None
    return {
        "series": lines, "words": axis.words, "line": now,
        # Curves fall, so there is room for the word to the right of its line; at the right edge to the left.
        "line_word": None if now is None else (now + 4, "start") if now < WIDTH - 60 else (now - 4, "end"),
        "unit": speech["curve_unit_mean" if what == "mean" else "curve_unit"],
        "grid": [(frame.up(tick / frame.scale), words.numbers.number(tick, ".3g")) for tick in ticks_between(0, frame.top)],
        "ticks": [(frame.across(tick), axis.written(tick)) for tick in _ticks(frame, axis.written)],
        "said": "; ".join(_ends(one, told) for one in series if one.curve.points),
        "head": [speech[axis.column], *(_column(one.name, speech) for one in series)],
        "rows": _rows(series, axis, what, speech, words),
    }  # fmt: skip


def _line(index: int, one: Series, frame: Frame, told: Callable[[tuple[float, float], str], str], word: str) -> dict[str, Any]:
    """One curve: its path, its points with what they say, and the mark of what is chosen now."""
    at = [(frame.across(x), frame.up(y)) for x, y in one.curve.points]
    now = one.curve.now
    return {
        "index": index,
        "path": "M" + " L".join(f"{x} {y}" for x, y in at) if at else "",
        "dots": [(x, y, told(point, one.name)) for (x, y), point in zip(at, one.curve.points, strict=True)],
        "now": None if now is None else (frame.across(now[0]), frame.up(now[1]), f"{word}: {told(now, one.name)}"),
    }


def _ends(one: Series, told: Callable[[tuple[float, float], str], str]) -> str:
    """The first point of a curve and the last, in words."""
    return f"{told(one.curve.points[0], one.name)} … {told(one.curve.points[-1], '')}"


def _ticks(frame: Frame, written: Callable[[float], str]) -> list[float]:
    """Round numbers across, as many as there is room for."""
    digits = (1, 2, 5) if frame.high / frame.low > 30 else (1, 1.5, 2, 3, 5, 7)
    kept: list[float] = []
    free = 0.0
    for tick in [digit * 10.0**power for power in range(-1, 9) for digit in digits]:
        if 0.999 * frame.low <= tick <= 1.001 * frame.high:
            at, half = frame.across(tick), LETTER * len(written(tick)) / 2
            if at - half >= free and at + half <= WIDTH:
                kept.append(tick)
                free = at + half + LETTER
    return kept


def _column(name: str, speech: Speech) -> str:
    """What stands above a column: on narrow screens a colon follows, which a question's own mark should not meet."""
    return speech["quoted"].format(text=name) if name else speech["curve_margin_column"]


def _rows(series: Sequence[Series], axis: Axis, what: str, speech: Speech, words: Words) -> list[list[str]]:
    """Every place with the margin of each curve; what is chosen now says so. Places that are written alike are one."""
    now = {axis.written(one.curve.now[0]) for one in series if one.curve.now is not None}
    places, found = dict[str, float](), [dict[str, str]() for _ in series]
    for one, cells in zip(series, found, strict=True):
        for place, margin in [*one.curve.points, *([] if one.curve.now is None else [one.curve.now])]:
            places.setdefault(axis.written(place), place)
            cells[axis.written(place)] = plan_text.figure(KEYS[what], margin, words).replace(" ", "\u00a0")
    return [
        [text + (f" ({speech['curve_now']})" if text in now else ""), *(cells.get(text, "–") for cells in found)]
        for text in sorted(places, key=places.__getitem__)
    ]

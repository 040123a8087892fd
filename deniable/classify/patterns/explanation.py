"""Why a row was classified as it was: the patterns that decided, how well they are known, and what would have to change."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from deniable.classify.patterns.changes import Change
from deniable.core.html_table import html_table
from deniable.plurals import counted

SHOWN, BARS, CHANGES = 5, 12, 3
"""So many patterns of each class are told, drawn, and so many changes are told."""
LEVEL = 1e-9
"""Scores that differ by less (relative) do so by what decides between equal ones."""


@dataclass(frozen=True)
class Explanation:
    """Why a row belongs to a class: `print` it, look at `frame`, or `plot()` it.

    `label` is the predicted class, `chances` the classes' parts of the scores, `changes` what would lead to another class.
    """

    label: Any
    chances: dict[Any, float]
    frame: Any
    changes: list[Change]
    words: str
    """What the numbers in the column `adds` are parts of."""
    tried: int = 2
    """Other values of so many attributes at once were tried."""

    def __str__(self) -> str:
        lines = [self._heading, *self._patterns(), *self._changes]
        return "\n".join(lines)

    __repr__ = __str__

    @property
    def _heading(self) -> str:
        if not len(self.frame):
            return f"No pattern is in this row: {self.label} is taken, by what its single attributes tell ({self.chances[self.label]:.0%})."
        others = ", ".join(f"{label} {chance:.0%}" for label, chance in self.chances.items() if label != self.label)
        level = [str(label) for label, chance in self.chances.items() if self._is_level(label, chance)]
        decided = f" It is level with {' and '.join(level)}: what single attributes tell decides." if level else ""
        return f"Class {self.label}, with {self.chances[self.label]:.0%} of the scores ({others}).{decided}"

    def _is_level(self, label: Any, chance: float) -> bool:
        """Whether patterns say as much for another class as for the one that was taken."""
        return bool(label != self.label) and math.isclose(chance, self.chances[self.label], rel_tol=LEVEL)

    def _patterns(self) -> list[str]:
        lines = []
        for label in sorted(self.chances, key=lambda one: -self.chances[one]) if len(self.frame) else ():
            own = self.frame[self.frame["class"] == label]
            lines.append(
                f"For {label}, {counted(len(own), 'pattern')}; {self.words}:" if len(own) else f"For {label}, no pattern."
            )
            lines += [
                f"  {row['adds']:.3f}  {said(row['itemsets'])}: {known_of(row)}" for row in own.head(SHOWN).to_dict("records")
            ]
            if len(own) > SHOWN:
                lines.append(f"  and {len(own) - SHOWN:,} more")
        return lines + self._notes

    @property
    def _notes(self) -> list[str]:
        """What brackets hold, and why some patterns have none."""
        if not len(self.frame):
            return []
        missing = self.frame["growth_low"].isna()
        lines = [] if missing.all() else ["In brackets: 95% intervals of how many times as frequent."]
        return lines + ([f"Without an interval: {self.frame.attrs['no_interval']}."] if missing.any() else [])

    @property
    def _changes(self) -> list[str]:
        if not self.changes:
            return [f"No other value of {'one attribute' if self.tried == 1 else 'one or two attributes'} would change that."]
        told: dict[Any, list[str]] = {}
        for change in self.changes[:CHANGES]:
            told.setdefault(change.label, []).append(f"if {change.words} ({change.chance:.0%})")
        return ["It would be " + "; ".join(f"{label} {', or '.join(ways)}" for label, ways in told.items()) + "."]

    def _repr_html_(self) -> str:
        rows = [
            [str(row["class"]), said(row["itemsets"]), f"{row['support']:.0%}", growth_words(row), f"{row['adds']:.3f}"]
            for row in self.frame.head(BARS).to_dict("records")
        ]
        import html

        table = html_table(["class", "pattern", "support", "growth rate", "adds"], rows)
        told = " ".join([*self._notes, *self._changes])
        return f"<p>{html.escape(self._heading)}</p>{table if len(self.frame) else ''}<p>{html.escape(told)}</p>"

    def plot(self) -> Any:
        """The strongest patterns as an Altair picture."""
        from deniable.charts import with_picture
        from deniable.charts.patterns import pattern_chart

        bars = [
            {"pattern": said(row["itemsets"]), "class": row["class"], "adds": row["adds"], "growth": known_of(row)}
            for row in self.frame.head(BARS).to_dict("records")
        ]
        return with_picture(pattern_chart(bars, self._heading, [*self._changes, *self._notes], self.words))


def said(itemset: Any) -> str:
    """A pattern as people read it.

    >>> said(frozenset({"windy=true", "outlook=sunny"}))
    'outlook=sunny & windy=true'
    """
    return " & ".join(sorted(itemset))


def known_of(row: Any) -> str:
    """What is known of a pattern: how much of its class has it, and how that compares with elsewhere.

    >>> known_of({"class": "ill", "support": 0.6, "growth_rate": 2.4, "growth_low": float("nan"), "growth_high": float("nan")})
    'roughly 60% of ill, 2.4 times as frequent as elsewhere'
    """
    roughly = "roughly " if math.isnan(row["growth_low"]) else ""
    return f"{roughly}{row['support']:.0%} of {row['class']}, {growth_words(row)}"


def growth_words(row: Any) -> str:
    """A growth rate with its interval, in words.

    >>> growth_words({"growth_rate": float("inf"), "growth_low": 1.7, "growth_high": float("inf")})
    'found nowhere else (1.7 or more)'
    >>> growth_words({"growth_rate": 2.4, "growth_low": 0.9, "growth_high": 7.0})
    '2.4 times as frequent as elsewhere (0.9 to 7)'
    """
    rate, low, high = (float(row[name]) for name in ("growth_rate", "growth_low", "growth_high"))
    if math.isnan(low):
        known = ""
    elif math.isinf(high):
        known = f" ({low:.2g} or more)"
    else:
        known = f" ({low:.2g} to {high:.2g})"
    return f"found nowhere else{known}" if math.isinf(rate) else f"{rate:.2g} times as frequent as elsewhere{known}"

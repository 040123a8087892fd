"""Questions for a number: in bands, or the number itself on a grid."""

from __future__ import annotations

import itertools
from typing import Any

from deniable.core.domains.domain import NO_ANSWER
from deniable.core.domains.grids import Integer
from deniable.core.domains.missing import WithMissing
from deniable.survey.page_rules import FARTHEST, MOST_CHOICES, MOST_VALUES
from deniable.survey.questions.choices import AnswerForm, Choice
from deniable.survey.questions.reading import Reading, channel_of, use_of, yes_no
from deniable.survey.questions.single import single_choice
from deniable.survey.texts import joined

AGE_BANDS = [16, 25, 35, 45, 55, 65, 75]


def _bands(reading: Reading, given: dict[str, Any], edges: Any) -> list[Choice]:
    """[18, 30, 60]: 18-29, 30-59, and what lies below or above as 'under 18' and '60 or more'."""
    if edges is None:
        raise reading.error(
            (), "bands",
            "a number is asked in one of two ways: in ranges (bands: [1000, 2000, 4000]), or as a number itself (grid: true with min, max "
            "and step).",
        )  # fmt: skip
    if (
        not isinstance(edges, list)
        or not 2 <= len(edges) < MOST_CHOICES
        or any(isinstance(edge, bool) or not isinstance(edge, int) for edge in edges)
        or any(later <= edge for edge, later in itertools.pairwise(edges))
    ):
        raise reading.error(
            ("bands",),
            "bands",
            "bands are 2 to {most} whole numbers that rise, such as [18, 30, 45, 60], got {got!r}.",
            most=MOST_CHOICES - 1,
            got=edges,
        )
    languages = reading.languages
    first = Choice(f"under {edges[0]}", joined(languages, en=f"under {edges[0]}", pl=f"poniżej {edges[0]}"))
    between = [
        Choice(f"{low}-{high - 1}", joined(languages, en=f"{low}–{high - 1}" if high - 1 > low else str(low)))
        for low, high in itertools.pairwise(edges)
    ]
    last = Choice(f"{edges[-1]} or more", joined(languages, en=f"{edges[-1]} or more", pl=f"{edges[-1]} lub więcej"))
    return [first, *between, last]


def read_number(reading: Reading, given: dict[str, Any], kind: str, name: str) -> AnswerForm:
    """A number or an age."""
    unit: dict[str, Any] = {"unit": reading.text(given, "unit")} if "unit" in given else {}
    if kind == "age" or not yes_no(reading, ("grid",), given.get("grid", False)):
        return single_choice(
            reading, given, _bands(reading, given, given.get("bands", AGE_BANDS if kind == "age" else None)), True, **unit
        )
    low, high, step = given.get("min"), given.get("max"), given.get("step", 1)
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in (low, high, step))
    fits = whole and max(abs(low), abs(high)) <= FARTHEST and 0 < step <= high - low  # type: ignore[arg-type, operator]
    if not fits or (high - low) // step >= MOST_VALUES or (high - low) % step:  # type: ignore[operator]
        raise reading.error(
            ("max",), "grid_ends",
            "a grid has whole numbers min, max and step, the step divides what lies between, and there are at most {most:,} values; "
            "got {low!r}, {high!r}, {step!r}.", most=MOST_VALUES, low=low, high=high, step=step,
        )  # fmt: skip
    use = use_of(reading, given)
    numbers = Integer(low, high, step)  # type: ignore[arg-type]
    channel = channel_of(reading, given, WithMissing(numbers, NO_ANSWER), ordered=True, use=use)
    return AnswerForm({name: channel}, [], extra={"grid": {"min": low, "max": high, "step": step}, **unit}, use=use)

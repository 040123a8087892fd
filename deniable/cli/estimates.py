"""Estimates on a terminal and as JSON."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from deniable.cli.asked import now_asked
from deniable.cli.bars import Bar
from deniable.cli.cross_table import FRAME, adds_up, cross_table
from deniable.cli.show import console
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import Floats
from deniable.core.estimate import Estimate
from deniable.core.estimate_numbers import decimals
from deniable.core.estimate_text import label_words
from deniable.core.question_texts import QuestionTexts
from deniable.errors import ParameterError
from deniable.picture_words import Words, words_of

MANY_VALUES = 25
"""A longer table is not read but scrolled past."""
DEFAULT_BINS = 10
WIDEST_BAR, NARROWEST_BAR, NARROWEST_LABELS = 30, 10, 10
EVERY_VALUE = "all"
CODES = "none"
"""As a language: the values as they are in the data."""


def as_dict(estimate: Estimate, level: float) -> dict[str, Any]:
    """An estimate as plain values, for JSON."""
    ends = estimate.interval(level) if estimate.has_interval else None
    return {
        "attribute": estimate.name,
        "method": estimate.method,
        "target": estimate.target,
        "n": estimate.n,
        "level": level if ends else None,
        "group_sizes": None if estimate.group_sizes is None else estimate.group_sizes.tolist(),
        "labels": [list(label) if isinstance(label, tuple) else label for label in estimate.labels],
        "value": estimate.value.tolist(),
        "shown": [None if math.isnan(value) else value for value in estimate.shown.tolist()],
        "low": ends[0].tolist() if ends else None,
        "high": ends[1].tolist() if ends else None,
        "bias": None if estimate.bias is None else estimate.bias.tolist(),
        "why_no_interval": estimate.why_no_interval,
        "assumes": list(estimate.assumes),
        "notes": list(estimate.notes),
        "warnings": list(estimate.warnings),
        "se": estimate.se.tolist() if estimate.has_band else None,
        "exact": estimate.exact,
        "sizes_known": estimate.sizes_known,
        "sides": [_side(group, side, level) for group, side in estimate.sides],
        "band": [end.tolist() for end in estimate.band(level)] if estimate.has_band and not estimate.has_interval else None,
    }


def _side(group: str, side: Estimate, level: float) -> dict[str, Any]:
    """One of two groups that are compared."""
    (value,), (shown,), (low,), (high,) = side.value.tolist(), side.shown.tolist(), *side.interval(level)
    return {
        "group": group, "value": value, "shown": None if math.isnan(shown) else shown, "low": float(low), "high": float(high),
        "se": float(side.se[0]),
    }  # fmt: skip


def check_language(language: str | None, texts: QuestionTexts | None) -> None:
    """Refuse a language that a survey does not have, before any work is done."""
    if language in (None, CODES):
        return
    if texts is None:
        raise ParameterError(
            "no_texts", "--language needs the texts of a survey's questions, and the schema of this data carries none: export the survey "
            "again, or leave --language out.",
        )  # fmt: skip
    texts.questions(language)


def present(
    estimate: Estimate,
    level: float,
    as_json: bool,
    plot: Path | None,
    heading: str = "",
    texts: QuestionTexts | None = None,
    language: str | None = None,
    listed: bool = False,
) -> None:
    """Print an estimate, and save a picture if one is wanted.

    Parameters
    ----------
    estimate, level
        What is shown, and the confidence level of its intervals.
    as_json
        Whether JSON is printed instead of a table.
    plot
        Where the picture goes, if one is wanted.
    heading
        What is printed after the name.
    texts, language
        The texts of the survey that the data comes from. A picture is in its words anyway; a table only in a language that was asked
        for, since conditions are written with the values of the data.
    listed
        Whether a cross table, too, is printed as a list with bars.
    """
    if estimate.has_band and not estimate.has_interval:
        estimate.band(level, progress=Bar())
    worded = estimate if texts is None or language == CODES else estimate.in_words(texts, language)
    if as_json:
        print(json.dumps({**as_dict(estimate, level), **now_asked().found_from}, indent=2, ensure_ascii=False))
    else:
        _show(estimate if language is None else worded, level, heading, listed)
        if texts is not None and language is None and estimate.attributes:
            print(f"In the words of the survey: --language {' or '.join(texts.languages)}.")
    if plot is not None:
        # Altair is slow to import: only pictures pay for it.
        from deniable import charts

        charts.save(worded.plot(level, title=now_asked().title), plot)
        if not as_json:
            print(words_of(None if language is None else worded.language).picture.format(path=plot))


def is_all(given: str | None) -> bool:
    """Whether every single value was asked for."""
    return given is not None and given.strip().lower() == EVERY_VALUE


def edges(given: str | None) -> Any:
    """A number of bins, or their edges, as written on a command line; `all` for every value."""
    if given is None or is_all(given):
        return None
    parts = [part.strip() for part in given.split(",")]
    if len(parts) > 1:
        wrong = [part for part in parts if not _is_number(part)]
        if wrong:
            raise ParameterError(
                "bins_edge",
                "The edges of bins are numbers, such as 18,30,45,90; got {got!r} in {given!r}.",
                got=wrong[0],
                given=given,
            )
        return parts
    if not parts[0].isdigit():
        raise ParameterError(
            "bins_count",
            "--bins takes a number of bins, edges such as 18,30,45,90, or all for every value, got {got!r}.",
            got=given,
        )
    return int(parts[0])


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(Fraction(text))
    except (ValueError, ZeroDivisionError):
        return False


def shares(given: str | None) -> float | dict[str, float] | None:
    """A share, or shares by attribute, as written after --most.

    >>> shares("0.06"), shares("age=0.06, rating=0.5")
    (0.06, {'age': 0.06, 'rating': 0.5})
    """
    if given is None:
        return None
    try:
        if "=" not in given:
            return float(given)
        pairs = [part.rsplit("=", 1) for part in given.split(",")]
        return {name.strip(): float(share) for name, share in pairs}
    except ValueError:
        raise ParameterError(
            "most_written",
            "--most takes a share such as 0.06, or shares by attribute such as age=0.06,rating=0.5; got {got!r}.",
            got=given,
        ) from None


def is_numeric(domain: Domain) -> bool:
    """Whether its values can be put into bins."""
    return domain.is_numeric


def bins_or_few(given: str | None, domain: Domain) -> Any:
    """The bins asked for; by default 10 if there are more values than anybody reads.

    >>> import deniable as dn
    >>> bins_or_few(None, dn.Integer(18, 90)), bins_or_few("all", dn.Integer(18, 90)), bins_or_few(None, dn.Integer(0, 9))
    (10, None, None)
    """
    if given is None and is_numeric(domain) and (not domain.has_grid or domain.size > MANY_VALUES):
        return DEFAULT_BINS
    return edges(given)


def tell_bins(
    given: str | None, domain: Domain, option: str = "--bins", most: int | None = None, language: str | None = None
) -> None:
    """Say that bins were chosen, and how to see every value, unless there are more than the `most` that a command allows."""
    if given is not None or bins_or_few(None, domain) is None:
        return
    words = words_of(language)
    if domain.has_grid:
        each = words.each_value.format(option=option, every=EVERY_VALUE) if most is None or domain.size <= most else ""
        print(words.binned.format(values=words.number(domain.size, ","), bins=DEFAULT_BINS, each=each, option=option))
    else:
        print(words.binned_without_step.format(bins=DEFAULT_BINS, option=option))


def _show(estimate: Estimate, level: float, heading: str, listed: bool) -> None:
    screen, words = console(), words_of(estimate.language)
    screen.print(f"[bold]{escape(estimate.name)}[/bold]: {escape(heading + estimate.caption)}", markup=True)
    ends = estimate.interval(level) if estimate.has_interval else estimate.band(level) if estimate.has_band else None
    if listed or not _show_table(screen, estimate, ends, level):
        _show_list(screen, estimate, ends, level)
    for warning in estimate.warnings:
        screen.print(words.warning.format(what=warning), markup=False, style="bold")
    if estimate.why_no_interval:
        screen.print(words.no_interval.format(reason=estimate.why_no_interval), markup=False)
    for assumption in estimate.assumes:
        screen.print(words.assumed.format(what=assumption), markup=False)
    for note in estimate.notes:
        screen.print(words.note.format(what=note), markup=False)


def _show_table(screen: Console, estimate: Estimate, ends: tuple[Floats, Floats] | None, level: float) -> bool:
    """Print a cross table in two dimensions, with its intervals if there is room for them; gives whether there was room at all."""
    if estimate.table is None:
        return False
    words = words_of(estimate.language)
    tries = [(ends, False), (ends, True), *([(None, False), (None, True)] if ends is not None else [])]
    for between, turned in tries:
        table = cross_table(estimate, between, screen.width, turned)
        if table is not None:
            break
    else:
        print(words.too_wide)
        return False
    screen.print(table)
    if turned:
        print(words.turned)
    if between is not None:
        print(words.below_each.format(what=_between(estimate, level, words)))
    elif ends is not None:
        print(words.no_room)
    if not adds_up(estimate):
        print(words.no_sum)
    return True


def _show_list(screen: Console, estimate: Estimate, ends: tuple[Floats, Floats] | None, level: float) -> None:
    sizes = estimate.group_sizes if estimate.by is not None else None
    words = words_of(estimate.language)
    of_people = words.people if estimate.sizes_known else words.people_estimated
    if estimate.exact:
        ends = None  # "exact" says more than an interval from x to x
    heads = ["", *([of_people] if sizes is not None else []), words.exact if estimate.exact else words.estimated]
    if ends is not None:
        heads.append(_between(estimate, level, words))
    shown, instead = estimate.shown, estimate.said_instead
    low, high = (shown, shown) if ends is None else ends
    seen_rows = [i for i in range(len(shown)) if instead[i] is None]
    digits = dict(zip(seen_rows, decimals([[shown[i], low[i], high[i]] for i in seen_rows]), strict=True))
    rows = []
    for i, label in enumerate(estimate.labels):
        row = [label_words(label), *([] if sizes is None else [words.number(sizes[i], ",.0f")])]
        said = instead[i]
        if said is None:
            number = _number(float(shown[i]), estimate, words, digits[i])
            row.append(f"{number} {words.points}" if estimate.in_points else number)
            if ends is not None:
                between = (_number(float(end[i]), estimate, words, digits[i]) for end in (low, high))
                row.append(words.ends.format(**dict(zip(("low", "high"), between, strict=True))))
        else:
            row += [said, *[""] * (len(heads) - len(row) - 1)]
        rows.append(row)
    seen = [float(end[i]) for end in (low, high, shown) for i in seen_rows] + [0.0]
    scale = float(min(seen)), float(max(seen))
    # Bars take the room that is left: numbers are not broken for them.
    sides = [_side_row(group, side, level, words) for group, side in estimate.sides]
    widths = [max(map(cell_len, column)) for column in zip(heads, *rows, *sides, strict=True)]
    taken = max(NARROWEST_LABELS, widths[0]) + sum(widths[1:]) + FRAME * (len(widths) + 1) + 1
    width = min(WIDEST_BAR, max(NARROWEST_BAR, screen.width - taken))
    table = Table()
    for head in heads:
        table.add_column(head, **({"justify": "right", "no_wrap": True} if head else {"min_width": NARROWEST_LABELS}))
    table.add_column("", no_wrap=True)
    for group, side in estimate.sides:
        table.add_row(*map(escape, _side_row(group, side, level, words)), "")
    for i, row in enumerate(rows):
        bar = "" if instead[i] is not None else drawn(float(shown[i]), float(low[i]), float(high[i]), scale, width)
        table.add_row(*map(escape, row), bar)
    screen.print(table)


def _side_row(group: str, side: Estimate, level: float, words: Words) -> list[str]:
    """One of two groups that are compared, above their difference."""
    said, (shown,), (low,), (high,) = side.said_instead[0], side.shown, *side.interval(level)
    if said is not None:
        return [group, said, ""]
    [digits] = decimals([[shown, low, high]])
    number, *ends = (_number(float(each), side, words, digits) for each in (shown, low, high))
    return [group, number, words.ends.format(low=ends[0], high=ends[1])]


def _between(estimate: Estimate, level: float, words: Words) -> str:
    """What the ends belong to: an interval or a band."""
    return (words.interval if estimate.has_interval else words.band).format(level=words.number(100 * level, "g"))


def drawn(value: float, low: float, high: float, scale: tuple[float, float], width: int = 30) -> str:
    """A bar from 0: solid up to the interval, shaded over it, with a mark at the estimate.

    Parameters
    ----------
    value, low, high
        The estimate and the ends of its interval.
    scale
        The numbers at the two ends of the bar.
    width
        How many characters it takes.

    Examples
    --------
    >>> drawn(0.5, 0.4, 0.7, (0.0, 1.0), width=10)
    '████▒┃▒▒'
    >>> drawn(-1, -2, 1, (-2.0, 2.0), width=8)
    '▒▒┃▒│▒▒'
    """
    span = (scale[1] - scale[0]) or 1.0

    def place(number: float) -> int:
        return min(width - 1, max(0, math.floor((number - scale[0]) / span * width)))

    zero, first, last = place(0.0), place(low), place(high)
    cells = [" "] * width
    cells[zero:first] = "█" * max(0, first - zero)
    cells[last:zero] = "█" * max(0, zero - last)
    cells[first : last + 1] = "▒" * (last + 1 - first)
    if scale[0] < 0:
        cells[zero] = "│"
    cells[place(value)] = "┃"
    return "".join(cells).rstrip()


def _number(value: float, of: Estimate, words: Words, digits: int) -> str:
    if of.in_points:
        return words.number(100 * value, ".1f")
    return words.percent(value) if of.is_share else words.number(value, f",.{digits}f")

"""A distribution with its error bars, beside what was reported and (in a simulation) what is true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import altair as alt
import numpy as np

from deniable.charts.curve import curve_layers, curve_layout
from deniable.charts.layout import FONT_SIZE, LABEL_LIMIT, gauge, label_room, lay_out, wrap
from deniable.charts.marks import Marks
from deniable.charts.series import ESTIMATE, ESTIMATE_BAR, ESTIMATE_STYLE, FAINT, FONT, INK, Style, legend_layer, styles
from deniable.errors import ParameterError
from deniable.picture_words import ENGLISH, Words

Floats = np.ndarray[Any, np.dtype[np.float64]]
DESCRIBED = 12
"""Labels that the description for screen readers spells out; of longer lists it gives the largest shares."""


def distribution_chart(
    labels: Sequence[Any],
    values: Any,
    low: Any = None,
    high: Any = None,
    *,
    title: str = "",
    compare: Mapping[str, Any] | None = None,
    note: str = "",
    as_percent: bool = True,
    whiskers: str = "95% interval",
    reach: tuple[float, float] | None = None,
    labelled: bool = True,
    width: float | None = None,
    words: Words = ENGLISH,
    unit: str | None = None,
    from_zero: bool = True,
    positions: Sequence[float] | None = None,
) -> alt.LayerChart:
    """Estimated shares as dots with whiskers, in the order of the labels.

    Labels that are long or many are written beside rows instead of below columns.

    Parameters
    ----------
    labels, values
        What is shown, and how much of it there is.
    low, high
        The ends of the whiskers; NaN leaves a label without.
    title, note
        What stands above the chart, the note in smaller letters.
    compare
        Further series of the same length: "truth" is drawn as grey bars, "reported" as open diamonds, any other (at most four) in a colour
        and shape of its own.
    as_percent
        Whether the numbers are shares; otherwise they are shown as they are (counts).
    whiskers
        What the legend calls the whiskers.
    reach
        The least and the greatest number that the axis has room for, besides those drawn: charts of one reach can be compared.
    labelled
        Whether labels are written; they are not where a neighbour has them.
    width
        That of the plotting area, in pixels, where the labels do not ask for more.
    words
        Those of a language.
    unit
        What numbers that are not shares are counted in, written along their axis.
    from_zero
        Whether the axis must begin at 0. If not, no bars are drawn, whose lengths would then deceive.
    positions
        Where labels are so many numbers that they are not read one by one, those numbers: a curve with a band is drawn over them.

    Returns
    -------
    altair.LayerChart
        With a description for screen readers.

    Examples
    --------
    >>> from deniable.charts import distribution_chart
    >>> chart = distribution_chart(
    ...     ["no", "yes"], [0.71, 0.29], low=[0.69, 0.27], high=[0.73, 0.31], title="Children",
    ...     compare={"reported": [0.62, 0.38]},
    ... )
    >>> chart.description
    'Children. Estimate with 95% interval: no 71.0% (69.0% to 73.0%); yes 29.0% (27.0% to 31.0%). Compared with: reported.'
    """
    names = _labels(labels)
    estimate = _numbers(values, len(names), "values")
    interval = _interval(low, high, len(names))
    others = _compared(compare or {}, len(names))
    chosen = styles(list(others))
    # Bars rise from zero.
    from_zero = from_zero or (positions is None and any(style.bar for style in chosen.values()))
    look = lay_out(names) if positions is None else curve_layout(width)
    if width is not None and look.horizontal:
        look = replace(look, width=width)
    rows = _rows(names, estimate, interval, others)
    drawn = [row[key] for row in rows for key in ("value", "low", "high") if key in row] + list(reach or ())
    ends = gauge(min(drawn), max(drawn), from_zero)
    layers: list[Any]
    if positions is not None:
        for row, position in zip(rows, np.tile(np.asarray(positions, dtype=np.float64), len(others) + 1).tolist(), strict=True):
            row["position"] = position
        layers = curve_layers(positions, ends, chosen, None if interval is None else whiskers, as_percent, words, unit)
    else:
        layers = _marks(
            Marks(look, names, ends, as_percent, labelled, words, unit), chosen, interval, whiskers, from_zero, words
        )

    return alt.LayerChart(
        data=alt.InlineData(values=rows),
        layer=layers,
        width=look.width,
        height=look.height,
        view=alt.ViewBackground(stroke=None),
        title=heading(title, note, look.width, spare=label_room(names, look) if width is None else 0)
        if title or note
        else alt.Undefined,
        description=_description(title, names, estimate, interval, list(others), as_percent, whiskers, words),
    )


def _marks(
    picture: Marks,
    chosen: Mapping[str, Style],
    interval: tuple[Floats, Floats] | None,
    whiskers: str,
    from_zero: bool,
    words: Words,
) -> list[Any]:
    """Bars, symbols and whiskers of each label, and their legend."""
    look, others = picture.look, list(chosen)
    bars = [name for name in others if chosen[name].bar]
    symbols = [name for name in others if not chosen[name].bar]
    layers: list[Any] = [picture.bars(name, chosen[name]) for name in bars]
    if from_zero:
        layers += [] if bars else [picture.bars(ESTIMATE, ESTIMATE_BAR)]
        layers.append(picture.zero())
    places = look.places(len(symbols) + 1)
    layers += [picture.symbols(name, chosen[name], place) for name, place in zip(symbols, places, strict=False)]
    if interval is not None:
        layers += picture.whiskers(places[-1])
    layers.append(picture.symbols(ESTIMATE, ESTIMATE_STYLE, places[-1], interval=interval is not None))
    if others or interval is not None:
        shown = [(name, chosen[name]) for name in [*bars, *symbols]]
        layers.append(legend_layer([*shown, (ESTIMATE, ESTIMATE_STYLE)], None if interval is None else whiskers, words))
    return layers


def has_rows(chart: Any) -> bool:
    """Whether a chart of `distribution_chart` writes its labels beside rows."""
    along = getattr(getattr(getattr(chart, "layer", [None])[0], "encoding", None), "x", None)
    return isinstance(along, alt.X) and along["shorthand"] == "value:Q"


def heading(title: str, note: str, width: float, size: int = 15, spare: float = LABEL_LIMIT / 4) -> alt.TitleParams:
    """A title, and a note in smaller letters below it.

    Parameters
    ----------
    title, note
        Both are wrapped to the width of the picture.
    width, spare
        The pixels of the plot, and those that its labels take beside it.
    size
        That of the title's letters, in pixels.

    Returns
    -------
    altair.TitleParams

    Examples
    --------
    >>> heading("Smokes", "2,000 reports", 320).subtitle
    ['2,000 reports']
    """
    wide = width + spare
    # Bold letters are a little wider.
    lines = wrap(title, wide / 1.06, size)
    small = wrap(note, wide) if note else []
    return alt.TitleParams(
        text=lines if len(lines) > 1 else title,
        subtitle=small or alt.Undefined,
        anchor="start",
        frame="bounds",
        font=FONT,
        fontSize=size,
        fontWeight=600,
        color=INK,
        subtitleFont=FONT,
        subtitleFontSize=FONT_SIZE,
        subtitleColor=FAINT,
        subtitlePadding=4,
        offset=10,
    )


def _labels(given: Sequence[Any]) -> list[str]:
    names = [str(label.item() if isinstance(label, np.generic) else label) for label in given]
    if not names:
        raise ParameterError("no_labels", "distribution_chart: labels is empty; there is nothing to draw.")
    duplicates = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if duplicates:
        raise ParameterError("label_twice", "distribution_chart: labels must differ as text, twice: {got}.", got=duplicates)
    return names


def _numbers(given: Any, size: int, name: str, nan: bool = False) -> Floats:
    try:
        numbers: Floats = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            "not_numbers", "distribution_chart: {name} must be a list of numbers, got {got!r}.", name=name, got=given
        ) from None
    if numbers.shape != (size,):
        raise ParameterError(
            "wrong_length",
            "distribution_chart: {name} must have one number for each of the {size} labels, got shape {got}.",
            name=name,
            size=size,
            got=numbers.shape,
        )
    wrong = np.flatnonzero(np.isinf(numbers) if nan else ~np.isfinite(numbers))
    if wrong.size:
        raise ParameterError(
            "not_finite",
            "distribution_chart: {name} must be finite numbers, got {got} at position {at} (counted from 0).",
            name=name,
            got=float(numbers[wrong[0]]),
            at=int(wrong[0]),
        )
    return numbers


def _interval(low: Any, high: Any, size: int) -> tuple[Floats, Floats] | None:
    if low is None and high is None:
        return None
    if low is None or high is None:
        raise ParameterError(
            "half_an_interval",
            "distribution_chart: low and high go together, got only {got}.",
            got="high" if low is None else "low",
        )
    ends = _numbers(low, size, "low", nan=True), _numbers(high, size, "high", nan=True)
    wrong = np.flatnonzero(ends[0] > ends[1])
    if wrong.size:
        at = int(wrong[0])
        raise ParameterError(
            "low_above_high",
            "distribution_chart: low must not exceed high, got {low} and {high} at position {at} (counted from 0).",
            low=float(ends[0][at]),
            high=float(ends[1][at]),
            at=at,
        )
    return ends


def _compared(given: Mapping[str, Any], size: int) -> dict[str, Floats]:
    if ESTIMATE in given:
        raise ParameterError(
            "name_taken", "distribution_chart: compare must not hold {got!r}; that is what values is called.", got=ESTIMATE
        )
    return {str(name): _numbers(values, size, f"compare[{name!r}]") for name, values in given.items()}


def _rows(
    names: Sequence[str], estimate: Floats, interval: tuple[Floats, Floats] | None, others: Mapping[str, Floats]
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {"label": label, "series": name, "value": value}
        for name, values in [*others.items(), (ESTIMATE, estimate)]
        for label, value in zip(names, values.tolist(), strict=True)
    ]
    if interval is not None:
        for row, low, high in zip(rows[-len(names) :], interval[0].tolist(), interval[1].tolist(), strict=True):
            if low == low and high == high:
                row.update(low=low, high=high)
    return rows


def _description(
    title: str,
    names: Sequence[str],
    estimate: Floats,
    interval: tuple[Floats, Floats] | None,
    others: Sequence[str],
    as_percent: bool,
    whiskers: str,
    words: Words,
) -> str:
    """The chart in words, for those who hear it."""
    shown = words.percent if as_percent else words.number

    def cell(at: int) -> str:
        ends = ""
        if interval is not None and np.isfinite([interval[0][at], interval[1][at]]).all():
            ends = " " + words.between.format(low=shown(interval[0][at]), high=shown(interval[1][at]))
        return f"{names[at]} {shown(estimate[at])}{ends}"

    few = len(names) <= DESCRIBED
    which = range(len(names)) if few else np.argsort(-estimate, kind="stable")[:DESCRIBED].tolist()
    what = words.estimate if interval is None else words.with_whiskers.format(whiskers=whiskers)
    what = what[0].upper() + what[1:]
    scope = what if few else words.largest_first.format(what=what, count=len(names))
    parts = [sentence(title)] if title else []
    parts.append(f"{scope}: {'; '.join(cell(at) for at in which)}.")
    if others:
        parts.append(f"{words.compared}: {', '.join(others)}.")
    return " ".join(parts)


def sentence(title: str) -> str:
    """A title as a sentence among others: a question keeps its own mark.

    >>> sentence("Children"), sentence("Do you smoke?")
    ('Children.', 'Do you smoke?')
    """
    return title if title.endswith((".", "?", "!", "…")) else f"{title}."

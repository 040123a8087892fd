"""Several charts as one picture, with one legend where theirs agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from deniable.charts.distribution import has_rows, heading, sentence
from deniable.charts.layout import FONT_SIZE, WIDTH, wrap
from deniable.charts.series import FAINT, FONT, LEGEND
from deniable.errors import ParameterError

GAP = 28
AXIS = 50
"""Pixels that the axis of numbers takes beside a chart of columns."""
_LOOKS = ("shape", "fill", "stroke")


def panels(
    charts: Sequence[Any], title: str = "", columns: int = 2, *, note: str = "", beneath: Sequence[str] = (), fill: bool = True
) -> alt.VConcatChart:
    """Charts side by side, each as wide as the widest of them. The charts that are given stay as they are.

    Charts of `distribution_chart` share one legend at the top.

    Parameters
    ----------
    charts
        Altair charts.
    title, note
        What stands above them, the note in smaller letters.
    columns
        How many stand in a row.
    beneath
        Sentences under them, in small letters.
    fill
        Whether a chart that has labels beside rows and is left over for the last row fills it.

    Returns
    -------
    altair.VConcatChart

    Examples
    --------
    >>> from deniable.charts import distribution_chart, panels
    >>> sex = distribution_chart(["F", "M"], [0.52, 0.48], [0.50, 0.46], [0.54, 0.50], title="Sex")
    >>> children = distribution_chart(["no", "yes"], [0.7, 0.3], title="Children")
    >>> panels([sex, children], title="Two questions").description
    'Two questions. Sex. Estimate with 95% interval: F 52.0% (50.0% to 54.0%); M 48.0% (46.0% to 50.0%).
     Children. Estimate: no 70.0%; yes 30.0%.'
    """
    if not charts:
        raise ParameterError("no_charts", "panels: charts is empty; there is nothing to draw.")
    if not isinstance(columns, int) or isinstance(columns, bool) or columns < 1:
        raise ParameterError("columns", "panels: columns must be a whole number of at least 1, got {got!r}.", got=columns)
    parts = [chart.copy(deep=True) for chart in charts]
    legends: dict[str, Any] = dict.fromkeys(_LOOKS, "shared" if _agree(parts) else "independent")
    width = max((part.width for part in parts if _sized(part)), default=0)
    for part in parts:
        if _sized(part):
            part.width = width
        if isinstance(part.title, alt.TitleParams):
            # Labels of different lengths would otherwise put each title at a place of its own.
            part.title.frame = "group"
    columns = min(columns, len(parts))
    blocks: list[Any] = [parts]
    if fill and columns > 1 and len(parts) % columns == 1 and _sized(parts[-1]) and has_rows(parts[-1]):
        parts[-1].width = columns * width + (columns - 1) * (GAP + AXIS)
        blocks = [parts[:-1], parts[-1:]]
    rows = [alt.concat(*block, columns=columns, spacing=GAP).resolve_scale(**legends) for block in blocks]
    wide = columns * ((width or WIDTH) + AXIS)
    if beneath:
        rows.append(_lines(beneath, wide))
    page: alt.VConcatChart = alt.vconcat(*rows, spacing=GAP).resolve_scale(**legends)
    told = [sentence(title)] if title else []
    told += [part.description for part in parts if isinstance(part.description, str)]
    told += beneath
    if told:
        page.description = " ".join(told)
    if title or note:
        page.title = heading(title, note, wide, size=18)
    return page


def with_sentences(chart: Any, sentences: Sequence[str], room: float = 0.0) -> Any:
    """A chart with sentences in small letters under it, as wide as its plot and `room` pixels more; the chart itself if there are none.

    >>> from deniable.charts import distribution_chart, with_sentences
    >>> with_sentences(distribution_chart(["no", "yes"], [0.7, 0.3]), ["Assumed: nothing."]).description
    'Estimate: no 70.0%; yes 30.0%. Assumed: nothing.'
    """
    if not sentences:
        return chart
    untitled = chart.copy(deep=False)
    untitled.title = alt.Undefined
    page: alt.VConcatChart = alt.vconcat(untitled, _lines(sentences, chart.width + room), spacing=10)
    page.title = chart.title
    page.description = " ".join([chart.description, *sentences])
    return page


def _lines(sentences: Sequence[str], pixels: float) -> Any:
    """Lines of small letters, from the left, each sentence beginning its own."""
    lines = [line for sentence in sentences for line in wrap(sentence, pixels)]
    words = alt.Chart(alt.InlineData(values=[{"text": lines}])).mark_text(
        align="left", baseline="top", lineHeight=FONT_SIZE + 4, font=FONT, fontSize=FONT_SIZE, color=FAINT
    )
    placed = words.encode(text="text:N", x=alt.value(0), y=alt.value(0))
    return placed.properties(width=1, height=len(lines) * (FONT_SIZE + 4), view=alt.ViewBackground(stroke=None))


def _sized(chart: Any) -> bool:
    return isinstance(getattr(chart, "width", None), (int, float))


def _agree(parts: Sequence[Any]) -> bool:
    """Give every legend the entries of all of them; False, and no change, when one name would have two looks."""
    layers = [layer for part in parts for layer in getattr(part, "layer", []) if layer.name == LEGEND]
    entries: dict[str, tuple[str, ...]] = {}
    for layer in layers:
        scales: list[Any] = [layer.encoding[look]["scale"] for look in _LOOKS]
        for name, *looks in zip(scales[0].domain, *(scale.range for scale in scales), strict=True):
            if entries.setdefault(name, tuple(looks)) != tuple(looks):
                return False
    # The estimate comes last in each legend, so it does in theirs together.
    last = {layer.encoding[_LOOKS[0]]["scale"].domain[-1] for layer in layers}
    names = sorted(entries, key=lambda name: name in last)
    for number, layer in enumerate(layers):
        layer.name = f"{LEGEND}_{number}"
        for at, look in enumerate(_LOOKS):
            layer.encoding[look]["legend"].offset = 14
            scale = layer.encoding[look]["scale"]
            scale.domain, scale.range = names, [entries[name][at] for name in names]
    return True

"""The marks of a distribution: bars, symbols and whiskers along either axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from deniable.charts.layout import LABEL_LIMIT, Layout
from deniable.charts.series import ESTIMATE, ESTIMATE_STYLE, FAINT, FONT, INK, Style
from deniable.picture_words import ENGLISH, Words


class Marks:
    """The layers of one chart: each a filter on the series and marks of one look, along either axis."""

    def __init__(
        self,
        look: Layout,
        labels: Sequence[str],
        ends: tuple[list[float], list[float]],
        as_percent: bool,
        labelled: bool = True,
        words: Words = ENGLISH,
        unit: str | None = None,
    ) -> None:
        self.look = look
        domain, ticks = ends
        title = words.share if as_percent else unit
        numbers = ".1%" if as_percent else ",.6~r"
        of_labels = alt.Axis(
            title=None,
            labels=labelled,
            labelAngle=0,
            labelLimit=LABEL_LIMIT,
            labelExpr=look.label_expression or alt.Undefined,
            labelOffset=look.label_offset,
            labelOverlap=look.step < 11,
            labelFont=FONT,
            labelFontSize=look.font_size,
            labelLineHeight=look.font_size + 2,
            labelColor=INK,
            labelPadding=6,
            ticks=False,
            domain=False,
        )
        measure = alt.Axis(
            title=title,
            values=ticks,
            labelFlush=False,
            format=".1~%" if as_percent else ",.12~r",
            titleFont=FONT,
            titleFontSize=12,
            titleFontWeight="normal",
            titleColor=FAINT,
            labelFont=FONT,
            labelFontSize=11,
            labelColor=FAINT,
            labelPadding=6,
            gridColor="#E8E8E8",
            ticks=False,
            domain=False,
        )
        across: Any = alt.Y if look.horizontal else alt.X
        self._along: Any = alt.X if look.horizontal else alt.Y
        self._end: Any = alt.X2 if look.horizontal else alt.Y2
        self.label = across("label:N", sort=None, axis=of_labels, scale=alt.Scale(domain=list(labels), padding=0))
        self._axis, self._scale = measure, alt.Scale(domain=domain, nice=False)
        self.tooltip = [
            alt.Tooltip("label:N"),
            alt.Tooltip("series:N"),
            alt.Tooltip("value:Q", title=title, format=numbers),
            alt.Tooltip("low:Q", format=numbers),
            alt.Tooltip("high:Q", format=numbers),
        ]

    def along(self, field: str) -> Any:
        """The axis of numbers."""
        return self._along(f"{field}:Q", axis=self._axis, scale=self._scale)

    def _series(self, name: str, whiskers: bool = False) -> alt.Chart:
        chart = alt.Chart().transform_filter(alt.FieldEqualPredicate(field="series", equal=name))
        return chart.transform_filter("isValid(datum.low)") if whiskers else chart

    def _aside(self, place: float) -> dict[str, Any]:
        return {"yOffset" if self.look.horizontal else "xOffset": place}

    def bars(self, name: str, style: Style) -> Any:
        """Bars from zero."""
        marks = self._series(name).mark_bar(color=style.fill, size=self.look.bar)
        return marks.encode(self.label, self.along("value"), tooltip=self.tooltip[:3])

    def zero(self) -> Any:
        """The line from which bars rise: unbiased estimates may lie below it."""
        channel: Any = alt.XDatum if self.look.horizontal else alt.YDatum
        return alt.Chart(alt.InlineData(values=[{}])).mark_rule(color="#9A9A9A", strokeWidth=1, aria=False).encode(channel(0))

    def symbols(self, name: str, style: Style, place: float, interval: bool = False) -> Any:
        """One symbol per label, moved aside by `place` pixels; with `interval` its tooltip shows low and high."""
        area = self.look.dot * (1.0 if name == ESTIMATE else 1.4)
        marks = self._series(name).mark_point(
            filled=False,
            shape=style.shape,
            fill=style.fill,
            stroke=style.stroke,
            strokeWidth=1.5,
            opacity=1,
            size=area,
            **self._aside(place),
        )
        return marks.encode(self.label, self.along("value"), tooltip=self.tooltip if interval else self.tooltip[:3])

    def whiskers(self, place: float) -> list[Any]:
        """A rule from low to high with a cap at each end."""
        series, aside = self._series(ESTIMATE, whiskers=True), self._aside(place)
        color = ESTIMATE_STYLE.stroke
        rule = series.mark_rule(color=color, strokeWidth=1.5, aria=False, **aside).encode(
            self.label, self.along("low"), self._end("high"), tooltip=self.tooltip
        )
        caps = [
            series.mark_tick(color=color, opacity=1, aria=False, thickness=1.5, size=self.look.cap, **aside).encode(
                self.label, self.along(end)
            )
            for end in ("low", "high")
        ]
        return [rule, *caps]

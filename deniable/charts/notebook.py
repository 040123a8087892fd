"""Charts in notebooks: a picture travels with each, so that it shows without a network, and nothing is fetched from one."""

from __future__ import annotations

import struct
from collections.abc import Hashable
from functools import cache
from typing import Any

import altair as alt

from deniable.charts.save import picture

SPECIFICATION = f"application/vnd.vegalite.v{alt.SCHEMA_VERSION.lstrip('v').split('.')[0]}+json"


class Pictured:
    """A chart that hands notebooks its picture, and its specification to those that draw charts themselves.

    Altair's own way is a page that loads its scripts from elsewhere: it shows nothing offline, in mails and on most sites that show
    notebooks. It is used where somebody has chosen a renderer of Altair.
    """

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        if alt.renderers.active != "default":
            return super()._repr_mimebundle_(*args, **kwargs)  # type: ignore[misc]
        png = picture(self, ".png")
        # The size of a PNG stands in its first bytes; it is drawn at twice the size for sharp screens.
        width, height = struct.unpack(">II", png[16:24])
        described = getattr(self, "description", None)
        told = described if isinstance(described, str) else "Chart"
        specification = self.to_dict()  # type: ignore[attr-defined]
        content = {SPECIFICATION: specification, "image/png": png, "text/plain": told}
        return content, {"image/png": {"width": width // 2, "height": height // 2, "alt": told}}


@cache
def _pictured(kind: Hashable) -> Any:
    assert isinstance(kind, type)
    return type(kind.__name__, (Pictured, kind), {"__module__": kind.__module__, "__doc__": kind.__doc__})


def with_picture(chart: Any) -> Any:
    """The same chart, which shows as a picture in notebooks; it stays an Altair chart.

    >>> from deniable.charts import distribution_chart
    >>> chart = with_picture(distribution_chart(["no", "yes"], [0.7, 0.3]))
    >>> isinstance(chart, alt.LayerChart), sorted(chart._repr_mimebundle_()[0])[1:]
    (True, ['image/png', 'text/plain'])
    """
    shown = chart.copy(deep=False)
    # Altair takes every attribute that is set for a property of the chart.
    object.__setattr__(shown, "__class__", _pictured(chart.__class__))
    return shown

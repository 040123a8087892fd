"""Charts in notebooks show without a network."""

import json

import altair as alt
import numpy as np
import pandas as pd

import deniable as dn
from deniable.charts import distribution_chart, panels, with_picture
from deniable.charts.notebook import SPECIFICATION


def test_a_chart_carries_a_picture_and_nothing_that_is_fetched():
    estimate = dn.reconstruct([60, 40], dn.KRR(dn.Nominal(["no", "yes"]), 0.75), name="smokes")
    content, more = estimate.plot()._repr_mimebundle_()
    assert sorted(content) == sorted([SPECIFICATION, "image/png", "text/plain"])
    assert content["image/png"].startswith(b"\x89PNG")
    assert 200 < more["image/png"]["width"] < 800
    assert content["text/plain"].startswith("smokes. Estimate with 95% interval: no")
    specification = json.dumps(content[SPECIFICATION]).replace(content[SPECIFICATION]["$schema"], "")
    assert "http" not in specification


def test_it_stays_an_altair_chart():
    plain = distribution_chart(["no", "yes"], [0.7, 0.3])
    chart = with_picture(plain)
    assert isinstance(chart, alt.LayerChart)
    assert chart.to_dict() == plain.to_dict()
    assert not hasattr(plain, "picture")
    assert type(plain) is alt.LayerChart
    assert "image/png" in chart.properties(title="mine")._repr_mimebundle_()[0]
    assert "image/png" in with_picture(panels([chart, chart]))._repr_mimebundle_()[0]


def test_a_renderer_that_somebody_chose_is_used():
    chart = with_picture(distribution_chart(["no", "yes"], [0.7, 0.3]))
    with alt.renderers.enable("json"):
        assert "image/png" not in str(chart._repr_mimebundle_())[:200]


def test_trees_show_too():
    rows = pd.DataFrame({"a": np.arange(100) % 2})
    tree = dn.ReconstructionTree().fit(rows, rows["a"])
    assert "image/png" in tree.plot()._repr_mimebundle_()[0]
    groups = dn.DeniabilityTree(0.1).fit(rows.assign(b=np.arange(100) // 4), np.arange(100) % 3 % 2)
    assert "image/png" in groups.plot()._repr_mimebundle_()[0]

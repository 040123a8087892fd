"""What people see of answers in notebooks and shells: complete, escaped, and never a band that passes for an interval."""

import html
import re

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.estimate import Estimate
from deniable.engines.count import cell_table

EVIL = "<script>alert(1)</script>"
SCHEMA = dn.Schema(
    {
        "a": dn.KRR(dn.Nominal(["x", EVIL]), 0.75),
        "b": dn.Identity(dn.Nominal(["m", "f"])),
        "age": dn.Retention(dn.Integer(20, 29), 0.6),
        EVIL: dn.KRR(dn.Binary(), 0.7),
    }
)


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(1)
    people = pd.DataFrame(
        {
            "a": rng.choice(["x", EVIL], 400),
            "b": rng.choice(["m", "f"], 400),
            "age": rng.integers(20, 30, 400),
            EVIL: rng.integers(0, 2, 400),
        }
    )
    return dn.Sample(SCHEMA.randomise(people, rng), SCHEMA)


def words(page):
    assert EVIL not in page
    assert not re.search(r"<(script|iframe|img|b)\b", page)
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


def test_a_sample_names_its_reports_and_how_each_attribute_is_hidden(sample):
    for shown in (repr(sample), words(sample._repr_html_())):
        assert "400 reports" in shown
        assert "kept with probability 0.75" in shown
        assert "20 to 29" in shown
        assert EVIL in shown
        assert "crosstab" in shown
        assert "update" not in shown
    two = sample.update(sample.parts[0][0][:100])
    for shown in (repr(two), words(two._repr_html_())):
        assert "2 parts" in shown
        assert "art 2: 100 reports" in shown


def test_a_sample_of_a_file_is_not_counted_to_be_shown(tmp_path, sample):
    people = pd.DataFrame({"a": ["x"] * 50, "b": ["m"] * 50, "age": [20] * 50, EVIL: [0] * 50})
    people.to_csv(tmp_path / "true.csv", index=False)
    SCHEMA.randomise(tmp_path / "true.csv", output=tmp_path / "out.csv")
    opened = dn.read(tmp_path / "out.csv")
    for part, _ in opened.parts:
        part.cell_table = None  # asking it would fail
    assert f"Sample of the reports in {tmp_path / 'out.csv'}" in repr(opened)


def test_counts_show_every_label_and_its_count(sample):
    reports = sample.parts[0][0]
    table = dn.counts(reports["a"], SCHEMA["a"], name="a")
    held = (reports["a"] == "x").sum()
    for shown in (repr(table), words(table._repr_html_())):
        assert re.search(rf"x\s+{held}\b", shown)
        assert EVIL in shown
    assert "z  0" in repr(dn.counts(["y"], dn.KRR(dn.Nominal(["y", "z"]), 0.75)))
    both = cell_table(reports, SCHEMA, ["b", "a"])
    assert f"m, {EVIL}" in repr(both)
    assert words(both._repr_html_()).split()[-6:-3] == ["m", *map(str, both.dense()[0])]
    many = dn.counts(np.arange(1_000), dn.Retention(dn.Integer(0, 999), 0.5))
    assert "... and 960 more" in repr(many)
    assert many._repr_html_().count("<tr") < 210


def test_an_estimate_shows_its_name_its_errors_and_why_it_has_no_interval(sample):
    known, likely = sample.distribution("a"), sample.distribution("a", method="em")
    chosen = sample.count("a == 'x'", method="iterative")
    for estimate in (known, likely, chosen):
        for shown in (repr(estimate), words(estimate._repr_html_())):
            assert estimate.name in shown
            assert estimate.caption in shown
            assert ("No confidence interval: " + (estimate.why_no_interval or "")) in shown or estimate.has_interval
    assert "95% interval" in known._repr_html_()
    assert "band" not in repr(known)
    assert ".band()" in repr(likely)
    likely.band(draws=10)
    for shown in (repr(likely), likely._repr_html_()):
        assert "it is not a confidence interval" in shown
        assert "interval 0" not in shown
    assert "95% variability band" in likely._repr_html_()
    assert "band" not in repr(chosen)


QUESTIONS = {
    "count": lambda s, **how: s.count("a == 'x'", **how),
    "mean": lambda s, **how: s.mean("age", **how),
    "distribution": lambda s, **how: s.distribution("a", **how),
    "by": lambda s, **how: s.distribution("a", by="b", **how),
    "crosstab": lambda s, **how: s.crosstab("a", "b", **how),
    "difference": lambda s, **how: s.difference("a == 'x'", "b == 'm'", **how),
    "quantile": lambda s, **how: s.quantile("age", **how),
}


@pytest.mark.parametrize("method", ["joint", "em", "iterative"])
def test_errors_and_bands_come_together(sample, method):
    for name, ask in QUESTIONS.items():
        if method == "iterative" and name not in ("count", "mean", "distribution"):
            continue
        _alike(ask(sample, method=method))


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("channel", "how"),
    [
        (dn.KRR(dn.Integer(0, 4), 0.7), {"method": "em"}),
        (dn.KRR(dn.Integer(0, 4), 0.7), {"method": "eq"}),
        (dn.KRR(dn.Integer(0, 4), 0.7), {"method": "em/as"}),
        (dn.KRR(dn.Integer(0, 4), 0.7), {"method": "em", "regularise": True}),
        (dn.Additive(dn.Integer(0, 4), dn.Uniform(2)), {"method": "em"}),
        (dn.Additive(dn.Integer(0, 4), dn.Uniform(2)), {"method": "as"}),
    ],
)
def test_errors_and_bands_come_together_whatever_reconstructs(channel, how):
    _alike(dn.reconstruct(1_000 * channel.push(np.array([0.4, 0.3, 0.2, 0.05, 0.05])), channel, **how))


def _alike(estimate):
    if not estimate.has_band:
        for ask in (lambda: estimate.se, estimate.band):
            with pytest.raises(dn.DeniableError, match=re.escape(estimate.why_no_interval[:30])):
                ask()
        assert "se" not in estimate.to_frame(long=True)
        return
    low, high = estimate.band(0.68, draws=60, rng=np.random.default_rng(1))
    assert estimate.se.shape == low.shape == estimate.value.shape
    assert (estimate.se >= 0).all()
    # The band is as wide as the standard errors say, as far as the border of what is possible and whole values let it.
    inside = (low > 1e-6) & (high < 1 - 1e-6) & estimate.is_share
    assert (high - low)[inside] / (1.99 * estimate.se[inside]) == pytest.approx(np.ones(inside.sum()), rel=0.45)
    frame = estimate.to_frame(long=True)
    assert ("low" in frame) == estimate.has_interval
    assert ("band_low" in frame) != estimate.has_interval
    assert "se" in frame


@pytest.mark.statistical
def test_a_band_of_a_known_covariance_is_that_of_simulated_re_estimates():
    """EQ is linear in the reports, so that its re-estimates can be simulated here by hand."""
    channel = dn.KRR(dn.Nominal(["x", "y", "z"]), 0.7)
    observed = np.array([500, 300, 200])
    estimate = dn.reconstruct(observed, channel, "eq")
    rng = np.random.default_rng(2)
    again = [dn.reconstruct(rng.multinomial(1_000, observed / 1_000), channel, "eq").value for _ in range(2_000)]
    assert estimate.se == pytest.approx(np.std(again, axis=0), rel=0.06)
    assert np.array(estimate.band(0.9)) == pytest.approx(np.quantile(again, [0.05, 0.95], axis=0), abs=0.006)


def test_cross_tables_are_frames_of_two_dimensions(sample):
    for method in ("joint", "em"):
        found = sample.crosstab("b", "age", bins={"age": [20, 25, 29]}, method=method)
        frame = found.to_frame()
        assert (frame.index.name, frame.columns.name) == ("b", "age")
        assert list(frame.index) == ["m", "f"]
        assert frame.shape == (2, 2)
        for (row, column), value in zip(found.labels, found.value, strict=True):
            assert frame.loc[row, column] == value
    found = sample.crosstab("b", "a")
    long = found.to_frame(long=True)
    assert long.columns.tolist() == ["b", "a", "value", "se", "low", "high"]
    assert long["value"].tolist() == found.value.tolist()
    assert long.pivot(index="b", columns="a", values="value").loc["f", "x"] == found.to_frame().loc["f", "x"]
    assert "label" in sample.distribution("a").to_frame()
    page = found._repr_html_()
    assert page.count("<tr") == 3
    assert "95% interval" in words(page)


def test_large_numbers_and_few_people_are_shown_as_they_are():
    estimate = Estimate(
        [2_500_000.0, 7.0], ["a", "b"], n=10, method="joint", covariance=np.eye(2), limits=None, group_sizes=[50, 2]
    )
    assert "2,500,000" in estimate._repr_html_()
    assert "too few answers (2)" in estimate._repr_html_()

"""Pictures: what is drawn is what was given, in its order, in every format, and what cannot be drawn is named."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET

import altair as alt
import numpy as np
import pytest

from deniable.charts import distribution_chart, panels, save
from deniable.errors import FileError, ParameterError

LABELS = ["repaid", "none", "present", "overdue"]
VALUES = [0.3, 0.45, 0.2, 0.05]
LOW = [0.28, 0.43, 0.18, -0.01]
HIGH = [0.32, 0.47, 0.22, 0.11]
TRUTH = [0.29, 0.46, 0.2, 0.05]
REPORTED = [0.27, 0.35, 0.23, 0.15]


def credit(**options):
    given = {"title": "Credit", "compare": {"truth": TRUTH, "reported": REPORTED}, **options}
    return distribution_chart(LABELS, VALUES, LOW, HIGH, **given)


def spec_of(chart) -> dict:
    return chart.to_dict()


def rows_of(chart) -> list[dict]:
    spec = spec_of(chart)
    return spec["datasets"][spec["data"]["name"]]


def series_of(chart, name) -> list[dict]:
    return [row for row in rows_of(chart) if row["series"] == name]


def encodings(chart) -> list[dict]:
    return [layer["encoding"] for layer in spec_of(chart)["layer"]]


def legend_of(spec) -> dict[str, dict]:
    found = re.findall(r'"shape": \{"field": "series".*?"scale": (\{.*?\})', json.dumps(spec))
    scales = [json.loads(scale) for scale in found]
    return {name: shape for scale in scales for name, shape in zip(scale["domain"], scale["range"], strict=True)}


def size_of(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


def texts_of(svg: bytes) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_the_data_in_the_chart_are_the_numbers_given():
    chart = credit()
    estimate = series_of(chart, "estimate")
    assert [row["label"] for row in estimate] == LABELS
    assert [row["value"] for row in estimate] == VALUES
    assert [row["low"] for row in estimate] == LOW
    assert [row["high"] for row in estimate] == HIGH
    assert [row["value"] for row in series_of(chart, "truth")] == TRUTH
    assert [row["value"] for row in series_of(chart, "reported")] == REPORTED


def test_arrays_of_numpy_are_taken():
    chart = distribution_chart(np.array([18, 19]), np.array([0.5, 0.5]), np.array([0.4, 0.4]), np.array([0.6, 0.6]))
    assert [row["label"] for row in rows_of(chart)] == ["18", "19"]


@pytest.mark.parametrize("labels", [LABELS, [f"municipality number {i}" for i in (5, 3, 9, 1, 7, 2)]], ids=["columns", "rows"])
def test_labels_keep_their_order(labels, tmp_path):
    chart = distribution_chart(labels, np.full(len(labels), 1 / len(labels)))
    for encoding in encodings(chart):
        for axis in ("x", "y"):
            if encoding.get(axis, {}).get("field") == "label":
                assert encoding[axis]["sort"] is None
                assert encoding[axis]["scale"]["domain"] == labels
    shown = texts_of(save(chart, tmp_path / "order.svg").read_bytes())
    assert [text for text in shown if text in labels] == labels


def test_long_or_many_labels_are_written_beside_rows():
    def direction(labels):
        return encodings(distribution_chart(labels, np.zeros(len(labels))))[0]["y"]["field"]

    assert direction(["no", "yes"]) == "value"
    assert direction([f"[{i}000, {i + 1}000)" for i in range(12)]) == "label"
    assert direction([str(i) for i in range(40)]) == "label"


def test_long_labels_are_wrapped_not_cut(tmp_path):
    label = "I would rather not say how much I earn in a month"
    chart = distribution_chart([label, "a < b & \"c\" \\ 'd', but at some length"], [0.6, 0.4])
    shown = " ".join(texts_of(save(chart, tmp_path / "long.svg").read_bytes()))
    assert all(word in shown for word in label.split())
    assert "…" not in shown
    assert rows_of(chart)[0]["label"] == label


def test_the_legend_says_what_the_whiskers_are(tmp_path):
    assert "estimate with 95% interval" in texts_of(save(credit(), tmp_path / "a.svg").read_bytes())
    band = credit(whiskers="variability band")
    assert "estimate with variability band" in texts_of(save(band, tmp_path / "b.svg").read_bytes())
    assert "variability band" in band.description


def test_series_differ_in_shape_as_well_as_colour():
    compare = dict.fromkeys(["truth", "reported", "a", "b", "c", "d"], VALUES)
    shapes = legend_of(spec_of(credit(compare=compare)))
    assert list(shapes) == ["truth", "reported", "a", "b", "c", "d", "estimate with 95% interval"]
    assert len(set(shapes.values())) == len(shapes)


def test_a_label_without_an_interval_has_no_whisker():
    chart = distribution_chart(["a", "b"], [0.5, 0.5], [0.4, np.nan], [0.6, np.nan])
    first, second = series_of(chart, "estimate")
    assert "low" in first
    assert "low" not in second
    assert chart.description.endswith("a 50.0% (40.0% to 60.0%); b 50.0%.")


def test_the_axis_shows_zero_and_every_whisker():
    for values, low, high in [
        ([0.5, 0.5], [0.4, 0.4], [0.6, 0.6]),
        ([1.02, -0.02], [0.9, -0.14], [1.14, 0.1]),
        ([0, 0], [0, 0], [0, 0]),
    ]:
        start, end = encodings(distribution_chart(["a", "b"], values, low, high))[0]["y"]["scale"]["domain"]
        assert start <= min(0, *low)
        assert end > max(0, *high)


def test_counts_are_not_shown_as_percent(tmp_path):
    chart = distribution_chart(["a", "b"], [12000, 3000], as_percent=False, title="People")
    shown = texts_of(save(chart, tmp_path / "counts.svg").read_bytes())
    assert "10,000" in shown
    assert not any("%" in text for text in shown)
    assert chart.description == "People. Estimate: a 12,000; b 3,000."


def test_the_description_of_many_labels_gives_the_largest():
    values = np.arange(40) / np.arange(40).sum()
    told = distribution_chart([f"v{i}" for i in range(40)], values).description
    assert told.startswith("Estimate of 40 labels, the largest first: v39 5.0%; v38 4.9%")
    assert "v5 " not in told


@pytest.mark.parametrize("count", [1, 2, 12, 40, 121, 1500])
def test_any_number_of_labels_can_be_drawn(count, tmp_path):
    values = np.full(count, 1 / count)
    picture = save(distribution_chart(range(count), values, values / 2, values * 2), tmp_path / "many.png").read_bytes()
    width, height = size_of(picture)
    assert 500 < width < 2000
    assert height < 6000


@pytest.mark.parametrize(
    ("arguments", "options", "code"),
    [
        (([], []), {}, "no_labels"),
        ((["a", "a"], [0.5, 0.5]), {}, "label_twice"),
        (([1, "1"], [0.5, 0.5]), {}, "label_twice"),
        ((["a", "b"], [0.5]), {}, "wrong_length"),
        ((["a", "b"], [[0.5, 0.5]]), {}, "wrong_length"),
        ((["a", "b"], ["half", "half"]), {}, "not_numbers"),
        ((["a", "b"], [0.5, np.nan]), {}, "not_finite"),
        ((["a", "b"], [0.5, 0.5], [0.4, 0.4]), {}, "half_an_interval"),
        ((["a", "b"], [0.5, 0.5], [0.4, 0.7], [0.6, 0.6]), {}, "low_above_high"),
        ((["a", "b"], [0.5, 0.5], [0.4, -np.inf], [0.6, 0.6]), {}, "not_finite"),
        ((["a", "b"], [0.5, 0.5]), {"compare": {"truth": [1.0]}}, "wrong_length"),
        ((["a", "b"], [0.5, 0.5]), {"compare": {"estimate": [0.5, 0.5]}}, "name_taken"),
        ((["a", "b"], [0.5, 0.5]), {"compare": {str(i): [0.5, 0.5] for i in range(5)}}, "too_many_series"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, options, code):
    with pytest.raises(ParameterError) as caught:
        distribution_chart(*arguments, **options)
    assert caught.value.code == code


def test_the_error_names_the_series_that_is_too_short():
    with pytest.raises(ParameterError, match=r"compare\['reported'\] must have one number for each of the 2 labels"):
        distribution_chart(["a", "b"], [0.5, 0.5], compare={"reported": [1.0]})


@pytest.mark.parametrize("suffix", [".svg", ".png", ".html", ".json", ".PNG"])
@pytest.mark.parametrize("kind", ["one", "page"])
def test_every_format_is_written_and_nothing_else(suffix, kind, tmp_path):
    chart = credit() if kind == "one" else panels([credit(), credit(title="Again"), credit(title="Third")], title="Page")
    path = tmp_path / f"picture{suffix}"
    assert save(chart, str(path)) == path
    begins = {".svg": b"<svg", ".png": b"\x89PNG", ".html": b"<!DOCTYPE html>", ".json": b"{"}
    assert path.read_bytes().startswith(begins[suffix.lower()])
    assert os.listdir(tmp_path) == [path.name]


def test_pictures_have_an_opaque_white_ground(tmp_path):
    for chart in (credit(), credit().properties(background="transparent")):
        svg = ET.fromstring(save(chart, tmp_path / "ground.svg").read_bytes())
        ground = next(svg.iter("{http://www.w3.org/2000/svg}rect"))
        assert (ground.get("fill"), ground.get("width")) == ("white", svg.get("width"))
    assert chart.background == "transparent"


def test_a_png_has_twice_the_pixels(tmp_path):
    svg = ET.fromstring(save(credit(), tmp_path / "a.svg").read_bytes())
    width, height = size_of(save(credit(), tmp_path / "a.png").read_bytes())
    assert (width, height) == (2 * int(svg.get("width")), 2 * int(svg.get("height")))


def test_the_svg_carries_the_description_for_screen_readers(tmp_path):
    chart = credit(title='Credit <"&>')
    svg = ET.fromstring(save(chart, tmp_path / "told.svg").read_bytes())
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == chart.description
    assert chart.description.startswith('Credit <"&>. Estimate with 95% interval: repaid 30.0% (28.0% to 32.0%)')


def test_the_page_loads_nothing_from_elsewhere(tmp_path):
    page = save(credit(title="A & B"), tmp_path / "page.html").read_text()
    tags = re.sub(r"(<script[^>]*>).*?</script>", r"\1", page, flags=re.DOTALL)
    assert not re.search(r"\b(src|href)=|https?:|@import", tags)
    assert "<title>A &amp; B</title>" in page
    assert '"editor": false' in page


def test_a_label_cannot_end_the_script_of_the_page(tmp_path):
    page = save(distribution_chart(["</script><script>alert(1)", "b"], [0.5, 0.5]), tmp_path / "page.html").read_text()
    assert "</script><script>alert" not in page
    assert r"\u003c/script>\u003cscript>alert(1)" in page


def test_json_is_the_specification(tmp_path):
    spec = json.loads(save(credit(), tmp_path / "chart.json").read_text())
    assert spec["description"] == credit().description
    assert alt.Chart.from_dict(spec) is not None


@pytest.mark.parametrize("name", ["chart.pdf", "chart", "chart.svg.gz"])
def test_an_unknown_suffix_is_refused_with_those_allowed(name, tmp_path):
    with pytest.raises(ParameterError, match=re.escape(".svg, .png, .html, .json")) as caught:
        save(credit(), tmp_path / name)
    assert caught.value.parameters["got"] == name


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileError, match="nowhere does not exist"):
        save(credit(), tmp_path / "nowhere" / "chart.svg")


def test_a_folder_in_the_way_is_named(tmp_path):
    (tmp_path / "chart.svg").mkdir()
    with pytest.raises(FileError, match="is a folder"):
        save(credit(), tmp_path / "chart.svg")


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "chart.json"
    path.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(FileError, match="No space left on device"):
        save(credit(), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["chart.json"]


def test_an_existing_file_is_replaced(tmp_path):
    path = tmp_path / "chart.json"
    path.write_text("old")
    save(credit(), path)
    assert json.loads(path.read_text())["title"]["text"] == "Credit"


def test_panels_have_one_legend_of_all_series(tmp_path):
    other = distribution_chart(["a", "b"], [0.5, 0.5], [0.4, 0.4], [0.6, 0.6], compare={"last survey": [0.5, 0.5]})
    shown = texts_of(save(panels([credit(), other], title="Page"), tmp_path / "page.svg").read_bytes())
    for name in ("truth", "reported", "last survey", "estimate with 95% interval"):
        assert shown.count(name) == 1
    assert shown.count("Page") == 1


def test_panels_whose_legends_disagree_keep_their_own(tmp_path):
    ends = {"low": [0.4, 0.4], "high": [0.6, 0.6]}
    first = distribution_chart(["a", "b"], [0.5, 0.5], **ends, compare={"x": [0.5, 0.5], "y": [0.5, 0.5]})
    second = distribution_chart(["a", "b"], [0.5, 0.5], **ends, compare={"y": [0.5, 0.5], "x": [0.5, 0.5]})
    shown = texts_of(save(panels([first, second]), tmp_path / "page.svg").read_bytes())
    assert shown.count("x") == shown.count("y") == 2


def test_panels_leave_the_charts_as_they_were():
    rows = distribution_chart([f"municipality number {i}" for i in range(9)], np.full(9, 1 / 9), title="Rows")
    charts = [credit(), credit(title="Two"), rows]
    before = [spec_of(chart) for chart in charts]
    page = spec_of(panels(charts, title="Page", note="A note", columns=2))
    assert [spec_of(chart) for chart in charts] == before
    assert page["title"]["subtitle"] == ["A note"]
    alone = page["vconcat"][1]["concat"][0]
    assert alone["width"] > 2 * before[0]["width"]


@pytest.mark.parametrize(("count", "columns"), [(1, 2), (2, 2), (3, 2), (5, 3), (2, 1)])
def test_panels_of_any_shape_are_drawn(count, columns, tmp_path):
    page = panels([credit(title=f"Chart {i}") for i in range(count)], columns=columns)
    shown = texts_of(save(page, tmp_path / "page.svg").read_bytes())
    assert [text for text in shown if text.startswith("Chart")] == [f"Chart {i}" for i in range(count)]
    assert page.description.count("Estimate with") == count


def test_panels_take_other_charts_of_altair(tmp_path):
    dot = alt.Chart(alt.InlineData(values=[{"a": 1}])).mark_point().encode(x="a:Q")
    assert save(panels([credit(), dot], title="Page"), tmp_path / "page.png").exists()


@pytest.mark.parametrize(("charts", "columns", "code"), [([], 2, "no_charts"), ([1], 0, "columns"), ([1], 1.5, "columns")])
def test_panels_that_cannot_be_drawn_are_refused(charts, columns, code):
    with pytest.raises(ParameterError) as caught:
        panels(charts, columns=columns)
    assert caught.value.code == code


def test_importing_deniable_does_not_import_altair():
    code = "import sys, deniable; deniable.Binary; raise SystemExit('altair' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

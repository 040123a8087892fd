"""A row in which no pattern is found has a picture, too."""

import numpy as np
import pandas as pd

import deniable as dn
from deniable import charts


def test_a_row_without_patterns_is_drawn(tmp_path):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.choice(list("xy"), 40), "b": rng.choice(list("pq"), 40)})
    why = dn.EmergingPatterns(min_support=0.3, min_growth=30).fit(rows, rng.integers(0, 2, 40)).explain({"a": "x", "b": "p"})
    assert len(why.frame) == 0
    charts.save(why.plot(), tmp_path / "none.svg")
    assert "<svg" in (tmp_path / "none.svg").read_text()


def test_a_row_without_patterns_says_so_first():
    rows = pd.DataFrame({"a": list("xyxyx"), "b": list("ppqqp")})
    row, y = {"a": "x", "b": "p"}, [0, 1, 1, 0, 1]
    why = dn.EmergingPatterns(min_support=0.9, min_growth=30).fit(rows, y).explain(row)
    chance = dn.ReconstructionNaiveBayes().fit(rows, y).predict_proba(pd.DataFrame([row]))[0, 1]
    told = f"No pattern is in this row: 1 is taken, by what its single attributes tell ({chance:.0%})."
    assert chance > 0.5
    assert str(why).splitlines()[0] == told
    assert why.plot().to_dict()["title"]["text"] == [str(why).splitlines()[0]]


def test_words_beside_bars_and_lines_of_the_title_do_not_overlap():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({name: rng.choice(list("xy"), 60) for name in ("a long name of a column", "another long name", "c")})
    y = np.where((rows == "x").sum(axis=1) > 1, "yes", "no")
    why = dn.EmergingPatterns(min_growth=1.2).fit(rows, y).explain(rows.iloc[0])
    drawn = why.plot().to_dict()
    bars, words = drawn["layer"]
    # Words stand beside the longest bar, wherever their own bar ends, and no line of the grid crosses them.
    assert words["encoding"]["x"]["value"] > drawn["width"]
    assert bars["encoding"]["x"]["axis"]["grid"] is False
    assert all(len(line) <= 110 for line in drawn["title"]["subtitle"])
    assert "95% intervals" in str(why)
    assert drawn["background"] == "white"

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

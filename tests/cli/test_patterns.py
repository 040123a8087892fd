"""Classifiers by patterns on the command line: what they learned, and why a row is classified as it is."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 2_000)
    truth = pd.DataFrame(
        {"smokes": np.where(rng.random(2_000) < 0.1 + 0.6 * y, "yes", "no"), "ill": np.array(["no", "yes"])[y]}
    )
    words = dn.Nominal(["no", "yes"])
    schema = dn.Schema({"smokes": dn.KRR(words, 0.8), "ill": dn.Identity(words)}, target="ill")
    truth.to_csv("truth.csv", index=False)
    schema.randomise("truth.csv", output="rows.csv")
    return truth, schema


@pytest.mark.parametrize("kind", ["patterns", "lazy"])
def test_a_row_is_explained_as_in_python(run, files, kind):
    code, out, _ = run("classify", "fit", "rows.csv", "-o", "model.json", "--kind", kind, "--min-growth", "1.5")
    assert code == 0
    if kind == "patterns":
        assert "smokes=yes: " in out
        assert "times as frequent as elsewhere (" in out
    code, out, _ = run("classify", "explain", "model.json", "truth.csv", "--row", "2", "--plot", "why.svg")
    assert code == 0
    told = str(dn.load_model("model.json").explain({"smokes": files[0]["smokes"][1]}))
    assert " ".join(told.split()) in " ".join(out.split())
    with open("why.svg") as picture:
        assert "smokes=" in picture.read()


def test_what_cannot_be_explained_is_refused(run, files):
    run("classify", "fit", "rows.csv", "-o", "model.json", "--kind", "patterns")
    code, _, err = run("classify", "explain", "model.json", "truth.csv", "--row", "3000")
    assert (code, "there is no row 3,000" in err) == (2, True)
    run("classify", "fit", "rows.csv", "-o", "bayes.json")
    code, _, err = run("classify", "explain", "bayes.json", "truth.csv")
    assert (code, "no classifier by patterns" in err) == (2, True)
    code, _, err = run("classify", "fit", "rows.csv", "-o", "other.json", "--kind", "patterns", "--min-growth", "0.5")
    assert (code, "at least 1" in err) == (2, True)

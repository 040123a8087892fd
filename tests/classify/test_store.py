"""Classifiers as files: the same from Python and the command line; what is damaged is refused before it is used."""

import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.classify import store
from deniable.classify.saving import to_json
from deniable.errors import DataError, DeniableError, FileError, ParameterError

YES_NO = dn.Nominal(["no", "yes"])
SCHEMA = dn.Schema({"a": dn.KRR(YES_NO, 0.8), "n": dn.Retention(dn.Integer(0, 99), 0.6), "c": dn.KRR(YES_NO, 0.9)}, target="c")
MODELS = {"naive bayes": dn.ReconstructionNaiveBayes, "tree": dn.ReconstructionTree}


@pytest.fixture(scope="module")
def reports():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 1_500)
    a, c = (np.where(rng.random(1_500) < 0.1 + 0.8 * y, "yes", "no") for _ in range(2))
    n = np.clip(rng.normal(40 + 20 * y, 12, 1_500), 0, 99).astype(int)
    return SCHEMA.randomise(pd.DataFrame({"a": a, "n": n, "c": c}), rng)


@pytest.mark.statistical
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_what_was_saved_predicts_and_scores_the_same(name, weighted, reports, tmp_path):
    weights = np.random.default_rng(2).random(len(reports)) if weighted else None
    model = MODELS[name](SCHEMA).fit(reports, sample_weight=weights)
    model.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["version"] == (2 if weighted else 1)
    other = dn.load_model(str(tmp_path / "model.json"))
    rows = reports[["a", "n"]]
    np.testing.assert_array_equal(other.predict_proba(rows), model.predict_proba(rows))
    np.testing.assert_array_equal(other.predict_proba_distorted(rows), model.predict_proba_distorted(rows))
    assert other.score_distorted(reports).value == pytest.approx(model.score_distorted(reports).value)


@pytest.mark.statistical
def test_the_command_line_and_python_write_and_read_the_same_files(run, reports, tmp_path):
    reports.to_csv("reports.csv", index=False)
    SCHEMA.save(tmp_path / "reports.schema.json")
    assert run("classify", "fit", "reports.csv", "-o", "line.json", "--model", "tree")[0] == 0
    dn.ReconstructionTree(SCHEMA).fit(pd.read_csv("reports.csv")).save("python.json")
    assert (tmp_path / "line.json").read_bytes() == (tmp_path / "python.json").read_bytes()
    assert run("classify", "score", "python.json", "reports.csv")[0] == 0


def test_files_stay_unless_forced_and_nothing_half_written_is_left(reports, tmp_path):
    model = dn.ReconstructionNaiveBayes(SCHEMA).fit(reports)
    (tmp_path / "model.json").write_text("mine")
    with pytest.raises(FileError, match="exists already"):
        model.save(tmp_path / "model.json")
    assert (tmp_path / "model.json").read_text() == "mine"
    model.save(tmp_path / "model.json", force=True)
    with pytest.raises(FileError, match="does not exist"):
        model.save(tmp_path / "nowhere" / "model.json")
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_what_cannot_be_saved_is_said(reports, tmp_path):
    rows, y = reports[["a", "n"]], reports["c"]
    with pytest.raises(ParameterError, match=r"declare an open class as dn.Identity"):
        dn.ReconstructionTree(dn.Schema({name: SCHEMA[name] for name in "an"})).fit(rows, y).save(tmp_path / "m.json")
    with pytest.raises(ParameterError, match="inside an ensemble"):
        dn.ReconstructionTree(SCHEMA).fit(rows, (y == "yes").to_numpy().astype(int)).save(tmp_path / "m.json")
    with pytest.raises(ValueError, match="not fitted"):
        dn.ReconstructionTree(SCHEMA).save(tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


def test_files_that_are_no_classifiers_are_refused(tmp_path):
    with pytest.raises(FileError, match=r"nowhere\.json cannot be read: No such file"):
        dn.load_model(tmp_path / "nowhere.json")
    with pytest.raises(FileError, match="Is a directory"):
        dn.load_model(tmp_path)
    for content, words in (
        (b"\xff\xfe\x00", "not text"),
        (b"a,b\n1,2", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"{}", "no classifier"),
    ):
        (tmp_path / "m.json").write_bytes(content)
        with pytest.raises(DataError, match=rf"m\.json is no classifier.*|{words}"):
            dn.load_model(tmp_path / "m.json")


def _at(content, path, value):
    *way, last = path
    for key in way:
        content = content[key]
    content[last] = value


DAMAGED = {
    "tree": [
        (["tree", "left", 0], 0, "leads to no later node"),  # round in circles for ever
        (["tree", "right", 0], 10**6, "leads to no later node"),
        (["tree", "left", 0], 10**12, "damaged"),
        (["tree", "attribute", 0], 7, "attributes or cells that are not there"),
        (["tree", "passes"], [[True]], "shape"),
        (["tree", "values"], [[1.0]], "shape"),
        (["tree", "values", 0, 0], float("nan"), "at least 0"),
        (["tree", "tables", 0, 0, 0], -1.0, "at least 0"),
        (["tree"], {}, "'attribute' is missing"),
        (["counts", "n", "shape"], [10**9, 10**9], "its schema asks for"),
        (["parameters", "max_depth"], "deep", "max_depth must be a whole number"),
        (["parameters", "command"], "rm", "unexpected keyword"),
    ],
    "naive bayes": [
        (["counts", "n", "shape"], [10**9, 10**9], "its schema asks for"),
        (["counts", "a", "n", 0], -5, "at least 0"),
        (["counts", "a", "n"], [1], "one for each cell"),
        (["counts", "a", "cells", 0], [0, 99], "cells that are not there"),
        (["counts", "a", "cells", 0], [0, 0.5], "one for each cell"),
        (["counts"], {}, "'a' is missing"),
        (["counts"], [], "damaged"),
        (["weights", "truths"], [1.0], "weights must be 2 numbers"),
        (["schema", "target"], None, "fingerprint"),
        (["kind"], "oracle", "this release reads"),
        (["version"], 3, "up to version 2"),
    ],
}


@pytest.mark.parametrize("name", MODELS)
def test_damaged_files_are_refused(name, reports):
    text = to_json(MODELS[name](SCHEMA).fit(reports))
    for path, value, words in DAMAGED[name]:
        content = json.loads(text)
        _at(content, path, value)
        with pytest.raises(DeniableError, match=words):
            store.from_json(json.dumps(content), "model.json")

"""Rows that were shuffled are never paired in silence with classes that were not shuffled with them."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

import deniable as dn
from deniable.core.shuffle_mark import mark_of
from deniable.errors import DataError, RandomisedRowsWarning

pytestmark = pytest.mark.statistical

CHANNELS = {"a": dn.KRR(dn.Binary(), 0.9), "b": dn.KRR(dn.Binary(), 0.9)}
SCHEMA = dn.Schema(CHANNELS)
WITH_CLASS = dn.Schema({**CHANNELS, "c": dn.Identity(dn.Binary())}, target="c")
MODELS = [dn.ReconstructionNaiveBayes, dn.ReconstructionTree]


def people(rows=1_200, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    return pd.DataFrame({name: np.where(rng.random(rows) < 0.9, y, 1 - y) for name in "ab"} | {"c": y})


TRUE = people()
X, Y = TRUE[["a", "b"]], TRUE["c"]


def added(frame):
    frame["c"] = Y
    return frame


def arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


UNPAIRED = {
    "a series": lambda: (SCHEMA.randomise(X), Y),
    "a list": lambda: (SCHEMA.randomise(X), Y.tolist()),
    "an array": lambda: (SCHEMA.randomise(X), Y.to_numpy()),
    "a part": lambda: (SCHEMA.randomise(X)[:600], Y[:600]),
    "columns": lambda: (SCHEMA.randomise(X)[["b", "a"]], Y),
    "chosen rows": lambda: (SCHEMA.randomise(X).query("a == 1")[:400], Y[:400]),
    "put together": lambda: (pd.concat([SCHEMA.randomise(X[:600]), SCHEMA.randomise(X[600:])]), Y),
    "split": lambda: train_test_split(SCHEMA.randomise(X), Y, random_state=0)[::2],
    "another shuffle": lambda: (SCHEMA.randomise(X), WITH_CLASS.randomise(TRUE)["c"]),
    "y alone": lambda: (X, WITH_CLASS.randomise(TRUE)["c"]),
    "arrow": lambda: (SCHEMA.randomise(arrow(X)), Y),
    "part of arrow": lambda: (SCHEMA.randomise(arrow(X)).select(["a", "b"]).slice(0, 600), Y[:600]),
    "arrow to pandas": lambda: (SCHEMA.randomise(arrow(X)).to_pandas(), Y),
    "pandas to arrow": lambda: (arrow(SCHEMA.randomise(X)), Y),
    "set later": lambda: together(added(SCHEMA.randomise(X))),
    "assigned": lambda: together(SCHEMA.randomise(X).assign(c=Y)),
    "inserted": lambda: (lambda Z: (Z.insert(0, "c", Y), *together(Z))[1:])(SCHEMA.randomise(X)),
    "appended to arrow": lambda: (lambda Z: (Z.select(["a", "b"]), Z.select(["c"])))(
        SCHEMA.randomise(arrow(X)).append_column("c", [Y])
    ),
    "shuffled simulation": lambda: (SCHEMA.randomise(X, np.random.default_rng(1), order="shuffled"), Y),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("way", UNPAIRED)
def test_a_class_that_was_not_shuffled_with_the_rows_is_refused(model, way):
    Z, y = UNPAIRED[way]()
    with pytest.raises(DataError, match=r"not the same person.*target.*keep.*rng.*order") as caught:
        model(SCHEMA).fit(Z, y)
    assert caught.value.code in ("shuffled_rows", "added_columns")


def test_a_class_that_was_added_to_the_frame_is_refused_there_too():
    for Z in (added(SCHEMA.randomise(X)), SCHEMA.randomise(arrow(X)).append_column("c", [Y])):
        with pytest.raises(DataError, match=r"\['c'\] were not there when the rows were shuffled"):
            dn.ReconstructionNaiveBayes(WITH_CLASS).fit(Z)


def test_files_that_are_put_together_are_still_known_to_be_shuffled(tmp_path):
    for at, part in enumerate((TRUE[:600], TRUE[600:])):
        part.to_parquet(tmp_path / "true.parquet", index=False)
        SCHEMA.randomise(tmp_path / "true.parquet", keep=["c"], output=tmp_path / f"{at}.parquet")
        SCHEMA.randomise(part, keep=["c"]).to_parquet(tmp_path / f"frame{at}.parquet")
    for names in (("0", "1"), ("frame0", "frame1"), ("0", "frame1")):
        Z = pd.concat([pd.read_parquet(tmp_path / f"{name}.parquet") for name in names])
        with pytest.raises(DataError, match="not the same person"):
            dn.ReconstructionNaiveBayes(SCHEMA).fit(Z[["a", "b"]], Y)
        assert dn.ReconstructionNaiveBayes(SCHEMA).fit(*together(Z)).score(X, Y) > 0.85


def test_two_classes_that_differ_are_refused():
    Z = WITH_CLASS.randomise(TRUE, order="kept")
    with pytest.raises(DataError, match="y differs from the column 'c'") as caught:
        dn.ReconstructionNaiveBayes(WITH_CLASS).fit(Z, 1 - Y)
    assert caught.value.code == "two_classes"
    assert dn.ReconstructionNaiveBayes(WITH_CLASS).fit(Z, Y).score(X, Y) > 0.85


def test_publishing_refuses_a_sensitive_column_that_was_not_shuffled_with_the_rows():
    Z = SCHEMA.randomise(X)
    with pytest.raises(DataError, match="not the same person"):
        dn.DeniabilityTree(0.1).fit(Z, Y)
    tree = dn.DeniabilityTree(0.1).fit(X, Y)
    with pytest.raises(DataError, match="not the same person"):
        tree.expected_accuracy(Z, Y)


def test_a_parquet_file_carries_the_mark_to_pandas(tmp_path):
    X.to_parquet(tmp_path / "true.parquet", index=False)
    SCHEMA.randomise(tmp_path / "true.parquet", output=tmp_path / "out.parquet")
    back = pd.read_parquet(tmp_path / "out.parquet")
    assert list(back.columns) == ["a", "b"]
    assert back.index.equals(pd.RangeIndex(1_200))
    with pytest.raises(DataError, match="not the same person"):
        dn.ReconstructionNaiveBayes(SCHEMA).fit(back, Y)
    SCHEMA.randomise(tmp_path / "true.parquet", output=tmp_path / "kept.parquet", order="kept")
    assert mark_of(pd.read_parquet(tmp_path / "kept.parquet")) is None
    SCHEMA.randomise(X).to_parquet(tmp_path / "frame.parquet")
    assert mark_of(pd.read_parquet(tmp_path / "frame.parquet")) is not None


def together(frame):
    return frame[["a", "b"]], frame["c"]


PAIRED = {
    "of the frame": lambda: (WITH_CLASS, WITH_CLASS.randomise(TRUE), None),
    "arrow, of the frame": lambda: (WITH_CLASS, WITH_CLASS.randomise(arrow(TRUE)), None),
    "taken out": lambda: (WITH_CLASS, *together(WITH_CLASS.randomise(TRUE))),
    "kept": lambda: (SCHEMA, *together(SCHEMA.randomise(TRUE, keep=["c"]))),
    "kept, a part": lambda: (SCHEMA, *together(SCHEMA.randomise(TRUE, keep=["c"])[100:900])),
    "split": lambda: (SCHEMA, *train_test_split(*together(SCHEMA.randomise(TRUE, keep=["c"])), random_state=0)[::2]),
    "put together": lambda: (
        SCHEMA,
        *together(pd.concat([SCHEMA.randomise(TRUE[:600], keep=["c"]), SCHEMA.randomise(TRUE[600:], keep=["c"])])),
    ),
    "kept, arrow": lambda: (
        SCHEMA,
        *(lambda Z: (Z.select(["a", "b"]), Z.select(["c"])))(SCHEMA.randomise(arrow(TRUE), keep=["c"])),
    ),
    "order kept": lambda: (SCHEMA, SCHEMA.randomise(X, order="kept"), Y),
    "simulated": lambda: (SCHEMA, SCHEMA.randomise(X, np.random.default_rng(1)), Y),
    "merged by an id": lambda: (
        SCHEMA,
        *together(SCHEMA.randomise(X.assign(id=IDS), keep=["id"]).merge(pd.DataFrame({"id": IDS, "c": Y}), on="id")),
    ),
}
IDS = np.random.default_rng(9).permutation(len(TRUE))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("way", PAIRED)
def test_a_class_that_belongs_to_the_rows_is_learnt(model, way):
    schema, Z, y = PAIRED[way]()
    fitted = model(schema).fit(Z, y)
    # Two answers that are true 9 times in 10 tell the class 9 times in 10; learnt from the wrong people's classes they tell nothing.
    assert fitted.score(X, Y) > 0.85
    assert fitted.score_distorted(Z, y).value[0] > 0.8


@pytest.mark.parametrize("model", MODELS)
def test_scores_and_searches_are_refused_beside_another_y_and_work_beside_their_own(model):
    Z = SCHEMA.randomise(TRUE, keep=["c"])
    own = model(SCHEMA).fit(*together(Z))
    for score in (own.score, own.score_distorted):
        with pytest.raises(DataError, match="not the same person"):
            score(Z[["a", "b"]], Y)
    with pytest.raises(DataError, match="not the same person"):
        cross_val_score(model(SCHEMA), Z[["a", "b"]], Y, error_score="raise")
    scorer = dn.distorted_scorer()
    assert cross_val_score(model(SCHEMA), *together(Z), scoring=scorer, error_score="raise").mean() > 0.8
    found = GridSearchCV(model(SCHEMA), {"bins": [5, 10]}, scoring=scorer, cv=2, error_score="raise").fit(*together(Z))
    assert found.best_score_ > 0.8
    assert make_pipeline(model(SCHEMA)).fit(*together(Z)).predict(X).shape == (1_200,)
    with pytest.warns(RandomisedRowsWarning):
        assert cross_val_predict(model(SCHEMA), *together(Z)).shape == (1_200,)


MARKED = {
    "pandas": lambda schema: schema.randomise(TRUE),
    "a part": lambda schema: schema.randomise(TRUE)[100:300],
    "arrow": lambda schema: schema.randomise(arrow(TRUE)),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", MARKED)
def test_randomised_rows_are_not_taken_for_true_ones_in_silence(model, kind):
    Z = MARKED[kind](WITH_CLASS)
    fitted = model(WITH_CLASS).fit(WITH_CLASS.randomise(TRUE))
    own = Z.select(["a", "b"]) if kind == "arrow" else Z[["a", "b"]]
    y = Z.select(["c"]) if kind == "arrow" else Z["c"]
    asked = {
        "predict takes rows as true.*randomise, which hides a, b.*predicted wrongly: predict_distorted reads": fitted.predict,
        "predict_proba takes rows as true.*predict_proba_distorted reads": fitted.predict_proba,
        r"score takes rows as true.*score_distorted; in .*dn\.distorted_scorer": lambda rows: fitted.score(rows, y),
    }
    for words, ask in asked.items():
        with pytest.warns(RandomisedRowsWarning, match=words) as caught:
            ask(own)
        assert len(caught) == 1
        assert caught[0].filename == __file__, "the warning points at the caller's line"
    fitted.predict(X), fitted.predict_proba(X), fitted.score(X, Y)  # without a warning, which would be an error here
    fitted.predict_distorted(own), fitted.predict_proba_distorted(own), fitted.score_distorted(own, y)


def test_shuffled_rows_that_hide_nothing_are_true_rows():
    open_ = dn.Schema({name: dn.Identity(dn.Binary()) for name in "abc"}, target="c")
    Z = open_.randomise(TRUE)
    fitted = dn.ReconstructionNaiveBayes(open_).fit(Z)
    assert fitted.score(*together(Z)) > 0.85
    hidden_class = dn.Schema({**open_, "c": dn.KRR(dn.Binary(), 0.7)}, target="c")
    Z = hidden_class.randomise(TRUE)
    fitted = dn.ReconstructionNaiveBayes(hidden_class).fit(Z)
    fitted.predict(Z[["a", "b"]])
    with pytest.warns(RandomisedRowsWarning, match="which hides c"):
        fitted.score(*together(Z))


def test_the_refusal_of_an_array_says_how_to_go_on():
    Z = SCHEMA.randomise(TRUE, keep=["c"])
    table = SCHEMA.randomise(arrow(TRUE), keep=["c"])
    for own, y in ((Z[["a", "b"]], Z["c"].to_numpy()), (table.select(["a", "b"]), table["c"])):
        with pytest.raises(DataError, match=r"Z\.select\(\[target\]\) of PyArrow.*cannot show where they come from"):
            dn.ReconstructionNaiveBayes(SCHEMA).fit(own, y)


def test_more_rows_are_refused_too():
    model = dn.ReconstructionNaiveBayes(SCHEMA).partial_fit(*together(SCHEMA.randomise(TRUE, keep=["c"])), classes=[0, 1])
    with pytest.raises(DataError, match="not the same person"):
        model.partial_fit(SCHEMA.randomise(X), Y)


def test_what_compares_truths_with_reports_refuses_shuffled_reports():
    schema = dn.Schema({"age": dn.Retention(dn.Integer(18, 90), 0.9)})
    truths = pd.DataFrame({"age": np.random.default_rng(0).permutation(np.arange(18, 91))})  # sorted, they would be warned of
    with pytest.raises(DataError, match=r"reported was shuffled.*rng"):
        dn.privacy.linkage_attack(schema, truths, schema.randomise(truths))
    assert dn.privacy.linkage_attack(schema, truths, schema.randomise(truths, np.random.default_rng(1))) > 0.5
    with pytest.raises(DataError, match="X was shuffled"):
        dn.distort_and_cross_validate(dn.ReconstructionNaiveBayes(), SCHEMA.randomise(X), Y, SCHEMA, cv=2, repeats=1)


def test_the_mark_changes_nothing_that_is_given_and_nothing_else():
    given = TRUE.copy()
    given.attrs["source"] = "a register"
    out = WITH_CLASS.randomise(given)
    assert given.attrs == {"source": "a register"}
    assert out.attrs["source"] == "a register"
    assert mark_of(out) == mark_of(out["c"]) != mark_of(WITH_CLASS.randomise(given))
    assert mark_of(SCHEMA.randomise(out[["a", "b"]], order="kept")) == mark_of(out), "these are still the shuffled rows"
    for table in (arrow(TRUE), pa.table({name: TRUE[name] for name in TRUE})):
        shuffled = WITH_CLASS.randomise(table.replace_schema_metadata({**(table.schema.metadata or {}), b"own": b"x"}))
        assert shuffled.schema.metadata[b"own"] == b"x"
        assert shuffled.to_pandas().dtypes.astype(str).tolist() == ["int64"] * 3
    ordered = arrow(TRUE.assign(town=pd.Categorical(["Ulm", "Bonn"] * 600, ["Ulm", "Bonn"], ordered=True)))
    back = WITH_CLASS.randomise(ordered, keep=["town"]).to_pandas()
    assert back["town"].dtype == ordered.to_pandas()["town"].dtype

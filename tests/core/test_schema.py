import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable as dn
from deniable.errors import DataError, OrderWarning, ParameterError, SchemaError


@pytest.fixture
def schema():
    return dn.Schema(
        {
            "sex": dn.UnrelatedQuestion(dn.Nominal(["F", "M"]), 0.6, 0.5),
            "age": dn.Optional(dn.Retention(dn.Integer(18, 90), 0.5), 0.9),
            "credit": dn.KRR(dn.Nominal(["none", "repaid"], missing="no answer"), 0.6),
            "salary": dn.Additive(dn.Continuous(0, 100, step=0.5), dn.Laplace(20)),
        },
        target="credit",
    )


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "sex": ["F", "M"] * 300,
            "age": [18.0, None] * 300,
            "credit": ["none", None] * 300,
            "salary": [10.26, 99.9] * 300,
            "id": range(600),
        }
    )


def test_json_round_trip_is_the_same_schema(schema):
    again = dn.Schema.from_json(schema.to_json())
    assert again == schema
    assert again.fingerprint == schema.fingerprint
    assert again.to_json() == schema.to_json()
    assert again.target == "credit"


def test_save_and_load(schema, tmp_path):
    schema.save(tmp_path / "s.json")
    assert dn.Schema.load(tmp_path / "s.json") == schema
    with pytest.raises(OSError, match="exists already"):
        schema.save(tmp_path / "s.json")
    schema.save(tmp_path / "s.json", force=True)


def test_fingerprint_changes_with_any_probability_label_or_order(schema):
    base = {"a": dn.KRR(dn.Nominal(["x", "y"]), 0.7), "b": dn.KRR(dn.Nominal(["x", "y"]), 0.7)}
    prints = {
        dn.Schema(base).fingerprint,
        dn.Schema({**base, "a": dn.KRR(dn.Nominal(["x", "y"]), 0.71)}).fingerprint,
        dn.Schema({**base, "a": dn.KRR(dn.Nominal(["y", "x"]), 0.7)}).fingerprint,
        dn.Schema(base, target="a").fingerprint,
        dn.Schema({**base, "a": dn.KRR(dn.Ordinal(["x", "y"]), 0.7)}).fingerprint,
    }
    assert len(prints) == 5


def test_edited_schema_with_its_old_fingerprint_is_refused(schema):
    edited = json.loads(schema.to_json())
    edited["attributes"]["credit"]["p"] = 0.7
    with pytest.raises(SchemaError, match="fingerprint"):
        dn.Schema.from_json(json.dumps(edited))
    del edited["fingerprint"]
    assert dn.Schema.from_json(json.dumps(edited)) != schema


def test_schema_is_a_mapping(schema):
    assert list(schema) == ["sex", "age", "credit", "salary"]
    assert len(schema) == 4
    assert schema["credit"].inputs[-1] == "no answer"


def test_epsilon_is_the_sum_over_blocks_rounded_up(schema):
    exact = sum(channel.epsilon for channel in schema.values())
    assert exact <= schema.epsilon <= exact * (1 + 1e-12)


def test_budget_is_enforced(schema):
    schema.check_budget(schema.epsilon)
    with pytest.raises(SchemaError, match="budget"):
        schema.check_budget(schema.epsilon - 0.01)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_every_eager_frame_is_randomised_to_its_own_kind(schema, people, kind):
    given = kind(people)
    with pytest.warns(OrderWarning, match=r"by id \(row by row\)"):
        out = schema.randomise(given, keep=["id"], order="shuffled")
    assert type(out) is type(given)
    as_pandas = out if isinstance(out, pd.DataFrame) else out.to_pandas()
    assert list(as_pandas.columns) == list(people.columns)
    assert (as_pandas["id"] != people["id"]).any()
    as_pandas = as_pandas.sort_values("id", ignore_index=True)
    assert (as_pandas["id"] == people["id"]).all()
    assert set(as_pandas["credit"]) == {"none", "repaid", "no answer"}
    assert as_pandas["age"].isna().any()
    assert as_pandas["age"].notna().any()
    assert ((as_pandas["salary"] * 2) % 1 == 0).all()
    assert (as_pandas["sex"] != people["sex"]).mean() == pytest.approx(0.2, abs=0.1)


def test_frame_given_is_not_changed(schema, people):
    mixed = people.sample(frac=1, random_state=0)
    before = mixed.copy()
    schema.randomise(mixed, keep=["id"])
    pd.testing.assert_frame_equal(mixed, before)


def test_simulation_repeats_with_the_same_generator_and_protection_does_not(schema, people):
    first = schema.randomise(people, np.random.default_rng(1), keep=["id"])
    second = schema.randomise(people, np.random.default_rng(1), keep=["id"])
    pd.testing.assert_frame_equal(first, second)
    mixed = people.sample(frac=1, random_state=0)
    reports = [schema.randomise(mixed, keep=["id"]).sort_values("id", ignore_index=True) for _ in range(2)]
    assert not reports[0].equals(reports[1])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda df: df.drop(columns="sex"), r"\['sex'\] are missing"),
        (lambda df: df.assign(extra=1), r"\['extra'\] are in neither"),
        (
            lambda df: df.assign(sex="X"),
            r"Column 'sex': 600 cells do not fit \('X' in 600 cells, first in row 1\). Allowed: 'F', 'M'",
        ),
        (lambda df: df.assign(sex=None), r"missing in 600 cells, first in row 1"),
        (lambda df: df.assign(salary=-1.0), r"Allowed: 0 to 100 in steps of 0.5"),
        (lambda df: df.assign(salary=math.nan), r"'salary'.*missing"),
        (lambda df: df.iloc[:0], "no rows"),
        (lambda df: df.set_index("sex").assign(sex="F"), "index"),
        (lambda df: df.set_index(pd.Index([f"p{i}" for i in range(600)])), "index"),
        (lambda df: pl.from_pandas(df).lazy(), "lazy frame"),
        (lambda df: [1, 2], "got list"),
    ],
)
def test_bad_frames_are_refused_with_a_sentence(schema, people, change, says):
    with pytest.raises(DataError, match=says):
        schema.randomise(change(people), keep=["id"])


def test_all_bad_columns_are_named_together(schema, people):
    with pytest.raises(DataError) as caught:
        schema.randomise(people.assign(sex="X", salary=-1.0), keep=["id"])
    assert "'sex'" in str(caught.value)
    assert "'salary'" in str(caught.value)
    assert caught.value.parameters["columns"]["sex"]["total"] == 600


def test_true_values_may_not_be_kept_beside_the_reports(schema, people):
    with pytest.raises(DataError, match="would undo it"):
        schema.randomise(people, keep=["id", "sex"])
    with pytest.raises(ParameterError, match="list of column names"):
        schema.randomise(people, keep="id")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON.*line 1"),
        ("[]", "not a schema"),
        ('{"format": "deniable-schema", "version": 9}', "version 9"),
        ('{"format": "deniable-schema", "version": 1}', "attributes"),
        ('{"format": "deniable-schema", "version": 1, "attributes": {}}', "at least one attribute"),
        ('{"format": "deniable-schema", "version": 1, "attributes": {"a": 3}}', "'a'.*type among"),
        ('{"format": "deniable-schema", "version": 1, "atributes": {}}', "atributes"),
        (
            '{"format": "deniable-schema", "version": 1, "attributes": {"a": {"type": "KRR", "domain": {"type": "Binary"}, "p": 2}}}',
            r"'a': KRR: p must lie in \[0, 1\], got 2",
        ),
        (
            '{"format": "deniable-schema", "version": 1, "attributes": {"a": {"type": "KRR", "domain": {"type": "Binary"}, "q": 2}}}',
            "'a'.*'q'",
        ),
        (
            '{"format": "deniable-schema", "version": 1, "attributes": {"a": {"type": "Identity", "domain": {"type": "Nominal"}}}}',
            "'a'.*values",
        ),
    ],
)
def test_bad_schema_texts_are_refused_with_a_sentence(text, says):
    with pytest.raises(SchemaError, match=says):
        dn.Schema.from_json(text)


def test_bad_schemas_are_refused():
    with pytest.raises(SchemaError, match="needs a channel"):
        dn.Schema({"a": 3})
    with pytest.raises(SchemaError, match="target"):
        dn.Schema({"a": dn.KRR(dn.Binary(), 0.7)}, target="b")
    with pytest.raises(SchemaError, match="at least one"):
        dn.Schema({})

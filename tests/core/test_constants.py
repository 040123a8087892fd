"""A column with one value is allowed where it does no harm, and hidden by nothing: there is nothing to hide."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.proposal import propose
from deniable.errors import DataError, ParameterError

CONSTANTS = {
    "word": dn.Nominal(["x"]),
    "grade": dn.Ordinal(["x"]),
    "truth": dn.Nominal([True]),
    "whole": dn.Integer(5, 5),
    "decimal": dn.Continuous(2.5, 2.5, step=0.5),
}


@pytest.fixture(params=CONSTANTS)
def constant(request):
    return CONSTANTS[request.param]


@pytest.fixture
def asked(constant):
    """80 people of whom 60 say b, under a schema that also holds a constant c."""
    schema = dn.Schema({"c": dn.Identity(constant), "b": dn.Identity(dn.Binary())}, target="b")
    frame = pd.DataFrame({"c": constant.labels * 80, "b": [1, 1, 1, 0] * 20})
    return schema, schema.randomise(frame, np.random.default_rng(1))


def test_a_constant_is_reported_and_tells_nothing(constant):
    channel = dn.Identity(constant)
    assert constant.size == 1
    assert channel.epsilon == 0
    assert channel.matrix().tolist() == [[1.0]]
    assert channel.randomise(list(constant.labels) * 3).tolist() == list(constant.labels) * 3
    assert dn.privacy.warnings_of(channel) == []
    assert dn.privacy.mutual_information(channel) == 0
    schema = dn.Schema({"c": channel, "b": dn.KRR(dn.Binary(), 0.75)})
    assert schema.epsilon == pytest.approx(np.log(3))
    assert dn.Schema.from_json(schema.to_json()) == schema
    assert "c: epsilon 0" in str(dn.privacy.report(schema))


def test_another_value_than_the_constant_is_refused(constant):
    other = 7 if hasattr(constant, "low") else False if constant.labels == (True,) else "y"
    with pytest.raises(DataError, match="does not fit"):
        dn.Identity(constant).randomise([other])


@pytest.mark.parametrize("method", ["em", "eq"])
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_everybody_has_the_constant(constant, method, target):
    channel = dn.Identity(constant)
    found = dn.reconstruct(dn.counts(constant.labels * 50, channel), channel, method, target)
    low, high = found.interval()
    assert found.value.tolist() == [1.0]
    assert 0.9 < low[0] <= high[0] == 1


def test_samples_with_a_constant_are_asked_as_any_other(asked, constant):
    schema, reports = asked
    sample = dn.Sample(reports, schema)
    (value,) = constant.labels
    both = (dn.where("c") == value) & (dn.where("b") == 1)
    assert sample.count(dn.where("c") == value).value[0] == pytest.approx(80)
    assert sample.count(both).value[0] == pytest.approx(60)
    assert sample.distribution("c").value.tolist() == [1]
    assert sample.crosstab("c", "b").value.tolist() == pytest.approx([0.25, 0.75])
    if hasattr(constant, "low"):
        assert sample.mean("c").value[0] == pytest.approx(value)
        assert sample.mean("c").interval()[0][0] == pytest.approx(value)


def test_a_constant_is_an_item_that_everybody_has(asked):
    schema, reports = asked
    found = dn.frequent_itemsets(reports, schema, 0.5)
    supports = {
        tuple(sorted(map(str, items))): support for items, support in zip(found["itemsets"], found["support"], strict=True)
    }
    assert sorted(supports.values()) == pytest.approx([0.75, 0.75, 1.0])


@pytest.mark.statistical
@pytest.mark.parametrize("kind", [dn.ReconstructionNaiveBayes, dn.ReconstructionTree])
def test_classifiers_learn_nothing_from_a_constant(asked, kind):
    schema, reports = asked
    model = kind(schema).fit(reports)
    assert model.predict(reports[["c"]]).tolist() == [1] * 80
    plain = kind().fit(reports[["c"]], reports["b"])
    assert plain.predict(reports[["c"]]).tolist() == [1] * 80


def test_a_tree_of_deniability_takes_a_constant_column_but_not_a_constant_answer():
    frame = pd.DataFrame({"c": ["x"] * 80, "age": [20, 30, 40, 50] * 20})
    answers = pd.Series(["no", "yes"] * 40, name="ill")
    published = dn.DeniabilityTree().fit(frame, answers).publish(frame)
    assert len(published) == 80
    with pytest.raises(DataError, match=r"one answer only .*nobody could deny it"):
        dn.DeniabilityTree().fit(frame[["age"]], frame["c"])


DESIGNS = [
    lambda d: dn.KRR(d, 0.7),
    lambda d: dn.KRR.from_epsilon(d, 1),
    lambda d: dn.Retention(d, 0.5),
    lambda d: dn.UnrelatedQuestion(d, 0.5, [1]),
    lambda d: dn.Matrix(d, [[1]]),
    lambda d: dn.Neighbours(d, [1]),
]


@pytest.mark.parametrize("design", DESIGNS)
def test_what_would_hide_a_constant_is_refused_and_says_why(constant, design):
    with pytest.raises(ParameterError, match=r"has one value only, so there is nothing to hide.*dn\.Identity"):
        design(constant)


def test_noise_on_one_number_is_refused_and_says_why():
    with pytest.raises(ParameterError, match="one value only"):
        dn.Additive(dn.Integer(5, 5), dn.Normal(2))
    with pytest.raises(ParameterError, match="low must be below high"):
        dn.Continuous(1, 1)


def test_whether_somebody_answered_can_be_hidden_though_there_is_one_answer():
    channel = dn.Optional(dn.Identity(dn.Integer(5, 5)), 0.9)
    assert channel.epsilon == pytest.approx(np.log(9))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_proposed_schema_randomises_the_file_it_was_made_for(tmp_path, kind):
    """One value or none is a question of two answers, and hidden: an empty cell would tell."""
    some = [i % 3 > 0 for i in range(60)]
    frame = pd.DataFrame(
        {
            "country": ["PL"] * 60,
            "year": [2024] * 60,
            "rate": [2.5] * 60,
            "zip": ["007"] * 60,
            "there": [True] * 60,
            "convicted": ["yes" if has else None for has in some],
            "level": [5.0 if has else None for has in some],
            "flag": [bool(i % 2) for i in range(60)],
            "test": pd.array([i % 2 if has else None for i, has in enumerate(some)], dtype="Int64"),
        }
    )
    path = tmp_path / f"t.{kind}"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    schema, notes = propose(path)
    assert list(schema) == list(frame)
    constant = [name for name in schema if schema[name].domain.size == 1]
    assert constant == ["country", "year", "rate", "zip", "there"]
    assert all(schema[name].epsilon == 0 for name in constant)
    assert [sum(note.startswith(f"{name}: has one value only") for note in notes) for name in constant] == [1] * 5
    # Odds of 5 at most, as for every question with few answers.
    assert all(0 < schema[name].epsilon <= np.log(5) for name in ("convicted", "level", "flag", "test"))
    assert schema["convicted"].domain.missing is not None
    assert schema["level"].domain.labels[0] == 5
    assert schema.randomise(path, output=tmp_path / f"r.{kind}") == 60
    reported = pd.read_csv(tmp_path / "r.csv", dtype=str) if kind == "csv" else pd.read_parquet(tmp_path / "r.parquet")
    assert reported[["country", "zip"]].drop_duplicates().values.tolist() == [["PL", "007"]]
    assert dn.read(tmp_path / f"r.{kind}").count("country == 'PL' and year == 2024").value[0] == pytest.approx(60)

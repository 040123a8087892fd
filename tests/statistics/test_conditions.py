from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable as dn
from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.statistics.condition_parser import parse
from deniable.statistics.conditions import All, Compare, Not
from deniable.statistics.functions import indicator

SCHEMA = Schema(
    {
        "age": dn.Identity(dn.Integer(18, 90)),
        "sex": dn.Identity(dn.Nominal(["F", "M"])),
        "grade": dn.Identity(dn.Ordinal(["low", "mid", "high"], missing="no answer")),
        "monthly salary": dn.Identity(dn.Continuous(0, 100, step=0.5)),
    }
)


def people(n=400, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 91, n),
            "sex": rng.choice(["F", "M"], n),
            "grade": rng.choice(["low", "mid", "high", "no answer"], n),
            "monthly salary": rng.integers(0, 201, n) / 2,
        }
    )


PAIRS = [
    ("sex == 'F' and 18 <= age < 30", lambda d: (d.sex == "F") & (d.age < 30)),
    ("30 > age", lambda d: d.age < 30),
    ("not (age < 30 or sex == 'M')", lambda d: ~((d.age < 30) | (d.sex == "M"))),
    ("grade in ('low', 'no answer') or age >= 60.5", lambda d: d.grade.isin(["low", "no answer"]) | (d.age >= 60.5)),
    ("grade not in ('low')", lambda d: d.grade != "low"),
    ("grade >= 'mid'", lambda d: d.grade.isin(["mid", "high"])),
    ('"monthly salary" <= 12.5 and "monthly salary" > 2', lambda d: (d["monthly salary"] <= 12.5) & (d["monthly salary"] > 2)),
    ("sex != 'F' and (age == 20 or age == 21 or age == 22) and not grade == 'high'",
     lambda d: (d.sex != "F") & d.age.isin([20, 21, 22]) & (d.grade != "high")),
    ("age < 30 and age < 40 and not age < 20", lambda d: (d.age < 30) & (d.age >= 20)),
]  # fmt: skip


@pytest.mark.statistical
@pytest.mark.parametrize(("text", "expected"), PAIRS)
def test_conditions_mean_what_they_say_on_undistorted_data(text, expected):
    data = people()
    estimate = dn.Sample(data, SCHEMA).count(text)
    assert estimate.value[0] == pytest.approx(int(expected(data).sum()), abs=1e-9)
    assert estimate.se[0] == pytest.approx(0, abs=1e-6)
    again = parse(str(parse(text)))
    assert dn.Sample(data, SCHEMA).count(again).value[0] == pytest.approx(estimate.value[0])


def test_python_conditions_equal_their_text():
    data = people()
    sample = dn.Sample(data, SCHEMA)
    built = ((dn.where("sex") == "F") & (dn.where("age") < 30)) | ~(dn.where("grade").is_in(["low", "mid"]))
    text = "(sex == 'F' and age < 30) or not grade in ('low', 'mid')"
    assert sample.count(built).value[0] == pytest.approx(sample.count(text).value[0])


@st.composite
def trees(draw, depth=3):
    if depth == 0 or draw(st.booleans()):
        kind = draw(st.integers(0, 2))
        if kind == 0:
            return f"age {draw(st.sampled_from(['<', '<=', '>', '>=', '==', '!=']))} {draw(st.integers(18, 90))}"
        if kind == 1:
            return f"sex == '{draw(st.sampled_from('FM'))}'"
        return f"grade in ('{draw(st.sampled_from(['low', 'mid', 'high', 'no answer']))}', 'mid')"
    left, right = draw(trees(depth - 1)), draw(trees(depth - 1))
    joined = f"({left} {draw(st.sampled_from(['and', 'or']))} {right})"
    return f"not {joined}" if draw(st.booleans()) else joined


@pytest.mark.statistical
@given(trees())
def test_random_conditions_count_as_python_would(text):
    data = people(60)
    rows = data.to_dict("records")
    met = sum(bool(eval(text, {"__builtins__": {}}, row)) for row in rows)
    if not indicator(parse(text), SCHEMA).terms:
        assert met == 0
        with pytest.raises(ParameterError, match="Nobody can meet"):
            dn.Sample(data, SCHEMA).count(text)
        return
    assert dn.Sample(data, SCHEMA).count(text).value[0] == pytest.approx(met, abs=1e-9)


VALUES = st.one_of(st.text(), st.integers(), st.floats(allow_nan=False), st.booleans())
COMPARISONS = st.one_of(
    st.builds(lambda name, value: dn.where(name) == value, st.text(), VALUES),
    st.builds(lambda name, value: dn.where(name) >= value, st.sampled_from(["a.b", "not", "`", '"', "\\", "2nd"]), VALUES),
    st.builds(lambda name, values: dn.where(name).is_in(values), st.text(), st.lists(VALUES, max_size=3)),
)
CONDITIONS = st.recursive(
    COMPARISONS,
    lambda inner: st.one_of(
        st.builds(lambda a, b: a & b, inner, inner), st.builds(lambda a, b: a | b, inner, inner), st.builds(lambda a: ~a, inner)
    ),
    max_leaves=6,
)


def meaning(condition):
    """What a condition says, whatever the parentheses: nested lists of words and values."""
    if isinstance(condition, Compare):
        return [condition.name, condition.operator, condition.value]
    if isinstance(condition, Not):
        return ["not", meaning(condition.part)]
    parts = [meaning(part) for part in condition.parts]
    if condition.word == "and":
        parts = [inner for part in parts for inner in (part[1:] if part[0] is All else [part])]
    return [type(condition), *parts]


@given(CONDITIONS)
def test_what_a_condition_is_written_as_reads_back_as_the_same(condition):
    assert meaning(parse(str(condition))) == meaning(condition)


ODD = Schema(
    {
        "a.b": dn.Identity(dn.Binary()),
        'the "second"': dn.Identity(dn.Binary()),
        "back`tick": dn.Identity(dn.Nominal(["it's", 'a "b"', "c\\d"])),
        "in": dn.Identity(dn.Nominal([True, False])),
        "2nd": dn.Identity(dn.Binary()),
    }
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"a.b" == 1', 3),
        ("`a.b` == 1", 3),
        ('"the \\"second\\"" == 0', 1),
        ('`the "second"` == 0', 1),
        ("`back\\`tick` == 'it\\'s'", 1),
        ("\"back`tick\" in ('a \"b\"', 'c\\\\d')", 3),
        ('"in" == 1', 2),
        ('1 <= "2nd"', 4),
        ("`a.b` in ()", None),
        ("`a.b` not in ()", 4),
    ],
)
def test_any_name_can_be_asked_for_in_quotes(text, expected):
    data = pd.DataFrame(
        {
            "a.b": [1, 1, 1, 0],
            'the "second"': [0, 1, 1, 1],
            "back`tick": ["it's", 'a "b"', "c\\d", "c\\d"],
            "in": [True, True, False, False],
            "2nd": [1, 1, 1, 1],
        }
    )
    sample = dn.Sample(data, ODD)
    if expected is None:
        with pytest.raises(ParameterError, match="Nobody can meet"):
            sample.count(text)
        return
    found = sample.count(text)
    assert found.value[0] == pytest.approx(expected, abs=1e-9)
    assert sample.count(found.name).value[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "name", "at"),
    [
        ("a.b == 1", "a.b", 1),
        ("age < 3 and a.b == 1", "a.b", 13),
        ("a.1 == 1", "a.1", 1),
        ("a-1 == 1", "a-1", 1),
        ("net-income>=3", "net-income", 1),
        ("2nd == 1", "2nd", 1),
        ("1 == 2nd", "2nd", 6),
        ("o'brien == 1", "o'brien", 1),
        ("price$ in (1)", "price$", 1),
    ],
)
def test_an_unquoted_name_with_other_signs_is_told_how_to_be_written(text, name, at):
    with pytest.raises(ParameterError) as caught:
        parse(text)
    assert caught.value.code == "unquoted_name"
    assert f'write "{name}" or `{name}`. (character {at})' in str(caught.value)


def test_a_number_may_touch_the_next_word_and_a_keyword_a_number():
    assert str(parse("age<18or age>30")) == "(age < 18 or age > 30)"
    assert str(parse("not.5<age")) == "not age > 0.5"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (np.int64(3), "a == 3"),
        (np.float32(0.5), "a == 0.5"),
        (np.str_("x"), "a == 'x'"),
        (Fraction(1, 4), "a == 0.25"),
        (True, "a == 1"),
    ],
)
def test_values_of_other_packages_are_written_as_plain_ones(value, written):
    assert str(dn.where("a") == value) == written


@pytest.mark.parametrize("value", [None, float("nan"), pd.NaT, ["x"]])
def test_what_is_no_value_is_refused(value):
    with pytest.raises(ParameterError, match="'a' can be compared with text, a number or true/false"):
        _ = dn.where("a") == value
    with pytest.raises(ParameterError, match="'a' can be compared"):
        dn.where("a").is_in([value])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("$price == 1", r"'\$' is not understood here.*part of an attribute's name.*double quotes or in backticks"),
        (
            "party in ['left']",
            r"'\[' is not understood here. A list of values stands in round brackets: party in \('left', 'right'\)",
        ),
        ("age.between(20, 30)", "Write: 20 <= age <= 30."),
        ("age.isin(['F'])", r"Write: age in \('left', 'right'\)."),
        ("age < sex", "two attributes cannot be compared"),
        ('"a.b == 1', "quote that begins here does not end.*character 1"),
        ("`a.b == 1", "quote that begins here does not end.*character 1"),
        ("monthly salary > 3", "Expected a comparison.*a name of several words is quoted.*got salary"),
        ("age <", r"character 6"),
        ("age < 30 sex == 'F'", r"Expected 'and', 'or' or the end.*character 10"),
        ("age < 30 and (sex == 'F'", r"'\)'"),
        ("height > 3", r"no attribute 'height'.*character 1"),
        ("sex == 'X'", r"'sex' cannot be 'X'; allowed: 'F', 'M'"),
        ("age == 17", r"18 to 90"),
        ("sex < 'M'", "no order"),
        ("grade < 3", "words as values"),
        ("age in 3", "list of values"),
        ("age in (3; 4)", "';' is not understood"),
        ("3 < 4", "attribute on one side"),
        ("__import__('os')", "comparison"),
        ("40 <= age < 30", "Nobody can meet"),
    ],
)
def test_bad_conditions_are_refused_and_point_at_the_character(text, says):
    with pytest.raises(ParameterError, match=f"(?s){says}"):
        dn.Sample(people(), SCHEMA).count(text)


def test_a_condition_that_is_no_condition_is_refused():
    with pytest.raises(ParameterError, match=r"dn\.where"):
        dn.Sample(people(), SCHEMA).count(3)


def test_like_terms_are_merged_so_long_alternatives_stay_short():
    text = " or ".join(f"age == {a}" for a in range(20, 32))
    assert len(indicator(parse(text), SCHEMA).terms) <= 2**12
    assert len(indicator(parse("age in (" + ",".join(map(str, range(20, 32))) + ")"), SCHEMA).terms) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda age, sex: 25 <= age < 30,
        lambda age, sex: (age < 30) and (sex == "F"),
        lambda age, sex: (age < 30) or (sex == "F"),
        lambda age, sex: not (age < 30),
    ],
)
def test_python_s_own_words_drop_no_part_of_a_condition(wrong):
    with pytest.raises(ParameterError, match="Combine conditions with &"):
        wrong(dn.where("age"), dn.where("sex"))


def test_true_and_false_are_values_beside_a_name_and_names_elsewhere():
    assert str(parse("smokes == True and false != b")) == "(smokes == 1 and b != 0)"
    assert parse("true == 1").attributes() == ["true"]
    assert str(parse("\"true\" == 'x'")) == "true == 'x'"
    with pytest.raises(ParameterError, match="an attribute on one side"):
        parse("true == false")


def test_is_null_is_told_how_to_ask_for_no_answer():
    with pytest.raises(ParameterError, match=r"such as grade == 'no answer'"):
        parse("grade is null")


def test_isin_is_understood_as_in_pandas():
    assert dn.where("sex").isin(["F"]) == dn.where("sex").is_in(["F"])

"""Several parts of a sample: by precision for the population, added up for the respondents, each question from those who were asked."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import DeniableError, ParameterError, SchemaError
from deniable.statistics.functions import Function, factor, weight_product


def reports(n, ones, name="a"):
    return pd.DataFrame({name: [1] * ones + [0] * (n - ones)})


def part(n, ones, p):
    return reports(n, ones), dn.Schema({"a": dn.KRR(dn.Binary(), p)})


def se_of_yes(sample):
    return float(sample.distribution("a").se[1])


PRECISE, VAGUE = part(1_000, 340, 0.9), part(3_000, 1_440, 0.55)


def test_more_answers_that_say_little_do_no_harm():
    alone, both = se_of_yes(dn.Sample([PRECISE])), se_of_yes(dn.Sample([PRECISE, VAGUE]))
    assert alone == pytest.approx(0.0187, abs=5e-4)
    assert both <= 1.02 * alone
    assert se_of_yes(dn.Sample([PRECISE, VAGUE], alike=False)) > 3 * alone


def test_each_part_counts_by_the_precision_of_its_design():
    """Inverse variances, worked out by hand: a report's weight has the variance lambda (1 - lambda) / (2p - 1)^2 at the pooled share."""
    sample = dn.Sample([PRECISE, VAGUE])
    alone = [float(dn.Sample([one]).distribution("a").value[1]) for one in (PRECISE, VAGUE)]
    share = alone[0]
    for _ in range(50):
        seen = [share * p + (1 - share) * (1 - p) for p in (0.9, 0.55)]
        precision = [n * (2 * p - 1) ** 2 / (y * (1 - y)) for n, p, y in ((1_000, 0.9, seen[0]), (3_000, 0.55, seen[1]))]
        share = (precision[0] * alone[0] + precision[1] * alone[1]) / sum(precision)
    found = sample.distribution("a")
    assert found.value[1] == pytest.approx(share, abs=1e-5)
    assert found.se[1] == pytest.approx(1 / math.sqrt(sum(precision)), rel=0.01)


def test_the_respondents_are_added_up():
    both = dn.Sample([PRECISE, VAGUE]).count("a == 1")
    alone = [dn.Sample([one]).count("a == 1") for one in (PRECISE, VAGUE)]
    assert both.target == "respondents"
    assert both.value[0] == pytest.approx(sum(one.value[0] for one in alone))
    assert both.se[0] == pytest.approx(math.hypot(*(one.se[0] for one in alone)))
    assert both.assumes == ()


def test_an_estimate_says_that_parts_are_taken_for_alike_and_tests_it():
    [said] = dn.Sample([PRECISE, VAGUE]).distribution("a").assumes
    assert "alike" in said
    assert "does not find them different" in said
    different = dn.Sample([part(1_000, 340, 0.9), part(3_000, 1_600, 0.55), part(2_000, 1_500, 0.8)])
    [said] = different.distribution("a").assumes
    assert "differ" in said
    assert "alike=False" in said
    assert dn.Sample(different.parts, alike=False).distribution("a").assumes == ()


@pytest.mark.statistical
def test_the_test_of_likeness_seldom_errs():
    rng = np.random.default_rng(5)
    alarms = 0
    for _ in range(300):
        parts = [part(n, rng.binomial(n, 0.2 * p + 0.8 * (1 - p)), p) for n, p in ((60, 0.9), (400, 0.6), (150, 0.75))]
        alarms += "they differ" in dn.Sample(parts).distribution("a").assumes[0]
    assert alarms <= 12  # 3 are expected; 12 or more come once in 10,000


def test_parts_of_one_design_are_one_part():
    halves = [part(300, 100, 0.7), part(700, 300, 0.7)]
    found, whole = dn.Sample(halves).distribution("a"), dn.Sample(*part(1_000, 400, 0.7)).distribution("a")
    np.testing.assert_allclose(found.value, whole.value)
    np.testing.assert_allclose(found.covariance, whole.covariance)
    np.testing.assert_allclose(found.interval(), whole.interval(), rtol=1e-3)
    assert found.assumes == ()


ASKED = dn.Schema({"a": dn.KRR(dn.Binary(), 0.9), "b": dn.KRR(dn.Binary(), 0.8)})


def test_a_question_that_one_part_asks_is_answered_from_that_part():
    more = reports(400, 200).assign(b=[1, 0] * 200)
    sample = dn.Sample([PRECISE, (more, ASKED)])
    alone = dn.Sample(more, ASKED)
    for ask in (
        lambda s: s.count("b == 1"),
        lambda s: s.distribution("b"),
        lambda s: s.count("a == 1 and b == 1"),
        lambda s: s.mean("b"),
        lambda s: s.count("b == 1", method="em"),
        lambda s: s.quantile("b"),
    ):
        found, expected = ask(sample), ask(alone)
        np.testing.assert_allclose(found.value, expected.value)
        assert found.n == 400
        assert "asked in 1 of 2 parts" in found.assumes[0]
    assert sample.count("a == 1").n == 1_400


def test_answers_that_no_part_joins_are_refused():
    other = dn.Schema({"a": dn.KRR(dn.Binary(), 0.9), "c": dn.KRR(dn.Binary(), 0.8)})
    sample = dn.Sample([(reports(4, 2).assign(b=1), ASKED), (reports(4, 2).assign(c=1), other)])
    with pytest.raises(ParameterError, match=r"No part of the sample asks \['b', 'c'\] together"):
        sample.count("b == 1 and c == 1")
    with pytest.raises(ParameterError, match="no attribute 'd'"):
        sample.mean("d")


def test_parts_with_nothing_in_common_or_other_answers_are_refused():
    with pytest.raises(SchemaError, match="all attributes differ"):
        dn.Sample([PRECISE, (reports(2, 1, "z"), dn.Schema({"z": dn.KRR(dn.Binary(), 0.9)}))])
    with pytest.raises(SchemaError, match=r"\['a'\] differ"):
        dn.Sample([PRECISE, (pd.DataFrame({"a": ["x"]}), dn.Schema({"a": dn.KRR(dn.Nominal(["x", "y"]), 0.9)}))])


def test_candidates_come_from_all_parts_with_their_part():
    open_ = dn.Schema({"a": dn.Identity(dn.Binary())})
    sample = dn.Sample([(reports(5, 2), open_), part(1_000, 340, 0.9)])
    found = sample.candidates("a == 1", size=300, rng=np.random.default_rng(1))
    frame = found.to_frame()
    assert frame.columns.tolist() == ["part", "row", "probability"]
    certain = frame[frame.probability > 0.999]
    assert sorted(zip(certain.part, certain.row, strict=True)) == [(0, 0), (0, 1)]
    rest = frame[frame.part == 1]
    assert (rest.row < 340).all()
    assert found.first(3).to_frame().equals(frame.head(3))
    assert "part" not in dn.Sample([sample.parts[0]]).candidates("a == 1").to_frame()


@pytest.mark.statistical
@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.mean("x"),
        lambda s: s.mean("x", where="a == 1"),
        lambda s: s.distribution("x", by="a"),
        lambda s: s.crosstab("a", "x"),
        lambda s: s.difference("a == 1", "x == 0"),
        lambda s: s.difference("a == 1", "a == 0", of="x"),
        lambda s: s.covariance("a", "x"),
        lambda s: s.correlation("a", "x"),
        lambda s: s.regression("x", ["a"]),
        lambda s: s.quantile("x", 0.4),
        lambda s: s.count("a == 1 or x > 1", target="population"),
    ],
)
def test_a_useless_part_changes_no_answer_much(ask):
    """Each kind of question, of a good part alone and beside ten times as many answers that are almost noise."""
    rng = np.random.default_rng(11)
    truth = pd.DataFrame({"a": rng.integers(0, 2, 22_000)})
    truth["x"] = np.minimum(rng.poisson(1 + truth.a), 3)
    designs = [
        dn.Schema({"a": dn.KRR(dn.Binary(), p), "x": dn.Retention(dn.Integer(0, 3), q)}) for p, q in ((0.9, 0.8), (0.52, 0.04))
    ]
    parts = [(s.randomise(t, rng), s) for s, t in zip(designs, (truth[:2_000], truth[2_000:]), strict=True)]
    alone, both = ask(dn.Sample([parts[0]])), ask(dn.Sample(parts))
    scale = both.n / alone.n if "count" in both.labels else 1.0
    assert (np.sqrt((both.se**2).sum()) / scale) <= 1.02 * np.sqrt((alone.se**2).sum())
    assert (np.abs(both.value / scale - alone.value) <= 2 * alone.se + 1e-9).all()
    assert "alike" in both.assumes[0]


SCHEMAS = {
    "independent": dn.Schema(
        {"a": dn.KRR(dn.Binary(), 0.8), "b": dn.Neighbours(dn.Ordinal(["x", "y", "z"]), [0.6, 0.2]), "c": dn.Flip(0.9, 0.6)}
    ),
    "told together": dn.Schema(
        {
            "a": dn.Retention(dn.Binary(), 0.6, [0.3, 0.7]),
            "b": dn.Retention(dn.Ordinal(["x", "y", "z"]), 0.6),
            "c": dn.KRR(dn.Binary(), 0.7),
        },
        groups={"g": ["a", "b"]},
    ),
    "flipped together": dn.Schema(
        {"a": dn.KRR(dn.Binary(), 0.8), "b": dn.KRR(dn.Nominal(["x", "y", "z"]), 0.6), "c": dn.KRR(dn.Binary(), 0.8)},
        groups={"g": ["a", "c"]},
    ),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_products_of_weights_have_the_mean_that_enumeration_gives(name):
    """E[w_f w_g | truth] against the sum over all joint reports, each with its probability, at every truth."""
    schema = SCHEMAS[name]
    rng = np.random.default_rng(3)
    sizes = {attribute: schema[attribute].domain.size for attribute in schema}

    def some():
        terms = [(float(rng.normal()), {a: rng.normal(size=sizes[a]) for a in schema if rng.random() < 0.7}) for _ in range(2)]
        return Function(terms)

    f, g = some(), some()
    product = weight_product(f, g, schema)
    cells = list(itertools.product(*(range(size) for size in sizes.values())))
    codes = {a: np.array([cell[i] for cell in cells]) for i, a in enumerate(schema)}
    weights = f.weights(schema, codes) * g.weights(schema, codes)
    names = list(schema)
    for truth in cells:
        chance = np.ones(len(cells))
        for block in schema.blocks:
            places = [names.index(a) for a in block.attributes]
            P = block.channel.matrix()
            index = [int(np.ravel_multi_index([c[i] for i in places], [sizes[names[i]] for i in places])) for c in cells]
            row = int(np.ravel_multi_index([truth[i] for i in places], [sizes[names[i]] for i in places]))
            chance *= P[row, index]
        expected = float(chance @ weights)
        found = sum(c * math.prod(h[truth[names.index(a)]] for a, h in factors.items()) for c, factors in product.terms)
        assert found == pytest.approx(expected, abs=1e-9)


def test_before_any_answer_all_truths_count_alike():
    both = factor("a", np.array([0.0, 1.0])) * factor("b", np.array([1.0, 2.0, 6.0]))
    assert both.even_mean() == pytest.approx(1.5)


def test_an_error_names_what_is_no_part():
    with pytest.raises(DeniableError, match="is a pair, "):
        dn.Sample([reports(2, 1)])


def rare(n, p, share, rng):
    schema = dn.Schema({"a": dn.Identity(dn.Binary()) if p == 1 else dn.KRR(dn.Binary(), p)})
    return schema.randomise(pd.DataFrame({"a": (rng.random(n) < share).astype(int)}), rng), schema


@pytest.mark.statistical
def test_a_handful_of_answers_that_are_all_alike_does_not_know_everything():
    few = (reports(5, 0), dn.Schema({"a": dn.Identity(dn.Binary())}))
    found = dn.Sample([few, part(10_000, 2_490, 0.75)]).mean("a")
    alone = dn.Sample([part(10_000, 2_490, 0.75)]).mean("a")
    assert 0.9 * alone.se[0] < found.se[0] <= alone.se[0]
    rng = np.random.default_rng(21)
    held = 0
    for _ in range(120):
        low, high = dn.Sample([rare(50, 1, 0.004, rng), rare(4_000, 0.75, 0.004, rng)]).mean("a").interval()
        held += low[0] <= 0.004 <= high[0]
    assert held / 120 > 0.88  # 58% before


@pytest.mark.statistical
def test_parts_whose_people_stand_for_different_numbers():
    """Respondents of one part stand for ten times as many people: errors and the test of likeness know that."""
    rng = np.random.default_rng(22)
    weight = dn.Identity(dn.Integer(0, 100))
    schemas = [dn.Schema({"a": dn.KRR(dn.Binary(), p), "w": weight}) for p in (0.9, 0.8)]
    values, errors, differ = [], [], 0
    for _ in range(150):
        parts = []
        for schema, weights in zip(schemas, ([1, 2], [10, 20]), strict=True):
            truth = pd.DataFrame({"a": (rng.random(400) < 0.8).astype(int), "w": rng.choice(weights, 400)})
            parts.append((schema.randomise(truth, rng), schema))
        found = dn.Sample(parts, weights="w").count("a == 1")
        low, high = found.interval()
        values.append(found.value[0])
        errors.append((found.se[0], (high[0] - low[0]) / 3.92))
        differ += "they differ" in found.assumes[0]
    assert np.mean(errors, axis=0) == pytest.approx([np.std(values)] * 2, rel=0.2)
    assert differ <= 8


def test_all_survey_weights_0_are_refused():
    schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.9), "w": dn.Identity(dn.Integer(0, 3))})
    with pytest.raises(ParameterError, match="all 0"):
        dn.Sample(reports(4, 2).assign(w=0), schema, weights="w").count("a == 1")

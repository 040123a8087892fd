import math
from fractions import Fraction

import numpy as np
import pytest

import deniable as dn
from deniable.core.channels.sampling import byte_source
from deniable.errors import SchemaError, WideDomainError


def yes_no(theta, innocuous=0.5):
    return dn.UnrelatedQuestion(dn.Binary(), theta, innocuous)


def group_of(m, theta, innocuous=0.5):
    names = [f"q{i}" for i in range(m)]
    return dn.Schema({name: yes_no(theta, innocuous) for name in names}, groups={"g": names})


@pytest.mark.parametrize(("m", "theta", "expected"), [(5, 0.5, 3.50), (10, 0.1, 4.74)])
def test_group_epsilon_is_that_of_the_joint_channel(m, theta, expected):
    schema = group_of(m, theta)
    assert schema.epsilon == pytest.approx(math.log(1 + theta / ((1 - theta) * 0.5**m)), rel=1e-12)
    assert round(schema.epsilon, 2) == expected
    members = [schema[name].epsilon for name in schema]
    assert not math.isclose(schema.epsilon, max(members))
    assert not math.isclose(schema.epsilon, sum(members))


def test_group_epsilon_equals_the_largest_log_ratio_of_the_joint_matrix():
    schema = dn.Schema(
        {"a": yes_no(0.4, 0.3), "b": dn.UnrelatedQuestion(dn.Nominal(["x", "y", "z"]), 0.4, [0.2, 0.3, 0.5])},
        groups={"g": ["a", "b"]},
    )
    joint = schema.blocks[0].channel
    P = joint.matrix()
    brute = max(math.log(P[x, z] / P[y, z]) for z in range(6) for x in range(6) for y in range(6))
    assert joint.epsilon == pytest.approx(brute, rel=1e-12)
    np.testing.assert_allclose(P.sum(axis=1), 1)


def test_joint_matrix_is_theta_identity_plus_product_of_innocuous():
    joint = dn.Schema({"a": yes_no(0.4, 0.3), "b": yes_no(0.4, 0.8)}, groups={"g": ["a", "b"]}).blocks[0].channel
    q = np.kron([0.7, 0.3], [0.2, 0.8])
    np.testing.assert_allclose(joint.matrix(), 0.4 * np.eye(4) + 0.6 * np.ones((4, 1)) * q)


@pytest.mark.parametrize("m", [2, 3])
def test_jointly_flipped_group_has_no_finite_epsilon_and_flips_together(m):
    names = [f"q{i}" for i in range(m)]
    schema = dn.Schema({name: dn.KRR(dn.Binary(), 0.7) for name in names}, groups={"g": names})
    assert schema.epsilon == math.inf
    joint = schema.blocks[0].channel
    P = joint.matrix()
    assert P[0, 0] == 0.7
    assert P[0, -1] == pytest.approx(0.3)
    truth = [np.arange(1000) % 2 for _ in names]
    drawn = joint.draw(truth, byte_source(None))
    flipped = [codes != original for codes, original in zip(drawn, truth, strict=True)]
    assert all((flipped[0] == other).all() for other in flipped[1:])
    assert 200 < flipped[0].sum() < 400


def test_group_draws_follow_the_joint_matrix():
    table = {(0, 0): 0.5, (0, 1): 0.1, (1, 0): 0.1, (1, 1): 0.3}
    schema = dn.Schema({"a": yes_no(0.3, 0.4), "b": yes_no(0.3, 0.4)}, groups={"g": dn.Group(["a", "b"], innocuous=table)})
    joint = schema.blocks[0].channel
    n = 200_000
    drawn = joint.draw([np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)], byte_source(None))
    seen = np.bincount(2 * drawn[0] + drawn[1], minlength=4) / n
    expected = 0.7 * np.array([0.5, 0.1, 0.1, 0.3]) + 0.3 * np.array([0, 1, 0, 0])
    np.testing.assert_allclose(joint.matrix()[1], expected, atol=1e-12)
    assert (np.abs(seen - expected) < 5 * np.sqrt(expected / n)).all()
    assert joint.epsilon == pytest.approx(math.log(1 + 0.3 / (0.7 * 0.1)))


def test_joint_table_that_lacks_a_combination_has_infinite_epsilon():
    schema = dn.Schema(
        {"a": yes_no(0.5), "b": yes_no(0.5)}, groups={"g": dn.Group(["a", "b"], innocuous={(0, 0): 0.5, (1, 1): 0.5})}
    )
    assert schema.epsilon == math.inf
    assert dn.Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    ("channels", "groups", "says"),
    [
        ({"a": yes_no(0.5), "b": yes_no(0.4)}, {"g": ["a", "b"]}, "one theta"),
        ({"a": yes_no(0.5), "b": dn.KRR(dn.Binary(), 0.6)}, {"g": ["a", "b"]}, "UnrelatedQuestion"),
        ({"a": yes_no(0.5)}, {"g": ["a", "zz"]}, "'zz'"),
        ({"a": yes_no(0.5), "b": yes_no(0.5)}, {"g": ["a", "b"], "h": ["b"]}, "at most one draw"),
        ({"a": yes_no(0.5), "b": yes_no(0.5)}, {"g": dn.Group(["a", "b"], {(0, 0): 1})}, "make them equal"),
        ({"a": yes_no(0.5), "b": yes_no(0.5)}, {"g": dn.Group(["a", "b"], {(0,): 1})}, "2 labels"),
    ],
)
def test_bad_groups_are_refused(channels, groups, says):
    with pytest.raises(SchemaError, match=says):
        dn.Schema(channels, groups=groups)


def test_large_group_still_draws_and_has_an_epsilon_but_no_joint_table():
    schema = group_of(20, 0.5)
    assert schema.epsilon == pytest.approx(math.log(1 + 2.0**20))
    drawn = schema.blocks[0].channel.draw([np.zeros(10, dtype=np.int64)] * 20, byte_source(None))
    assert len(drawn) == 20
    with pytest.raises(WideDomainError, match="combinations"):
        schema.blocks[0].channel.matrix()


def test_unbiased_weights_of_a_group_are_those_of_the_architecture():
    joint = group_of(2, 0.5).blocks[0].channel
    f = np.array([0.0, 0, 0, 1])
    theta, expected_q = 0.5, 0.25
    np.testing.assert_allclose(joint.law.weights(f), (f - (1 - theta) * expected_q) / theta)
    assert joint.theta == Fraction(1, 2)

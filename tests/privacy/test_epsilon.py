import math

import pytest

import deniable as dn

FAIR = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)


def test_five_fair_questions_that_share_a_draw_give_350_and_apart_549():
    names = [f"q{i}" for i in range(5)]
    shared = dn.privacy.epsilons(dn.Schema(dict.fromkeys(names, FAIR), groups={"all": names}))
    apart = dn.privacy.epsilons(dn.Schema(dict.fromkeys(names, FAIR)))
    assert shared.schema == pytest.approx(3.4965, abs=1e-3)
    assert shared.blocks == {"all": pytest.approx(3.4965, abs=1e-3)}
    assert shared.questions["q0"] == pytest.approx(math.log(3))
    assert apart.schema == pytest.approx(5 * math.log(3), abs=1e-9)
    assert list(apart.blocks) == names


def test_bounded_noise_never_has_a_finite_epsilon():
    found = dn.privacy.epsilons(dn.Schema({"age": dn.Additive(dn.Integer(18, 90), dn.Uniform(10)), "smokes": FAIR}))
    assert math.isinf(found.questions["age"])
    assert math.isinf(found.schema)
    assert found.questions["smokes"] == pytest.approx(math.log(3))

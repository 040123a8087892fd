"""The town: values inside the schema's domains, dependence between the attributes, and a size of one's choice."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from deniable.datasets import town, town_schema
from deniable.errors import ParameterError


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return town(100_000, np.random.default_rng(7))


def test_every_value_lies_in_the_domain_of_its_channel(people):
    schema = town_schema()
    assert set(schema) == set(people.columns)
    for name, channel in schema.items():
        assert len(channel.domain.encode(people[name], name)) == len(people)


@pytest.mark.statistical
def test_every_label_of_the_nominal_attributes_occurs(people):
    assert set(people.sex) == {"F", "M"}
    assert set(people.credit) == {"none", "overdue", "present", "repaid"}
    assert set(people.children) == {"no", "yes"}
    assert (people.age.min(), people.age.max()) == (18, 90)


def test_columns_are_plain_numbers_and_words(people):
    assert people.columns.tolist() == ["salary", "age", "sex", "credit", "children"]
    assert people.salary.dtype == people.age.dtype == np.int64
    assert all(type(word) is str for word in people.credit.head(10))
    assert people.index.equals(pd.RangeIndex(len(people)))


def test_men_earn_more_on_average_and_mothers_least(people):
    by_sex = people.groupby("sex").salary.mean()
    assert by_sex["M"] > 1.15 * by_sex["F"]
    middle = people[people.age.between(30, 45)].groupby(["sex", "children"]).salary.mean()
    assert middle["F", "yes"] < middle["F", "no"] < middle["M", "no"] < middle["M", "yes"]


def test_salary_rises_and_falls_with_age(people):
    young, middle, old = (people.salary[people.age.between(*ages)].mean() for ages in [(18, 25), (40, 55), (70, 90)])
    assert middle > 1.5 * old > 1.5 * young


def test_salary_has_zeros_and_a_long_tail(people):
    assert 0.03 < (people.salary == 0).mean() < 0.2
    assert people.salary.mean() > people.salary.median()
    assert people.salary.skew() > 1
    assert (people.salary >= 8000).mean() > 0.005
    assert (people.salary == 12_000).mean() < 0.01


def test_children_live_at_home_around_forty_and_more_often_with_women(people):
    yes = people.children == "yes"
    assert np.corrcoef(yes, people.age)[0, 1] < -0.2
    share = yes.groupby(pd.cut(people.age, [17, 24, 45, 90], labels=["young", "middle", "old"]), observed=True).mean()
    assert share["middle"] > 3 * share["young"] > 0
    assert share["middle"] > 3 * share["old"]
    assert yes[people.sex == "F"].mean() > yes[people.sex == "M"].mean() + 0.01


def test_credit_depends_on_age_and_salary(people):
    by_age = pd.crosstab(people.age >= 60, people.credit, normalize="index")
    assert by_age.loc[True, "repaid"] > 2 * by_age.loc[False, "repaid"]
    middle = people[people.age.between(35, 50)]
    by_salary = pd.crosstab(middle.salary >= 2500, middle.credit, normalize="index")
    assert by_salary.loc[False, "overdue"] > 2 * by_salary.loc[True, "overdue"]
    assert by_salary.loc[True, "present"] > 1.2 * by_salary.loc[False, "present"]


def test_women_are_the_majority_among_the_old(people):
    women = people.sex == "F"
    assert women[people.age >= 80].mean() > women[people.age < 40].mean() + 0.05


def test_the_same_generator_gives_the_same_people():
    first, second = (town(1000, np.random.default_rng(3)) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    assert not town(1000, np.random.default_rng(4)).equals(first)
    assert not town(1000).equals(town(1000))


@pytest.mark.parametrize("n", [1, 2, np.int64(5)])
def test_a_town_may_be_small(n):
    assert len(town(n)) == n


@pytest.mark.parametrize("n", [0, -1, 2.0, "10", True, None])
def test_a_size_that_is_none_is_refused(n):
    with pytest.raises(ParameterError, match="at least 1") as caught:
        town(n)
    assert caught.value.parameters["got"] == n


@pytest.mark.parametrize("rng", [1, "seed", np.random.RandomState(1)])
def test_a_seed_is_refused_with_the_way_out(rng):
    with pytest.raises(ParameterError, match=r"numpy\.random\.default_rng\(seed\)"):
        town(10, rng)


def test_every_channel_of_the_schema_is_exact_lumpable_and_private():
    schema = town_schema()
    for channel in schema.values():
        assert channel.exact
        assert channel.lumpable
        assert math.isfinite(channel.epsilon)
    assert math.isfinite(schema.epsilon)
    assert schema == town_schema()


def test_the_schema_randomises_the_town():
    reported = town_schema().randomise(town(2000, np.random.default_rng(1)), np.random.default_rng(2))
    assert len(reported) == 2000
    # Half the salaries are replaced by any of 121, and so can be anywhere.
    assert (reported["salary"] > 9000).mean() > 0.08

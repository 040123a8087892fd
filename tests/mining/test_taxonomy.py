"""Generalised itemsets: against mlxtend on data extended by hand, against brute force over all truths and reports, and unbiasedness."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import apriori

import deniable as dn
from deniable.errors import DataError, ParameterError
from deniable.mining.taxonomy import Generalised, Taxonomy

KINDS = {"milk": "drink", "water": "drink", "beer": "drink", "bread": "food", "cake": "food", "drink": "goods", "food": "goods"}
ITEMS = ["milk", "water", "beer", "bread", "cake", "soap"]


def baskets(rng, rows=400):
    trait = rng.random(rows)[:, None] < 0.5
    return pd.DataFrame(rng.random((rows, 6)) < np.where(trait, [0.5, 0.4, 0.3, 0.6, 0.2, 0.3], 0.15), columns=ITEMS)


def extended(frame):
    drink, food = frame[["milk", "water", "beer"]].any(axis=1), frame[["bread", "cake"]].any(axis=1)
    return frame.assign(drink=drink, food=food, goods=drink | food)


def supports(frame):
    return dict(zip(frame["itemsets"], frame["support"], strict=True))


def nested(itemset):
    taxonomy = Taxonomy(KINDS)
    return any(a in taxonomy.ancestors(b) for a, b in itertools.permutations(itemset, 2))


def test_undistorted_itemsets_are_those_of_extended_transactions():
    frame = baskets(np.random.default_rng(1))
    theirs = {s: x for s, x in supports(apriori(extended(frame), 0.03, use_colnames=True)).items() if not nested(s)}
    mine = supports(dn.frequent_itemsets(frame, None, 0.03, taxonomy=KINDS))
    assert mine.keys() == theirs.keys()
    assert all(mine[s] == pytest.approx(support, abs=1e-12) for s, support in theirs.items())
    assert frozenset({"food", "milk", "soap"}) in mine


def test_no_itemset_holds_an_item_and_what_it_is():
    found = dn.frequent_itemsets(baskets(np.random.default_rng(2)), dn.Flip(0.9, 0.9), 0.001, taxonomy=KINDS)
    assert not any(nested(itemset) for itemset in found["itemsets"])
    assert any({"drink", "bread"} <= itemset for itemset in found["itemsets"])


def every_case(channels):
    """All truths and reports of a few attributes with P(report | truth)."""
    labels = [range(channel.domain.size) for channel in channels]
    for truth in itertools.product(*labels):
        reports = [
            (report, np.prod([c.matrix()[t, r] for c, t, r in zip(channels, truth, report, strict=True)]))
            for report in itertools.product(*labels)
        ]
        yield truth, reports


@pytest.mark.statistical
@pytest.mark.parametrize(
    "taxonomy",
    [
        {"a": "x", "b": "x"},
        {"a": "x", "b": "x", "c": "y"},
        {"a": "x", "b": ["x", "y"], "c": "y"},  # b is below both: their weights do not multiply
        {"a": "x", "b": "x", "x": "top", "c": "top", "d": "z"},
    ],
)
def test_weights_are_unbiased_for_every_truth(taxonomy):
    channels = [dn.Flip(0.8, 0.7), dn.Flip(0.6, 0.9), dn.Flip(0.95, 0.55), dn.Flip(0.7, 0.7)]
    names = list("abcd")
    schema = dn.Schema(dict(zip(names, channels, strict=True)))
    space = list(itertools.product([0, 1], repeat=4))
    generalised = Generalised(dn.Transactions(pd.DataFrame(space, columns=names), schema), taxonomy)
    place = {report: row for row, report in enumerate(space)}
    known = Taxonomy(taxonomy)

    def holds(name, truth):
        return any(truth[names.index(leaf)] for leaf in [name, *known.below(name)] if leaf in names)

    pairs = [pair for size in (1, 2, 3) for pair in itertools.combinations(range(len(generalised.names)), size)]
    pairs = [p for p in pairs if all(generalised.apart(a, b) for a, b in itertools.combinations(p, 2))]
    assert any(len(p) > 1 for p in pairs)
    weights = {pair: generalised.of(pair) for pair in pairs}
    for truth, reports in every_case(channels):
        for pair in pairs:
            mean = sum(chance * weights[pair][place[report]] for report, chance in reports)
            assert mean == pytest.approx(float(all(holds(generalised.names[i], truth) for i in pair)), abs=1e-9)


@pytest.mark.statistical
def test_values_of_one_attribute_add_up_and_other_attributes_multiply():
    channels = [dn.KRR(dn.Nominal(["red", "green", "blue"]), 0.6), dn.Flip(0.8, 0.7), dn.KRR(dn.Nominal(["s", "m", "l"]), 0.7)]
    schema = dn.Schema(dict(zip(["colour", "a", "size"], channels, strict=True)))
    space = list(itertools.product(["red", "green", "blue"], [0, 1], ["s", "m", "l"]))
    codes = list(itertools.product(range(3), range(2), range(3)))
    # warm is a merged value; odd is an OR over three attributes and meets colours and sizes only by expansion.
    taxonomy = {"colour=red": ["warm", "odd"], "colour=green": "warm", "a": "odd", "size=l": ["odd", "big"], "size=m": "big"}
    generalised = Generalised(dn.Transactions(pd.DataFrame(space, columns=["colour", "a", "size"]), schema), taxonomy)
    truths = {
        "warm": lambda c, a, s: c < 2, "odd": lambda c, a, s: c == 0 or a == 1 or s == 2, "big": lambda c, a, s: s > 0,
        "colour=blue": lambda c, a, s: c == 2, "a": lambda c, a, s: a == 1, "size=s": lambda c, a, s: s == 0,
    }  # fmt: skip
    number = {name: i for i, name in enumerate(generalised.names)}
    groups = [
        ("warm",),
        ("odd",),
        ("warm", "odd"),
        ("warm", "big"),
        ("odd", "colour=blue"),
        ("odd", "big", "warm"),
        ("odd", "size=s", "warm"),
    ]
    for group in groups:
        weights = generalised.of([number[name] for name in group])
        for truth, reports in every_case(channels):
            mean = sum(chance * weights[codes.index(report)] for report, chance in reports)
            assert mean == pytest.approx(float(all(truths[name](*truth) for name in group)), abs=1e-9), (group, truth)
    # A merged value and another value of the same attribute cannot both be true.
    assert not generalised.apart(number["warm"], number["colour=blue"])
    assert not generalised.apart(number["big"], number["size=s"])
    assert generalised.apart(number["odd"], number["colour=blue"])
    assert not generalised.apart(number["odd"], number["a"])


def test_ancestors_of_values_that_move_to_neighbours():
    channel = dn.Neighbours(dn.Ordinal(["low", "middle", "high", "top"]), [0.6, 0.2])
    schema = dn.Schema({"level": channel, "a": dn.Flip(0.8, 0.9)})
    # Of a few rows alone other weights than the unbiased ones would tell more.
    space = 500 * list(itertools.product(["low", "middle", "high", "top"], [0, 1]))
    generalised = Generalised(
        dn.Transactions(pd.DataFrame(space, columns=["level", "a"]), schema), {"level=high": "upper", "level=top": "upper"}
    )
    number = {name: i for i, name in enumerate(generalised.names)}
    codes = list(itertools.product(range(4), range(2)))
    weights = generalised.of([number["upper"], number["a"]])
    for truth, reports in every_case([channel, dn.Flip(0.8, 0.9)]):
        mean = sum(chance * weights[codes.index(report)] for report, chance in reports)
        assert mean == pytest.approx(float(truth[0] >= 2 and truth[1] == 1), abs=1e-9)


def test_ancestors_of_answers_that_share_a_draw():
    question = dn.UnrelatedQuestion(dn.Binary(), theta=0.6, innocuous=0.5)
    schema = dn.Schema({"a": question, "b": question, "c": dn.Flip(0.8, 0.9)}, groups={"g": ["a", "b"]})
    space = list(itertools.product([0, 1], repeat=3))
    generalised = Generalised(dn.Transactions(pd.DataFrame(space, columns=list("abc")), schema), {"a": "x", "b": "x"})
    number = {name: i for i, name in enumerate(generalised.names)}
    weights = generalised.of([number["x"], number["c"]])
    for a, b, c in space:
        mean = 0.0
        for row, report in enumerate(space):
            told = 0.6 * (report[:2] == (a, b)) + 0.4 * 0.25
            kept = (0.8 if report[2] else 0.2) if c else (0.1 if report[2] else 0.9)
            mean += told * kept * weights[row]
        assert mean == pytest.approx(float((a or b) and c), abs=1e-9)


@pytest.mark.statistical
def test_supports_and_errors_of_ancestors_agree_with_re_randomisation():
    rng = np.random.default_rng(3)
    true = baskets(rng, 1500).to_numpy()
    p, q = np.array([0.8, 0.7, 0.9, 0.85, 0.75, 0.8]), np.array([0.9, 0.85, 0.8, 0.9, 0.95, 0.85])
    schema = dn.Schema({name: dn.Flip(float(a), float(b)) for name, a, b in zip(ITEMS, p, q, strict=True)})
    truth = extended(pd.DataFrame(true, columns=ITEMS))
    wanted = [
        frozenset({"drink"}),
        frozenset({"food", "soap"}),
        frozenset({"drink", "food"}),
        frozenset({"drink", "bread", "soap"}),
    ]
    values, errors = [], []
    for _ in range(250):
        reports = pd.DataFrame(np.where(true, rng.random(true.shape) < p, rng.random(true.shape) >= q), columns=ITEMS)
        found = dn.frequent_itemsets(reports, schema, 0.02, taxonomy=KINDS, target="respondents", max_len=3).set_index(
            "itemsets"
        )
        values.append(found.loc[wanted, "support"].to_numpy())
        errors.append(found.loc[wanted, "support_se"].to_numpy())
    right = np.array([truth[list(itemset)].all(axis=1).mean() for itemset in wanted])
    spread = np.std(values, axis=0, ddof=1)
    assert (np.abs(np.mean(values, axis=0) - right) < 4 * spread / np.sqrt(250)).all()
    np.testing.assert_allclose(np.mean(errors, axis=0), spread, rtol=0.15)


def test_rules_between_levels_have_intervals_with_the_data():
    rng = np.random.default_rng(4)
    true = baskets(rng, 6000)
    schema = dn.Flip(0.85, 0.9)
    reports = pd.DataFrame(np.where(true, rng.random(true.shape) < 0.85, rng.random(true.shape) >= 0.9), columns=ITEMS)
    found = dn.frequent_itemsets(reports, schema, 0.05, taxonomy=KINDS)
    rules = dn.association_rules(found, schema, metric="support", min_threshold=0, data=reports, taxonomy=KINDS)
    row = rules[(rules["antecedents"] == frozenset({"food"})) & (rules["consequents"] == frozenset({"milk"}))].iloc[0]
    full = extended(true)
    exact = full[full["food"]]["milk"].mean()
    assert row["confidence_se"] > 0
    assert abs(row["confidence"] - exact) < 4 * row["confidence_se"]
    w_food = 1 - np.prod([1 - np.where(reports[n], 0.9, -0.1) / 0.75 for n in ("bread", "cake")], axis=0)
    w_milk = np.where(reports["milk"], 0.9, -0.1) / 0.75
    c = (w_food * w_milk).mean() / w_food.mean()
    assert row["confidence"] == pytest.approx(c)
    assert row["confidence_se"] == pytest.approx(np.sqrt(((w_food * w_milk - c * w_food) ** 2).mean() / 6000) / w_food.mean())
    without = dn.association_rules(found, metric="support", min_threshold=0)
    assert "taxonomy" in without.attrs["no_interval"]
    # A channel alone would take ancestors for items of their own: the frame knows better.
    assert dn.association_rules(found, schema, metric="support", min_threshold=0)["confidence_se"].isna().all()


def test_lists_need_not_hold_every_item_that_is_for_sale():
    found = dn.frequent_itemsets([["milk"], ["bread", "milk"]], None, 0.5, taxonomy={"milk": "drink", "tea": "drink"})
    assert supports(found)[frozenset({"drink"})] == 1.0


def test_an_item_that_is_also_a_kind_counts_for_its_kind():
    found = supports(dn.frequent_itemsets([["drink"], ["milk"], ["soap"], ["soap"]], None, 0.1, taxonomy={"milk": "drink"}))
    assert found[frozenset({"drink"})] == 0.5
    assert frozenset({"drink", "milk"}) not in found


@pytest.mark.parametrize(
    ("taxonomy", "error", "says"),
    [
        ({"milk": "drink", "drink": "milk"}, ParameterError, "circle"),
        ({"milk": "milk"}, ParameterError, "circle"),
        ([("milk", "drink")], ParameterError, "maps items to what they are"),
        ({"mlik": "drink"}, DataError, "mlik"),
        ({"milk": "drink", "mlik": "drink"}, DataError, "mlik"),
    ],
)
def test_taxonomies_that_make_no_sense_are_refused(taxonomy, error, says):
    with pytest.raises(error, match=says):
        dn.frequent_itemsets(baskets(np.random.default_rng(1)), None, 0.1, taxonomy=taxonomy)


def test_nothing_frequent_is_an_empty_frame():
    assert len(dn.frequent_itemsets(baskets(np.random.default_rng(1)), None, 1.0, taxonomy=KINDS)) == 0


def test_the_command_line_mines_kinds_and_their_rules(run, tmp_path):
    rng = np.random.default_rng(1)
    true = baskets(rng, 3000)
    reports = np.where(true, rng.random(true.shape) < 0.9, rng.random(true.shape) >= 0.9)
    lines = [" ".join(np.array(ITEMS)[row]) for row in reports]
    (tmp_path / "baskets.dat").write_text("\n".join(lines) + "\n")
    (tmp_path / "kinds.json").write_text(json.dumps(KINDS))
    arguments = (
        "mine",
        "baskets.dat",
        "--min-support",
        "0.1",
        "--p",
        "0.9",
        "--q",
        "0.9",
        "--taxonomy",
        "kinds.json",
        "--json",
    )
    code, out, _ = run(*arguments)
    assert code == 0
    found = {frozenset(row["itemsets"]): row["support"] for row in json.loads(out)["itemsets"]}
    right = extended(true)
    assert found[frozenset({"drink", "soap"})] == pytest.approx((right["drink"] & right["soap"]).mean(), abs=0.05)
    code, out, _ = run(*arguments, "--rules", "--min-confidence", "0.3")
    assert code == 0
    assert all(row["confidence_low"] is not None for row in json.loads(out)["rules"])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not JSON"),
        ("[1]", "must hold an object"),
        (None, "cannot be read"),
        ('{"grocery": {"drink": ["milk"]}}', "'grocery' has {'drink': ['milk']}"),
        ('{"milk": [["drink"]]}', "list of names"),
        ('{"milk": null}', "'milk' has None"),
    ],
)
def test_a_taxonomy_file_that_cannot_be_one_is_refused_with_exit_code_2(run, tmp_path, content, says):
    (tmp_path / "baskets.dat").write_text("milk bread\nmilk\n")
    if content is not None:
        (tmp_path / "kinds.json").write_text(content)
    code, out, err = run("mine", "baskets.dat", "--min-support", "0.1", "--taxonomy", "kinds.json")
    assert (code, out) == (2, "")
    assert says in err

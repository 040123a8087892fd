"""How far forged answers move each figure, where there are more combinations of reports than are tried: the same as if all were."""

import itertools

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.engines.count import as_countable
from deniable.errors import NoIntervalError
from deniable.results.calls import call
from deniable.results.material import Material
from deniable.results.report import forged
from deniable.results.report.forged import Forged, could_be_sent, largest_shifts

SEVEN, EIGHT = [f"a{i}" for i in range(7)], [f"b{i}" for i in range(8)]
SCHEMA = dn.Schema(
    {
        "seven": dn.KRR(dn.Nominal(SEVEN[:6], missing=SEVEN[6]), 0.6),  # a list of six, or no answer
        "other": dn.KRR(dn.Nominal(SEVEN[:6], missing=SEVEN[6]), 0.5),
        "eight": dn.KRR(dn.Nominal(EIGHT), 0.5),
        "town": dn.Identity(dn.Nominal(SEVEN)),
        "mood": dn.KRR(dn.Ordinal([1, 2, 3, 4, 5, 6, 7]), 0.6),
        "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75),
    }
)


def material(n, seed=1):
    """Answers in which no two labels are equally frequent, and moods go with towns."""
    rng = np.random.default_rng(seed)
    falling = np.arange(8, 0, -1.0)
    town = rng.choice(7, n, p=falling[:7] / falling[:7].sum())
    truth = pd.DataFrame(
        {
            "seven": np.array(SEVEN)[(town + rng.choice(3, n)) % 7],
            "other": rng.choice(SEVEN, n),
            "eight": rng.choice(EIGHT, n, p=falling / falling.sum()),
            "town": np.array(SEVEN)[town],
            "mood": 1 + (town + rng.choice(2, n)) % 7,
            "smokes": rng.choice(["no", "yes"], n, p=[0.7, 0.3]),
        }
    )
    return Material.of(1, as_countable(SCHEMA.randomise(truth, rng)), SCHEMA)


def by_trying_everything(data, asked, names, share):
    """The largest shift of each number, every combination of reports being sent."""
    now = asked.run(data.sample)
    before, largest = dict(zip(now.labels, now.shown, strict=True)), np.full(len(now.labels), np.nan)
    for codes in itertools.product(*(range(len(data.schema[name].outputs)) for name in names)):
        sent = Forged(data.data, share, dict(zip(names, codes, strict=True)))
        try:
            then = asked.run(Material.of(1, sent, data.schema).sample)
        except NoIntervalError:
            continue
        after = dict(zip(then.labels, then.shown, strict=True))
        largest = np.fmax(largest, [abs(after.get(label, np.nan) - number) for label, number in before.items()])
    return largest


ASKED = [
    (call("crosstab", "seven", "other"), ["other", "seven"]),
    (call("crosstab", "seven", "eight"), ["eight", "seven"]),
    (call("distribution", "seven", by="town"), ["seven", "town"]),
    (call("distribution", "eight", by="seven"), ["eight", "seven"]),
    (call("distribution", "eight", where="seven == 'a3'"), ["eight", "seven"]),
    (call("distribution", "smokes", where="seven in ('a1', 'a2') or town != 'a0'"), ["smokes", "seven", "town"]),
    (call("mean", "mood", by="town"), ["mood", "town"]),
    (call("mean", "mood", where="eight == 'b0'"), ["mood", "eight"]),
    (call("difference", "eight == 'b5'", between=("town == 'a0'", "town == 'a1'")), ["eight", "town"]),
    (call("difference", of="mood", between=("eight == 'b0'", "eight == 'b1'")), ["mood", "eight"]),
]


@pytest.mark.parametrize(("asked", "names"), ASKED, ids=lambda given: given.code() if hasattr(given, "code") else "")
def test_many_combinations_are_as_if_all_were_tried(asked, names):
    """Seed 1, 12,000 answers, 5% forged: 49 and more combinations; each printed shift is the largest that any of them makes, up to the
    rounding of replaced answers to whole numbers."""
    data = material(12_000)
    assert np.prod([len(SCHEMA[name].outputs) for name in names]) > forged.MOST
    fast = largest_shifts(data, asked, names, [0.05])[0]
    np.testing.assert_allclose(fast, by_trying_everything(data, asked, names, 0.05), rtol=0.01)


def test_small_groups_are_as_if_all_were_tried():
    """Seed 2, 700 answers: in groups of which hardly anything is told some combinations leave nothing to be shown."""
    data, asked, names = (
        material(700, 2),
        call("distribution", "smokes", by="eight", where="town != 'a6'"),
        ["smokes", "eight", "town"],
    )
    fast, slow = largest_shifts(data, asked, names, [0.05])[0], by_trying_everything(data, asked, names, 0.05)
    told = np.isfinite(slow)
    assert told.any()
    np.testing.assert_allclose(fast[told], slow[told], rtol=0.02)


def test_labels_are_never_skipped_and_numbers_behind_noise_are():
    """Noise treats neighbours alike; of labels each has a weight of its own."""
    schema = dn.Schema(
        {"age": dn.Additive(dn.Integer(0, 99), dn.Uniform(20)), "eight": SCHEMA["eight"], "seven": SCHEMA["seven"]}
    )
    tried = list(could_be_sent(schema, ["age", "eight", "seven"]))
    assert {(sent["eight"], sent["seven"]) for sent in tried} == set(itertools.product(range(8), range(7)))
    ages = sorted({sent["age"] for sent in tried})
    assert (ages[0], ages[-1]) == (0, len(schema["age"].outputs) - 1)
    assert len(ages) == forged.FEWEST_NUMBERS
    silent = dn.Schema({"age": dn.Optional(schema["age"], 0.9)})
    (*_, largest, silence) = [sent["age"] for sent in could_be_sent(silent, ["age"])]
    assert (largest, silence) == (len(silent["age"].outputs) - 2, len(silent["age"].outputs) - 1)
    alone = [sent["age"] for sent in could_be_sent(schema, ["age"])]
    assert len(alone) == forged.MOST
    assert set(np.diff(alone)) <= {2, 3}


def test_a_number_behind_noise_by_many_labels_moves_in_every_group():
    """Seed 3: the mean of a number behind noise in ten groups, each of which is pushed by answers of its own."""
    rng = np.random.default_rng(3)
    towns = [f"t{i}" for i in range(10)]
    schema = dn.Schema({"age": dn.Additive(dn.Integer(0, 40), dn.Uniform(10)), "town": dn.Identity(dn.Nominal(towns))})
    truth = pd.DataFrame({"age": rng.integers(0, 41, 6_000), "town": rng.choice(towns, 6_000)})
    data = Material.of(1, as_countable(schema.randomise(truth, rng)), schema)
    shifts = largest_shifts(data, call("mean", "age", by="town"), ["age", "town"], [0.05])[0]
    # 300 forged of about 900 in a group then, each ten or more years beyond what anybody could have.
    assert (shifts > 8).all()
    assert shifts.max() < 1.3 * shifts.min()

"""What the order of rows tells, and which columns restore it."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable as dn
from deniable.core.order import MORE, SURPRISE, EqualNeighbours, SerialCorrelation, sorted_by_answers
from deniable.core.restored_order import KeptColumn
from deniable.errors import DataError, OrderWarning, ParameterError

SCHEMA = dn.Schema(
    {
        "smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.6),
        "age": dn.Retention(dn.Integer(18, 90), 0.5),
        "grade": dn.KRR(dn.Ordinal(["bad", "fair", "good"]), 0.6),
    }
)
FINER = dn.Schema({"n": dn.Retention(dn.Integer(0, 100_000), 0.5)})


def people(rows=2_000, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "smokes": rng.choice(["no", "yes"], rows, p=[0.8, 0.2]),
            "age": rng.integers(18, 91, rows),
            "grade": rng.choice(["bad", "fair", "good"], rows),
        }
    )


def within(values, pieces=1):
    column = KeptColumn()
    values = values if isinstance(values, pa.Array) else pa.array(values)
    for part in np.array_split(np.arange(len(values)), pieces):
        column.add(values.take(pa.array(part)))
    return column.within()


def test_pieces_give_what_the_whole_gives():
    rng = np.random.default_rng(3)
    codes = np.sort(rng.integers(0, 5, 1000))
    codes[::3] = rng.integers(0, 5, len(codes[::3]))
    equal, numbers = EqualNeighbours(5), SerialCorrelation()
    for part in np.array_split(codes, 7):
        equal.add(part)
        numbers.add(part)
    assert equal.found() == pytest.approx(sorted_by_answers(np.zeros(1000, int), codes))
    centred = codes - codes.mean()
    circular = (centred * np.roll(centred, -1)).sum() / (centred**2).sum()
    assert numbers.found()[0] == pytest.approx(circular)


@pytest.mark.statistical
def test_the_correlation_of_neighbours_has_the_variance_that_all_orders_give():
    # Skewed numbers, far from zero; the mean and spread over random orders must be those of the formula.
    numbers = 1e9 + np.random.default_rng(4).pareto(3, 60)
    rng = np.random.default_rng(5)
    scores = []
    for _ in range(3_000):
        seen = SerialCorrelation()
        seen.add(rng.permutation(numbers))
        scores.append(seen.found()[1])
    assert np.mean(scores) == pytest.approx(0, abs=4 / np.sqrt(3_000))
    assert np.std(scores) == pytest.approx(1, abs=0.08)


@pytest.mark.parametrize(
    ("sort", "told", "untold"),
    [("smokes", ["smokes"], ["age", "grade"]), ("age", ["age"], ["smokes"]), ("grade", ["grade"], ["smokes", "age"])],
)
def test_keeping_a_sorted_order_says_which_answers_it_tells(sort, told, untold):
    with pytest.warns(OrderWarning) as caught:
        SCHEMA.randomise(people().sort_values(sort, kind="stable", ignore_index=True), order="kept")
    assert len(caught) == 1
    said = str(caught[0].message)
    assert all(f"{name} (" in said for name in told)
    assert not any(f"{name} (" in said for name in untold)
    assert caught[0].filename == __file__


def test_the_words_tell_no_true_value():
    labels = dn.Schema({"illness": dn.KRR(dn.Nominal(["HIV", "none"]), 0.6)})
    with pytest.warns(OrderWarning, match=r"illness \(sorted, or nearly, along that order\)") as caught:
        labels.randomise(pd.DataFrame({"illness": ["HIV"] * 40 + ["none"] * 60}), order="kept")
    assert "HIV" not in str(caught[0].message)


@pytest.mark.statistical
def test_a_random_order_may_be_kept_without_a_warning():
    for seed in range(20):
        SCHEMA.randomise(people(seed=seed), order="kept")


def test_in_pieces_of_a_file_the_same_is_measured(tmp_path, monkeypatch):
    from deniable.files import tables

    monkeypatch.setattr(tables, "CSV_BLOCK", 2048)
    people().sort_values("age").to_csv(tmp_path / "true.csv", index=False)
    with pytest.warns(OrderWarning, match="age .values of neighbours correlate by 1.00"):
        SCHEMA.randomise(tmp_path / "true.csv", order="kept", output=tmp_path / "out.csv")


RESTORING = {
    "ids": (range(2_000), 1),
    "ids that count down": (range(2_000, 0, -1), 1),
    "ids with gaps": (np.cumsum(np.random.default_rng(1).integers(1, 90, 2_000)), 1),
    "text ids": ([f"p{i}" for i in range(2_000)], 1),
    "padded ids": ([f"2024/{i:06}" for i in range(2_000)], 1),
    "numbers as text": ([str(i) for i in range(2_000)], 1),
    "iso dates": ([str(np.datetime64("2020-01-01") + i) for i in range(2_000)], 1),
    "german dates": ([(pd.Timestamp("2020-01-01") + pd.Timedelta(days=i)).strftime("%d.%m.%Y") for i in range(2_000)], 1),
    "dates": (pd.date_range("2020-01-01", periods=2_000), 1),
    "times with jitter": (np.arange(20_000) + np.random.default_rng(2).normal(0, 3, 20_000), 17),
    "dates of ten people each": (np.repeat(np.arange(2_000), 10), 17),
    "a large file": (range(400_000), 1),
    "a large file of text": ([f"n{i}" for i in range(400_000)], 1),
    "with holes": ([None if i % 5 == 0 else i for i in range(2_000)], 1),
}


@pytest.mark.statistical
@pytest.mark.parametrize("kind", RESTORING)
@pytest.mark.parametrize("pieces", [1, 7])
def test_columns_that_restore_the_order_are_found(kind, pieces):
    values, finely = RESTORING[kind]
    assert within(pd.Series(values).to_numpy() if kind == "dates" else list(values), pieces) == finely


HARMLESS = {
    "a few towns, sorted": np.repeat(["Aa", "Bo", "Cu", "Do"], 500),
    "one value": np.zeros(2_000),
    "ages, sorted": np.sort(np.random.default_rng(3).integers(18, 91, 20_000)),
    "days of the week": np.tile(np.arange(7), 300),
    "hours of the day": np.repeat(np.tile(np.arange(24), 30), 3),
    "a sawtooth": np.tile(np.arange(100), 30),
    "alternating": np.tile([1, 2], 1_000),
    "a few rows": np.arange(6),
}


@pytest.mark.parametrize("kind", HARMLESS)
def test_columns_that_restore_no_fine_order_are_not_named(kind):
    assert within(HARMLESS[kind].tolist()) is None


@pytest.mark.statistical
def test_a_thousand_random_columns_raise_no_alarm():
    rng = np.random.default_rng(6)
    draws = [
        lambda n: rng.integers(0, 1 << 40, n),
        lambda n: rng.integers(0, 5, n),
        lambda n: rng.normal(size=n),
        lambda n: rng.permutation(n),
        lambda n: np.array([f"{x:032x}" for x in rng.integers(0, 1 << 62, n)]),
    ]
    sizes = rng.integers(5, 600, 1_000)
    assert [i for i, n in enumerate(sizes) if within(draws[i % 5](int(n)).tolist()) is not None] == []
    alarms = 0
    for i, n in enumerate(sizes):
        equal, numbers = EqualNeighbours(5), SerialCorrelation()
        equal.add(rng.integers(0, 5, n))
        numbers.add(draws[i % 4](int(n)))
        alarms += any(more > MORE and surprise > SURPRISE for more, surprise in (equal.found(), numbers.found()))
    assert alarms <= 2


def test_a_shuffled_frame_names_kept_columns_that_restore_the_order_and_what_it_tells():
    frame = people().sort_values("age", ignore_index=True).assign(id=range(2_000), town=["Ulm"] * 1_500 + ["Bonn"] * 500)
    with pytest.warns(
        OrderWarning, match=r"back in the order they came in: by id \(row by row\); that order tells answers: age \("
    ):
        SCHEMA.randomise(frame, keep=["id", "town"])
    with pytest.warns(OrderWarning, match=r"by id \(row by row\); neighbours in it agree no more than by chance"):
        SCHEMA.randomise(people().assign(id=range(2_000)), keep=["id"])
    SCHEMA.randomise(people().assign(id=np.random.default_rng(1).permutation(2_000)), keep=["id"])


def test_an_attribute_that_is_reported_as_it_is_restores_the_order_too():
    schema = dn.Schema({**SCHEMA, "day": dn.Identity(dn.Integer(0, 5_000))})
    with pytest.warns(OrderWarning, match=r"by the reports of day \(row by row\)"):
        schema.randomise(people().assign(day=range(2_000)))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_shuffled_file_names_them_too(run, tmp_path, suffix):
    frame = people().sort_values("smokes").assign(seen=[str(np.datetime64("2020-01-01") + i // 2) for i in range(2_000)])
    (frame.to_csv if suffix == "csv" else frame.to_parquet)(tmp_path / f"true.{suffix}", index=False)
    SCHEMA.save(tmp_path / "s.json")
    code, out, err = run("randomise", f"true.{suffix}", "-s", "s.json", "-k", "seen", "-o", f"out.{suffix}")
    assert (code, err) == (0, "")
    assert "warning: The rows are shuffled, but sorting them puts them back" in out
    assert "by seen (to within about 5 rows); that order tells answers: smokes (sorted, or nearly, along that order)" in out


def test_cells_that_cannot_be_compared_are_kept_in_silence():
    frame = people().assign(list=[[i] for i in range(2_000)], mixed=["a", 1] * 1_000)
    assert len(SCHEMA.randomise(frame, keep=["list", "mixed"])) == 2_000


def test_a_plain_index_is_numbered_anew_and_a_kept_one_travels_with_its_rows():
    frame = people()
    out = SCHEMA.randomise(frame.set_axis(frame.index[::-1]))
    assert out.index.equals(pd.RangeIndex(2_000))
    named = frame.assign(
        town=np.where(frame["smokes"] == "yes", "Ulm", "Bonn"), person=np.random.default_rng(1).permutation(2_000)
    )
    out = SCHEMA.randomise(named.set_index(["town", "person"]), keep=["town", "person"])
    assert out.index.names == ["town", "person"]
    assert sorted(out.index) == sorted(named.set_index(["town", "person"]).index)
    assert list(out.index) != list(named.set_index(["town", "person"]).index)
    with pytest.warns(OrderWarning, match=r"by person \(row by row\)"):
        SCHEMA.randomise(frame.set_axis(pd.RangeIndex(2_000, name="person")), keep=["person"])
    kept = SCHEMA.randomise(frame.set_axis(frame.index[::-1]), order="kept")
    assert kept.index.equals(frame.index[::-1])


def test_an_unnamed_level_of_an_index_is_not_handed_on_in_silence():
    frame = people().assign(town="Ulm").set_index("town", append=True)
    with pytest.raises(DataError, match="index"):
        SCHEMA.randomise(frame, keep=["town"])


def test_a_frame_that_cannot_be_marked_needs_the_order_said():
    frame = pl.from_pandas(people())
    with pytest.raises(ParameterError, match=r"shuffled.*kept.*polars") as caught:
        SCHEMA.randomise(frame)
    assert caught.value.code == "order_needed"
    assert SCHEMA.randomise(frame, order="shuffled").shape == frame.shape
    assert SCHEMA.randomise(frame, np.random.default_rng(1)).shape == frame.shape
    # Reports are compared with truths row by row also where the class is in the frame.
    with pytest.raises(ParameterError, match=r"shuffled.*kept.*polars"):
        dn.Schema(dict(SCHEMA), target="smokes").randomise(frame)


@pytest.mark.parametrize("order", ["sorted", True, 1, "keep"])
def test_another_order_is_refused_before_anything_is_written(order, tmp_path):
    with pytest.raises(ParameterError, match="order must be one of"):
        SCHEMA.randomise(people(), order=order)
    people().to_csv(tmp_path / "true.csv", index=False)
    with pytest.raises(ParameterError, match="order must be one of"):
        SCHEMA.randomise(tmp_path / "true.csv", order=order, output=tmp_path / "out.csv")
    assert len(list(tmp_path.iterdir())) == 1


def test_arrays_stay_aligned_with_their_reports():
    values = np.arange(1_000)
    assert (dn.Identity(dn.Integer(0, 999)).randomise(values) == values).all()


def test_numbers_far_from_zero_and_near_each_other_are_measured():
    frame = pd.DataFrame({"n": 90_000 + np.arange(2_000)})
    with pytest.warns(OrderWarning, match="correlate by"):
        FINER.randomise(frame, order="kept")

"""Reports are never read under a schema that contradicts the one they carry, by any reader."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.engines.opening import open_data
from deniable.engines.schemas import agreed_schema
from deniable.engines.sources import open_source
from deniable.errors import DataError, DeniableError, FileError

SCHEMA = dn.Schema({"a": dn.Flip(0.8, 0.9), "b": dn.Flip(0.8, 0.9)})
OTHER = dn.Schema({"a": dn.Flip(0.6, 0.7), "b": dn.Flip(0.8, 0.9)})


@pytest.fixture
def files(tmp_path):
    """same/1 and same/2 under one schema, mixed/1 and mixed/2 under two, plain/1 with a schema and plain/2 without."""
    rng = np.random.default_rng(1)
    truth = pd.DataFrame({"a": rng.random(2_000) < 0.3, "b": rng.random(2_000) < 0.5}).astype(int)
    truth.to_csv(tmp_path / "truth.csv", index=False)
    for folder, schemas in (("same", (SCHEMA, SCHEMA)), ("mixed", (SCHEMA, OTHER)), ("plain", (SCHEMA, None))):
        (tmp_path / folder).mkdir()
        for number, schema in enumerate(schemas, 1):
            output = tmp_path / folder / f"{number}.csv"
            if schema is None:
                truth.to_csv(output, index=False)
            else:
                schema.randomise(tmp_path / "truth.csv", output=output)
    return tmp_path


def _table_of(source, schema):
    model = dn.ReconstructionNaiveBayes(dn.Schema(dict(schema or SCHEMA), "b"))
    return model.count_tables(open_source(str(source)))


READERS = {
    "read": lambda source, schema: dn.read(source, schema).count("a == 1"),
    "read by arrow": lambda source, schema: dn.read(source, schema, engine="arrow").count("a == 1"),
    "read by spark": lambda source, schema: dn.read(source, schema, engine="spark").count("a == 1"),
    "Sample of an opened source": lambda source, schema: dn.Sample(open_data(source), schema).count("a == 1"),
    "Transactions": lambda source, schema: dn.Transactions(source, schema),
    "Transactions of an opened source": lambda source, schema: dn.Transactions(open_source(str(source)), schema),
    "frequent_itemsets": lambda source, schema: dn.frequent_itemsets(source, schema, 0.2),
    "itemset_support": lambda source, schema: dn.itemset_support(source, schema, ["a"]),
}


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.xdist_group("servers") if "spark" in name else ()) for name in READERS]
)
def reader(request):
    if "spark" in request.param:
        request.getfixturevalue("spark")
    return READERS[request.param]


def test_files_of_one_schema_are_read_with_it_or_without(files, reader):
    reader(files / "same" / "*.csv", None)
    reader(files / "same" / "*.csv", SCHEMA)
    reader(files / "plain" / "2.csv", SCHEMA)


def test_files_under_different_schemas_are_refused(files, reader):
    with pytest.raises(DataError, match=r"2\.csv was randomised under another schema .* than that of .*1\.csv"):
        reader(files / "mixed" / "*.csv", None)


def test_a_schema_that_contradicts_the_files_own_is_refused(files, reader):
    with pytest.raises(DataError, match=r"1\.csv was randomised under another schema .* than the one given"):
        reader(files / "same" / "1.csv", OTHER)
    with pytest.raises(DataError, match=r"2\.csv was randomised under another schema"):
        reader(files / "mixed" / "*.csv", SCHEMA)


def test_true_rows_are_not_mixed_into_reports(files, reader):
    with pytest.raises(DataError, match=r"1\.csv was randomised .* but .*2\.csv carries none"):
        reader(files / "plain" / "*.csv", None)


def test_tables_of_a_classifier_are_counted_under_the_files_own_schema(files):
    assert len(_table_of(files / "same" / "1.csv", None)) == 1
    with pytest.raises(DataError, match="another schema"):
        _table_of(files / "same" / "1.csv", OTHER)


def test_the_attribute_to_predict_contradicts_nothing(files):
    named = dn.Schema(dict(SCHEMA), "b")
    assert dn.read(files / "same" / "1.csv", named).schema.target == "b"


def test_one_channel_for_every_item_must_be_the_files_own(files):
    assert dn.Transactions(files / "same" / "1.csv", dn.Flip(0.8, 0.9)).rows == 2_000
    with pytest.raises(DataError, match=r"another schema .* than the one given, Flip\(.* for every attribute"):
        dn.Transactions(files / "same" / "1.csv", dn.Flip(0.9, 0.9))


def test_undistorted_files_are_mined_as_they_are(files):
    assert dn.Transactions(files / "plain" / "2.csv").schema is None
    assert agreed_schema([], None) is None


def test_a_file_that_cannot_be_read_is_not_taken_for_one_without_a_schema(tmp_path):
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"no parquet")
    with pytest.raises(FileError, match="broken"):
        agreed_schema([broken], SCHEMA)


@pytest.mark.parametrize(
    "command",
    [
        ("count", "{data}", "a == 1"),
        ("reconstruct", "{data}", "a"),
        ("mine", "{data}", "-m", "0.2"),
        ("classify", "fit", "{data}", "--target", "b", "-o", "model.json"),
        ("classify", "fit", "{data}", "--target", "b", "--model", "tree", "-o", "model.json"),
        ("classify", "fit", "{data}", "--target", "b", "--engine", "arrow", "-o", "model.json"),
    ],
)
def test_commands_refuse_another_schema_with_exit_code_2(files, command, run):
    OTHER.save(files / "other.json")
    code, _, err = run(*(part.format(data="same/1.csv") for part in command), "--schema", "other.json")
    assert code == 2
    assert "another schema" in err
    assert not Path("model.json").exists()


def test_the_error_is_deniables_own(files):
    with pytest.raises(DeniableError) as caught:
        dn.Transactions(files / "mixed" / "*.csv")
    assert caught.value.code == "schemas_differ"
    assert caught.value.parameters["own"] == OTHER.fingerprint[:12]

"""CSV files as spreadsheets write them: read where they show how they are written, asked about where not, never turned into labels."""

import gzip
import re

import pandas as pd
import pyarrow as pa
import pytest

import deniable as dn
from deniable.core.proposal import propose
from deniable.engines.count import cell_table
from deniable.engines.sources import open_source
from deniable.errors import DeniableError, FileError, ParameterError
from deniable.files import csv_format
from deniable.files.csv_format import CsvFormat, find_format
from deniable.files.tables import open_table
from deniable.publish.files import read_file

TOWNS = ["Łódź", "Kraków", "Gdańsk"]
SCHEMA = dn.Schema(
    {
        "miasto": dn.KRR(dn.Nominal(TOWNS), 0.75),
        "wzrost": dn.KRR(dn.Continuous(1, 2, step=0.05), 0.75),
        "pali": dn.KRR(dn.Nominal(["nie", "tak"]), 0.75),
    }
)
ROWS = [("Łódź", "1,75", "tak"), ("Kraków", "1,6", "nie"), ("Gdańsk", "2", "nie")] * 40
POLISH = "miasto;wzrost;pali\r\n" + "".join(";".join(row) + "\r\n" for row in ROWS)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "windows-1250")


@pytest.fixture(params=ENCODINGS)
def polish(request, tmp_path):
    path = tmp_path / "dane.csv"
    path.write_bytes(POLISH.encode(request.param))
    with dn.reading_csv(encoding="windows-1250" if request.param == "windows-1250" else None):
        yield path


@pytest.mark.parametrize("engine", ["duckdb", "arrow", None])
def test_a_polish_spreadsheet_is_counted(polish, engine):
    table = cell_table(open_source(str(polish), engine), SCHEMA, ["miasto", "wzrost", "pali"])
    assert table.cells.tolist() == [[0, 15, 1], [1, 12, 0], [2, 20, 0]]
    assert table.n.tolist() == [40, 40, 40]


def test_a_polish_spreadsheet_is_randomised_proposed_for_published_and_reconstructed(polish, tmp_path):
    out = tmp_path / "out.csv"
    assert SCHEMA.randomise(polish, output=out) == 120
    assert out.read_text(encoding="utf-8").splitlines()[0].replace('"', "") == "miasto,wzrost,pali"
    assert set(pd.read_csv(out)["miasto"]) <= set(TOWNS)
    with dn.reading_csv():
        assert dn.read(out).count("pali == 'tak'").n == 120  # what we wrote says how it is written
    proposed, _ = propose(polish)
    assert list(proposed) == list(SCHEMA)
    assert set(proposed["miasto"].domain.labels) == set(TOWNS)
    assert float(proposed["wzrost"].domain.high) == 2
    assert cell_table(open_source(str(polish)), SCHEMA, ["miasto"]).dense().tolist() == [40, 40, 40]
    _, typed = read_file(polish)
    assert typed.schema.field("wzrost").type == pa.float64()


def test_a_source_remembers_what_was_said_when_it_was_opened(tmp_path):
    path = tmp_path / "dane.csv"
    path.write_bytes(POLISH.encode("windows-1250"))
    with dn.reading_csv(encoding="windows-1250"):
        source = open_source(str(path))
    sample = dn.Sample(source, SCHEMA)
    assert sample.count("pali == 'tak'").n == 120
    assert len(sample.candidates("pali == 'tak'")) == 120
    assert dn.Transactions(source, SCHEMA).rows == 120


def test_windows_encodings_are_asked_about_with_letters_in_both_and_no_cell_is_quoted(tmp_path):
    path = tmp_path / "dane.csv"
    path.write_bytes(POLISH.encode("windows-1250"))
    for read in (open_table, propose, read_file, lambda p: open_source(str(p))):
        with pytest.raises(FileError, match=r"'źŁ' in windows-1250 .*'Ÿ£' in windows-1252") as caught:
            read(path)
        assert caught.value.code == "csv_encoding"
        assert not any(town in str(caught.value) for town in TOWNS)
    path.write_bytes("Płeć,x\nMaria Łęcka,1\n".encode("windows-1250"))
    with pytest.raises(FileError, match="'Płeć' in windows-1250"):
        open_table(path)


def test_only_letters_that_tell_the_encodings_apart_are_shown(tmp_path):
    path = tmp_path / "dane.csv"
    path.write_bytes("zawód,x\nórdynator,1\nŁowczy,1\n".encode("windows-1250"))
    with pytest.raises(FileError, match=r"Some of its letters are 'Ł' in windows-1250 .*'£' in windows-1252"):
        open_table(path)
    path.write_bytes("zawód,płeć\nlekarz,k\n".encode("windows-1250"))
    with pytest.raises(FileError, match="'płeć' in windows-1250"):
        open_table(path)
    path.write_bytes("zawód,x\nlekarz,1\n".encode("windows-1250"))
    with pytest.raises(FileError, match="both would read its letters alike") as caught:
        open_table(path)
    assert "zawód" not in str(caught.value)


def test_letters_that_come_late_are_asked_about_and_nothing_is_written(tmp_path):
    path = tmp_path / "late.csv"
    path.write_bytes(b"miasto,x\n" + b"Rome,1\n" * 20_000 + "Łódź,1\n".encode("cp1250"))
    schema = dn.Schema({"miasto": dn.KRR(dn.Nominal(["Rome", "Łódź"]), 0.75), "x": dn.KRR(dn.Binary(), 0.75)})
    with pytest.raises(FileError, match="'źŁ' in windows-1250"):
        schema.randomise(path, output=tmp_path / "out.csv")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["late.csv"]
    with dn.reading_csv(encoding="cp1250"):
        assert schema.randomise(path, output=tmp_path / "out.csv") == 20_001


@pytest.mark.parametrize(
    ("content", "said", "match"),
    [
        ("miasto\nŁódź\n".encode(), "windows-1250", "is UTF-8"),
        ("miasto\nŁódź\n".encode("utf-8-sig"), "windows-1250", "mark of UTF-8"),
        ("miasto\nŁódź\n".encode("utf-16"), "windows-1250", "mark of UTF-16"),
        ("miasto\nŁódź\n".encode("utf-16-le"), None, "utf-16-le"),
        (b"miasto\n\x81\n", "windows-1250", "not in the encoding"),
        (b"miasto\nRome\n" * 30_000 + b"\x81\n", "windows-1250", "not in the encoding"),
    ],
)
def test_an_encoding_that_cannot_be_is_refused(tmp_path, content, said, match):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with dn.reading_csv(encoding=said), pytest.raises(FileError, match=match):
        list(open_table(path).pieces())


@pytest.mark.parametrize(
    ("text", "sign", "columns"),
    [
        ("a,b\n1,2\n", ",", ["a", "b"]),
        ("a;b\n1;2\n", ";", ["a", "b"]),
        ("a\tb\n1\t2\n", "\t", ["a", "b"]),
        ("a|b\n1|2\n", "|", ["a", "b"]),
        ("a\n1\n", ",", ["a"]),
        ("a;b, in cm\n1;2\n", ";", ["a", "b, in cm"]),
        ("a;x,b\n1,2\n", ",", ["a;x", "b"]),
        ('"a,b";c\n1;2\n', ";", ["a,b", "c"]),
        ('"a;b";"c\nd"\n"x;y";2\n', ";", ["a;b", "c\nd"]),
        ("\n\na;b\n\n1;2\n", ";", ["a", "b"]),
        ("sep=;\na;b, c\n1;2,5\n", ";", ["a", "b, c"]),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_delimiter_is_what_parts_header_and_rows(tmp_path, text, sign, columns, packed):
    path = tmp_path / ("a.csv.gz" if packed else "a.csv")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    reader = open_table(path)
    assert (reader.format.delimiter, reader.columns) == (sign, columns)
    rows = pa.Table.from_batches([batch for batch, _ in reader.pieces()])
    assert (rows.num_rows, rows.column_names) == (1, columns)


def test_two_possible_delimiters_are_asked_about(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("name;height, cm\nx;1,5\ny;1,8\n")
    with pytest.raises(FileError, match="commas make 2 columns and semicolons make 2 columns") as caught:
        open_table(path)
    assert caught.value.code == "csv_delimiter"
    with dn.reading_csv(delimiter=";"):
        assert open_table(path).columns == ["name", "height, cm"]


@pytest.mark.parametrize(
    ("cells", "decimal", "code"),
    [
        (["1,5", "2"], ",", None),
        (["1,500", "2,25"], ",", None),
        (["0,125", "0,250"], ",", None),
        (["1.5", "2"], None, None),
        (["1,500", "2,000"], None, "csv_decimal"),
        (["1,5", "2.5"], None, "csv_decimal"),
        (["1,2,3", "1,2"], None, None),
        (["Kowalski, Jan", "1,2"], None, None),
    ],
)
def test_decimal_commas_are_read_where_no_other_meaning_is_possible(tmp_path, cells, decimal, code):
    path = tmp_path / "a.csv"
    path.write_text("x;y\n" + "".join(f"{cell};1\n" for cell in cells))
    if code is None:
        assert open_table(path).format.decimal == decimal
        column = next(open_table(path).pieces())[0].column("x").to_pylist()
        assert column == ([cell.replace(",", ".") for cell in cells] if decimal else cells)
        return
    with pytest.raises(FileError, match="decimal comma") as caught:
        open_table(path)
    assert caught.value.code == code
    with dn.reading_csv(decimal="."):
        assert next(open_table(path).pieces())[0].column("x").to_pylist() == cells


def test_a_point_in_a_file_of_decimal_commas_is_refused_wherever_it_stands(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;y\n" + "1,5;1\n" * 20_000 + "1.500;1\n")
    with pytest.raises(DeniableError, match=r"'1\.500'.*comma"):
        list(open_table(path).pieces())


def test_quoted_commas_among_commas_are_labels_only_if_a_schema_says_so(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('x,y\n"1,2",1\n"1,3",0\n')
    for read in (propose, read_file):
        with pytest.raises(FileError, match="'1,2' in column 'x'"):
            read(path)
    with dn.reading_csv(decimal="."):
        assert propose(path)[0]["x"].domain.labels == ("1,2", "1,3")
    with dn.reading_csv(decimal=","):
        assert float(propose(path)[0]["x"].domain.low) == 1.2
    listed = dn.Schema({"x": dn.KRR(dn.Nominal(["1,2", "1,3"]), 0.75)})
    assert cell_table(open_source(str(path)), listed, ["x"]).dense().tolist() == [1, 1]
    with pytest.raises(DeniableError, match="decimal sign is said to be a comma"):
        cell_table(open_source(str(path)), dn.Schema({"x": dn.KRR(dn.Continuous(0, 2, step=0.1), 0.75)}), ["x"])


@pytest.mark.statistical
def test_a_comma_number_beyond_the_sample_does_not_become_a_label(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;y\n" + "1;1\n2;0\n" * 20_000 + "2,5;1\n")
    for read in (propose, read_file):
        with pytest.raises(FileError, match="'2,5' in column 'x'"):
            read(path)


def test_files_of_a_glob_may_be_written_differently(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,0\n", encoding="utf-8-sig")
    (tmp_path / "b.csv").write_text("x;y\n1;1\n", encoding="utf-16")
    schema = dn.Schema({"x": dn.KRR(dn.Binary(), 0.75), "y": dn.KRR(dn.Binary(), 0.75)})
    assert cell_table(open_source(str(tmp_path / "*.csv")), schema, ["x", "y"]).n.tolist() == [1, 1]


@pytest.mark.parametrize(
    "wrong", [{"delimiter": ";;"}, {"delimiter": '"'}, {"decimal": ";"}, {"encoding": "klingon"}, {"encoding": "base64"}]
)
def test_nonsense_is_refused(wrong):
    with pytest.raises(ParameterError, match=r"must be|There is no encoding"), dn.reading_csv(**wrong):
        pass


def test_what_is_said_ends_with_the_block():
    with dn.reading_csv(delimiter=";"):
        assert csv_format.said() == CsvFormat(";")
    assert csv_format.said() == CsvFormat()


def test_a_header_longer_than_the_sample_is_read_whole(tmp_path):
    names = [f"column {number:06d}" for number in range(10_000)]
    path = tmp_path / "wide.csv"
    path.write_text(";".join(names) + "\n" + ";".join("1" for _ in names) + "\n")
    assert list(find_format(path).columns) == names


def test_utf_8_with_a_mark_may_be_said_of_a_file_without_one(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("miasto\nŁódź\n", encoding="utf-8")
    with dn.reading_csv(encoding="utf-8-sig"):
        assert find_format(path).encoding == "utf-8"


@pytest.mark.parametrize("order", ["le", "be"])
def test_either_order_of_bytes_is_told_by_its_mark(tmp_path, order):
    path = tmp_path / "a.csv"
    path.write_bytes("\ufeffmiasto;x\nŁódź;1\n".encode(f"utf-16-{order}"))
    assert next(open_table(path).pieces())[0].column("miasto").to_pylist() == ["Łódź"]


def test_bytes_that_would_be_letters_in_utf_8_too_are_taken_as_said(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("臅\n1\n".encode("utf-16-le"))  # its bytes are those of Ł in UTF-8
    with dn.reading_csv(encoding="utf-16-le"):
        assert open_table(path).columns == ["臅"]


def test_of_a_line_at_most_six_letters_are_told_and_of_a_long_header_no_word(tmp_path):
    path = tmp_path / "a.csv"
    for content in ("x\nąćęłńóśźż\n", "ą" * 41 + "ćęłńóśźż\n1\n"):
        path.write_bytes(content.encode("windows-1250"))
        with pytest.raises(FileError) as caught:
            open_table(path)
        [shown] = re.findall(r"'(\w+)' in windows-1250", str(caught.value))
        assert len(shown) == 6


def test_a_file_without_lines_is_not_read_whole_to_find_out_how_it_is_written(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("a" * 10_000)
    monkeypatch.setattr(csv_format, "SAMPLE", 16)
    monkeypatch.setattr(csv_format, "LARGEST_SAMPLE", 128)
    assert [len(name) for name in find_format(path).columns] == [128]


def test_a_row_that_the_sample_cuts_says_nothing(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("a;b, in cm\n" + "1;2\n" * 50)
    monkeypatch.setattr(csv_format, "SAMPLE", len("a;b, in cm\n1;2\n1;2\n1"))
    assert find_format(path).columns == ("a", "b, in cm")


def test_what_is_said_of_the_delimiter_goes_before_what_the_file_says(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("sep=;\na;b,c\n1;2,3\n")
    with dn.reading_csv(delimiter=","):
        assert open_table(path).columns == ["a;b", "c"]
    assert open_table(path).columns == ["a", "b,c"]


@pytest.mark.parametrize("engine", ["duckdb", "arrow"])
def test_the_line_by_which_excel_says_it_is_no_header(tmp_path, engine):
    path = tmp_path / "a.csv"
    path.write_text("sep=;\nx;y\n1;0\n1;1\n")
    schema = dn.Schema({"x": dn.KRR(dn.Binary(), 0.75), "y": dn.KRR(dn.Binary(), 0.75)})
    assert cell_table(open_source(str(path), engine), schema, ["x", "y"]).n.tolist() == [1, 1]


@pytest.mark.parametrize("engine", ["duckdb", "arrow"])
def test_every_engine_remembers_the_delimiter_that_was_said(tmp_path, engine):
    path = tmp_path / "a.csv"
    path.write_text("name;height, cm\n1;tall, I think\n0;small, too\n")
    schema = dn.Schema({"name": dn.KRR(dn.Binary(), 0.75)})
    with dn.reading_csv(delimiter=";"):
        source = open_source(str(path), engine)
    found = dn.Sample(source, schema).candidates("name == 1", keep=["height, cm"])
    assert sorted(found.kept["height, cm"]) == ["small, too", "tall, I think"]


def test_a_column_of_names_keeps_its_commas_beside_one_of_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;y\nKowalski, Jan; 1,5 \n1,2;2,5\n")
    batch = next(open_table(path).pieces())[0]
    assert batch.column("x").to_pylist() == ["Kowalski, Jan", "1,2"]
    assert batch.column("y").to_pylist() == ["1.5", "2.5"]


def test_names_with_commas_are_labels(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('x,y\n"1,2",1\n"Kowalski, Jan",0\n')
    assert propose(path)[0]["x"].domain.labels == ("1,2", "Kowalski, Jan")


def test_a_header_beyond_all_bounds_is_an_error_that_names_the_file(tmp_path):
    path = tmp_path / "a.csv"
    for content in ("x" * 200_000 + "\n1\n", '"x,y' + "1,2" * 100_000):
        path.write_text(content)
        with pytest.raises(FileError, match=r"a\.csv: no column name.*quotation mark closed"):
            open_table(path)

"""How a CSV file is written: its delimiter, its encoding, and whether 1,5 is a number; asked where it is not certain.

Nothing is guessed: a file that can be read in two ways is refused, with both of them named, until `reading_csv` says which is right.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import gzip
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deniable.errors import DataError, FileError, ParameterError

SAMPLE = 1 << 16
LARGEST_SAMPLE = 1 << 23
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_WINDOWS = (("windows-1250", "Central Europe"), ("windows-1252", "Western Europe"))
MOST_LETTERS = 6
_DIFFERENT = frozenset(
    byte for byte in range(0x80, 0x100) if len({bytes([byte]).decode(name, "replace") for name, _ in _WINDOWS}) > 1
)
"""Bytes that are different letters in the two: an ó is the same in both, and says nothing."""
_WORD = re.compile(rb"[\w\x80-\xff]*[\x80-\xff][\w\x80-\xff]*")
_SEP_LINE = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d+,\d+\s*")
_POINT_NUMBER = re.compile(r"\s*[+-]?\d+\.\d+\s*")
_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*")


@dataclass(frozen=True)
class CsvFormat:
    """What the caller says about CSV files; None: to be found out."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None


@dataclass(frozen=True)
class FoundFormat:
    """How one file is written. `decimal` is None where no number shows it; `texts` are columns in which a comma separates words."""

    delimiter: str
    encoding: str
    decimal: str | None
    columns: tuple[str, ...]
    texts: frozenset[str]
    skip: int

    @property
    def plain(self) -> bool:
        """Whether only the delimiter may be unusual, so that any reader of CSV can read it."""
        return self.encoding == "utf-8" and self.decimal != "," and not self.skip


_SAID: ContextVar[CsvFormat] = ContextVar("deniable_csv_format", default=CsvFormat())  # noqa: B039  frozen


def said() -> CsvFormat:
    """What `reading_csv` says here."""
    return _SAID.get()


@contextlib.contextmanager
def reading_csv(delimiter: str | None = None, encoding: str | None = None, decimal: str | None = None) -> Iterator[None]:
    """Say how the CSV files that are opened inside the `with` are written: their delimiter, encoding and decimal sign.

    Needed only where a file does not show it. Commas, semicolons, tabs and bars are recognised by the header, UTF-8 and UTF-16 by their
    bytes, decimal commas by the numbers; Windows-1250 and 1252 look alike, so they must be given.

    >>> import deniable as dn, tempfile, os
    >>> schema = dn.Schema({"town": dn.KRR(dn.Nominal(["Łódź", "Kraków"]), 0.75)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     truth = os.path.join(folder, "truth.csv")
    ...     with open(truth, "w", encoding="windows-1250") as file:
    ...         _ = file.write("town\\n" + "Łódź\\nKraków\\n" * 50)
    ...     with dn.reading_csv(encoding="windows-1250"):
    ...         schema.randomise(truth, output=os.path.join(folder, "reported.csv"))
    100
    """
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ParameterError(
            "delimiter", "The delimiter must be one character, such as ';' or a tab, got {got!r}.", got=delimiter
        )
    if decimal not in (None, ".", ","):
        raise ParameterError("decimal", "The decimal sign must be '.' or ',', got {got!r}.", got=decimal)
    token = _SAID.set(CsvFormat(delimiter, None if encoding is None else _known(encoding), decimal))
    try:
        yield
    finally:
        _SAID.reset(token)


def _known(encoding: str) -> str:
    try:
        codec = codecs.lookup(encoding)
        " ".encode(encoding)  # codecs that turn bytes into bytes are not for text
    except LookupError:
        raise ParameterError(
            "encoding",
            "There is no encoding {got!r}; use one such as utf-8, utf-16, windows-1250 or windows-1252.",
            got=encoding,
        ) from None
    return "utf-8" if codec.name == "utf-8-sig" else codec.name


def find_format(path: Path, given: CsvFormat | None = None) -> FoundFormat:
    """How a file is written, by its first rows and by what the caller says about it."""
    given = said() if given is None else given
    size = SAMPLE
    while True:
        with opened(path) as file:
            start = file.read(size)
            whole = not file.read(1)
        encoding = _encoding(path, start, given.encoding)
        text = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)().decode(start, whole)
        if whole or size >= LARGEST_SAMPLE or "\n" in text or "\r" in text:
            break
        size *= 8
    line = _SEP_LINE.match(text)
    body = text[line.end() :] if line else text
    # Excel's own way to say it.
    sign = given.delimiter or (line.group(1) if line else None) or _delimiter(path, body, whole)
    rows = _rows(body, sign, whole) or [[]]
    if not rows[0] and len(body) > csv.field_size_limit():
        raise FileError(
            "csv_header", "{path}: no column name can be as long as what its first line holds, more than {most:,} characters. Is it a "
            "CSV file, and is every quotation mark closed?", path=str(path), most=csv.field_size_limit(),
        )  # fmt: skip
    decimal, texts = _decimal(path, rows, sign, given.decimal)
    return FoundFormat(sign, encoding, decimal, tuple(rows[0]), texts, int(line is not None))


def opened(path: Path) -> Any:
    """The bytes of a file, unpacked if it is compressed."""
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")


def _encoding(path: Path, start: bytes, given: str | None) -> str:
    marked = next((name for mark, name in _BOMS if start.startswith(mark)), None)
    if marked is not None:
        if given is not None and not given.startswith(marked):
            raise FileError(
                "csv_encoding_marked", "{path} begins with the byte order mark of {marked}, so it is not {given}.",
                path=str(path), marked=marked.upper(), given=given,
            )  # fmt: skip
        return marked
    if given not in (None, "utf-8"):
        _refuse_utf8(path, start, given)
        return given
    if b"\0" in start:
        raise FileError(
            "csv_encoding", "{path} has bytes that are not UTF-8 text. Which encoding is it? {hint}.",
            path=str(path), hint="Perhaps UTF-16 without its mark: utf-16-le or utf-16-be",
        )  # fmt: skip
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        raise encoding_needed(path) from None
    return "utf-8"


def _refuse_utf8(path: Path, start: bytes, given: str) -> None:
    """Refuse another encoding for a file that is UTF-8: letters in another encoding are next to never valid UTF-8."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return
    word = next((match.group() for match in re.finditer(r"\w*[^\W\x00-\x7f]\w*", text)), None)
    if word is not None and not given.startswith("utf"):
        raise FileError(
            "csv_is_utf8", "{path} is UTF-8: it holds the word {word!r}, which {given} would read as {wrong!r}. Leave the encoding out.",
            path=str(path), word=word, given=given, wrong=word.encode().decode(given, "replace"),
        )  # fmt: skip


def encoding_needed(path: Path) -> FileError:
    """The question about a file that is not UTF-8: its encoding, with a few letters that the likely ones read differently. From the
    header a word is quoted; cells may be somebody's answers, so only single letters of them are shown, sorted."""
    seen, alike = b"", False
    with opened(path) as file:
        for at, line in enumerate(file):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                words = [word for word in _WORD.findall(line) if len(word) <= 40 and _differs(word)] if at == 0 else []
                seen = words[0] if words else bytes(sorted({byte for byte in line if byte in _DIFFERENT})[:MOST_LETTERS])
                alike = not seen
                if seen:
                    break
    ways = []
    for name, region in _WINDOWS:
        with contextlib.suppress(UnicodeDecodeError):
            ways.append(f"{seen.decode(name)!r} in {name} ({region})")
    if alike:
        hint = " and ".join(name for name, _ in _WINDOWS) + " are common, and both would read its letters alike"
    else:
        hint = f"Some of its letters are {', '.join(ways)}" if ways and seen else "Windows-1250 and windows-1252 are common"
    return FileError(
        "csv_encoding", "{path} is not UTF-8, and other encodings cannot be told apart. Which is it? {hint}.",
        path=str(path), hint=hint,
    )  # fmt: skip


def _differs(word: bytes) -> bool:
    return any(byte in _DIFFERENT for byte in word)


def _rows(text: str, sign: str, whole: bool) -> list[list[str]]:
    """The complete rows of a sample, without empty lines."""
    rows: list[list[str]] = []
    # Rows before an overlong cell count; where such cells are is said when the whole file is read.
    with contextlib.suppress(csv.Error):
        rows.extend(csv.reader(io.StringIO(text, newline=""), delimiter=sign))
    complete = [row for row in (rows if whole else rows[:-1]) if row]
    return complete or rows[:1]


def _delimiter(path: Path, text: str, whole: bool) -> str:
    """The sign that splits the header; if several do, the one that splits all rows alike. A comma if there is one column."""
    split = {sign: _rows(text, sign, whole) for sign in SEPARATORS if sign in text}
    parts = [sign for sign, rows in split.items() if rows and len(rows[0]) > 1]
    if len(parts) < 2:
        return parts[0] if parts else ","
    even = [sign for sign in parts if len({len(row) for row in split[sign]}) == 1]
    if len(even) == 1 and len(split[even[0]]) > 1:
        return even[0]
    ways = [f"{SEPARATORS[sign]} make {len(split[sign][0])} columns" for sign in even or parts]
    raise FileError(
        "csv_delimiter", "{path}: which character separates its cells? In the header {ways}, and the rows do not settle it.",
        path=str(path), ways=" and ".join(ways), signs=even or parts,
    )  # fmt: skip


def _decimal(path: Path, rows: Sequence[Sequence[str]], sign: str, given: str | None) -> tuple[str | None, frozenset[str]]:
    """The decimal sign, if the numbers show it or it is given; and the columns in which a comma separates words or makes lists."""
    texts, numbers, points = set(), [], ""
    for place, name in enumerate(rows[0]):
        cells = [row[place] for row in rows[1:] if place < len(row)]
        commas = [cell for cell in cells if "," in cell]
        if not all(_COMMA_NUMBER.fullmatch(cell) for cell in commas):
            texts.add(name)
            continue
        numbers += [(name, cell) for cell in commas]
        points = points or next((name for cell in cells if _POINT_NUMBER.fullmatch(cell)), "")
    # Where commas separate cells, one in a number was quoted: a list of two choices is as likely. Readers without a schema ask.
    if given is not None or not numbers or sign == ",":
        return given, frozenset(texts)
    if points:
        raise decimal_needed(path, *numbers[0], f"and column {points!r} has numbers with a point")
    clear = [cell for _, cell in numbers if not _THOUSANDS.fullmatch(cell)]
    if not clear:
        raise decimal_needed(path, *numbers[0], "it could also be thousands")
    return ",", frozenset(texts)


def decimal_needed(path: Path | str, column: str, cell: str, why: str) -> FileError:
    """The question about a file with numbers that have a comma."""
    return FileError(
        "csv_decimal", "{path}: is {cell!r} in column {column!r} a number with a decimal comma? {why}. Give the decimal sign: "
        "a comma if it is, a point if not.", path=str(path), column=column, cell=cell.strip(), why=why[0].upper() + why[1:],
    )  # fmt: skip


def refuse_undecided(path: Path | str, column: str, words: Iterable[str]) -> None:
    """Ask about cells such as 1,5 before they become labels, where neither the file nor anyone has said what they are."""
    commas = [word for word in words if "," in word]
    if commas and all(_COMMA_NUMBER.fullmatch(word) for word in commas):
        raise decimal_needed(path, column, commas[0], "it could also be a list or a name")


def with_points(batch: pa.RecordBatch, texts: frozenset[str], path: Path) -> pa.RecordBatch:
    """Numbers with a decimal comma, written with a point; a point in such a file is not a decimal sign, and is refused."""
    columns = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if name not in texts and pa.types.is_string(column.type):
            coded = column.dictionary_encode()
            words = coded.dictionary.to_pylist()
            point = next((word for word in words if _POINT_NUMBER.fullmatch(word)), None)
            if point is not None:
                raise DataError(
                    "csv_two_signs", "{path}: column {column!r} holds {cell!r}, but the decimal sign of this file is a comma. Write all "
                    "numbers the same way.", path=str(path), column=name, cell=point,
                )  # fmt: skip
            if any("," in word for word in words):
                with_point = [word.strip().replace(",", ".") if _COMMA_NUMBER.fullmatch(word) else word for word in words]
                column = pc.take(pa.array(with_point, pa.string()), coded.indices)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)

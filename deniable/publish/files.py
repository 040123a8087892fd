"""Publishing a file: the table, a sidecar that says what was done, and the owner's report; all of them or none."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deniable import __version__
from deniable.core.forgotten_order import rows_in_order
from deniable.core.shuffling import random_order
from deniable.errors import DataError, FileError, Setting
from deniable.files.atomic import refuse_same, replacing
from deniable.files.csv_format import refuse_undecided
from deniable.files.sidecar import is_published, refuse_randomised
from deniable.files.tables import open_table
from deniable.progress import Progress, Silent
from deniable.publish.frames import publish_in_order
from deniable.publish.passing_settings import passing_settings
from deniable.publish.publication import Publication
from deniable.publish.recoding import MOST_NUMBERS, is_numeric
from deniable.publish.remedies import Write, in_python
from deniable.publish.writing import write_table

SUFFIXES = (".csv.gz", ".csv", ".parquet")


def sidecar(path: Path) -> Path:
    """Where the description of a published file lies: NAME.publication.json beside it.

    >>> sidecar(Path("people.csv.gz")).name
    'people.publication.json'
    """
    for suffix in SUFFIXES:
        if path.name.lower().endswith(suffix) and len(path.name) > len(suffix):
            return path.with_name(path.name[: -len(suffix)] + ".publication.json")
    raise FileError("file_kind", "{path}: the file must end in .csv, .csv.gz or .parquet.", path=str(path))


def read_file(path: Path, progress: Progress | None = None) -> tuple[pa.Table, pa.Table]:
    """A file as it is, and the same with the numbers of a CSV file read as numbers."""
    listener = progress or Silent()
    reader = open_table(path)
    duplicates = sorted({name for name in reader.columns if reader.columns.count(name) > 1})
    if duplicates:
        raise DataError("column_twice", "{where} has two columns named {got}.", where=str(path), got=duplicates)
    listener.start(f"reading ({reader.units})", reader.total)
    pieces = []
    for batch, done in reader.pieces():
        pieces.append(batch)
        listener.advance(done)
    listener.finish()
    if not sum(piece.num_rows for piece in pieces):
        raise DataError("no_rows", "{path} has no rows.", path=str(path))
    table = pa.Table.from_batches(pieces)
    if reader.format is None:
        return table, table
    typed = pa.table({name: _typed(table.column(name)) for name in table.column_names})
    if reader.format.decimal is None:
        for name in typed.column_names:
            if pa.types.is_large_string(typed.schema.field(name).type):
                refuse_undecided(path, name, pc.unique(typed.column(name).drop_null()).to_pylist())
    return table, typed


def _typed(column: pa.ChunkedArray) -> pa.Array:
    """Numbers if every cell is one, otherwise the text itself."""
    text = column.cast(pa.large_string()).combine_chunks()
    trimmed = pc.utf8_trim_whitespace(text)
    for kind in (pa.int64(), pa.float64()):
        with contextlib.suppress(pa.ArrowInvalid):
            return pc.cast(trimmed, kind)
    return text


def publish_file(
    source: Path,
    target: Path,
    sensitive: Sequence[str],
    *,
    report: Path | None = None,
    force: bool = False,
    strict: bool = False,
    compare: dict[str, Any] | None = None,
    shuffle: bool = True,
    progress: Progress | None = None,
    write: Write = in_python,
    call: Callable[[Mapping[str, Any]], str] | None = None,
    **parameters: Any,
) -> Publication:
    """Publish `source` as `target`, with NAME.publication.json beside it and the owner's report, which nobody but the user can
    read (mode 0600); nothing is half-written. Cells of other columns stay as they were written.

    Parameters
    ----------
    source : a CSV or Parquet file with the true answers.
    target : where the published file goes.
    sensitive : the columns to hide.
    report : where the owner's page goes; None: there is none.
    force : overwrite what is there.
    strict : write nothing but the report if a check fails, and raise an error that carries the remedy.
    compare : the arguments of `compare_publishing`, whose result goes into the report; None: nothing is compared.
    shuffle : publish the rows in random order.
    progress : a listener for long work.
    write : how settings are written in the report and in errors; by default as arguments in Python.
    call : how a face writes the whole call that led here, with further settings; the report ends with it.
    parameters : all else that `publish_frame` takes.

    Returns
    -------
    Publication
        What was written; `remedy` holds settings that pass, if a check failed and some were found.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "true.csv").write_text("town,ill\\n" + "A,yes\\nB,no\\n" * 50)
    >>> publish_file(folder / "true.csv", folder / "public.csv", ["ill"], drop="town").passed
    Traceback (most recent call last):
    deniable.errors.DataError: There is no column besides the sensitive one: nothing to divide people by.
    >>> sorted(path.name for path in folder.iterdir())
    ['true.csv']
    """
    beside = sidecar(target)
    for path in [target, beside, *([report] if report is not None else [])]:
        _refuse_output(path, source, force)
    written, typed = _true_table(source, sensitive, parameters, progress)
    parameters.setdefault("min_deniability", 0.1)
    drop = parameters.get("drop") or ()
    parameters["drop"] = [drop] if isinstance(drop, str) else list(dict.fromkeys(drop))
    began = time.perf_counter()
    publication = publish_in_order(typed, sensitive, shuffle=shuffle, progress=progress, **parameters)
    if not publication.passed:
        seconds = time.perf_counter() - began
        passing = passing_settings(typed, sensitive, publication, parameters, shuffle, progress, seconds)
        publication.remedy, publication.remedy_notes = passing.settings, passing.notes
    if compare is not None:
        publication.comparison = _compared(typed, sensitive, publication, parameters, compare, progress)
    out = _with_answers(written, publication, sensitive, parameters.get("missing"))
    publication.recodings = tuple(recoding.without_rows() for recoding in publication.recodings)
    if publication.shuffled:
        # Files are shuffled here, with every cell as it was written.
        out = rows_in_order(out, random_order(out.num_rows))
    page = publication.to_html(write, _made(source, target, publication, call)) if report is not None else ""
    if strict and not publication.passed:
        if report is not None:
            with replacing(report, force, private=True) as temporary:
                temporary.write_text(page, encoding="utf-8")
        raise _not_safe(publication, report, write)
    text = json.dumps({"data": target.name, **publication.to_dict()}, indent=2, ensure_ascii=False) + "\n"
    with contextlib.ExitStack() as files:
        # Left in reverse order: the description is moved into place last, and only if all before it were written.
        description = files.enter_context(replacing(beside, force))
        described = files.enter_context(replacing(report, force, private=True)) if report is not None else None
        data = files.enter_context(replacing(target, force))
        description.write_text(text, encoding="utf-8")
        if described is not None:
            described.write_text(page, encoding="utf-8")
        write_table(data, target, out, text)
    publication.data = out
    return publication


def _true_table(
    source: Path, sensitive: Sequence[str], parameters: dict[str, Any], progress: Progress | None
) -> tuple[pa.Table, pa.Table]:
    """The file as it is written, and with numbers as numbers; files that are not true any more are refused."""
    written, typed = read_file(source, progress)
    refuse_randomised(source, "publish")
    if is_published(source):
        raise FileError(
            "published_already", "{path} is a published set already; publish the true data instead.", path=str(source)
        )
    for name in sensitive:
        # Few different answers are labels, also where they look like numbers: they are published as they were written.
        if name in typed.column_names and not _banded(typed.column(name), written.column(name), name, parameters):
            typed = typed.set_column(typed.column_names.index(name), name, written.column(name))
    return written, typed


def _made(
    source: Path, target: Path, publication: Publication, call: Callable[[Mapping[str, Any]], str] | None
) -> list[tuple[str, str]]:
    """Of which file, when and how a report was made, and what to try next."""
    made = [
        ("Read from", str(source)),
        ("Published as", str(target)),
        ("Made", f"{datetime.now().astimezone():%Y-%m-%d %H:%M}, deniable {__version__}"),
    ]
    if call is not None:
        made.append(("Command", call({})))
        if publication.remedy:
            made.append(("Command that passes all checks", call(publication.remedy)))
    return [*made, *(("About that command" if publication.remedy else "Note", note) for note in publication.remedy_notes)]


def _refuse_output(path: Path, source: Path, force: bool) -> None:
    refuse_same(path, source)
    if path.is_dir():
        raise FileError("is_folder", "{path} is a folder, not a file.", path=str(path))
    if path.exists() and not force:
        raise FileError(
            "file_exists", "{path} exists already; choose another name, or overwrite it with force=True.", path=str(path)
        )
    if not path.parent.is_dir():
        raise FileError("no_folder", "The folder {folder} does not exist.", folder=str(path.parent))


def _with_answers(written: pa.Table, publication: Publication, sensitive: Sequence[str], silence: str | None) -> pa.Table:
    """The file as it was written, with drawn answers and recoded columns, without those that are left out."""
    out = written.select([name for name in written.column_names if name in publication.data.column_names])
    recoded = {recoding.name: recoding for recoding in publication.recodings if recoding.name in out.column_names}
    new = {name: recoding.column() for name, recoding in recoded.items() if name not in sensitive}
    for name in sensitive:
        kind = pa.large_string() if name in recoded else out.schema.field(name).type
        missing = None if name in recoded else silence
        new[name] = _as(publication.data.column(name), kind, missing)
    for name, column in new.items():
        out = out.set_column(out.column_names.index(name), name, column)
    return out


def _not_safe(publication: Publication, report: Path | None, write: Write) -> DataError:
    """What failed and what would help: in words, and as data (`remedy`)."""
    settings = ", ".join(write(Setting(name, value)) for name, value in publication.remedy.items())
    return DataError(
        "not_safe",
        "{verdict} Nothing was published.{report} To fix it:{fixes}{passing}",
        verdict=publication.verdict_in(write),
        fixes="".join(f"\n  {line}" for line in publication.remedies(write)),
        passing=f"\nWith these settings all checks pass: {settings}"
        if settings
        else "".join(f"\n{n}" for n in publication.remedy_notes),
        remedy=dict(publication.remedy),
        notes=list(publication.remedy_notes),
        report=f" The report is in {report}." if report is not None else "",
    )


def _banded(typed: Any, written: Any, name: str, parameters: dict[str, Any]) -> bool:
    """Whether the answers are numbers to be put into bands: many different ones, and not codes such as 007."""
    if name in (parameters.get("bands") or {}):
        return True
    listed = parameters.get("categorical") or ()
    if not is_numeric(typed, name) or parameters.get("outcomes") or name in ([listed] if isinstance(listed, str) else listed):
        return False
    if pa.types.is_string(written.type) or pa.types.is_large_string(written.type):
        codes = pc.any(pc.match_substring_regex(written, r"^\s*-?0[0-9]")).as_py()
        if codes:
            return False
    return int(pc.count_distinct(typed).as_py()) > MOST_NUMBERS


COMPARED_BY = (
    "min_change", "distance", "search", "beam_width", "time_budget", "max_depth", "min_rows", "mix", "group", "reuse", "categorical",
    "missing", "outcomes", "max_categories", "resolution",
)  # fmt: skip
"""Parameters that the comparison hands to its trees. What limits a group's answers is not among them: they are compared level by level."""


def _compared(
    typed: pa.Table,
    sensitive: Sequence[str],
    publication: Publication,
    parameters: dict[str, Any],
    compare: dict[str, Any],
    progress: Any,
) -> Any:
    # The classifiers of scikit-learn are slow to import.
    from deniable.publish.comparison import compare_publishing

    typed = typed.select([name for name in typed.column_names if name in publication.data.column_names])
    for recoding in publication.recodings:
        if recoding.name not in typed.column_names:
            continue
        typed = typed.set_column(typed.column_names.index(recoding.name), recoding.name, recoding.column())
    others = [name for name in typed.column_names if name not in sensitive]
    settings = {key: value for key, value in publication.trees[0].get_params().items() if key in COMPARED_BY}
    settings["max_depth"] = parameters.get("max_depth")
    if isinstance(settings["outcomes"], dict):
        settings["outcomes"] = settings["outcomes"].get(sensitive[0])
    truth = typed.select([sensitive[0]])
    return compare_publishing(typed.select(others), truth, progress=progress, **compare, **settings)


def _as(drawn: Any, kind: Any, missing: str | None) -> Any:
    """Drawn answers in the type the column had; where that has no room for words, silence is a missing cell again."""
    text = pa.types.is_string(drawn.type) or pa.types.is_large_string(drawn.type)
    if missing is not None and text and not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        drawn = pc.if_else(pc.equal(drawn, missing), pa.scalar(None, drawn.type), drawn)
    return drawn.cast(kind)

"""Exports: the mixed answers of a survey as a file with its schema, which `dn.read` opens.

Only mixed answers leave the database, and while a survey is open at least 50 are mixed in at once. Nothing that is said here depends
on how many wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from deniable.core.channels.base import Channel
from deniable.core.domains.grids import Integer
from deniable.core.domains.missing import WithMissing
from deniable.errors import FileError, RefusedError, Setting
from deniable.files.sidecar import NOTICE, sidecar, write_reports
from deniable.files.tables import is_parquet
from deniable.survey.apart import kind_of
from deniable.survey.question_texts import frozen_texts
from deniable.survey.spreadsheets import guarded
from deniable.survey.store import Store
from deniable.survey.store.mixing import BATCH
from deniable.survey.store.surveys import Version


def export(
    store: Store, slug: str, target: Path, number: int | None = None, force: bool = False, spreadsheet: bool = False
) -> int:
    """Write the answers to one version as a file that only its owner can read.

    Parameters
    ----------
    store : Store
        Where the survey is.
    slug : str
        The short name of the survey.
    target : Path
        Where the answers go, as CSV or Parquet by its ending.
    number : int, optional
        The version; the newest unless given.
    force : bool
        Whether a file that is there may be replaced.
    spreadsheet : bool
        Whether CSV is written as spreadsheets of all countries open it: semicolons, and a mark of UTF-8.

    Returns
    -------
    int
        How many answers were written.
    """
    sidecar(target)  # a format that we do not write is refused first
    read = store.version(slug, number)
    if kind_of(slug, read.number) is not None:
        raise RefusedError(
            "trial_not_exported", "{slug} is a trial: a file of its answers would look like one of real answers. Its results are on the "
            "pages of the service, and in its report (deniable survey report).", slug=slug,
        )  # fmt: skip
    if spreadsheet:
        _check_cells(target, read)
    pieces = _pieces(store, read, spreadsheet)
    first = next(pieces, None)
    if first is None:
        raise _nothing(store, slug, read.number)

    def all_pieces() -> Iterator[pa.RecordBatch]:
        yield first
        yield from pieces

    schema = read.schema.with_texts(frozen_texts(read.questionnaire))
    return write_reports(
        schema.to_json(NOTICE, data=target.name), all_pieces(), target, force, private=True, spreadsheet=spreadsheet
    )


def _check_cells(target: Path, read: Version) -> None:
    """Refuse what is no CSV, and answers that a spreadsheet would run: with an apostrophe in front they would be other answers."""
    if is_parquet(target):
        raise FileError("spreadsheet_kind", "A file for spreadsheets is CSV; {path} is not.", path=str(target))
    texts = [
        *read.schema,
        *(str(label) for channel in read.schema.values() if _is_in_words(channel) for label in channel.outputs),
    ]
    for text in texts:
        if guarded(text) != text:
            raise RefusedError(
                "formula", "A spreadsheet would run {text!r} as a formula, so answers are not written for one. Write plain CSV or Parquet.",
                text=text,
            )  # fmt: skip


def _is_in_words(channel: Channel) -> bool:
    """Numbers of a grid are no formulas, and may be many."""
    return not isinstance(channel.reported, (Integer, WithMissing))


def _nothing(store: Store, slug: str, number: int) -> RefusedError:
    """Why there is nothing to export, and what can be done about it: the same however many answers wait."""
    versions = store.overviews(slug)
    here = next(one for one in versions if one.number == number)
    earlier = {
        f"version_{one.number}": Setting("number", one.number) for one in versions[:-1] if one.mixed and one.number != number
    }
    if here.state == "open":
        sentence = (
            "{slug} has no results yet: while it is open they appear in batches of at least {batch} new answers, some time after "
            "those have come. Wait for more"
        )
        # After a closing that showed the rest, another one would show fewer than a batch to nobody.
        sentence += "." if here.shown else ", or close it."
    else:
        sentence = "No answers to version {now} of {slug}, which is {state}, have been released. "
        if here.shown:
            sentence += (
                "The rest was released at an earlier closing; fewer than {batch} that came since would be seen one by one, and "
            )
            sentence += "stay sealed."
            sentence += " Open it again and wait until there are {batch}." if here.state == "closed" else ""
        else:
            sentence += "Release those that wait, if there are any: deniable survey close {slug}."
    if earlier:
        sentence += f" Answers to earlier versions are kept: {' or '.join(f'{{{name}}}' for name in earlier)}."
    return RefusedError("nothing_to_export", sentence, slug=slug, state=here.state, now=number, batch=BATCH, **earlier)


def _pieces(store: Store, read: Version, spreadsheet: bool) -> Iterator[pa.RecordBatch]:
    names = list(read.schema)
    for rows in store.mixed_rows(read):
        if not rows:
            continue
        columns = list(zip(*rows, strict=True))
        arrays = [
            read.schema[name].reported.column(np.array(codes, dtype=np.int64))
            for name, codes in zip(names, columns, strict=False)
        ]
        headings = list(names)
        if read.linkage != "none":
            # Browsers make the codes: somebody's may begin with a hyphen, and be a sum of cells.
            codes = [guarded(code) for code in columns[-1]] if spreadsheet else columns[-1]
            arrays.append(pa.array(codes, pa.string()))
            headings.append(free_name("code", names))
        yield pa.RecordBatch.from_arrays(arrays, names=headings)


def free_name(name: str, taken: list[str]) -> str:
    """The name, with as many underscores behind it as it takes to be free.

    >>> free_name("code", ["code", "age"])
    'code_'
    """
    return name if name not in taken else free_name(f"{name}_", taken)

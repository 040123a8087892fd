"""The twins of an answer: the same numbers as Python that computes them, as a table for spreadsheets, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deniable.errors import FileError
from deniable.results.calls import Call
from deniable.results.figures import Block
from deniable.results.words import for_programs
from deniable.survey.spreadsheets import table

FORMAT = "deniable-answer"
_HEAD = """\
import json
import sys

import deniable as dn
from deniable.results.twins import export_in


def told(estimate):
    if not estimate.has_interval:
        return None
    low, high = estimate.interval()
    return {"value": estimate.shown.tolist(), "low": low.tolist(), "high": high.tolist()}

"""


def as_python(calls: Sequence[Call], versions: Sequence[int], code: Sequence[str] | None = None) -> str:
    """A script that gives the numbers of a view from an export, named as its argument: a file, or a folder with one file per version. It
    holds names and conditions as `repr` writes them, and no other text of a survey.

    Parameters
    ----------
    calls
        What a sample is asked.
    versions
        Of which version each is.
    code
        Lines instead of calls; they leave `numbers`.

    Returns
    -------
    str

    Examples
    --------
    >>> from deniable.results.calls import call
    >>> print(as_python([call("mean", "age")], [1]).splitlines()[-3])
    numbers = [told(sample.mean('age')) for sample in [dn.read(export_in(sys.argv[1], 1))]]
    """
    if code is not None:
        lines = [f"sample = dn.read(export_in(sys.argv[1], {versions[0]!r}))", *code]
    elif len(set(versions)) == 1:
        opened = f"for sample in [dn.read(export_in(sys.argv[1], {versions[0]!r}))]"
        asked = [one.code() for one in calls]
        if len(asked) == 1:
            lines = [f"numbers = [told({asked[0]}) {opened}]"]
        else:
            lines = [f"sample = dn.read(export_in(sys.argv[1], {versions[0]!r}))", "numbers = ["]
            lines += [*(f"    told({one})," for one in asked), "]"]
    else:
        each = [
            f"    told({one.code(f'dn.read(export_in(sys.argv[1], {number!r}))')}),"
            for one, number in zip(calls, versions, strict=True)
        ]
        lines = ["numbers = [", *each, "]"]
    return _HEAD + "\n" + "\n".join([*lines, "", "print(json.dumps(numbers))"]) + "\n"


def export_in(place: str | Path, version: int) -> Path:
    """The file of a version in a folder of exports (NAME-v2.csv or .parquet), or the file itself.

    >>> str(export_in("answers.csv", 1))
    'answers.csv'
    """
    given = Path(place)
    if not given.is_dir():
        return given
    found = sorted(path for kind in ("csv", "parquet") for path in given.glob(f"*.{kind}"))
    named = [path for path in found if path.stem.endswith(f"-v{version}")]
    chosen = named or (found if len(found) == 1 else [])
    if len(chosen) != 1:
        raise FileError(
            "no_export",
            "{folder} has no file of version {version}, such as answers-v{version}.csv.",
            folder=str(given),
            version=version,
        )
    return chosen[0]


def as_table(blocks: Sequence[Block], mark: str = "") -> str:
    """All figures, one per line; whatever a spreadsheet would run is defused. A mark says in every line that they are no results."""
    names = ["question", "group", "answer", "kind", "estimate", "low", "high", "reported", "worth", "in words"]
    names = ["mark", *names] if mark else names
    rows = []
    for block in blocks:
        for figure in block.figures:
            numbers = (figure.value, figure.low, figure.high, figure.reported, figure.worth)
            cells = [
                *([mark] if mark else []),
                block.title,
                figure.group or "",
                figure.label,
                block.kind,
                *map(_number, numbers),
                for_programs(figure.sentence),
            ]
            rows.append(dict(zip(names, cells, strict=True)))
    return table(names, rows)


def _number(number: float | None) -> str:
    return "" if number is None else repr(number)


def as_json(
    question: dict[str, Any],
    title: str,
    sentences: Sequence[str],
    blocks: Sequence[Block],
    apart: tuple[str, str] | None = None,
) -> str:
    """Everything an answer says, as JSON without what JSON does not know; of a trial, or of what is made up, also that it is."""
    content = {
        "format": FORMAT, "version": 1, **({} if apart is None else {"kind": apart[0], "mark": apart[1]}),
        "question": question, "title": title, "sentences": list(map(for_programs, sentences)),
        "blocks": [block.to_json() for block in blocks],
    }  # fmt: skip
    return json.dumps(content, ensure_ascii=False, allow_nan=False)

"""A sample as people see it in a notebook or a shell: how many reports, which attributes, and how each is hidden."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape
from typing import Any

from deniable.core.channels.base import rounded_up
from deniable.core.html_table import html_table, paragraphs
from deniable.core.schema import Schema
from deniable.engines.countable import Countable
from deniable.errors import ParameterError
from deniable.picture_words import words_of
from deniable.statistics.given_parts import Part

HEAD = ("attribute", "answers", "hidden by", "epsilon")


def text(parts: Sequence[Part], weights: str | None, questions: Sequence[str]) -> str:
    """Line after line, for a terminal.

    >>> import deniable as dn, pandas as pd
    >>> dn.Sample(pd.DataFrame({"a": [1, 0, 1]}), dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)}))  # doctest: +ELLIPSIS
    Sample of 3 reports
      a: 0, 1
        epsilon 1.099: the true answer is kept with probability 0.75, else the other one is reported
      Ask it: ...
    """
    lines = [f"Sample of {_whole(parts)}"]
    for at, (data, schema) in enumerate(parts):
        if len(parts) > 1:
            lines.append(f" part {at + 1}: {_reports(data)}")
        for name, answers, hidden, epsilon in _rows(schema):
            lines.append(f"  {name}: {answers}")
            lines += textwrap.wrap(f"epsilon {epsilon}: {hidden}", 110, initial_indent="    ", subsequent_indent="      ")
    return "\n".join([*lines, *(f"  {sentence}" for sentence in _sentences(parts, weights, questions))])


def page(parts: Sequence[Part], weights: str | None, questions: Sequence[str]) -> str:
    """The same as HTML, escaped."""
    tables = "".join(
        (f"<p>Part {at + 1}: {escape(_reports(data))}</p>" if len(parts) > 1 else "")
        + html_table(HEAD, _rows(schema), numbers=False)
        for at, (data, schema) in enumerate(parts)
    )
    sentences = _sentences(parts, weights, questions)
    return f"<p><strong>Sample</strong> of {escape(_whole(parts))}</p>{tables}{paragraphs(sentences)}"


def _whole(parts: Sequence[Part]) -> str:
    return _reports(parts[0][0]) if len(parts) == 1 else f"{len(parts)} parts"


def _reports(data: Any) -> str:
    """How many reports a part holds, or where they are: those that are elsewhere are not counted to be shown."""
    if isinstance(data, Countable):
        return f"the reports in {data.name}"
    try:
        return f"{len(data):,} reports"
    except TypeError:
        return "reports of a frame that is not loaded"


def _rows(schema: Schema) -> list[list[str]]:
    # Only where it is shown: measures of privacy are slow to load.
    from deniable.privacy.reporting.describe_designs import describe_design

    shared = {name: group for group, members in schema.groups.items() for name in members.attributes}
    return [
        [
            name,
            channel.domain.allowed,
            describe_design(channel) + (f"; one draw for all of {shared[name]!r}" if name in shared else ""),
            rounded_up(channel.epsilon),
        ]
        for name, channel in schema.items()
    ]


def missing_columns(parts: Sequence[Part], language: str | None = None) -> list[str]:
    """That attributes of the schema are missing from the data, part by part: another survey's schema may lie beside it.

    >>> import deniable as dn, pandas as pd
    >>> channel = dn.KRR(dn.Binary(), 0.75)
    >>> missing_columns([(pd.DataFrame({"a": [1, 0, 1]}), dn.Schema({"a": channel, "b": channel}))])
    ["The schema also has 'b', which the data has no column for: is it the schema of this data?"]
    """
    words, sentences = words_of(language), []
    for data, schema in parts:
        try:
            columns = set(map(str, data.columns))
        except (AttributeError, ParameterError, TypeError):
            continue  # data that does not tell its columns
        missing = [name for name in schema if name not in columns]
        if missing:
            sentences.append(words.missing_columns.format(names=", ".join(map(repr, missing))))
    return list(dict.fromkeys(sentences))


def _sentences(parts: Sequence[Part], weights: str | None, questions: Sequence[str]) -> list[str]:
    weighed = [] if weights is None else [f"Respondents stand for as many people as {weights!r} says."]
    return [*missing_columns(parts), *weighed, f"Ask it: {', '.join(questions)}."]

"""From a question and the answers to a survey to what a view shows."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deniable.engines.count import as_countable
from deniable.errors import NoIntervalError, ParameterError
from deniable.results.answers import Answer
from deniable.results.comparing import comparison
from deniable.results.conditions import read_condition
from deniable.results.estimating import (
    Found,
    attributes_of,
    cross_table,
    mean_of,
    not_shown,
    one_question,
    overview,
    versions,
)
from deniable.results.material import Material, Spoken
from deniable.results.naming import named
from deniable.results.predicting import prediction
from deniable.results.questions import (
    Comparison,
    CrossTable,
    MeanOf,
    OneQuestion,
    Overview,
    Prediction,
    Question,
    Together,
    Versions,
    from_json,
)
from deniable.results.together import together
from deniable.results.viewable import Viewable
from deniable.statistics.conditions import bare
from deniable.statistics.sample import Sample

_VIEWS: dict[type[Question], Any] = {
    Overview: overview,
    OneQuestion: one_question,
    MeanOf: mean_of,
    CrossTable: cross_table,
    Comparison: comparison,
    Together: together,
    Prediction: prediction,
}


def answered(materials: Sequence[Material], question: Question, language: str | None = None, exporting: bool = True) -> Answer:
    """What a view shows.

    Parameters
    ----------
    materials
        The answers to each version, oldest first.
    question
        What is asked; of the newest version unless it says another.
    language
        That of the sentences, and of the survey's texts where it has them.
    exporting
        Whether those who ask may export, and so get the Python that does the same.

    Returns
    -------
    Answer
    """
    material = material_of(materials, question.version)
    chosen = language or material.languages[0]
    spoken = material.spoken(chosen)
    if isinstance(question, Versions):
        found = versions(materials, question, spoken)
        numbers = tuple(int(block.extra.get("version", 1)) for block in found.blocks if block.figures)
    else:
        found = _found(material, question, spoken)
        numbers = (material.number,) * max(1, len(found.calls))
    return Answer(question, chosen, found.title, found.blocks, found.sentences, found, numbers, exporting)


def _found(material: Material, question: Question, spoken: Spoken) -> Found:
    names = attributes_of(question)
    if not may_show(material, question):
        return not_shown(names[0], named(question, spoken), spoken, material.instead)
    try:
        found: Found = _VIEWS[type(question)](material, question, spoken)
    except NoIntervalError:  # nobody is in a group
        return not_shown(names[0] if names else question.view, named(question, spoken), spoken)
    return found


def may_show(material: Material, question: Question) -> bool:
    """Whether a view may be seen; rules are of as many questions as their longest, or of all of them."""
    if isinstance(question, Overview):
        return True
    names = attributes_of(question)
    if isinstance(question, Together):
        most = min(question.longest, len(names))
        return all(material.may(some) for size in range(1, most + 1) for some in itertools.combinations(names, size))
    return material.may(names)


def material_of(materials: Sequence[Material], number: int | None) -> Material:
    """The answers to one version."""
    found = [one for one in materials if number is None or one.number == number]
    if not found:
        raise ParameterError(
            "no_version", "There are no answers to version {got}; there are to {allowed}.",
            got=number, allowed=", ".join(str(one.number) for one in materials),
        )  # fmt: skip
    return found[-1]


def in_cells(question: Question, viewable: Viewable) -> Question:
    """The question with its conditions in terms of cells."""
    changed: dict[str, Any] = {}
    for name in ("where", "first", "second"):
        condition = viewable.rewritten(read_condition(getattr(question, name, None)))
        if condition is not None:
            changed[name] = bare(condition)
    return dataclasses.replace(question, **changed) if changed else question


def ask(data: Any, question: Question | str | dict[str, Any], language: str | None = None) -> Answer:
    """Ask exported answers: a `dn.Sample`, the name of a file, or a list of names, one for each version, oldest first.

    >>> import deniable as dn, pandas as pd
    >>> schema = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)})
    >>> sample = dn.Sample(pd.DataFrame({"smokes": ["no"] * 700 + ["yes"] * 300}), schema)
    >>> answer = ask(sample, {"view": "question", "of": "smokes"})
    >>> [(figure.label, figure.sentence) for figure in answer.blocks[0].figures]
    [('no', 'between 84 and 96 in 100'), ('yes', 'between 4 and 16 in 100')]
    """
    from deniable.statistics.reading import read

    asked = question if isinstance(question, Question) else from_json(question)
    sample = data if isinstance(data, Sample) else read([data] if isinstance(data, (str, Path)) else list(data))
    materials = [Material.of(number, as_countable(part), schema) for number, (part, schema) in enumerate(sample.parts, start=1)]
    return answered(materials, asked, language)

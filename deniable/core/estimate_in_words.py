"""An estimate in the words of a survey: what was asked as its name, and the texts of answers as labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deniable.core.estimated_values import EstimatedValues
from deniable.core.question_texts import Question
from deniable.picture_words import words_of


def retell(given: EstimatedValues, told: EstimatedValues, questions: Mapping[str, Question]) -> None:
    """Give `told`, a copy of `given` in its language, the name, the labels and the table that these questions have for them."""
    asked = [questions.get(name) for name in given.attributes]
    groups = questions.get(given.by or "")
    if groups is not None and not given.attributes:
        told.labels = tuple(map(groups.label, given.labels))
    if not any(asked):
        return

    def words(at: int, label: Any) -> Any:
        question = asked[at]
        return label if question is None else question.label(label)

    told.labels = tuple(
        tuple(words(at, part) for at, part in enumerate(label)) if isinstance(label, tuple) else words(0, label)
        for label in given.labels
    )
    titles = [question.title if question else name for question, name in zip(asked, given.attributes, strict=True)]
    if given.table is not None:
        down, across = (
            (title, tuple(words(at, label) for label in labels))
            for at, (title, (_, labels)) in enumerate(zip(titles, given.table, strict=True))
        )
        told.table = down, across
    spoken, condition = words_of(told.language), given.name.partition(" where ")[2]
    one, *others = titles if given.group_sizes is None else titles[::-1]
    told.name = spoken.one_by_other.format(one=one, other=others[0]) if others else one
    told.name += spoken.where.format(condition=condition) if condition else ""

"""Questions with several answers, each in a column of its own: boxes to tick, and rows with one answer each."""

from __future__ import annotations

from typing import Any

from deniable.core.domains.domain import NO_ANSWER
from deniable.core.domains.labels import Nominal
from deniable.survey.mistakes import each
from deniable.survey.page_rules import columns
from deniable.survey.questions.choices import AnswerForm, domain_of, read_choices
from deniable.survey.questions.reading import Reading, channel_of, privacy_of


def read_checkbox(reading: Reading, given: dict[str, Any], kind: str, name: str) -> AnswerForm:
    """One column of yes and no per box."""
    boxes = read_choices(reading, given, "choices", least=1)
    _refuse_second_question(reading, given)
    channel = channel_of(reading, given, Nominal(["no", "yes"], missing=NO_ANSWER), ordered=False)
    channels = dict.fromkeys(columns(kind, name, [box.value for box in boxes], []), channel)
    if len(channels) < len(boxes):
        raise reading.error(
            ("choices",), "box_names", "two choices are too much alike to name their columns; give them other values."
        )
    return AnswerForm(channels, boxes)


def read_matrix(reading: Reading, given: dict[str, Any], kind: str, name: str) -> AnswerForm:
    """One column per row, with an answer out of the same list."""
    picked, rows = each(lambda: read_choices(reading, given, "columns"), lambda: read_choices(reading, given, "rows", least=1))
    _refuse_second_question(reading, given)
    channel = channel_of(reading, given, domain_of(picked, ordered=True), ordered=True)
    channels = dict.fromkeys(columns(kind, name, [], [row.value for row in rows]), channel)
    if len(channels) < len(rows):
        raise reading.error(
            ("rows",), "box_names", "two rows are too much alike to name their columns; give them other values."
        )
    return AnswerForm(channels, picked, rows)


def _refuse_second_question(reading: Reading, given: dict[str, Any]) -> None:
    privacy = privacy_of(reading, given)
    if isinstance(privacy, dict) and "asked" in privacy:
        raise reading.error(("privacy", "asked"), "asked_where", "a second question is asked beside a single choice only.")

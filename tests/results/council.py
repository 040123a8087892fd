"""A small survey in both languages with answers whose truth is known: for tests of results here, of their pages, and in browsers."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store, bulk, releases
from deniable.survey.store.engine import writing

YAML = """
survey: council
title: {en: Our council, pl: Nasza rada}
organiser: {en: Council, pl: Rada}
contact: council@town.example
other_way: {en: Call 555 0100., pl: Zadzwoń 555 0100.}
languages: [pl, en]
pages:
- elements:
  - {type: radiogroup, name: sex, title: {pl: Płeć, en: Your sex}, privacy: none, choices: [
     {value: F, text: {pl: Kobieta, en: Female}}, {value: M, text: {pl: Mężczyzna, en: Male}}]}
  - {type: number, name: age, title: {pl: 'Ile masz lat?', en: 'How old are you?'}, min: 18, max: 89, grid: true, privacy: none}
  - {type: boolean, name: smokes, title: {pl: 'Czy pali Pan/Pani?', en: 'Do you smoke?'}, privacy: {design: krr, p: 0.75}}
  - {type: boolean, name: owes, title: {pl: 'Czy ma Pan/Pani długi?', en: 'Are you in debt?'}, privacy: {design: krr, p: 0.8}}
  - {type: rating, name: mood, title: {pl: 'Jak się żyje?', en: 'How is life?'}, privacy: {design: krr, p: 0.6}}
"""


def reports_of(schema: Any, n: int, rng: np.random.Generator) -> Any:
    """Codes of reports: women smoke less, debts and smoking go together, everything is drawn by the channels."""
    sex, age = rng.integers(0, 2, n), rng.integers(0, 72, n)
    smokes = (rng.random(n) < np.where(sex == 0, 0.2, 0.4)).astype(int)
    owes = (rng.random(n) < np.where(smokes == 1, 0.5, 0.2)).astype(int)
    mood = rng.integers(0, 5, n)
    return drawn(schema, {"sex": sex, "age": age, "smokes": smokes, "owes": owes, "mood": mood}, rng)


def drawn(schema: Any, truth: Any, rng: np.random.Generator) -> Any:
    """Codes of reports, drawn by the channels from codes of truths."""
    columns = []
    n = len(next(iter(truth.values())))
    for name, channel in schema.items():
        law = channel.law.dense()
        picked = (rng.random(n)[:, None] > np.cumsum(law / law.sum(axis=1, keepdims=True), axis=1)[truth[name]]).sum(axis=1)
        columns.append(np.minimum(picked, law.shape[1] - 1))
    return np.column_stack(columns)


def insert(store: Store, slug: str, codes: Any) -> None:
    """Answers that are out, as a mixing would leave them; those who keep tables are told."""
    read = store.version(slug)
    before = store.count_released(read)
    with writing(store.engine) as connection:
        bulk.insert(connection, read.table, [f"c{i}" for i in range(codes.shape[1])], codes.tolist())
    releases.tell(store.engine, read.id, before, codes)


def open_council(store: Store, n: int = 3_000, seed: int = 1, text: str = YAML) -> str:
    """Open the survey (or another) with so many answers that are out; gives its short name."""
    store.open_survey(questionnaire := Questionnaire.parse(text))
    slug = questionnaire.slug
    if n:
        insert(store, slug, reports_of(store.version(slug).schema, n, np.random.default_rng(seed)))
    return slug

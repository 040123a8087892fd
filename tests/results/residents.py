"""A survey of twelve questions of every kind, Polish with an English translation, and residents whose answers hang together.

In the centre more people smoke than in the south, those who rent owe more often than owners, and so do those who smoke; the south likes
its buses less, and the older watch more television: what a walk through the results should find.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.survey.questionnaire import Questionnaire
from deniable.survey.store import Store
from tests.results.council import drawn, insert

YAML = """
survey: residents
title: {pl: Życie w naszym mieście, en: Life in our town}
description:
  pl: Pytamy, jak się Państwu żyje. Odpowiedzi prywatne są losowo zmieniane.
  en: We ask how you live. Private answers are changed at random.
organiser: {pl: Urząd Miasta, en: Town hall}
contact: ankieta@miasto.example
other_way: {pl: 'Zadzwoń: 555 0100.', en: 'Call 555 0100.'}
languages: [pl, en]
privacy: standard
pages:
- title: {pl: O Pani/Panu, en: About you}
  elements:
  - {type: radiogroup, name: q_district, title: {pl: 'Gdzie Pan/Pani mieszka?', en: 'Where do you live?'}, privacy: none, choices: [
     {value: c_centre, text: {pl: Śródmieście, en: Centre}}, {value: c_south, text: {pl: Południe, en: South}},
     {value: c_river, text: {pl: Nadrzecze, en: Riverside}}]}
  - {type: age, name: q_age, title: {pl: 'Ile ma Pan/Pani lat?', en: 'How old are you?'}, privacy: none, bands: [30, 45, 60]}
  - {type: radiogroup, name: q_home, title: {pl: Mieszkanie, en: Your home}, privacy: none, choices: [
     {value: c_own, text: {pl: własne, en: owned}}, {value: c_rent, text: {pl: wynajmowane, en: rented}}]}
  - {type: number, name: q_people, title: {pl: 'Ile osób mieszka razem z Panem/Panią?', en: 'How many people live with you?'},
     privacy: none, grid: true, min: 0, max: 7}
- title: {pl: Pytania prywatne, en: Private questions}
  elements:
  - {type: boolean, name: q_smokes, title: {pl: 'Czy pali Pan/Pani papierosy?', en: 'Do you smoke?'}, privacy: light}
  - {type: boolean, name: q_owes, title: {pl: 'Czy zalega Pan/Pani z rachunkami?', en: 'Are you behind with bills?'}, privacy: light}
  - {type: boolean, name: q_dear, title: {pl: 'Czy czynsz to ponad połowa dochodu?', en: 'Is your rent more than half of your income?'},
     privacy: light, visibleIf: "{q_home} = 'c_rent'"}
  - {type: dropdown, name: q_travel, title: {pl: 'Czym najczęściej Pan/Pani jeździ?', en: 'How do you mostly travel?'}, privacy: light,
     choices: [{value: c_car, text: {pl: samochodem, en: by car}}, {value: c_bus, text: {pl: autobusem, en: by bus}},
     {value: c_bike, text: {pl: rowerem, en: by bicycle}}]}
  - {type: checkbox, name: q_fun, title: {pl: 'Co Pan/Pani robi w wolnym czasie?', en: 'What do you do in your free time?'}, privacy: light,
     choices: [
     {value: c_park, text: {pl: spacery w parku, en: walks in the park}}, {value: c_bets, text: {pl: zakłady bukmacherskie, en: betting}}]}
  - {type: rating, name: q_buses, title: {pl: 'Jak ocenia Pan/Pani autobusy?', en: 'How good are the buses?'}, privacy: light, rateMax: 5}
  - {type: number, name: q_hours, title: {pl: 'Ile godzin tygodniowo ogląda Pan/Pani telewizję?', en: 'Hours of television a week?'},
     grid: true, min: 0, max: 40, for: mean}
  - {type: matrix, name: q_safe, title: {pl: 'Jak bezpiecznie jest w mieście?', en: 'How safe is the town?'}, privacy: light,
     rows: [{value: c_day, text: {pl: w dzień, en: by day}}, {value: c_night, text: {pl: w nocy, en: at night}}],
     columns: [{value: c_bad, text: {pl: źle, en: badly}}, {value: c_fair, text: {pl: średnio, en: fairly}},
     {value: c_well, text: {pl: dobrze, en: well}}]}
"""
QUESTIONS = 12


def truths(n: int, rng: np.random.Generator) -> dict[str, Any]:
    """Codes of true answers, by column."""

    def yes(share: Any) -> Any:
        return (rng.random(n) < share).astype(int)

    district, age = rng.choice(3, n, p=[0.4, 0.35, 0.25]), rng.choice(4, n, p=[0.2, 0.3, 0.25, 0.25])
    home = yes(np.select([district == 0], [0.5], 0.3))
    smokes = yes(np.array([0.45, 0.15, 0.3])[district])
    owes = yes(np.where(home == 1, 0.4, 0.1) + 0.25 * smokes)
    dear = np.where(home == 1, yes(0.35), 2)  # the last code is "no answer"
    travel = np.where(rng.random(n) < np.where(district == 1, 0.75, 0.3), 0, 1 + yes(0.3))
    buses = np.clip(rng.binomial(4, np.where(district == 1, 0.35, 0.65)), 0, 4)
    hours = np.clip(rng.normal(8 + 5 * age, 5, n).round(), 0, 40).astype(int)
    day = rng.choice(3, n, p=[0.1, 0.3, 0.6])
    silent = rng.random(n) < 0.03
    return {
        "q_district": district, "q_age": age, "q_home": home, "q_people": np.clip(rng.poisson(1.6, n), 0, 7),
        "q_smokes": np.where(silent, 2, smokes), "q_owes": owes, "q_dear": dear, "q_travel": travel, "q_fun_c_park": yes(0.6),
        "q_fun_c_bets": yes(0.05 + 0.3 * owes), "q_buses": buses, "q_hours": hours, "q_safe_c_day": day,
        "q_safe_c_night": np.maximum(0, day - yes(0.6)),
    }  # fmt: skip


def open_residents(store: Store, n: int, slug: str = "residents", seed: int = 1) -> None:
    """Open the survey with so many answers that are out."""
    store.open_survey(Questionnaire.parse(YAML.replace("survey: residents", f"survey: {slug}")))
    rng = np.random.default_rng(seed)
    insert(store, slug, drawn(store.version(slug).schema, truths(n, rng), rng))

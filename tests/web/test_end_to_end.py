"""Simulated residents randomise by the recipe that the server tells, send over HTTP, and the live database is asked."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.survey.questionnaire import Questionnaire

SHARE = 0.3
QUESTIONS = """
survey: {slug}
title: Town
organiser: Town hall
contact: town@town.example
other_way: Call us.
pages:
- elements:
  - {{type: boolean, name: smokes, title: 'Do you smoke?', privacy: {{design: krr, p: 0.75}}}}
  - {{type: number, name: age, title: Age, grid: true, min: 18, max: 90, privacy: light}}
"""


def residents(schema, people, rng):
    truth = pd.DataFrame(
        {"smokes": rng.choice(["no", "yes"], people, p=[1 - SHARE, SHARE]), "age": rng.integers(18, 91, people)}
    )
    reported = schema.randomise(truth, rng)
    codes = {name: schema[name].reported.encode(reported[name]) for name in schema}
    return truth, [{name: int(codes[name][i]) for name in codes} for i in range(people)]


def collect(town, standin, slug, people, rng):
    """One consultation: the truth about these people, and the estimate with its interval from the live database."""
    survey = Questionnaire.parse(QUESTIONS.format(slug=slug))
    town.store.open_survey(survey)
    told = town.client.get(f"/api/surveys/{slug}").json()
    assert told["recipe"]["fingerprint"] == survey.schema.fingerprint
    truth, reports = residents(survey.schema, people, rng)
    with ThreadPoolExecutor(8) as pool:
        replies = pool.map(lambda report: town.post(standin.body(report), slug=slug).status_code, reports)
        assert set(replies) == {201}
    town.store.close_survey(slug)
    view = town.store.overview(slug).view
    sample = dn.read(f"{town.store.place}#{view}", town.store.version(slug).schema)
    estimate = sample.count("smokes == 'yes'")
    assert estimate.n == people
    low, high = estimate.interval()
    return (truth["smokes"] == "yes").sum(), float(np.ravel(low)[0]), float(np.ravel(high)[0])


def test_the_truth_about_the_residents_comes_back_from_the_live_database(serve, standin):
    town = serve(burst=0)
    truth, low, high = collect(town, standin, "town", 400, np.random.default_rng(11))
    # Once in a million by chance: the half width of a 95% interval is 1.96 standard errors.
    middle, half = (low + high) / 2, (high - low) / 2
    assert abs(truth - middle) < 2.6 * half


@pytest.mark.slow
def test_the_intervals_hold_the_truth_in_nineteen_of_twenty_consultations(serve, standin):
    town = serve(burst=0)
    rng = np.random.default_rng(12)
    repeats = 200
    held = 0
    for i in range(repeats):
        truth, low, high = collect(town, standin, f"town-{i}", 200, rng)
        held += low <= truth <= high
    print(f"\n{held} of {repeats} intervals hold the truth")
    # 95% of 200 are 190, with a standard error of 3.1.
    assert 177 <= held <= 200

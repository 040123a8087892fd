"""Reports that no truths can give are named, wherever they are asked; `tests/statistical/test_misfit.py` has how often that is wrong."""

import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.polish import Polish
from deniable.reconstruction import misfit as module
from deniable.reconstruction.misfit import misfit

YES = dn.KRR(dn.Nominal(["no", "yes"]), 0.75)
TRUE_ANSWERS = pd.DataFrame({"evades": ["no"] * 880 + ["yes"] * 120, "sex": ["F", "M"] * 500})
SCHEMA = dn.Schema({"evades": YES, "sex": dn.Identity(dn.Nominal(["F", "M"]))})
SAID = "the reports of 'evades' do not fit the schema: no true answers can give them (at least 25% of them would be 'yes', 12% are)"


@pytest.mark.parametrize(
    "ask",
    [
        lambda sample: sample.count("evades == 'yes'"),
        lambda sample: sample.count("evades == 'yes'", method="em"),
        lambda sample: sample.share("evades == 'yes'", among="sex == 'F'"),
        lambda sample: sample.crosstab("sex", "evades", method="em"),
        lambda sample: sample.distribution("evades", by="sex"),
        lambda sample: sample.crosstab("sex", "evades"),
        lambda sample: sample.mean("evades", by="sex"),
        lambda sample: sample.difference("evades == 'yes'", between=("sex == 'F'", "sex == 'M'")),
        lambda sample: sample.regression("evades", ["sex"]),
    ],
)
def test_every_question_about_true_answers_that_pass_for_reports_says_so(ask):
    found = ask(dn.Sample(TRUE_ANSWERS, SCHEMA))
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(SAID)
    assert "Warning: the reports of" in repr(found)
    assert "Warning: the reports of" in found._repr_html_()


def test_rows_that_would_be_invited_are_looked_at_too(run, tmp_path):
    [said] = dn.Sample(TRUE_ANSWERS, SCHEMA).candidates("evades == 'yes'", size=3).warnings
    assert said.startswith(SAID)
    TRUE_ANSWERS.to_csv(tmp_path / "t.csv", index=False)
    SCHEMA.save(tmp_path / "t.schema.json")
    assert f"warning: {SAID}" in run("candidates", "t.csv", "evades == 'yes'")[2]


def test_other_questions_and_reports_that_fit_say_nothing():
    sample = dn.Sample(TRUE_ANSWERS, SCHEMA)
    assert sample.share("sex == 'F'").warnings == ()
    assert dn.Sample(SCHEMA.randomise(TRUE_ANSWERS, np.random.default_rng(1)), SCHEMA).count("evades == 'yes'").warnings == ()


def test_a_label_of_another_survey_that_never_occurs_is_named():
    optional = dn.Optional(dn.KRR(dn.Nominal(["no", "yes"]), 0.9), 0.8)
    said = misfit(np.array([550.0, 450.0, 0.0]), optional, "x")
    assert said is not None
    assert "(at least 20% of them would be 'no answer', 0% are)" in said


@pytest.mark.statistical
def test_reconstruct_says_it_in_labels_and_in_bins():
    assert dn.reconstruct({"no": 880, "yes": 120}, YES).warnings[0].startswith("the reports do not fit the schema")
    channel = dn.Additive(dn.Integer(18, 90), dn.Uniform(10))
    truth = np.full(3_000, 40)
    for reports, fits in ((truth, False), (channel.randomise(truth, np.random.default_rng(2)), True)):
        found = dn.reconstruct(dn.counts(reports, channel, bins=[18, 30, 50, 90], name="age"), channel)
        assert (found.warnings == ()) is fits


@pytest.mark.statistical
def test_wide_domains_are_looked_at_in_cells():
    wide = dn.Retention(dn.Integer(0, 100_000), 0.5)
    counts = np.bincount(np.random.default_rng(3).integers(2_000, 30_000, 3_000), minlength=100_001).astype(float)
    assert misfit(counts, wide) is not None
    noise = dn.Additive(dn.Integer(0, 5_000), dn.Laplace(800))
    assert misfit(np.bincount([1_000] * 2_000, minlength=noise.law.outputs).astype(float), noise) is not None


def test_a_fit_that_is_not_done_raises_no_alarm(monkeypatch):
    """What EM could still gain is taken off: without that two steps alone would look like a misfit."""
    monkeypatch.setattr(module, "STEPS", (2,))
    channel = dn.Additive(dn.Integer(0, 30), dn.Normal(4))
    reports = channel.randomise(np.repeat([3, 27], 5_000), np.random.default_rng(4))
    assert misfit(np.asarray(dn.counts(reports, channel).dense(), dtype=float), channel) is None


def test_the_command_line_warns_in_both_languages(run, tmp_path):
    TRUE_ANSWERS.to_csv(tmp_path / "t.csv", index=False)
    SCHEMA.save(tmp_path / "t.schema.json")
    code, out, _ = run("count", "t.csv", "evades == 'yes'")
    assert code == 0
    assert f"Warning: {SAID}" in " ".join(out.split())
    code, out, _ = run("count", "t.csv", "evades == 'yes'", "--json")
    [warning] = json.loads(out)["warnings"]
    assert Polish({"evades": "Czy oszukujesz?"}).sentence(warning) == (
        "odpowiedzi na „Czy oszukujesz?” nie pasują do schematu: nie mogą wynikać z żadnych prawdziwych odpowiedzi (odpowiedź „yes” "
        "miałaby udział co najmniej 25%, a ma 12%). Czy są to prawdziwe odpowiedzi, czy zniekształcone według innego schematu?"
    )
    for said in ("at most 60% of them would be 'a', 94.7% are", "their shares contradict each other"):
        sentence = warning.replace("at least 25% of them would be 'yes', 12% are", said)
        assert "would" not in Polish({}).sentence(sentence)
        assert "shares" not in Polish({}).sentence(sentence)

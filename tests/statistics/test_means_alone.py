"""Numbers whose reports tell means and nothing else: means, differences, slopes of them; and refusals wherever shares are asked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.core.domains.missing import WithMissing
from deniable.errors import NotInvertibleError

NUMBERS = dn.Integer(0, 20)
DESIGNS = {
    "bit": dn.OneBit(NUMBERS, 5),
    "three": dn.Piecewise(NUMBERS, 5, reports=3, width=1),
    "optional": dn.Optional(dn.OneBit(NUMBERS, 5), 0.75),
    "silent": dn.OneBit(WithMissing(NUMBERS), 5),
}


def expected_reports(channel, truths, sexes):
    """A frame of reports in which every one is as frequent as it should be: estimates have no error but rounding."""
    rows = channel.integer_rows()
    kept = dn.KRR(dn.Binary(), 0.75).integer_rows()
    frame = []
    for truth, sex in zip(truths, sexes, strict=True):
        for z, weight in enumerate(rows[channel.domain.code_of(truth)].tolist()):
            for s, part in enumerate(kept[sex].tolist()):
                frame += [(channel.outputs[z], s)] * (weight * part)
    # Ratios whose bottom is estimated lean toward what is alike everywhere; of many reports by very little.
    reported, sex = zip(*frame * (40_000 // len(frame)), strict=True)
    return pd.DataFrame({"hours": [None if one == "no answer" else one for one in reported], "sex": sex})


@pytest.fixture(params=DESIGNS, scope="module")
def sample(request):
    channel = DESIGNS[request.param]
    schema = dn.Schema({"hours": channel, "sex": dn.KRR(dn.Binary(), 0.75)})
    return dn.Sample(expected_reports(channel, [2, 5, 20, 7], [0, 0, 1, 1]), schema)


@pytest.mark.statistical
def test_means_are_exact_where_reports_are_as_they_are_expected(sample):
    assert sample.mean("hours").value[0] == pytest.approx(8.5, abs=0.01)
    np.testing.assert_allclose(sample.mean("hours", by="sex").value, [3.5, 13.5], atol=0.02)
    difference = sample.difference("sex == 1", "sex == 0", of="hours")
    assert difference.value[0] == pytest.approx(10.0, abs=0.04)
    assert sample.covariance("hours", "sex").value[0] == pytest.approx(2.5, abs=1e-9)
    np.testing.assert_allclose(sample.regression("hours", "sex").value, [3.5, 10.0], atol=0.04)


@pytest.mark.statistical
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_every_mean_has_an_interval_around_it(sample, target):
    for estimate in (sample.mean("hours", target=target), sample.mean("hours", by="sex", target=target)):
        low, high = estimate.interval(0.95)
        assert (low < estimate.value).all()
        assert (estimate.value < high).all()
        assert np.isnan(estimate.worth).all(), "how much direct answers vary is not told"


@pytest.mark.parametrize(
    "ask",
    [
        lambda sample: sample.share("hours < 5"),
        lambda sample: sample.count("hours < 5"),
        lambda sample: sample.distribution("hours"),
        lambda sample: sample.distribution("hours", bins=3),
        lambda sample: sample.crosstab("sex", "hours", bins={"hours": 3}),
        lambda sample: sample.quantile("hours", 0.5),
        lambda sample: sample.correlation("hours", "sex"),
        lambda sample: sample.regression("sex", "hours"),
        lambda sample: sample.mean("sex", where="hours < 5"),
        lambda sample: sample.mean("hours", method="em"),
        lambda sample: sample.mean("hours", method="iterative"),
        lambda sample: sample.candidates("hours < 5"),
    ],
)
def test_whatever_needs_shares_is_refused_by_name_with_the_way_out(sample, ask):
    with pytest.raises(NotInvertibleError, match=r"'hours': its reports tell means.*Ask for the mean"):
        ask(sample)


@pytest.mark.parametrize("name", DESIGNS)
def test_reconstruction_mining_and_classifiers_refuse_it(name):
    channel = DESIGNS[name]
    reports = channel.randomise(np.arange(21), rng=np.random.default_rng(1))
    with pytest.raises(NotInvertibleError, match="tell means"):
        dn.reconstruct(dn.counts(reports, channel), channel)
    schema = dn.Schema({"hours": channel, "sex": dn.KRR(dn.Binary(), 0.75)}, target="sex")
    frame = pd.DataFrame({"hours": reports, "sex": [0, 1, 0] * 7})
    with pytest.raises(NotInvertibleError, match="'hours': its reports tell means"):
        dn.frequent_itemsets(frame, schema, min_support=0.1)
    with pytest.raises(NotInvertibleError, match="'hours': its reports tell means"):
        dn.ReconstructionNaiveBayes(schema).fit(frame[["hours"]], frame["sex"])
    with pytest.raises(NotInvertibleError, match="'hours': its reports tell means"):
        dn.ReconstructionTree(schema).fit(frame[["hours"]], frame["sex"])


def test_error_bars_of_respondents_are_never_shorter_than_their_randomisation_makes_them():
    """Squares are not told, so all that numbers vary by is taken for chance: the error is that of the population, which is larger."""
    channel = DESIGNS["bit"]
    truths = np.repeat([0, 20], 500)
    generator = np.random.default_rng(3)
    reports = pd.DataFrame({"hours": channel.randomise(truths, rng=generator)})
    sample = dn.Sample(reports, dn.Schema({"hours": channel}))
    weights = channel.weights(lambda number: number)
    rows = channel.matrix()
    variance = [rows[x] @ weights**2 - x**2 for x in (0, 20)]
    assert sample.mean("hours", target="respondents").se[0] >= np.sqrt(np.mean(variance) / 1000)


@pytest.mark.statistical
def test_parts_that_were_hidden_differently_are_put_together_and_cover_their_mean():
    """100 surveys of three parts, seed 5: one bit, three reports and k-ary randomised response, of which the last tells squares."""
    schemas = [dn.Schema({"x": channel}) for channel in (DESIGNS["bit"], DESIGNS["three"], dn.KRR(NUMBERS, 0.5))]
    generator = np.random.default_rng(5)
    errors, held = [], 0
    for _ in range(100):
        truths = generator.binomial(20, 0.2, (3, 200))
        parts = [
            (pd.DataFrame({"x": schema["x"].randomise(truth, rng=generator)}), schema)
            for schema, truth in zip(schemas, truths, strict=True)
        ]
        estimate = dn.Sample(parts).mean("x")
        low, high = estimate.interval(0.95)
        held += bool(low[0] <= 4.0 <= high[0])
        errors.append(estimate.value[0] - 4.0)
    assert held >= 0.95 * 100 - 4 * np.sqrt(100 * 0.95 * 0.05)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / 10

"""Every design, by discovery: its integers, its definition, the papers' examples, its file form and what it refuses."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
import tracemalloc
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import deniable as dn
from deniable.core.channels.base import rounded_up
from deniable.core.channels.designs import mixture
from deniable.errors import DataError, DeniableError, ParameterError, SchemaError, WideDomainError

AB, ABC = dn.Nominal(["a", "b"]), dn.Nominal(["a", "b", "c"])
SALARY = dn.Ordinal(["low", "med-low", "medium", "med-high", "high"])


def test_every_design_has_examples(channel_examples):
    have = set(channel_examples.SMALL) | set(channel_examples.FLOATING)
    assert have == set(dn.Channel.designs)
    for examples in (channel_examples.SMALL, channel_examples.WIDE, channel_examples.FLOATING):
        for design, found in examples.items():
            assert found
            assert {type(channel) for channel in found} == {dn.Channel.designs[design]}


def test_integer_rows_sum_to_a_denominator_of_at_most_53_bits_and_are_never_negative(small_channel):
    rows = small_channel.integer_rows()
    assert rows.dtype == np.int64
    assert rows.shape == (len(small_channel.inputs), len(small_channel.outputs))
    assert (rows >= 0).all()
    assert (rows.sum(axis=1) == small_channel.denominator).all()
    assert 1 <= small_channel.denominator < 2**53
    np.testing.assert_array_equal(small_channel.integer_rows([1, 0]), rows[[1, 0]])


def test_wide_integer_rows_sum_to_the_denominator_too(wide_channel):
    rows = wide_channel.integer_rows([0, 1, 50_000, 100_000])
    assert (rows >= 0).all()
    assert (rows.sum(axis=1) == wide_channel.denominator).all()
    assert wide_channel.denominator < 2**53


@pytest.mark.statistical
def test_the_matrix_is_the_integers_over_the_denominator_with_labels_on_both_axes(small_channel):
    P = small_channel.matrix()
    np.testing.assert_allclose(P, small_channel.integer_rows() / small_channel.denominator, rtol=1e-15)
    frame = small_channel.to_frame()
    assert tuple(frame.index) == small_channel.inputs
    assert tuple(frame.columns) == small_channel.outputs
    np.testing.assert_array_equal(frame.to_numpy(), P)
    np.testing.assert_array_equal(small_channel.to_rrreg(), P.T)
    P[:] = 7
    assert small_channel.matrix().max() <= 1, "the caller's copy must not be the channel's own"


def as_answers(channel, rows):
    """A rating is reported as one of its own numbers: each cell as the nearest, the larger of two; the others are never reported."""
    if not isinstance(channel.domain.answered, dn.Ordinal):
        return rows
    silent = channel.domain.missing is not None
    values, cells = len(channel.inputs) - silent, len(rows[0]) - silent
    written = {math.floor(Fraction(cell * (values - 1), cells - 1) + Fraction(1, 2)): cell for cell in range(cells)}
    if silent:
        written[values] = cells
    return [[row[written[z]] if z in written else Fraction(0) for z in range(len(channel.inputs))] for row in rows]


def defined(channel):
    """P from the definition of the design, in exact fractions."""
    k = len(channel.inputs)
    eye = [[Fraction(int(x == z)) for z in range(k)] for x in range(k)]
    one = Fraction(1)
    match channel:
        case dn.Identity():
            return eye
        case dn.KRR():
            return [[channel.p if x == z else (1 - channel.p) / (k - 1) for z in range(k)] for x in range(k)]
        case dn.Flip():
            return [[channel.q, 1 - channel.q], [1 - channel.p, channel.p]]
        case dn.ForcedResponse():
            truth = 1 - channel.p_yes - channel.p_no
            return [[channel.p_no + truth, channel.p_yes], [channel.p_no, channel.p_yes + truth]]
        case dn.Crosswise():
            # different, same: "same" is said when answer and innocuous answer agree.
            return [[channel.p, 1 - channel.p], [1 - channel.p, channel.p]]
        case dn.Retention():  # UnrelatedQuestion is one
            given_share = channel.parameters()[channel._names[1]]
            share = [one / k] * k if given_share is None else [Fraction(str(value)) for value in given_share]
            return [[channel.p * eye[x][z] + (1 - channel.p) * share[z] for z in range(k)] for x in range(k)]
        case dn.Matrix():
            return [[Fraction(str(value)) for value in row] for row in channel.parameters()["P"]]
        case dn.Neighbours():
            rows = []
            for x in range(k):
                away = [min(abs(x - z), k - abs(x - z)) if channel.wrap else abs(x - z) for z in range(k)]
                row = [channel.probabilities[s] if s < len(channel.probabilities) else Fraction(0) for s in away]
                rows.append([value / sum(row) for value in row])
            return rows
        case dn.OneBit() if channel.domain.missing is None:
            low, high = 1 / (channel.odds + 1), channel.odds / (channel.odds + 1)
            bit = [low + (high - low) * Fraction(x, k - 1) for x in range(k)]
            return as_answers(channel, [[1 - share, share] for share in bit])
        case dn.OneBit() | dn.Piecewise():
            # Cells under a window that glides over them; silence is one more cell, as wide as the window.
            cells, width = (2, 1) if isinstance(channel, dn.OneBit) else (channel.reports, channel.width)
            silent = channel.domain.missing is not None
            rows = []
            for x in range(k - silent):
                start = Fraction(x, k - silent - 1) * (cells - width)
                under = [max(Fraction(0), min(start + width, z + 1) - max(start, Fraction(z))) for z in range(cells)]
                rows.append([1 + (channel.odds - 1) * part for part in under] + [Fraction(width)] * silent)
            rows += [[one] * cells + [channel.odds * width]] * silent
            return as_answers(channel, [[weight / sum(row) for weight in row] for row in rows])
        case dn.Optional():
            inner, p, z_count = defined(channel.channel), channel.p, len(channel.outputs) - 1
            rows = [[p * value for value in row] + [1 - p] for row in inner]
            if isinstance(
                channel.channel, dn.OneBit | dn.Piecewise
            ):  # a label of a rating that is never reported would prove silence
                possible = [any(row[z] for row in inner) for z in range(z_count)]
                return [*rows, [(1 - p) / sum(possible) * each for each in possible] + [p]]
            return [*rows, [(1 - p) / z_count] * z_count + [p]]
        case dn.Additive():
            noise, step = channel.noise, channel.domain.step
            far = 400
            offsets = range(-far, far + 1)
            match noise:
                case dn.Uniform():
                    weights = [Fraction(int(abs(o) * step <= noise.half_width)) for o in offsets]
                case dn.Laplace():
                    weights = [Fraction(math.exp(-abs(o) * float(step / noise.b))) for o in offsets]
                case dn.Normal():
                    weights = [Fraction(math.exp(-((o * float(step / noise.sd)) ** 2) / 2)) for o in offsets]
                case dn.Staircase():
                    half = len(noise.weights) // 2
                    weights = [noise.weights[o + half] if abs(o) <= half else Fraction(0) for o in offsets]
            total = sum(weights)
            margin = (len(channel.outputs) - k) // 2
            rows = [[Fraction(0)] * len(channel.outputs) for _ in range(k)]
            for x in range(k):
                for o, weight in zip(offsets, weights, strict=True):
                    rows[x][min(max(x + o + margin, 0), len(channel.outputs) - 1)] += weight / total
            return rows


@pytest.mark.statistical
def test_every_design_is_its_definition_up_to_the_last_of_32_bits(small_channel):
    expected = defined(small_channel)
    table = small_channel.integer_rows()
    parts = len(expected[0]) + 1
    for row, exact in zip(table.tolist(), expected, strict=True):
        for weight, share in zip(row, exact, strict=True):
            if small_channel.denominator < 2**32 and not isinstance(small_channel, dn.Optional):
                assert Fraction(weight, small_channel.denominator) == share
            elif isinstance(small_channel, dn.Optional):
                # Silence spreads over the labels as evenly as whole parts allow.
                assert abs(weight - share * small_channel.denominator) <= max(1, small_channel.denominator * parts / 2**32)
            else:
                assert abs(Fraction(weight, small_channel.denominator) - share) <= Fraction(2 * parts, 2**32)


def test_json_gives_back_the_same_channel_to_the_last_integer(small_channel):
    back = dn.Channel.from_json(json.loads(json.dumps(small_channel.to_json())))
    assert type(back) is type(small_channel)
    assert back == small_channel
    assert hash(back) == hash(small_channel)
    assert back.law.digest == small_channel.law.digest
    assert back.to_json() == small_channel.to_json()
    assert (back.inputs, back.outputs) == (small_channel.inputs, small_channel.outputs)


@pytest.mark.statistical
def test_json_gives_back_the_same_wide_or_floating_channel(channel_examples):
    for examples in (channel_examples.WIDE, channel_examples.FLOATING):
        for channel in (channel for found in examples.values() for channel in found):
            back = dn.Channel.from_json(json.loads(json.dumps(channel.to_json())))
            assert back == channel
            assert repr(back) == repr(channel)
            assert back.reported == channel.reported
            assert not channel.exact or back.law.digest == channel.law.digest


@pytest.mark.statistical
def test_pickle_gives_back_the_same_channel(small_channel):
    small_channel.randomise(small_channel.domain.column(np.array([0, 1])))
    back = pickle.loads(pickle.dumps(small_channel))
    assert back == small_channel
    assert back.law.digest == small_channel.law.digest
    np.testing.assert_array_equal(back.integer_rows(), small_channel.integer_rows())


def test_pickle_gives_back_a_floating_channel_that_draws_and_still_has_no_table(floating_channel):
    back = pickle.loads(pickle.dumps(floating_channel))
    assert back == floating_channel
    assert len(back.randomise([int(back.domain.low) + 1])) == 1
    assert not back.exact


@pytest.mark.statistical
def test_every_design_is_known_whichever_module_is_loaded_first():
    as_json = dn.Optional(dn.Additive(dn.Integer(0, 3), dn.Laplace(2)), 0.8).to_json()
    code = f"from deniable.core.channels.base import Channel\nprint(Channel.from_json({as_json!r}))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.startswith("Optional(channel=Additive(")


def test_a_channel_says_which_channel_answers_go_through_and_whether_it_adds_noise():
    noisy = dn.Additive(dn.Integer(0, 3), dn.Laplace(2))
    optional = dn.Optional(noisy, 0.8)
    assert optional.inner is noisy
    assert optional.law.inner is noisy.law
    assert noisy.inner is noisy
    assert noisy.law.inner is noisy.law
    assert (noisy.adds_noise, optional.adds_noise, dn.KRR(AB, 0.5).adds_noise) == (True, False, False)


def test_channels_differ_when_a_parameter_does():
    assert dn.KRR(AB, 0.5) != dn.KRR(AB, 0.6)
    assert dn.KRR(AB, 0.5) == dn.KRR(AB, "1/2")
    assert dn.KRR(AB, 0.5) != dn.KRR(dn.Nominal(["b", "a"]), 0.5)
    assert dn.KRR(AB, 0.5) != "KRR"
    assert dn.Additive(dn.Integer(0, 9), dn.Laplace(2)) != dn.Additive(dn.Integer(0, 9), dn.Normal(2))


def test_unrelated_question_is_retention_with_that_replacement():
    innocuous = {"a": 0.2, "b": 0.3, "c": 0.5}
    unrelated, retention = dn.UnrelatedQuestion(ABC, 0.3, innocuous), dn.Retention(ABC, 0.3, innocuous)
    assert unrelated.law.digest == retention.law.digest
    assert unrelated.theta == Fraction(3, 10)


def test_a_distribution_of_reports_is_pushed_as_the_thesis_computes_it():
    # Thesis 3.6.1: 100 ones and 1900 zeros, p = .4, q = .96; the thesis lists ones first.
    assert dn.Flip(p=0.4, q=0.96).push([1900, 100]).tolist()[::-1] == [116, 1884]


def test_the_nominal_matrix_of_paper_001():
    P = dn.KRR(dn.Nominal(list("abcde")), 0.3).matrix()
    np.testing.assert_allclose(P, np.where(np.eye(5), 0.3, 0.175), rtol=1e-15)


def test_the_ordinal_matrix_5_1_of_the_thesis():
    # With wrap, k = 6; the thesis prints P[reported, true], ours is P[true, reported].
    p, r1, r2 = Fraction(40, 100), Fraction(18, 100), Fraction(12, 100)
    printed = [
        [p, r1, r2, 0, r2, r1],
        [r1, p, r1, r2, 0, r2],
        [r2, r1, p, r1, r2, 0],
        [0, r2, r1, p, r1, r2],
        [r2, 0, r2, r1, p, r1],
        [r1, r2, 0, r2, r1, p],
    ]
    channel = dn.Neighbours(dn.Ordinal(list("abcdef")), [p, r1, r2], wrap=True)
    ours = [[Fraction(int(weight), channel.denominator) for weight in row] for row in channel.integer_rows()]
    assert [list(column) for column in zip(*ours, strict=True)] == printed


def test_the_ordinal_matrices_5_2_and_5_4_of_the_thesis():
    looped = [
        [0.7, 0.15, 0, 0, 0.15],
        [0.15, 0.7, 0.15, 0, 0],
        [0, 0.15, 0.7, 0.15, 0],
        [0, 0, 0.15, 0.7, 0.15],
        [0.15, 0, 0, 0.15, 0.7],
    ]
    cut = [
        [0.824, 0.15, 0, 0, 0],
        [0.176, 0.7, 0.15, 0, 0],
        [0, 0.15, 0.7, 0.15, 0],
        [0, 0, 0.15, 0.7, 0.176],
        [0, 0, 0, 0.15, 0.824],
    ]
    np.testing.assert_allclose(dn.Neighbours(SALARY, [0.7, 0.15], wrap=True).to_rrreg(), looped, atol=1e-15)
    np.testing.assert_array_equal(dn.Neighbours(SALARY, [0.7, 0.15]).to_rrreg().round(3), cut)


def test_neighbours_reach_to_the_last_of_the_given_steps_and_rows_sum_to_1():
    # Errata 4: s = 1..l inclusive, rows renormalised at the ends.
    rows = dn.Neighbours(dn.Integer(0, 6), [0.4, 0.2, 0.1]).matrix()
    np.testing.assert_allclose(rows[3], [0, 0.1, 0.2, 0.4, 0.2, 0.1, 0])
    np.testing.assert_allclose(rows[0], np.array([0.4, 0.2, 0.1, 0, 0, 0, 0]) / 0.7)
    np.testing.assert_allclose(rows[1], np.array([0.2, 0.4, 0.2, 0.1, 0, 0, 0]) / 0.9)


def test_pram_and_rrreg_matrices_are_read_and_written_in_their_own_orientation():
    pram = pd.DataFrame([[0.1, 0.9], [0.8, 0.2]], index=["f", "m"], columns=["m", "f"])
    channel = dn.Matrix.from_pram(pram)
    assert channel.inputs == ("f", "m")
    np.testing.assert_allclose(channel.matrix(), [[0.9, 0.1], [0.2, 0.8]])
    assert dn.Matrix.from_pram([[0.9, 0.1], [0.2, 0.8]], labels=["f", "m"]) == channel
    np.testing.assert_allclose(channel.to_rrreg(), [[0.9, 0.2], [0.1, 0.8]])


@given(
    st.lists(st.integers(1, 10**24), min_size=2, max_size=6),
    st.integers(-(10**24), 10**24),
)
@example([3**40, 5**30, 7**25], 11**20)
@example([3**40, 5**30, 7**25], -(11**20))
@example([3**40, 450, 5**30], -449)
def test_weights_that_must_be_rounded_are_rounded_toward_privacy(others, diagonal):
    """No report changes the odds by more under the rounded whole numbers than under the fractions that were asked for."""
    diagonal = max(diagonal, 1 - min(others))  # the truth of a label may be reported seldom, but not never
    total = sum(others) + diagonal
    law = mixture(Fraction(diagonal, total), [Fraction(other, total) for other in others])
    rounded = [int(part) for part in law.replacement]
    assert _largest_ratio(law.diagonal, rounded) <= _largest_ratio(diagonal, others)


def _largest_ratio(diagonal, others):
    return max(max(Fraction(other + diagonal, other), Fraction(other, other + diagonal)) for other in others)


@given(st.floats(0.01, 20), st.integers(2, 1000))
def test_krr_from_epsilon_never_exceeds_what_was_asked_and_comes_close(epsilon, k):
    channel = dn.KRR.from_epsilon(dn.Integer(1, k), epsilon)
    keep, other = channel.integer_rows([0])[0][:2].tolist()
    assert channel.epsilon <= epsilon
    assert math.log(Fraction(keep, other)) <= epsilon
    assert channel.epsilon >= 0.9998 * epsilon
    assert dn.Channel.from_json(json.loads(json.dumps(channel.to_json()))).law.digest == channel.law.digest


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("epsilon", "k"), [(1e-9, 2), (1e-4, 100_000), (0.01, 100_000), (30, 100_000), (35.9, 2), (39.9, 1000)]
)
def test_krr_from_an_extreme_epsilon_stays_below_it_and_can_be_drawn(epsilon, k):
    channel = dn.KRR.from_epsilon(dn.Integer(1, k), epsilon)
    # 53 bits hold no odds beyond e^36.
    assert 0.99 * min(epsilon, 36) <= channel.epsilon <= epsilon
    assert channel.denominator < 2**53
    assert len(channel.randomise([1, k])) == 2


@pytest.mark.parametrize("wrong", [0, -1, 40, math.nan, math.inf, "1", None])
def test_an_epsilon_that_cannot_be_had_is_refused(wrong):
    with pytest.raises(ParameterError, match=r"epsilon must lie in \(0, 40\), got"):
        dn.KRR.from_epsilon(AB, wrong)


@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from(["uniform", "staircase"]))
def test_bounded_noise_that_widens_the_grid_never_has_a_finite_epsilon(labels, half, kind):
    noise = dn.Uniform(half) if kind == "uniform" else dn.Staircase([1] * (2 * half + 1))
    channel = dn.Additive(dn.Integer(0, labels), noise)
    assert channel.epsilon == math.inf
    report, likelier, rarer = channel.worst_case
    rows = dict(zip(channel.inputs, channel.integer_rows(), strict=True))
    z = channel.outputs.index(report)
    assert rows[likelier][z] > 0 == rows[rarer][z]


@given(st.integers(2, 60), st.integers(1, 60))
def test_bounded_noise_that_is_stopped_has_a_finite_epsilon_only_where_it_spans_the_domain(labels, half):
    channel = dn.Additive(dn.Integer(0, labels), dn.Uniform(half), edges="clamp")
    assert math.isfinite(channel.epsilon) == (half >= labels) == bool((channel.integer_rows() > 0).all())


def test_floating_channels_promise_nothing(floating_channel):
    assert not floating_channel.exact
    assert floating_channel.epsilon == math.inf
    for ask in (
        lambda: floating_channel.matrix(),
        lambda: floating_channel.push([1]),
        lambda: floating_channel.weights([1]),
        lambda: floating_channel.posterior(),
        lambda: floating_channel.integer_rows(),
        lambda: floating_channel.denominator,
        lambda: floating_channel.worst_case,
    ):
        with pytest.raises(
            ParameterError, match=r"works in floating point and has no table of labels; give bins .*or give the domain a step"
        ):
            ask()


def test_floating_reports_stay_near_the_truth():
    generator = np.random.default_rng(6)
    truths = np.linspace(100, 200, 1000)
    noisy = dn.Additive(dn.Continuous(100, 200), dn.Uniform(5)).randomise(truths, rng=generator)
    assert 4 < np.abs(noisy - truths).max() <= 5
    scaled = dn.Multiplicative(dn.Continuous(100, 200), dn.Uniform(0.1)).randomise(truths, rng=generator)
    assert 0.09 < np.abs(scaled / truths - 1).max() <= 0.1
    np.testing.assert_array_equal(dn.Identity(dn.Continuous(100, 200)).randomise(truths), truths)
    kept = dn.Retention(dn.Continuous(100, 200), 0.5).randomise(truths, rng=generator) == truths
    assert 400 < kept.sum() < 600


def test_silence_is_a_label_that_is_randomised_like_the_others():
    channel = dn.Optional(dn.Additive(dn.Integer(0, 9), dn.Laplace(3)), 0.75)
    reports = channel.randomise(pd.Series([3.0, None] * 20_000), rng=np.random.default_rng(9))
    silent = reports.isna().to_numpy().reshape(-1, 2).mean(axis=0)
    np.testing.assert_allclose(silent, [0.25, 0.75], atol=0.015)
    assert set(reports.dropna().unique()) == set(range(10))


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [dn.Uniform(5000), dn.Laplace(5000), dn.Normal(5000)])
def test_a_wide_domain_works_in_little_memory(noise):
    dn.Additive(dn.Integer(0, 3), dn.Uniform(1)).randomise([0])  # compiled before the clock starts
    generator = np.random.default_rng(8)
    truths = generator.integers(0, 100_001, 200_000)
    tracemalloc.start()
    try:
        channel = dn.Additive(dn.Integer(0, 100_000), noise)
        reports = channel.randomise(truths)
        pushed = channel.push(np.full(100_001, 1 / 100_001))
        pulled = channel.pull(np.array(channel.outputs, dtype=float))
        epsilon = channel.epsilon
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6
    assert pushed.sum() == pytest.approx(1, abs=1e-9)
    assert (pushed >= 0).all()
    np.testing.assert_allclose(pulled[40_000:60_000], np.arange(40_000, 60_000), atol=1)
    assert math.isinf(epsilon) == isinstance(noise, dn.Uniform)
    spread = {dn.Uniform: 5000 / math.sqrt(3), dn.Laplace: 5000 * math.sqrt(2), dn.Normal: 5000}[type(noise)]
    inner = np.abs(truths - 50_000) < 5000
    assert np.std((reports - truths)[inner]) == pytest.approx(spread, rel=0.05)


def test_a_dense_matrix_of_a_wide_domain_is_refused_with_the_way_out(wide_channel):
    for ask in (wide_channel.matrix, wide_channel.integer_rows, wide_channel.to_frame, wide_channel.to_rrreg):
        with pytest.raises(
            WideDomainError, match=r"A dense matrix of 100,00\d x \d+,\d+ is not built; use push and pull, or give bins"
        ):
            ask()


@pytest.mark.statistical
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_wide_channel_pushes_and_pulls_as_adjoints(wide_channel, seed):
    generator = np.random.default_rng(seed)
    p, v = generator.normal(size=wide_channel.law.inputs), generator.normal(size=wide_channel.law.outputs)
    assert wide_channel.push(p) @ v == pytest.approx(p @ wide_channel.pull(v), abs=1e-7)


@pytest.mark.statistical
def test_a_wide_epsilon_is_that_of_its_end_columns():
    channel = dn.Additive(dn.Integer(0, 100_000), dn.Laplace(5000))
    z, likelier, rarer = channel.law.worst_case
    column = channel.law.column(z)
    assert channel.epsilon == pytest.approx(math.log(column[likelier] / column[rarer]), rel=1e-12)
    for other in (0, 1, 777, 50_000, 99_999, 100_000):
        column = channel.law.column(other)
        assert math.log(column.max() / column.min()) <= channel.epsilon * (1 + 1e-12)
    assert 19.9 < channel.epsilon <= 20


def test_weights_take_arrays_mappings_and_functions_of_the_label():
    channel = dn.KRR(ABC, 0.6)
    expected = channel.weights([0, 1, 0])
    np.testing.assert_allclose(channel.weights({"b": 1}), expected)
    np.testing.assert_allclose(channel.weights(lambda label: float(label == "b")), expected)
    np.testing.assert_allclose(channel.matrix() @ expected, [0, 1, 0], atol=1e-12)


def test_epsilon_is_shown_rounded_up():
    assert rounded_up(math.log(3)) == "1.099"
    assert rounded_up(1.0990000001) == "1.100"
    assert rounded_up(2.5) == "2.500"
    assert rounded_up(math.inf) == "infinite"


def test_the_empty_column_gives_an_empty_column(small_channel):
    assert len(small_channel.randomise([])) == 0


BAD_DESIGNS = [
    (lambda: dn.KRR(["a", "b"], 0.5), r"KRR: the domain must be dn\.Binary\(\).*got \['a', 'b'\]"),
    (lambda: dn.Identity(None), "Identity: the domain must be .*got None"),
    (lambda: dn.Additive("ages", dn.Laplace(1)), "Additive: the domain must be .*got 'ages'"),
    (lambda: dn.KRR(dn.Continuous(0, 1), 0.5), "KRR needs a domain with a step, got Continuous"),
    (lambda: dn.KRR(AB, 1.2), r"KRR: p must lie in \[0, 1\], got 1\.2"),
    (lambda: dn.KRR(AB, -0.1), r"KRR: p must lie in \[0, 1\], got -0\.1"),
    (lambda: dn.KRR(AB, math.nan), "KRR: p must be a finite number .*got nan"),
    (lambda: dn.KRR(AB, math.inf), "KRR: p must be a finite number .*got inf"),
    (lambda: dn.KRR(AB, None), "KRR: p must be a finite number .*got None"),
    (lambda: dn.Flip(0.5, 1.5), r"Flip: q must lie in \[0, 1\], got 1\.5"),
    (lambda: dn.Flip(0.5, 0.5, ABC), "Flip needs a domain of two labels, got Nominal"),
    (lambda: dn.Crosswise(0.2, ABC), "Crosswise needs a domain of two labels"),
    (lambda: dn.ForcedResponse(0.5, 0.5), r"p_yes \+ p_no must stay below 1, .*got 1\.0"),
    (lambda: dn.ForcedResponse(0.5, -0.1), r"p_no must lie in \[0, 1\]"),
    (lambda: dn.Retention(AB, 0), "Retention: p = 0 keeps no true answer, .*p must be above 0"),
    (lambda: dn.UnrelatedQuestion(AB, 0, 0.5), "UnrelatedQuestion: theta = 0 keeps no true answer"),
    (lambda: dn.UnrelatedQuestion(AB, 0.5, 1.5), r"UnrelatedQuestion: innocuous must lie in \[0, 1\]"),
    (lambda: dn.UnrelatedQuestion(ABC, 0.5, 0.5), "innocuous must be a mapping .*a sequence of 3 probabilities, got 0.5"),
    (lambda: dn.Retention(ABC, 0.5, {"d": 1}), r"replacement names 'd', which is not among the labels"),
    (lambda: dn.Retention(ABC, 0.5, [0.5, 0.5]), "replacement has 2 probabilities for 3 labels"),
    (lambda: dn.Retention(ABC, 0.5, [0.5, 0.5, 0.5]), r"replacement must sum to 1, got 1\.5"),
    (lambda: dn.Retention(dn.Continuous(0, 1), 0.5, [0.5, 0.25, 0.25]), r"None \(uniform\) or a pair \(edges, probabilities\)"),
    (lambda: dn.Retention(dn.Continuous(0, 1), 0.5, ([0, 2], [1])), r"edges must rise and stay inside 0\.0 to 1\.0"),
    (lambda: dn.Retention(dn.Continuous(0, 1), 0.5, ([0, 0.5, 1], [1])), "replacement has 1 probabilities for 2 labels"),
    (lambda: dn.Matrix(AB, [[0.9, 0.2], [0.3, 0.7]]), r"Matrix: row 'a' must sum to 1, got 1\.1"),
    (lambda: dn.Matrix(AB, [[0.9, 0.1], [1.3, -0.3]]), r"Matrix: row 'b' must lie in \[0, 1\], got 1\.3"),
    (lambda: dn.Matrix(AB, [[0.9, 0.1]]), r"must have 2 rows \(true labels\) of 2 probabilities .*got 1 row of \[2\]"),
    (lambda: dn.Matrix(AB, [[0.9, 0.1], [1]]), r"got 2 rows of \[1, 2\]"),
    (lambda: dn.Matrix(AB, [0.9, 0.1]), r"got 2 rows of \[1\]"),
    (lambda: dn.Matrix(AB, np.eye(3)), r"got 3 rows of \[3\]"),
    (lambda: dn.Matrix(AB, 0.5), "P must be a list of rows or a frame, got 0.5"),
    (lambda: dn.Matrix(AB, [[1, 0], [0, 1]], outputs=["x"]), r"P must have 2 rows .* of 1 probabilities"),
    (lambda: dn.Matrix.from_pram([[1, 0], [0, 1]]), "needs a frame with labels, or labels="),
    (
        lambda: dn.Matrix.from_pram(pd.DataFrame([[1, 0], [0, 1]], index=["a", "b"], columns=["a", "c"])),
        r"rows and columns must carry the same labels, got \['a', 'b'\] and \['a', 'c'\]",
    ),
    (lambda: dn.Neighbours(ABC, [0.6, 0.2]), "needs labels in an order: use dn.Ordinal, not dn.Nominal"),
    (
        lambda: dn.Neighbours(dn.Ordinal(["low", "high"], missing="?"), [0.6, 0.4]),
        r"label '\?' stands outside the order .*dn\.Optional",
    ),
    (lambda: dn.Neighbours(SALARY, [0.1] * 6), "6 probabilities reach too far for 5 labels; at most 5 are allowed"),
    (
        lambda: dn.Neighbours(SALARY, [0.1] * 4, wrap=True),
        "4 probabilities reach too far for 5 labels; at most 3 are allowed when",
    ),
    (lambda: dn.Neighbours(SALARY, []), "0 probabilities"),
    (lambda: dn.Neighbours(SALARY, 0.7), r"must be a list \[p, r1, \.\.\.\], got 0\.7"),
    (lambda: dn.Neighbours(SALARY, [0.7, 0.3]), r"p \+ 2 \(r_1 \+ r_2 \+ \.\.\.\) must sum to 1, got 1\.3"),
    (lambda: dn.Neighbours(SALARY, [0.7, -0.1]), r"probabilities\[1\] must lie in \[0, 1\], got -0\.1"),
    (lambda: dn.Neighbours(SALARY, [0, 0, 0, 0]), "all 0"),
    (
        lambda: dn.Neighbours(dn.Integer(0, 5000), [0.6, 0.2]),
        r"at most 2000 labels, got 5001; use dn\.Additive with dn\.Staircase",
    ),
    (lambda: dn.Additive(SALARY, dn.Laplace(1)), "Additive needs numbers: .*got Ordinal"),
    (lambda: dn.Additive(dn.Integer(0, 9), 3), "noise must be dn.Uniform, dn.Normal, dn.Laplace or dn.Staircase, got 3"),
    (lambda: dn.Additive(dn.Integer(0, 9), dn.Laplace(1), edges="wrap"), "edges must be 'clamp' or 'extend' .*got 'wrap'"),
    (lambda: dn.Additive(dn.Integer(0, 9), dn.Uniform(1.5)), r"half_width 1\.5 is not a whole number of steps"),
    (lambda: dn.Additive(dn.Continuous(0, 1), dn.Uniform(1), edges="clamp"), "edges='clamp' needs a domain with a step"),
    (lambda: dn.Additive(dn.Continuous(0, 1), dn.Normal(1), edges="clamp"), "edges='clamp' needs a domain with a step"),
    (lambda: dn.Multiplicative(AB, dn.Normal(0.1)), "Multiplicative needs numbers: .*got Nominal"),
    (lambda: dn.Multiplicative(dn.Integer(1, 9), "much"), "Multiplicative: noise must be .*got 'much'"),
    (lambda: dn.Multiplicative(dn.Integer(1, 9), dn.Staircase([1])), "Staircase is defined on a grid only"),
    (lambda: dn.Optional(AB, 0.5), "Optional wraps a channel .*got Nominal"),
    (lambda: dn.Optional(dn.KRR(AB, 0.5), 1.5), r"Optional: p must lie in \[0, 1\], got 1\.5"),
    (lambda: dn.Optional(dn.KRR(AB, 0.5), 0.5, missing="a"), "must be text and none of the other labels, got 'a'"),
    (lambda: dn.Optional(dn.Optional(dn.KRR(AB, 0.5), 0.5), 0.5), "without a missing label"),
    (lambda: dn.Optional(dn.Additive(dn.Continuous(0, 1), dn.Normal(1)), 0.5), "a domain with a step"),
    (lambda: dn.Optional(dn.Additive(dn.Integer(0, 9), dn.Laplace(3)), 0.123456789), r"below 2\*\*53 is allowed. Use rounder"),
    (lambda: dn.KRR(AB, 0.5).push([1, 2, 3]), r"KRR\.push takes one number for each of the 2 true labels, got shape \(3,\)"),
    (lambda: dn.KRR(AB, 0.5).push(np.eye(2)), r"KRR\.push takes one number .*got shape \(2, 2\)"),
    (lambda: dn.KRR(AB, 0.5).pull("ab"), r"KRR\.pull takes one number for each of the 2 reported labels, got 'ab'"),
    (lambda: dn.KRR(AB, 0.5).weights([1]), r"KRR\.weights takes one number for each of the 2 true labels"),
]


@pytest.mark.parametrize(("build", "sentence"), BAD_DESIGNS)
def test_a_parameter_that_cannot_be_is_refused_with_owner_what_is_allowed_and_what_was_given(build, sentence):
    with pytest.raises(ParameterError, match=sentence) as caught:
        build()
    assert caught.value.code
    assert str(caught.value).endswith(".")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.code, str(again)) == (ParameterError, caught.value.code, str(caught.value))


@pytest.mark.parametrize(
    ("channel", "values", "sentence"),
    [
        (dn.KRR(AB, 0.5), ["a", "c", "d"], "2 cells do not fit .row 2: 'c', row 3: 'd'.. Allowed: 'a', 'b'"),
        (dn.KRR(AB, 0.5), ["a", None], "row 2: missing.. Allowed: 'a', 'b'"),
        (dn.KRR(dn.Binary(), 0.5), [0, math.nan], "row 2: missing.. Allowed: 0, 1"),
        (
            dn.Additive(dn.Integer(18, 65), dn.Laplace(9)),
            [17, 18.5, 66],
            "3 cells do not fit .*Allowed: 18 to 65 in steps of 1",
        ),
        (dn.Additive(dn.Integer(18, 65), dn.Laplace(9)), ["20"], "row 1: '20'"),
        (dn.Additive(dn.Continuous(0, 1), dn.Normal(9)), [0.5, 1.5, math.nan], "row 2: 1.5, row 3: missing.. Allowed: 0 to 1"),
        (dn.Multiplicative(dn.Integer(1, 5), dn.Normal(0.1)), [6], "row 1: 6"),
        (
            dn.Optional(dn.KRR(AB, 0.5), 0.5),
            ["a", "x", None],
            "1 cell does not fit .row 2: 'x'.. Allowed: 'a', 'b', or 'no answer'",
        ),
        (dn.KRR(AB, 0.5), "a", "must be a column of values"),
        (dn.KRR(dn.Binary(), 0.5), 1, "must be a column of values"),
        (dn.KRR(AB, 0.5), ["a", 1], "mixes values of different types: str, int"),
    ],
)
def test_values_that_do_not_fit_are_refused_all_together_before_anything_is_drawn(channel, values, sentence, monkeypatch):
    monkeypatch.setattr("os.urandom", lambda n: pytest.fail("drawn"))
    with pytest.raises(DataError, match=sentence):
        channel.randomise(values)


@pytest.mark.parametrize(
    ("given_json", "sentence"),
    [
        (None, "a type among .*'KRR'"),
        ({"type": "Magic"}, "a type among .*got"),
        ({"type": "KRR", "domain": {"type": "Binary"}}, "The channel KRR needs 'p'"),
        ({"type": "KRR", "domain": {"type": "Binary"}, "p": 0.5, "q": 0.5}, "does not know 'q'"),
        ({"type": "KRR", "domain": {"type": "Magic"}, "p": 0.5}, "A domain must be an object with a type"),
        ({"type": "Additive", "domain": {"type": "Integer", "low": 0, "high": 9}}, "Noise must be an object"),
        ({"type": "Optional", "p": 0.5}, "A channel must be an object"),
    ],
)
def test_a_file_that_describes_no_channel_is_refused_with_the_reason(given_json, sentence):
    with pytest.raises(SchemaError, match=sentence):
        dn.Channel.from_json(given_json)


def test_every_refusal_is_a_deniable_error_and_a_value_error():
    for error in (ParameterError, DataError, SchemaError):
        assert issubclass(error, DeniableError)
        assert issubclass(error, ValueError)

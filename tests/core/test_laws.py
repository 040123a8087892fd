"""Each law answers from its structure what a dense table of its integers would answer."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.core.channels.laws import Mixture, Table
from deniable.core.channels.optional import _MayBeSilent
from deniable.core.channels.shift import Shift, convolve, sliding
from deniable.core.channels.sparse_windows import SparseWindows
from deniable.core.channels.windows import Windows
from deniable.errors import NotInvertibleError, ParameterError

seeds = st.integers(0, 2**32 - 1)


@st.composite
def shifts(draw):
    inputs = draw(st.integers(2, 12))
    kernel = draw(st.lists(st.integers(0, 9), min_size=1, max_size=25).filter(any))
    # What the designs build: a kernel around 0, possibly reaching far beyond the grid, on a grid with or without margin.
    return Shift(inputs, np.array(kernel), -draw(st.integers(0, len(kernel) - 1)), draw(st.integers(0, 6)))


@st.composite
def mixtures(draw):
    replacement = np.array(draw(st.lists(st.integers(0, 9), min_size=2, max_size=8).filter(any)))
    return Mixture(draw(st.integers(-int(replacement.min()), 9)), replacement)


@st.composite
def tables(draw):
    inputs, outputs = draw(st.integers(2, 6)), draw(st.integers(2, 6))
    parts = np.array(
        draw(st.lists(st.lists(st.integers(1, 9), min_size=outputs, max_size=outputs), min_size=inputs, max_size=inputs))
    )
    parts[:, 0] += parts.sum(axis=1).max() - parts.sum(axis=1)
    return Table(parts, int(parts[0].sum()))


@st.composite
def windows(draw):
    width, steps = draw(st.integers(1, 5)), draw(st.integers(1, 8))
    odds = 1 + Fraction(draw(st.integers(1, 20)), draw(st.integers(1, 7)))
    return Windows(draw(st.integers(2, 9)), width + steps, width, odds, draw(st.booleans()))


@st.composite
def silences(draw):
    inner = draw(st.one_of(shifts(), mixtures(), tables(), windows().filter(lambda law: not law.silent)))
    return _MayBeSilent(inner, Fraction(draw(st.integers(0, 20)), 20))


any_law = st.one_of(shifts(), mixtures(), tables(), windows(), silences())


def slow_rows(law):
    """The integer table, cell by cell, straight from each law's definition."""
    rows = [[0] * law.outputs for _ in range(law.inputs)]
    if isinstance(law, Table):
        return law.weights_table.tolist()
    if isinstance(law, Windows):
        return slow_windows(law)
    for x in range(law.inputs):
        if isinstance(law, Mixture):
            for z in range(law.outputs):
                rows[x][z] = int(law.replacement[z]) + (law.diagonal if x == z else 0)
        elif isinstance(law, Shift):
            for i, weight in enumerate(law.kernel.tolist()):
                rows[x][min(max(x + law.lowest + i + law.margin, 0), law.outputs - 1)] += weight
        else:
            last, kept, denominator = law.outputs - 1, law.kept, law.denominator
            status_kept = kept * law.inner.denominator
            if x == law.inputs - 1:
                # Of a rating that is reported as some of its numbers, silence is too: the others would prove it.
                sparse = isinstance(law.inner, SparseWindows)
                occurring = np.flatnonzero(np.any(slow_rows(law.inner), axis=0)) if sparse else range(last)
                share, rest = divmod(denominator - status_kept, len(occurring))
                rows[x][last] = status_kept
                for i, z in enumerate(occurring):
                    rows[x][z] = share + (i < rest)
            else:
                rows[x] = [kept * weight for weight in slow_rows(law.inner)[x]] + [denominator - status_kept]
    return rows


def slow_windows(law):
    """Cell by cell, in fractions: 1 outside the window, odds inside, in between where a cell is covered in part."""
    odds = Fraction(law.base + law.full, law.base)
    rows = []
    for x in range(law.values):
        start = Fraction(x * (law.cells - law.width), law.values - 1)
        covered = [max(Fraction(0), min(start + law.width, z + 1) - max(start, z)) for z in range(law.cells)]
        rows.append([1 + (odds - 1) * part for part in covered] + [Fraction(law.width)] * law.silent)
    if law.silent:
        rows.append([Fraction(1)] * law.cells + [odds * law.width])
    assert len({sum(row) for row in rows}) == 1
    if isinstance(law, SparseWindows):
        rows = [slow_placed(law, row) for row in rows]
    return [[int(weight * law.denominator / sum(row)) for weight in row] for row in rows]


def slow_placed(law, row):
    """Each cell at the value nearest to it, the higher of two; no other value is reported."""
    placed = [Fraction(0)] * law.values + row[law.cells :]
    for cell, weight in enumerate(row[: law.cells]):
        placed[math.floor(Fraction(cell * (law.values - 1), law.cells - 1) + Fraction(1, 2))] = weight
    return placed


def check_against_dense(law, table):
    everyone = np.arange(law.inputs)
    assert law.rows(everyone).tolist() == table
    some = everyone[::-2]
    assert law.rows(some).tolist() == [table[x] for x in some]
    assert all(sum(row) == law.denominator and min(row) >= 0 for row in table)
    for z in range(law.outputs):
        assert law.column(z).tolist() == [row[z] for row in table]
    low, high = law.column_range()
    assert low.tolist() == [min(column) for column in zip(*table, strict=True)]
    assert high.tolist() == [max(column) for column in zip(*table, strict=True)]
    np.testing.assert_allclose(law.dense(), np.array(table) / law.denominator, rtol=1e-15)


@given(any_law)
def test_rows_columns_and_ranges_of_any_law_are_those_of_its_definition(law):
    check_against_dense(law, slow_rows(law))


@pytest.mark.statistical
def test_rows_columns_and_ranges_of_every_design_agree_with_its_table(small_channel):
    check_against_dense(small_channel.law, slow_rows(small_channel.law))


@given(any_law)
@example(dn.Additive(dn.Integer(0, 9), dn.Staircase([0, 1, 3, 1, 0])).law)  # as many parts as offsets, but not one each
def test_all_draws_below_the_denominator_give_each_report_exactly_its_weight(law):
    everything = np.arange(law.denominator)
    for x, row in enumerate(slow_rows(law)):
        chosen = law.choose(np.full(law.denominator, x), everything)
        assert np.bincount(chosen, minlength=law.outputs).tolist() == row


@pytest.mark.parametrize(
    "kernel", [np.full(70_001, 1), np.array([1] * 50_000 + [2**18] + [1] * 50_000), np.array([2**17, 0, 0, 1])]
)
def test_a_long_kernel_is_searched_without_losing_a_single_draw(kernel):
    law = Shift(3, kernel, -(len(kernel) // 2), 60_000)
    everything = np.arange(law.denominator)
    counted = np.bincount(law.choose(np.full(law.denominator, 1), everything), minlength=law.outputs)
    assert counted.tolist() == law.rows(np.array([1]))[0].tolist()
    offsets = np.repeat(np.arange(len(kernel)), kernel)
    assert (
        law.choose(np.full(law.denominator, 1), everything)
        == np.clip(1 + law.lowest + law.margin + offsets, 0, law.outputs - 1)
    ).all()


def check_push_and_pull(law, seed):
    generator = np.random.default_rng(seed)
    dense = np.array(slow_rows(law), dtype=float) / law.denominator
    for p in (generator.random(law.inputs), generator.normal(size=law.inputs)):
        v = generator.normal(size=law.outputs)
        np.testing.assert_allclose(law.push(p), p @ dense, atol=1e-12)
        np.testing.assert_allclose(law.pull(v), dense @ v, atol=1e-12)
        assert law.push(p) @ v == pytest.approx(p @ law.pull(v), abs=1e-11)


@given(any_law, seeds)
def test_push_and_pull_of_any_law_are_dense_products_and_adjoint_even_for_signed_vectors(law, seed):
    check_push_and_pull(law, seed)


@pytest.mark.statistical
@settings(max_examples=12)
@given(seed=seeds)
def test_push_and_pull_of_every_design_are_dense_products_and_adjoint(small_channel, seed):
    check_push_and_pull(small_channel.law, seed)


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [dn.Uniform(1500), dn.Laplace(800), dn.Normal(700)])
def test_push_and_pull_through_the_fourier_transform_equal_the_direct_sums(noise):
    law = dn.Additive(dn.Integer(0, 3000), noise).law
    assert len(law.kernel) * law.inputs > 1 << 20, "this must be too large for the direct convolution"
    generator = np.random.default_rng(1)
    p, v = generator.random(law.inputs), generator.normal(size=law.outputs)
    dense = np.zeros((law.inputs, law.outputs))
    for x in range(law.inputs):
        positions = np.clip(np.arange(len(law.kernel)) + law.lowest + law.margin + x, 0, law.outputs - 1)
        dense[x] = np.bincount(positions, weights=law.kernel, minlength=law.outputs) / law.denominator
    np.testing.assert_allclose(law.push(p / p.sum()), p / p.sum() @ dense, atol=1e-14)
    np.testing.assert_allclose(law.pull(v), dense @ v, atol=1e-12)
    assert (law.push(np.eye(law.inputs)[0]) >= 0).all()


def slow_epsilon(table):
    worst = Fraction(1)
    for column in zip(*table, strict=True):
        for a, b in product(column, column):
            if a > 0 and b == 0:
                return math.inf
            if a > 0:
                worst = max(worst, Fraction(a, b))
    return math.log(worst)


def check_epsilon(law):
    table = slow_rows(law)
    slow = slow_epsilon(table)
    assert law.epsilon == slow or abs(law.epsilon - slow) <= 1e-15 * slow
    z, likelier, rarer = law.worst_case
    if math.isinf(slow):
        assert table[likelier][z] > 0
        assert table[rarer][z] == 0
    else:
        assert math.log(Fraction(table[likelier][z], table[rarer][z])) == pytest.approx(slow, rel=1e-14)


@given(any_law)
def test_epsilon_of_any_law_is_the_largest_log_ratio_of_its_table(law):
    check_epsilon(law)


@pytest.mark.statistical
def test_epsilon_of_every_design_is_the_largest_log_ratio_of_its_table(small_channel):
    check_epsilon(small_channel.law)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("noise", "edges", "finite"),
    [
        (dn.Uniform(3), "extend", False),
        (dn.Uniform(3), "clamp", False),
        (dn.Laplace(3), "clamp", True),
        (dn.Laplace(3), "extend", True),
        (dn.Normal(3), "clamp", True),
        (dn.Normal(3), "extend", True),
    ],
)
def test_epsilon_of_noise_on_a_grid_is_exact_and_finite_only_where_every_report_is_possible(noise, edges, finite):
    channel = dn.Additive(dn.Integer(0, 20), noise, edges=edges)
    check_epsilon(channel.law)
    assert math.isfinite(channel.epsilon) == finite


def test_epsilon_tells_apart_ratios_that_are_equal_in_floating_point():
    # 2**53 - 1 over 3 and 2**53 - 4 over 3 differ by less than a double shows near their size times 2.
    table = Table(np.array([[2**52, 2**52 - 1], [1, 2**53 - 2]]), 2**53 - 1)
    assert table.epsilon == math.log(2**52)


def test_a_report_that_nobody_can_give_does_not_make_epsilon_infinite():
    table = Table(np.array([[3, 1, 0], [1, 3, 0]]), 4)
    assert table.epsilon == math.log(3)
    assert table.worst_case[0] in (0, 1)


@pytest.mark.statistical
@settings(max_examples=12)
@given(seed=seeds)
def test_weights_undo_every_channel_that_can_be_undone_and_are_refused_for_the_others(small_channel, seed):
    generator = np.random.default_rng(seed)
    f = generator.normal(size=small_channel.law.inputs)
    try:
        w = small_channel.weights(f)
    except NotInvertibleError:
        assert small_channel.condition_number > 1e8
    else:
        assert small_channel.condition_number < 1e14
        np.testing.assert_allclose(small_channel.matrix() @ w, f, atol=1e-8 * max(1, np.abs(f).max()))


def test_weights_of_several_functions_are_those_of_each(channel_examples):
    channels = [channel for found in channel_examples.SMALL.values() for channel in found]
    invertible = [channel for channel in channels if channel.condition_number < 1e8]
    assert len(invertible) > len(channels) / 2
    for channel in invertible:
        f = np.random.default_rng(4).normal(size=(channel.law.inputs, 3))
        together = channel.law.weights(f)
        for i in range(3):
            np.testing.assert_allclose(together[:, i], channel.law.weights(f[:, i]), atol=1e-7 * np.abs(together).max())


def test_what_a_singular_channel_does_determine_is_solved_with_least_variance():
    channel = dn.Neighbours(dn.Ordinal(list("abcd")), [0.5, 0.25], wrap=True)
    np.testing.assert_allclose(channel.weights([1, 1, 1, 1]), 1, atol=1e-12)
    w = channel.weights([1, 1, 0, 0])
    np.testing.assert_allclose(channel.matrix() @ w, [1, 1, 0, 0], atol=1e-12)
    # Reports are uniform here, so least variance is least norm: nothing along the null direction (1, -1, 1, -1).
    assert abs(w @ [1, -1, 1, -1]) < 1e-12


def test_rectangular_weights_have_the_least_variance_under_uniform_truths():
    channel = dn.Matrix(dn.Binary(), [[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]], outputs=["x", "y", "z"])
    P = channel.matrix()
    w = channel.weights([0, 1])
    reported = P.mean(axis=0)
    null = np.linalg.svd(P)[2][-1]
    best = reported @ w**2
    for step in (-0.1, -1e-3, 1e-3, 0.1):
        assert reported @ (w + step * null) ** 2 > best


def test_true_values_reported_alike_are_named_when_they_cannot_be_told_apart():
    same = dn.Matrix(dn.Nominal(["a", "b", "c"]), [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2]])
    with pytest.raises(NotInvertibleError, match=r"number 0 and 2 .*same probabilities") as caught:
        same.weights([1, 0, 0])
    assert (caught.value.parameters["first"], caught.value.parameters["second"]) == (0, 2)
    with pytest.raises(NotInvertibleError, match="the reports say nothing"):
        dn.Crosswise(0.5).weights([0, 1])


def test_a_channel_that_is_invertible_only_on_paper_is_refused_as_such():
    channel = dn.Additive(dn.Continuous(0, 1, step=0.1), dn.Normal(0.3))
    with pytest.raises(NotInvertibleError, match=r"magnifies errors \de\+\d+ times") as caught:
        channel.weights([1, -1] * 5 + [1])
    assert caught.value.parameters["condition"] == pytest.approx(np.linalg.cond(channel.matrix()), rel=1e-3)


def test_condition_number_is_that_of_numpy(small_channel):
    P = small_channel.matrix()
    expected = np.linalg.cond(P)
    if P.shape[1] < P.shape[0] or expected > 1e14:
        assert small_channel.condition_number > 1e14
    else:
        assert small_channel.condition_number == pytest.approx(expected, rel=1e-6)


@given(mixtures())
def test_condition_number_of_any_mixture_is_that_of_numpy(law):
    expected = np.linalg.cond(law.dense())
    assert law.condition_number == pytest.approx(expected, rel=1e-6) or min(law.condition_number, expected) > 1e13


def lumps_exactly(channel):
    """Whether every two-cell merging gives one matrix for two opposite distributions inside the cells."""
    P, inputs, outputs = channel.matrix(), list(channel.inputs), list(channel.outputs)
    k = len(inputs)
    if len(outputs) == k:
        home = list(range(k))
    elif set(inputs) <= set(outputs):
        home = [inputs.index(label) if label in inputs else k + z for z, label in enumerate(outputs)]
    else:
        return False
    for chosen in range(1, 2**k - 1):
        cell_of = [chosen >> i & 1 for i in range(k)]
        reported_cell = [cell_of[at] if at < k else 2 + at for at in home]
        lumped = {cell: P[:, [c == cell for c in reported_cell]].sum(axis=1) for cell in set(reported_cell)}
        for cell in (0, 1):
            members = [x for x in range(k) if cell_of[x] == cell]
            first, second = np.linspace(1, 3, len(members)), np.linspace(3, 1, len(members)) ** 2
            for shares in lumped.values():
                if abs(first @ shares[members] / first.sum() - second @ shares[members] / second.sum()) > 1e-12:
                    return False
    return True


@pytest.mark.statistical
def test_lumpable_says_whether_merging_is_exact_whatever_the_distribution_inside_a_cell(small_channel):
    assert small_channel.lumpable == lumps_exactly(small_channel)


def test_krr_merged_to_yes_and_no_has_the_corrected_factors_of_the_errata():
    # Errata 1: q' = (k - 2 + p) / (k - 1), not (k - 2p) / (k - 1).
    for k, p in ((3, 0.6), (5, 0.3), (10, 0.85)):
        P = dn.KRR(dn.Integer(1, k), p).matrix()
        merged = np.array([[P[0, 0], P[0, 1:].sum()], [P[1:, 0].mean(), P[1:, 1:].sum(axis=1).mean()]])
        np.testing.assert_allclose(merged, [[p, 1 - p], [(1 - p) / (k - 1), (k - 2 + p) / (k - 1)]], rtol=1e-14)


def test_equal_digests_mean_equal_laws(channel_examples):
    by_digest = {}
    for channel in (channel for found in channel_examples.SMALL.values() for channel in found):
        table = (type(channel.law).__name__, channel.integer_rows().tolist())
        assert by_digest.setdefault(channel.law.digest, table) == table
    different = {repr(table) for table in by_digest.values()}
    assert len(different) == len(by_digest)


def test_one_part_more_or_less_changes_the_digest():
    assert Mixture(3, np.array([1, 1])).digest != Mixture(2, np.array([1, 2])).digest
    assert Shift(4, np.array([1, 2, 1]), -1, 0).digest != Shift(4, np.array([1, 2, 1]), -1, 1).digest
    assert Shift(4, np.array([1, 2, 1]), -1, 0).digest != Shift(5, np.array([1, 2, 1]), -1, 0).digest
    inner = dn.KRR(dn.Binary(), 0.75).law
    assert _MayBeSilent(inner, Fraction(1, 2)).digest != _MayBeSilent(inner, Fraction(1, 4)).digest
    assert _MayBeSilent(inner, Fraction(1, 2)).digest != _MayBeSilent(dn.KRR(dn.Binary(), 0.25).law, Fraction(1, 2)).digest


def test_a_denominator_of_53_bits_is_the_largest_that_is_taken():
    assert Table(np.array([[2**53 - 2, 1], [1, 2**53 - 2]]), 2**53 - 1).denominator == 2**53 - 1
    with pytest.raises(ParameterError, match=r"2\*\*53"):
        Table(np.array([[2**53 - 1, 1], [1, 2**53 - 1]]), 2**53)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40), st.data())
def test_sliding_extremes_are_those_of_each_window(values, data):
    window = data.draw(st.integers(1, len(values)))
    array = np.array(values)
    windows = [values[i : i + window] for i in range(len(values) - window + 1)]
    assert sliding(np.minimum, array, window).tolist() == [min(each) for each in windows]
    assert sliding(np.maximum, array, window).tolist() == [max(each) for each in windows]


def test_convolution_by_fourier_transform_equals_the_direct_one():
    generator = np.random.default_rng(2)
    a, b = generator.normal(size=3000), generator.random(1200)
    np.testing.assert_allclose(convolve(a, b), np.convolve(a, b), atol=1e-10)


def test_the_mean_passes_through_wide_noise_that_is_not_stopped_at_the_ends():
    # 6,000 steps times a weight of 52 bits do not fit into 64 bits.
    kernel = np.zeros(6001, dtype=np.int64)
    kernel[[0, 6000]] = 3 * 2**49, 2**52
    skewed = Shift(5000, kernel, -3000, 3000)
    assert not skewed.clamps
    values = np.arange(5000.0)
    w = skewed.weights(values)
    np.testing.assert_allclose(skewed.pull(w), values, atol=1e-8)
    assert np.ptp(np.diff(w)) < 1e-9


def test_weights_of_a_wide_clamped_law_come_from_the_iterative_solver():
    # Nearly the identity, so the solver must get there; it pushes signed residuals.
    law = Shift(3000, np.array([1, 18, 1]), -1, 0)
    f = (np.arange(3000) % 7 < 3).astype(float)
    np.testing.assert_allclose(law.pull(law.weights(f)), f, atol=1e-8)


@pytest.mark.statistical
def test_weights_that_a_wide_domain_cannot_give_are_refused_with_the_way_out():
    law = dn.Additive(dn.Integer(0, 5000), dn.Normal(400)).law
    with pytest.raises(NotInvertibleError, match="Ask for bins"):
        law.weights((np.arange(5001) == 7).astype(float))

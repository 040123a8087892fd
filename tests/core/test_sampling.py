"""The sampler is exact: enumerated bit streams give every report exactly its integer weight."""

from __future__ import annotations

import os
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.stats  # noqa: F401 - loaded later, it would look at the generators that are trapped here
from hypothesis import given
from hypothesis import strategies as st

import deniable as dn
from deniable.core.channels import sampling
from deniable.core.channels.sampling import byte_source, candidate_shape, integers_below, unit_interval
from deniable.core.domains.exact import LARGEST_DENOMINATOR
from deniable.errors import ParameterError


class Stream:
    """A source of bytes that hands out what it was given, in order, then zeros."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.position = 0

    def __call__(self, n: int) -> bytes:
        piece = self.content[self.position : self.position + n]
        self.position += n
        return piece + bytes(n - len(piece))


def every_candidate(width: int) -> bytes:
    """All numbers of `width` bytes in order."""
    return b"".join(i.to_bytes(width, "little") for i in range(256**width))


ONE_BYTE, TWO_BYTES = every_candidate(1), every_candidate(2)


def test_every_bit_stream_of_one_or_two_bytes_gives_each_report_exactly_its_weight(channel_examples):
    channels = [channel for found in channel_examples.SMALL.values() for channel in found]
    short = [channel for channel in channels if candidate_shape(channel.denominator)[0] <= 2]
    assert len(short) > len(channels) / 2
    for channel in short:
        check_every_bit_stream(channel)


def check_every_bit_stream(channel):
    law = channel.law
    width, _, limit = candidate_shape(law.denominator)
    rows = channel.integer_rows()
    for x in range(law.inputs):
        stream = Stream(ONE_BYTE if width == 1 else TWO_BYTES)
        draws = integers_below(law.denominator, limit, stream)
        reports = law.choose(np.full(limit, x), draws)
        counts = np.bincount(reports, minlength=law.outputs)
        assert counts.tolist() == (rows[x] * (limit // law.denominator)).tolist()


def test_enough_designs_are_enumerated(channel_examples):
    widths = {
        design: {candidate_shape(channel.denominator)[0] for channel in found}
        for design, found in channel_examples.SMALL.items()
    }
    assert {design for design, found in widths.items() if found & {1, 2}} == set(widths)
    assert {width for found in widths.values() for width in found} >= {1, 2, 4, 8}


def runs(law, x, first, last):
    """How long each run of equal reports is as the draw goes from first to last, by bisection."""
    start, end = (int(z) for z in law.choose(np.array([x, x]), np.array([first, last])))
    if start == end:
        return [(start, last - first + 1)]
    middle = (first + last) // 2
    return runs(law, x, first, middle) + runs(law, x, middle + 1, last)


@pytest.mark.statistical
def test_draws_of_every_width_are_cut_up_in_exactly_the_weights(small_channel):
    law = small_channel.law
    if isinstance(small_channel, dn.Optional):
        law = small_channel.channel.law  # an answer repeats the inner law many times over; enumerated above
    rows = law.rows(np.arange(law.inputs))
    for x in range(law.inputs):
        counted = np.zeros(law.outputs, dtype=np.int64)
        for z, length in runs(law, x, 0, law.denominator - 1):
            counted[z] += length
        assert counted.tolist() == rows[x].tolist()


def test_the_status_of_an_optional_answer_is_cut_up_in_exactly_the_weights():
    channel = dn.Optional(dn.Additive(dn.Integer(0, 9), dn.Laplace(3)), 0.75)
    law = channel.law
    kept = law.denominator * 3 // 4
    assert law.choose(np.array([4, 4]), np.array([kept - 1, kept])).tolist()[1] == 10
    assert law.choose(np.array([4]), np.array([kept - 1]))[0] != 10
    draws = np.arange(5) + 123_456_789
    for repeat in range(3):
        shifted = draws + repeat * law.inner.denominator
        assert (law.choose(np.full(5, 7), shifted) == law.inner.choose(np.full(5, 7), draws)).all()
    silent = np.full(2, 10)
    turned = law.denominator - kept
    assert law.choose(silent, np.array([turned - 1, turned])).tolist() == [9, 10]


@pytest.mark.parametrize(
    ("denominator", "width", "bits", "limit"),
    [
        (1, 1, 8, 256),
        (2, 1, 8, 256),
        (40, 1, 8, 240),
        (255, 1, 8, 255),
        (256, 1, 8, 256),
        (257, 2, 16, 65_535),
        (65_536, 2, 16, 65_536),
        (65_537, 4, 32, 65_535 * 65_537),
        (2**24 + 1, 4, 32, 255 * (2**24 + 1)),
        (2**32 - 1, 4, 32, 2**32 - 1),
        (2**32, 4, 32, 2**32),
        (2**32 + 1, 8, 53, (2**21 - 1) * (2**32 + 1)),
        (2**40 + 1, 8, 53, (2**13 - 1) * (2**40 + 1)),
        (2**48 + 1, 8, 53, 31 * (2**48 + 1)),
        (2**52, 8, 53, 2**53),
        (2**52 + 1, 8, 53, 2**52 + 1),
        (LARGEST_DENOMINATOR, 8, 53, 2**53 - 1),
    ],
)
def test_candidates_are_masked_rejected_and_reduced_as_written_by_hand(denominator, width, bits, limit):
    assert candidate_shape(denominator) == (width, bits, limit)
    accepted = [0, denominator - 1, min(denominator, limit - 1), limit // 2, limit - 1]
    rejected = [limit, 2**bits - 1] if limit < 2**bits else []
    # The bits above the 53rd are junk that must be masked away, whatever they are.
    junk = [0, 1 << 53, 0xFFE << 52] if bits == 53 else [0]
    stream, expected = b"", []
    for above in junk:
        for value in accepted:
            for thrown in rejected:
                stream += (thrown | above).to_bytes(width, "little")
            stream += (value | above).to_bytes(width, "little")
            expected.append(value % denominator)
    assert integers_below(denominator, len(expected), Stream(stream)).tolist() == expected


def test_a_rejected_candidate_takes_nothing_from_the_next_one():
    # Denominator 3 of one byte: 255 is the limit and the only candidate to be thrown away.
    stream = Stream(bytes([255, 255, 1, 255, 254, 0]))
    assert integers_below(3, 3, stream).tolist() == [1, 254 % 3, 0]


def test_more_bytes_are_asked_for_until_all_draws_are_filled():
    asked = []

    def unlucky(n):
        asked.append(n)
        return bytes([255] * n) if len(asked) <= 3 else bytes(range(n % 200))[:n].ljust(n, b"\x07")

    drawn = integers_below(3, 50, unlucky)
    assert len(asked) == 4
    assert set(drawn.tolist()) <= {0, 1, 2}


def test_long_columns_are_drawn_in_pieces_without_gap_or_repetition():
    n = 3 * sampling.PIECE + 17
    counting = Stream(ONE_BYTE * (n // 256 + 1))
    assert (integers_below(256, n, counting) == np.arange(n) % 256).all()


@given(st.integers(1, LARGEST_DENOMINATOR), st.integers(0, 40), st.integers(0, 2**32))
def test_draws_always_lie_below_the_denominator(denominator, n, seed):
    drawn = integers_below(denominator, n, byte_source(np.random.default_rng(seed)))
    assert drawn.shape == (n,)
    assert ((drawn >= 0) & (drawn < denominator)).all()


@pytest.mark.parametrize("wrong", [0, -1, 2**53])
def test_a_denominator_that_cannot_be_drawn_is_refused(wrong):
    with pytest.raises(ParameterError, match=rf"must lie in 1\.\.2\*\*53-1, got {wrong}"):
        integers_below(wrong, 1, os.urandom)


def test_floats_lie_strictly_between_0_and_1_even_for_extreme_bytes():
    assert 0 < unit_interval(1, lambda n: bytes(n))[0] < 1e-15
    assert 1 - 1e-15 < unit_interval(1, lambda n: b"\xff" * n)[0] < 1


@pytest.mark.parametrize("wrong", [3, "seed", np.random.RandomState(1), random.Random(1), np.random.default_rng])
def test_a_seed_or_another_generator_is_refused_as_rng(wrong):
    with pytest.raises(
        ParameterError, match=r"None .* or a numpy Generator for simulation, got \w+; use numpy.random.default_rng"
    ):
        dn.KRR(dn.Binary(), 0.75).randomise([0, 1], rng=wrong)


def trap(*args, **kwargs):
    raise AssertionError("a generator that protects nobody was asked for randomness")


@pytest.fixture
def trapped(monkeypatch):
    """Every generator of numpy and of the standard library fails; the bytes of the operating system are counted."""
    given_bytes = []
    genuine = os.urandom

    def counted(n):
        given_bytes.append(n)
        return genuine(n)

    for module in (random, np.random):
        for name in dir(module):
            if not name.startswith("_") and callable(getattr(module, name)) and not isinstance(getattr(module, name), type):
                monkeypatch.setattr(module, name, trap)
    for name in ("Random", "SystemRandom"):
        monkeypatch.setattr(random, name, trap)
    for name in ("PCG64", "MT19937", "Philox", "SFC64", "RandomState", "SeedSequence"):
        monkeypatch.setattr(np.random, name, trap)
    monkeypatch.setattr(os, "urandom", counted)
    return given_bytes


def test_the_trap_catches_the_usual_generators(trapped):
    for tempting in (lambda: random.random(), lambda: np.random.default_rng(), lambda: np.random.normal(), random.Random):  # noqa: NPY002
        with pytest.raises(AssertionError, match="protects nobody"):
            tempting()


@pytest.mark.statistical
def test_without_rng_every_design_draws_from_the_operating_system_only(small_channel, trapped):
    truths = small_channel.domain.column(np.arange(small_channel.domain.size))
    small_channel.randomise(truths)
    assert sum(trapped) >= small_channel.domain.size


def test_without_rng_floating_channels_draw_from_the_operating_system_only(floating_channel, trapped):
    floating_channel.randomise([int(floating_channel.domain.low) + 1])
    assert sum(trapped) > 0 or isinstance(floating_channel, dn.Identity)


def test_the_bytes_of_the_operating_system_alone_decide_the_reports(monkeypatch):
    channel = dn.KRR(dn.Integer(0, 9), 0.3)
    truths = np.arange(1000) % 10

    def with_bytes(seed):
        monkeypatch.setattr(os, "urandom", np.random.default_rng(seed).bytes)
        return channel.randomise(truths).tolist()

    assert with_bytes(1) == with_bytes(1)
    assert with_bytes(1) != with_bytes(2)


def test_a_generator_makes_simulations_repeatable():
    channel = dn.Additive(dn.Integer(0, 99), dn.Laplace(10))
    truths = np.arange(100)
    first, again = (channel.randomise(truths, rng=np.random.default_rng(5)).tolist() for _ in range(2))
    assert first == again
    generator = np.random.default_rng(5)
    assert channel.randomise(truths, rng=generator).tolist() == first
    assert channel.randomise(truths, rng=generator).tolist() != first


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 1, 1], np.ndarray),
        ((0, 1, 1), np.ndarray),
        (np.array([0, 1, 1]), np.ndarray),
        (pd.Series([0, 1, 1], index=[7, 8, 9], name="smokes"), pd.Series),
        (pl.Series("smokes", [0, 1, 1]), pl.Series),
        (pa.array([0, 1, 1]), pa.Array),
    ],
)
def test_a_column_comes_back_as_the_kind_that_went_in(values, kind):
    reported = dn.KRR(dn.Binary(), 0.75).randomise(values)
    assert isinstance(reported, kind)
    assert len(reported) == 3
    if kind is pd.Series:
        assert reported.index.tolist() == [7, 8, 9]
    if kind in (pd.Series, pl.Series):
        assert reported.name == "smokes"


@pytest.mark.statistical
def test_every_reported_value_is_a_label_of_the_channel(small_channel):
    truths = small_channel.domain.column(np.arange(small_channel.domain.size).repeat(50))
    reported = small_channel.randomise(truths, rng=np.random.default_rng(3))
    codes = small_channel.reported.encode(reported)
    assert set(codes.tolist()) <= set(range(len(small_channel.outputs)))
    possible = small_channel.integer_rows()[np.arange(small_channel.domain.size).repeat(50), codes]
    assert (possible > 0).all()
    assert len(small_channel.randomise(truths[:0])) == 0

"""A channel: P(reported | true). One way of hiding an answer, and everything that follows from it.

A design (see `designs.py`) states its domain, its reported domain and its law, a table or kernel of integer weights;
matrix, sampler, epsilon, posterior, push, pull and weights are derived from that law here and nowhere else.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from deniable.core.channels.floating import FloatLaw
from deniable.core.channels.laws import Law
from deniable.core.channels.posterior import posterior
from deniable.core.channels.sampling import ByteSource, byte_source, integers_in_pieces
from deniable.core.channels.views import View
from deniable.core.domains.bad_cells import BadCells, raise_bad_cells
from deniable.core.domains.columns import like, to_arrow
from deniable.core.domains.domain import Domain, build
from deniable.core.domains.exact import Floats, Ints
from deniable.core.domains.grids import Continuous
from deniable.errors import ParameterError, SchemaError, WideDomainError

LARGEST_MATRIX = 25_000_000
"""Cells of the largest dense matrix that is built (200 MB)."""


class Channel(ABC):
    """P(reported | true), rows by true value: `matrix()[true, reported]`, each row sums to 1.

    >>> import deniable as dn
    >>> channel = dn.KRR(dn.Nominal(["a", "b", "c"]), 0.6)
    >>> channel.matrix().tolist()
    [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> round(channel.epsilon, 4)
    1.0986
    """

    designs: ClassVar[dict[str, type[Channel]]] = {}

    domain: Domain
    reported: Domain
    law: Law  # or a FloatLaw, which refuses what only a table can answer
    adds_noise: ClassVar[bool] = False
    """Whether the truth is a number that noise is added to, or multiplied with."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__name__.startswith("_"):
            Channel.designs[cls.__name__] = cls

    @property
    def exact(self) -> bool:
        """Whether the channel is a table of integers, fit to protect people; floating-point channels are for simulation."""
        return not isinstance(self.law, FloatLaw)

    @property
    def inner(self) -> Channel:
        """The channel of those who answer: of `Optional` the one it wraps, else this one."""
        return self

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The labels that may be true, in row order."""
        return self.domain.labels

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The labels that may be reported, in column order."""
        return self.reported.labels

    @property
    def denominator(self) -> int:
        """What the integer weights of every row sum to."""
        return self.law.denominator

    def integer_rows(self, codes: Sequence[int] | None = None) -> Ints:
        """The integer weights themselves, all rows or those of some true codes.

        >>> import deniable as dn
        >>> dn.KRR(dn.Binary(), 0.75).integer_rows().tolist()
        [[3, 1], [1, 3]]
        """
        chosen = np.arange(self.law.inputs) if codes is None else np.asarray(codes, dtype=np.int64)
        self._check_size(len(chosen), self.law.outputs)
        return self.law.rows(chosen)

    def matrix(self, bins: Any = None) -> Floats:
        """P as floats; with `bins` (a number of bins or their edges) between bins, truths taken as uniform inside a bin.

        >>> import deniable as dn
        >>> dn.Retention(dn.Integer(0, 9), 0.5).matrix(bins=[0, 5, 9]).round(3).tolist()
        [[0.75, 0.25], [0.25, 0.75]]
        """
        if bins is not None:
            return self.binned(bins).matrix()
        self._check_size(self.law.inputs, self.law.outputs)
        return self.law.dense()

    def _check_size(self, rows: int, columns: int) -> None:
        if rows * columns > LARGEST_MATRIX:
            raise WideDomainError(
                "matrix_too_large",
                "A dense matrix of {rows:,} x {columns:,} is not built; use push and pull, or give bins.",
                rows=rows,
                columns=columns,
            )

    def to_frame(self) -> Any:
        """P as a pandas frame with the labels on both axes, true values down and reported ones across."""
        import pandas as pd

        return pd.DataFrame(
            self.matrix(), index=pd.Index(self.inputs, name="true"), columns=pd.Index(self.outputs, name="reported")
        )

    def to_rrreg(self) -> Floats:
        """P transposed, P[reported, true], as R's RRreg takes it for model "custom".

        >>> import deniable as dn
        >>> dn.Flip(0.9, 0.6).to_rrreg().tolist()
        [[0.6, 0.1], [0.4, 0.9]]
        """
        return self.matrix().T.copy()

    @property
    def epsilon(self) -> float:
        """Local differential privacy: the largest log ratio of the probabilities of one report under two truths.

        Floating-point channels give no guarantee: their low bits leak, so their epsilon is infinite.
        """
        return self.law.epsilon

    @property
    def worst_case(self) -> tuple[Any, Any, Any]:
        """(report, likelier truth, less likely truth): the labels at which epsilon is reached.

        >>> import deniable as dn
        >>> dn.Flip(p=0.9, q=0.6).worst_case
        (0, 0, 1)
        """
        z, likelier, rarer = self.law.worst_case
        return self.outputs[z], self.inputs[likelier], self.inputs[rarer]

    @property
    def lumpable(self) -> bool:
        """Whether merging values to coarser cells is exact, whatever their distribution inside a cell."""
        return self.law.lumpable

    @property
    def tells_means_only(self) -> bool:
        """Whether reports tell means of numbers and nothing else: no shares, no quantiles.

        >>> import deniable as dn
        >>> dn.OneBit(dn.Integer(0, 99), 5).tells_means_only, dn.KRR(dn.Integer(0, 99), 0.5).tells_means_only
        (True, False)
        """
        return self.exact and self.law.tells_means_only

    @property
    def condition_number(self) -> float:
        """How much the worst direction of sampling error is magnified when the channel is undone."""
        return self.law.condition_number

    def push(self, p: Any) -> Floats:
        """The distribution of reports that a distribution of truths gives.

        >>> import deniable as dn
        >>> dn.Flip(p=0.4, q=0.96).push([1900, 100]).tolist()        # thesis 3.6.1
        [1884.0, 116.0]
        """
        return self.law.push(self._vector(p, self.law.inputs, "push", "true"))

    def pull(self, v: Any) -> Floats:
        """The expectation, given each truth, of a value attached to each report (the transpose of `push`)."""
        return self.law.pull(self._vector(v, self.law.outputs, "pull", "reported"))

    def weights(self, f: Any) -> Floats:
        """A weight for each report whose expectation, given the truth x, is f(x): P w = f.

        `f` is an array in input order, a mapping from label (others are 0) or a function of the label.
        The mean of the weights of the reports is an unbiased estimate of the mean of f over the truths.

        >>> import deniable as dn
        >>> dn.KRR(dn.Binary(), 0.75).weights({1: 1}).tolist()
        [-0.5, 1.5]
        """
        return self.law.weights(self._function(f, "weights"))

    def _function(self, f: Any, what: str) -> Floats:
        if isinstance(f, Mapping):
            values = np.zeros(self.law.inputs)
            for label, value in f.items():
                values[self.domain.code_of(label)] = value
            return values
        if isinstance(f, Callable):  # type: ignore[arg-type]
            return np.array([f(label) for label in self.inputs], dtype=np.float64)
        return self._vector(f, self.law.inputs, what, "true", columns=what == "weights")

    def _vector(self, values: Any, size: int, what: str, kind: str, columns: bool = False) -> Floats:
        try:
            vector = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(
                "not_numbers",
                "{channel}.{what} takes one number for each of the {size:,} {kind} labels, got {got!r}.",
                channel=type(self).__name__,
                what=what,
                size=size,
                kind=kind,
                got=values,
            ) from None
        if vector.ndim not in ((1, 2) if columns else (1,)) or len(vector) != size:
            raise ParameterError(
                "wrong_length",
                "{channel}.{what} takes one number for each of the {size:,} {kind} labels, got shape {got}.",
                channel=type(self).__name__,
                what=what,
                size=size,
                kind=kind,
                got=vector.shape,
            )
        return vector

    def posterior(self, prior: Any = None, reported: Any = None) -> Floats:
        """P(true | reported): one row per reported label, one column per true label, each row sums to 1 (Bayes).

        `prior` is in input order or a mapping, uniform by default; with `reported` only that label's row is given.
        A report that the prior makes impossible has a row of NaN.

        >>> import deniable as dn
        >>> dn.KRR(dn.Binary(), 0.75).posterior([0.9, 0.1]).round(3).tolist()
        [[0.964, 0.036], [0.75, 0.25]]
        """
        k = self.law.inputs
        shares = np.full(k, 1 / k) if prior is None else self._function(prior, "posterior")
        if isinstance(prior, Mapping) and len(prior) < k and abs(shares.sum() - 1) > 1e-6:
            raise ParameterError(
                "prior_incomplete",
                "A prior that leaves labels out must sum to 1, got {got:g}; give all of {allowed}.",
                got=float(shares.sum()),
                allowed=list(self.inputs[:20]),
            )
        if reported is None:
            self._check_size(k, self.law.outputs)
        return posterior(self.law, shares, None if reported is None else self.reported.code_of(reported))

    def binned(self, bins: Any) -> View:
        """The channel between bins of true and bins of reported values; "no answer" comes after them.

        Exact for lumpable channels; for others truths are taken as spread uniformly inside a bin.
        """
        return View.bins(self, bins)

    def randomise(self, values: Any, rng: np.random.Generator | None = None) -> Any:
        """Draw a report for each true value: a column in, a column of the same kind out (lists give numpy arrays).

        With `rng=None` the draw comes from the operating system's CSPRNG. A numpy Generator is for simulation only. Report i is that
        of value i: anyone who hands on a whole column should shuffle it, as `Schema.randomise` does, for the order of rows may tell what
        epsilon does not cover.

        >>> import deniable as dn, numpy as np
        >>> reports = dn.KRR(dn.Binary(), 0.75).randomise([0, 1, 1, 0])
        >>> sorted(set(reports.tolist()) | {0, 1})
        [0, 1]
        """
        bad = BadCells("values", self.domain.allowed)
        truth = self.read(to_arrow(values, "values", self.domain.missing), bad)
        raise_bad_cells([bad])
        return like(values, self.written(self.draw(truth, byte_source(rng))), "reported")

    def read(self, column: pa.Array, bad: BadCells, offset: int = 0, text: bool = False) -> Any:
        """True values of an Arrow column in the form that `draw` takes: codes, or numbers where there is no grid."""
        if self.exact:
            return self.domain.codes(column, bad, offset, text)
        if isinstance(self.domain, Continuous):
            return self.domain.values(column, bad, offset, text)
        return self.domain.numbers()[self.domain.codes(column, bad, offset, text)]

    def draw(self, truth: Any, source: ByteSource) -> Any:
        """One report per truth, in the form that `read` gives."""
        if isinstance(self.law, FloatLaw):
            return self.law.draw(truth, source)
        drawn = np.empty(len(truth), dtype=np.int64)
        for place, draws in integers_in_pieces(self.law.denominator, len(truth), source):
            drawn[place] = self.law.choose(truth[place], draws)
        return drawn

    def written(self, drawn: Any) -> pa.Array:
        """Drawn reports as an Arrow column of labels."""
        return self.reported.column(drawn) if self.exact else pa.array(drawn)

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments in JSON form."""

    @property
    def assumption(self) -> str | None:
        """What an estimate takes for granted besides the channel itself, as a sentence; None if nothing."""
        return None

    def to_json(self) -> dict[str, Any]:
        """A JSON object that `Channel.from_json` reads back.

        >>> import deniable as dn
        >>> dn.Flip(0.9, 0.6).to_json()
        {'type': 'Flip', 'p': 0.9, 'q': 0.6, 'domain': {'type': 'Binary'}}
        """
        return {"type": type(self).__name__, **self.parameters()}

    @staticmethod
    def from_json(given: Any) -> Channel:
        """The channel that a JSON object describes."""
        if not isinstance(given, dict) or given.get("type") not in Channel.designs:
            raise SchemaError(
                "unknown_channel",
                "A channel must be an object with a type among {allowed}, got {got!r}.",
                allowed=sorted(Channel.designs),
                got=given,
            )
        cls = Channel.designs[given["type"]]
        built: Channel = build(cls, cls.arguments({k: v for k, v in given.items() if k != "type"}), "channel")
        return built

    @classmethod
    def arguments(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Constructor arguments from their JSON form."""
        return {key: Domain.from_json(value) if key == "domain" else value for key, value in given.items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Channel) and repr(self.to_json()) == repr(other.to_json())

    def __hash__(self) -> int:
        return hash(repr(self.to_json()))

    def __repr__(self) -> str:
        arguments = ", ".join(f"{key}={_short(value)}" for key, value in self.parameters().items() if value is not None)
        return f"{type(self).__name__}({arguments})"


def _short(value: Any) -> str:
    if isinstance(value, dict) and "type" in value:
        inside = ", ".join(f"{k}={_short(v)}" for k, v in value.items() if k != "type" and v is not None)
        return f"{value['type']}({inside})"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def rounded_up(epsilon: float, digits: int = 3) -> str:
    """Epsilon for people to read: rounded up, never flattering.

    >>> rounded_up(3.4965), rounded_up(math.inf)
    ('3.497', 'infinite')
    """
    if math.isinf(epsilon):
        return "infinite"
    scale = 10**digits
    return f"{math.ceil(epsilon * scale - 1e-9) / scale:.{digits}f}"

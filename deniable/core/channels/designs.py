"""The ways of hiding an answer that have a name. Each only states its law; all else is derived in `base.py`.

Mixture law   Identity, KRR, Flip, ForcedResponse, Crosswise, Retention, UnrelatedQuestion
Table law     Matrix, Neighbours (see `table_designs.py`)
Shift law     Additive (see `additive.py`)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel
from deniable.core.channels.floating import FloatIdentity, FloatRetention
from deniable.core.channels.laws import Mixture
from deniable.core.domains import exact
from deniable.core.domains.checks import check_binary, check_domain
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import (
    LARGEST_DENOMINATOR,
    ROUNDED_DENOMINATOR,
    Floats,
    Ints,
    Number,
    fraction,
    probability,
    written,
)
from deniable.core.domains.grids import Continuous
from deniable.core.domains.labels import Nominal
from deniable.errors import ParameterError


def mixture(diagonal: Fraction, replacement: Sequence[Fraction]) -> Mixture:
    """Integer weights of diagonal * I + 1 * replacement^T; what must be rounded is rounded toward privacy.

    Toward privacy means that every weight off the diagonal moves toward the weight on it, so no ratio grows.
    """
    # Labels that are alike share one object; to hash each one's fraction would take most of the time on wide domains.
    shared = {id(value): value for value in replacement}

    def scaled(whole: Callable[[Fraction], int]) -> Ints:
        weights = {key: whole(value) for key, value in shared.items()}
        return np.array([weights[id(value)] for value in replacement], dtype=np.int64)

    denominator = exact.common_denominator([diagonal, *shared.values()])
    if denominator <= LARGEST_DENOMINATOR:
        return Mixture(int(diagonal * denominator), scaled(lambda value: int(value * denominator)))
    denominator = max(ROUNDED_DENOMINATOR, 1 << (1000 * len(replacement)).bit_length())
    toward = math.ceil if diagonal >= 0 else math.floor
    parts = scaled(lambda value: max(toward(value * denominator), 1) if value else 0)
    left = denominator - int(parts.sum())
    # Rounding must not turn "kept a little more often" into "kept less often", nor the reverse.
    # What is kept less often than it is drawn stays possible, however seldom it is drawn.
    return Mixture(max(left, 0) if diagonal >= 0 else min(max(left, 1 - int(parts.min())), 0), parts)


class Identity(Channel):
    """The answer as it is: for attributes that need no hiding. Epsilon is infinite; of a domain of one value, which tells nothing, 0.

    >>> import deniable as dn
    >>> dn.Identity(dn.Binary()).epsilon
    inf
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = self.reported = check_domain(domain, "Identity", step=False, constant=True)
        if domain.has_grid:
            self.law = Mixture(1, np.zeros(domain.size, dtype=np.int64))
        else:
            self.law = FloatIdentity(repr(self))  # type: ignore[assignment]

    def parameters(self) -> dict[str, Any]:
        return {"domain": self.domain.to_json()}


class KRR(Channel):
    """k-ary randomised response: the truth with probability p, else one of the other labels, equally likely.

    With two labels this is Warner's design. p is read as written; where it has to be rounded, toward privacy.

    >>> import deniable as dn
    >>> dn.KRR(dn.Nominal(["a", "b", "c", "d", "e"]), 0.3).matrix()[0].tolist()      # paper 001, section 4.1
    [0.3, 0.175, 0.175, 0.175, 0.175]
    """

    def __init__(self, domain: Domain, p: Number) -> None:
        self.domain = self.reported = check_domain(domain, "KRR")
        self.p = probability(p, "KRR", "p")
        k = domain.size
        other = (1 - self.p) / (k - 1)
        self.law = mixture(self.p - other, [other] * k)

    @classmethod
    def from_epsilon(cls, domain: Domain, epsilon: float) -> KRR:
        """The design that keeps most answers without exceeding `epsilon`.

        >>> import deniable as dn, math
        >>> channel = dn.KRR.from_epsilon(dn.Nominal(["a", "b", "c"]), math.log(3))
        >>> channel.epsilon <= math.log(3), round(float(channel.p), 6)
        (True, 0.6)
        """
        check_domain(domain, "KRR.from_epsilon")
        if not isinstance(epsilon, (int, float)) or not 0 < epsilon < 40:
            raise ParameterError("epsilon_range", "KRR.from_epsilon: epsilon must lie in (0, 40), got {got}.", got=epsilon)
        others = domain.size - 1
        # `other` parts for each wrong label and as many for the truth as epsilon allows: one part is 1 / keep of epsilon.
        odds = math.exp(epsilon)
        enough = ROUNDED_DENOMINATOR * epsilon * odds / (odds + others) > 10_000 and odds + others < ROUNDED_DENOMINATOR
        scale = ROUNDED_DENOMINATOR if enough else 1 << 52
        other = max(1, math.floor(scale / (odds + others)))
        keep = min(math.floor(odds * other), scale - others * other)
        while math.log(keep / other) > epsilon:
            keep -= 1
        return cls(domain, Fraction(keep, keep + others * other))

    def parameters(self) -> dict[str, Any]:
        return {"domain": self.domain.to_json(), "p": written(self.p)}


class Flip(Channel):
    """Binary with two factors (thesis 3.6.1): a 1 is kept with probability p, a 0 with probability q.

    >>> import deniable as dn
    >>> dn.Flip(p=0.4, q=0.96).matrix().tolist()
    [[0.96, 0.04], [0.6, 0.4]]
    """

    def __init__(self, p: Number, q: Number, domain: Domain | None = None) -> None:
        self.domain = self.reported = check_binary(domain, "Flip")
        self.p, self.q = probability(p, "Flip", "p"), probability(q, "Flip", "q")
        self.law = mixture(self.p + self.q - 1, [1 - self.p, 1 - self.q])

    def parameters(self) -> dict[str, Any]:
        return {"p": written(self.p), "q": written(self.q), "domain": self.domain.to_json()}


class ForcedResponse(Channel):
    """With p_yes say yes, with p_no say no, otherwise tell the truth.

    >>> import deniable as dn
    >>> dn.ForcedResponse(p_yes=0.25, p_no=0.25).matrix().tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """

    def __init__(self, p_yes: Number, p_no: Number, domain: Domain | None = None) -> None:
        self.domain = self.reported = check_binary(domain, "ForcedResponse")
        self.p_yes = probability(p_yes, "ForcedResponse", "p_yes")
        self.p_no = probability(p_no, "ForcedResponse", "p_no")
        truth = 1 - self.p_yes - self.p_no
        if truth <= 0:
            raise ParameterError(
                "no_truth_left",
                "ForcedResponse: p_yes + p_no must stay below 1, or nobody answers truthfully; got {got}.",
                got=float(self.p_yes + self.p_no),
            )
        self.law = mixture(truth, [self.p_no, self.p_yes])

    def parameters(self) -> dict[str, Any]:
        return {"p_yes": written(self.p_yes), "p_no": written(self.p_no), "domain": self.domain.to_json()}


class Crosswise(Channel):
    """Crosswise model: only "same" or "different" is reported, comparing the answer with an innocuous one that is yes
    with probability p (a birthday in certain months, say).

    >>> import deniable as dn
    >>> channel = dn.Crosswise(0.25)
    >>> channel.outputs, channel.matrix().tolist()
    (('different', 'same'), [[0.25, 0.75], [0.75, 0.25]])
    """

    def __init__(self, p: Number, domain: Domain | None = None) -> None:
        self.domain = check_binary(domain, "Crosswise")
        self.reported = Nominal(["different", "same"])
        self.p = probability(p, "Crosswise", "p")
        self.law = mixture(2 * self.p - 1, [1 - self.p, 1 - self.p])

    def parameters(self) -> dict[str, Any]:
        return {"p": written(self.p), "domain": self.domain.to_json()}


class Retention(Channel):
    """Retention replacement: the truth with probability p, else a draw from `replacement`, whatever was true.

    `replacement` is a mapping from label, a sequence in label order, or None for uniform. On a domain without a step:
    None, or a pair (edges, probabilities). The diagonal is p + (1 - p) * replacement, not p.

    >>> import deniable as dn
    >>> dn.Retention(dn.Nominal(["a", "b"]), 0.6).matrix().tolist()
    [[0.8, 0.2], [0.2, 0.8]]
    """

    _names = ("p", "replacement")

    def __init__(self, domain: Domain, p: Number, replacement: Any = None) -> None:
        self._set(domain, p, replacement)

    def _set(self, domain: Domain, p: Number, replacement: Any) -> None:
        owner, (p_name, r_name) = type(self).__name__, self._names
        self.domain = self.reported = check_domain(domain, owner, step=False)
        self.p = probability(p, owner, p_name)
        if self.p == 0:
            raise ParameterError(
                "nothing_kept",
                "{owner}: {name} = 0 keeps no true answer, so nothing can be estimated; {name} must be above 0.",
                owner=owner,
                name=p_name,
            )
        self._given = replacement
        if isinstance(domain, Continuous) and not domain.has_grid:
            pieces = _read_pieces(domain, replacement, owner, r_name)
            self.law = FloatRetention(f"{owner} on {domain!r}", float(self.p), *pieces)  # type: ignore[assignment]
            return
        if replacement is None:
            replaced = [(1 - self.p) / domain.size] * domain.size
        else:
            replaced = [(1 - self.p) * share for share in exact.distribution(replacement, domain.labels, owner, r_name)]
        self.law = mixture(self.p, replaced)

    def parameters(self) -> dict[str, Any]:
        p_name, r_name = self._names
        return {"domain": self.domain.to_json(), p_name: written(self.p), r_name: self._replacement_json()}

    def _replacement_json(self) -> Any:
        if self._given is None:
            return None
        if not self.exact:
            edges, shares = self._given
            return [
                [written(fraction(edge, "edges", "edge")) for edge in edges],
                [written(fraction(share, "shares", "share")) for share in shares],
            ]
        shares = exact.distribution(self._given, self.domain.labels, type(self).__name__, self._names[1])
        return [written(share) for share in shares]


def _read_pieces(domain: Continuous, given: Any, owner: str, name: str) -> tuple[Floats, Floats]:
    """Edges, and the share between each and the next: one piece for all of a domain without a grid, or those given."""
    low, high = float(domain.low), float(domain.high)
    if given is None:
        return np.array([low, high]), np.array([1.0])
    try:
        edges, shares = given
        edges = np.array([float(edge) for edge in edges])
    except (TypeError, ValueError):
        raise ParameterError(
            "replacement_pieces",
            "{owner}: without a step, {name} must be None (uniform) or a pair (edges, probabilities), got {got!r}.",
            owner=owner,
            name=name,
            got=given,
        ) from None
    read = exact.distribution(list(shares), [f"piece {i}" for i in range(len(edges) - 1)], owner, name)
    if (np.diff(edges) <= 0).any() or edges[0] < low or edges[-1] > high:
        raise ParameterError(
            "replacement_edges",
            "{owner}: {name} edges must rise and stay inside {low} to {high}, got {got}.",
            owner=owner,
            name=name,
            low=low,
            high=high,
            got=edges.tolist(),
        )
    return edges, np.array([float(share) for share in read])


class UnrelatedQuestion(Retention):
    """With probability theta the sensitive question is answered, else an innocuous one with known distribution.

    The same channel as `Retention` with that replacement. For two labels `innocuous` may be the probability of "yes".
    Say `asked=True` where people answer the innocuous question themselves instead of having its answer drawn: its distribution is
    an assumption then, which every estimate repeats.

    >>> import deniable as dn
    >>> dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5).matrix().tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    >>> print(dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.25, asked=True).assumption)
    people answer the unrelated question as declared (0: 75%, 1: 25%); if they do not, the estimate is off and its interval does not show it
    """

    _names = ("theta", "innocuous")

    def __init__(self, domain: Domain, theta: Number, innocuous: Any = None, asked: bool = False) -> None:
        if not isinstance(asked, bool):
            raise ParameterError("asked", "UnrelatedQuestion: asked must be True or False, got {got!r}.", got=asked)
        self.asked = asked
        self._set(check_domain(domain, "UnrelatedQuestion"), theta, innocuous)

    def parameters(self) -> dict[str, Any]:
        # Left out where it is not asked, so that schemas and fingerprints of before stay what they are.
        return super().parameters() | ({"asked": True} if self.asked else {})

    @property
    def assumption(self) -> str | None:
        if not self.asked:
            return None
        k = self.domain.size
        shares = [Fraction(1, k)] * k
        if self._given is not None:
            shares = exact.distribution(self._given, self.domain.labels, type(self).__name__, self._names[1])
        told = ", ".join(
            f"{label}: {100 * float(share):.3g}%" for label, share in zip(self.domain.labels[:6], shares, strict=False)
        )
        more = f" and {k - 6:,} more" if k > 6 else ""
        return (
            f"people answer the unrelated question as declared ({told}{more}); if they do not, the estimate is off and its "
            "interval does not show it"
        )

    @property
    def theta(self) -> Fraction:
        """The probability that the sensitive question is the one answered."""
        return self.p

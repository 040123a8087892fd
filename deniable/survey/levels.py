"""From a wanted privacy to a channel: a level is how many times a report may change anyone's odds at most.

strong 3, standard 5, light 9. k-ary randomised response with p = odds / (odds + k - 1) reaches that exactly; ordered answers may
move to neighbours instead, nearer ones more often, every one possible.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from deniable.core.channels.additive import Additive
from deniable.core.channels.base import Channel
from deniable.core.channels.designs import KRR, Identity, Retention, UnrelatedQuestion
from deniable.core.channels.noise import Laplace, Normal
from deniable.core.channels.optional import Optional
from deniable.core.channels.table_designs import Matrix
from deniable.core.domains.domain import Domain
from deniable.core.domains.exact import fraction
from deniable.core.domains.missing import WithMissing
from deniable.errors import DeniableError, ParameterError

LEVELS: Mapping[str, int] = MappingProxyType({"strong": 3, "standard": 5, "light": 9})
DESIGNS = ("krr", "neighbours", "retention", "unrelated", "matrix", "laplace", "normal")
FINEST = 1_000_000
MOST_NEIGHBOURS = 30


def channel_for(domain: Domain, privacy: Any, ordered: bool = False) -> Channel:
    """The channel of a level, of "none", or of an explicit design on a domain whose last label is "no answer".

    >>> import deniable as dn, math
    >>> answers = dn.Nominal(["no", "yes"], missing="no answer")
    >>> [round(math.exp(channel_for(answers, level).epsilon), 6) for level in ("strong", "standard", "light")]
    [3.0, 5.0, 9.0]
    >>> channel_for(answers, {"design": "krr", "p": 0.8}).p, channel_for(answers, {"design": "krr", "odds": 2.7}).p
    (Fraction(4, 5), Fraction(27, 47))
    """
    if privacy == "none":
        return Identity(domain)
    if not isinstance(privacy, (str, dict)):
        raise ParameterError(
            "privacy_kind", "privacy must be one of {allowed}, 'none' or a design such as {{design: krr, odds: 4}}, got {got!r}.",
            allowed=list(LEVELS), got=privacy,
        )  # fmt: skip
    if isinstance(privacy, str):
        if privacy not in LEVELS:
            raise ParameterError(
                "privacy_level", "privacy must be one of {allowed}, 'none' or a design, got {got!r}.",
                allowed=list(LEVELS), got=privacy,
            )  # fmt: skip
        return _krr(domain, LEVELS[privacy])
    return _explicit(domain, dict(privacy), ordered)


def _krr(domain: Domain, odds: int | Fraction) -> Channel:
    return KRR(domain, Fraction(odds) / (odds + domain.size - 1))


def _odds(given: Any) -> Fraction:
    """The odds that a design names: unlike a p they stay the same when answers are added or taken away."""
    odds = fraction(given, "krr", "odds")
    if odds <= 1:
        raise ParameterError("privacy_odds", "privacy: odds must be above 1, such as 2.7, got {got!r}.", got=given)
    return odds


def _explicit(domain: Domain, given: dict[str, Any], ordered: bool) -> Channel:
    design = given.pop("design", None)
    if design not in DESIGNS:
        raise ParameterError(
            "privacy_design", "privacy: design must be one of {allowed}, got {got!r}.", allowed=list(DESIGNS), got=design
        )
    if design in ("neighbours", "laplace", "normal") and not ordered:
        raise ParameterError("privacy_order", "privacy: {got} needs answers in an order, or numbers.", got=design)
    taken = _take(given, design)
    if design == "krr":
        return KRR(domain, taken["p"]) if "p" in taken else _krr(domain, _odds(taken["odds"]))
    if design == "retention":
        return Retention(domain, taken["p"], taken.get("replacement"))
    if design == "unrelated":
        return UnrelatedQuestion(domain, taken["theta"], taken["innocuous"], taken.get("asked") in (True, "yes"))
    if design == "matrix":
        return Matrix(domain, taken["P"])
    if design == "neighbours":
        if taken["level"] not in LEVELS:
            raise ParameterError(
                "privacy_level", "privacy: level must be one of {allowed}, got {got!r}.",
                allowed=list(LEVELS), got=taken["level"],
            )  # fmt: skip
        return neighbours_for(domain, LEVELS[taken["level"]])
    if not isinstance(domain, WithMissing):
        raise ParameterError("privacy_numbers", "privacy: {got} is for numbers on a grid (grid: true).", got=design)
    noise = Laplace(taken["scale"]) if design == "laplace" else Normal(taken["scale"])
    return Optional(Additive(domain.answered, noise, edges="clamp"), taken["answered"], missing=domain.missing or "no answer")


_NEEDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "krr": (("p",), ()),
        "retention": (("p",), ("replacement",)),
        "unrelated": (("theta", "innocuous"), ("asked", "question")),
        "matrix": (("P",), ()),
        "neighbours": (("level",), ()),
        "laplace": (("scale", "answered"), ()),
        "normal": (("scale", "answered"), ()),
    }
)


def _take(given: dict[str, Any], design: str) -> dict[str, Any]:
    needed, optional = _NEEDS[design]
    if design == "krr" and "odds" in given:
        if "p" in given:
            raise ParameterError("privacy_twice", "privacy: krr has a p or odds, not both; take one of them away.")
        needed = ("odds",)
    rest = f" and may have {list(optional)}" if optional else " or odds" if design == "krr" else ""
    missing = [key for key in needed if key not in given]
    unknown = [key for key in given if key not in (*needed, *optional)]
    if missing or unknown:
        raise ParameterError(
            "privacy_keys", "privacy: {design} needs {needed}{rest}; missing {missing}, unknown {unknown}.",
            design=design, needed=list(needed), rest=rest, missing=missing, unknown=unknown,
        )  # fmt: skip
    return given


@lru_cache(maxsize=256)
def neighbours_for(domain: Domain, odds: int | Fraction) -> Matrix:
    """Ordered answers move to others, nearer ones more often; "no answer" (the last label) trades places with all evenly.

    The weight falls by a constant factor a step, which is chosen by bisection so that no odds change more than `odds` times.

    >>> import deniable as dn, math
    >>> agree = dn.Ordinal(["1", "2", "3", "4", "5"], missing="no answer")
    >>> channel = neighbours_for(agree, 5)
    >>> 4.9 < math.exp(channel.epsilon) <= 5.0 + 1e-9
    True
    """
    answered = domain.size - 1
    if answered > MOST_NEIGHBOURS:
        raise ParameterError(
            "too_many_neighbours", "Moving to neighbours is for up to {most} answers, got {got}; use another design.",
            most=MOST_NEIGHBOURS, got=answered,
        )  # fmt: skip
    weakest, strongest = Fraction(1), Fraction(1, 1000)
    best = None
    for _ in range(24):
        factor = (weakest + strongest) / 2
        channel = Matrix(domain, _falling(answered, factor, odds))
        if channel.epsilon <= math.log(odds) + 1e-12:
            best, weakest = channel, factor
        else:
            strongest = factor
    if best is None:
        raise ParameterError("privacy_level", "No way of moving to neighbours keeps within {odds} times the odds.", odds=odds)
    return best


def _falling(k: int, factor: Fraction, odds: int | Fraction) -> list[list[Fraction]]:
    """Rows over k answers and silence: silence takes part as one label of k-ary randomised response does."""
    silent = 1 / Fraction(odds + k)
    rows = []
    for x in range(k):
        weights = [factor ** abs(x - z) for z in range(k)]
        parts = [Fraction(math.floor((1 - silent) * weight / sum(weights) * FINEST), FINEST) for weight in weights]
        parts[x] += 1 - silent - sum(parts)
        rows.append([*parts, silent])
    rows.append([silent] * k + [odds * silent])
    return rows


def cannot_have(channel: Channel) -> str | None:
    """Why a survey cannot be opened with a channel, or None."""
    try:
        if not channel.exact:
            return "its noise is drawn in floating point"
        if not math.isfinite(channel.epsilon):
            return "some report would prove an answer; let every answer be reported as every other, however rarely"
        if not channel.tells_means_only and not math.isfinite(channel.condition_number):
            return "its reports say nothing about the answers"
    except DeniableError as error:
        return str(error)
    return None

"""Range privacy: entropy privacy of the noise as a share of the range of the answers, and the noise that gives it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from deniable.core.channels.additive import Additive
from deniable.core.channels.noise import Noise, Uniform
from deniable.core.domains.exact import fraction
from deniable.core.domains.grids import Continuous, Integer
from deniable.errors import ParameterError
from deniable.privacy.measures.entropy import UNIT, entropy_privacy
from deniable.privacy.measures.priors import is_number


def range_privacy(source: Any, domain: Any = None) -> float:
    """2^h(Y) / (high - low) for noise Y on a domain (thesis 3.5.5): 1.0 is "100% range privacy".

    The noise is as uncertain as a uniform draw from this share of the range of the answers. `source` is an additive channel,
    or noise with its domain (or the length of its range).

    >>> import deniable as dn
    >>> dn.privacy.range_privacy(dn.Uniform(5), 10)                    # the thesis' example: 100%
    1.0
    >>> round(dn.privacy.range_privacy(dn.Additive(dn.Integer(18, 68), dn.Uniform(10))), 3)
    0.4
    """
    if domain is None and isinstance(source, Additive):
        domain = source.domain
    return entropy_privacy(source) / float(_length(domain, "range_privacy"))


def noise_for_range_privacy(kind: type[Noise], level: float, domain: Any) -> Noise:
    """The noise of a kind (dn.Uniform, dn.Normal, dn.Laplace) with 2^h(Y) = level * (high - low) (thesis 3.5.5).

    On a domain with a step uniform noise is widened to the next whole step: never less private than asked.

    >>> import deniable as dn
    >>> dn.privacy.noise_for_range_privacy(dn.Uniform, 1.0, 10)        # thesis: between -5 and 5
    Uniform(5)
    >>> noise = dn.privacy.noise_for_range_privacy(dn.Normal, 0.5, dn.Integer(18, 90))
    >>> round(dn.privacy.range_privacy(noise, dn.Integer(18, 90)), 6)
    0.5
    """
    if kind not in UNIT:
        raise ParameterError(
            "noise_kind",
            "noise_for_range_privacy: kind must be dn.Uniform, dn.Normal or dn.Laplace, got {got!r}.",
            got=kind,
        )
    if fraction(level, "noise_for_range_privacy", "level") <= 0:
        raise ParameterError("range_level", "noise_for_range_privacy: level must be positive, got {got!r}.", got=level)
    wanted = fraction(level, "noise_for_range_privacy", "level") * _length(domain, "noise_for_range_privacy")
    if kind is Uniform:
        half = wanted / 2
        if isinstance(domain, (Integer, Continuous)) and domain.has_grid:
            half = math.ceil(half / domain.step) * domain.step
        return Uniform(half)
    scale, unit = UNIT[kind]
    return kind(**{scale: float(wanted) / unit})


def _length(domain: Any, owner: str) -> Fraction:
    if is_number(domain) and domain > 0:
        return fraction(domain, owner, "domain")
    low, high = getattr(domain, "low", None), getattr(domain, "high", None)
    if low is None or high is None:
        raise ParameterError(
            "range_domain",
            "{owner} needs a domain of numbers, or the length of its range, got {got!r}.",
            owner=owner,
            got=domain,
        )
    return Fraction(high) - Fraction(low)

"""Domains checked before a channel is made of them."""

from __future__ import annotations

from typing import Any

from deniable.core.domains.domain import Domain
from deniable.core.domains.labels import Binary
from deniable.errors import ParameterError


def check_domain(domain: Any, owner: str, step: bool = True, constant: bool = False) -> Domain:
    """Refuse what is not a domain, a domain without a step where a table is needed, and one value where something is to be hidden."""
    if not isinstance(domain, Domain):
        raise ParameterError(
            "not_a_domain",
            "{owner}: the domain must be dn.Binary(), dn.Nominal([...]), dn.Ordinal([...]), dn.Integer(low, high) or "
            "dn.Continuous(low, high, step), got {got!r}.",
            owner=owner,
            got=domain,
        )
    if step and not domain.has_grid:
        raise ParameterError("needs_step", "{owner} needs a domain with a step, got {domain!r}.", owner=owner, domain=domain)
    if not constant and domain.has_grid and domain.size == 1:
        raise ParameterError(
            "one_value",
            "{owner}: {domain!r} has one value only, so there is nothing to hide and nothing to hide it among. Use dn.Identity(...), or "
            "add the values that may still come.",
            owner=owner,
            domain=domain,
        )
    return domain


def check_binary(domain: Domain | None, owner: str) -> Domain:
    """Binary() by default; any domain of two labels will do."""
    chosen = check_domain(Binary() if domain is None else domain, owner)
    if chosen.size != 2:
        raise ParameterError("not_binary", "{owner} needs a domain of two labels, got {domain!r}.", owner=owner, domain=chosen)
    return chosen

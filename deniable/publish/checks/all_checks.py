"""All checks, in the order in which owners read them."""

from __future__ import annotations

from dataclasses import replace

from deniable.publish.checks.answers import (
    background_knowledge,
    deniability,
    relative_skew,
    skew,
    small_groups,
    worst_posterior,
)
from deniable.publish.checks.check import Check
from deniable.publish.checks.measured import Measured
from deniable.publish.checks.proxies import proxies
from deniable.publish.checks.rows import identifiers, order_of_rows, singled_out

CHECKS = (
    deniability,
    worst_posterior,
    small_groups,
    skew,
    relative_skew,
    background_knowledge,
    proxies,
    order_of_rows,
    identifiers,
    singled_out,
)


def all_checks(measured: Measured) -> list[Check]:
    """Every check of these rows."""
    return [replace(look(measured), of=len(measured.labels)) for look in CHECKS]

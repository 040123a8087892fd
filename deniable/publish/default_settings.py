"""What groups must meet where the owner did not say: whatever keeps them within the limits, as far as the data allow it."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.publish.checks.limits import Limits
from deniable.publish.encoding import read_sensitive
from deniable.publish.measures import surest_if_ruled_out
from deniable.publish.rules import ruled_out_views, single_views


def chosen_settings(given: dict[str, Any], truth: Any, limits: Limits) -> dict[str, Any]:
    """The parameters of a tree: those that were given, and for the rest the limits.

    Every limit on groups survives merging: if any grouping meets it, all rows together do. If they do not, no tree can; then everyone
    is one group, which exposes least, and the check says that it failed. No measured figure becomes a parameter: those are public.

    >>> import pandas as pd
    >>> chosen_settings({"min_rows": 50}, pd.DataFrame({"ill": ["yes", "no"] * 50}), Limits())
    {'max_posterior': 0.95, 'max_skew': 0.4, 'max_skew_ratio': 3.0, 'max_ruled_out': 0.99, 'min_rows': 50}
    >>> chosen_settings({}, pd.DataFrame({"ill": ["yes"] + ["no"] * 99}), Limits())
    {'min_rows': 5, 'max_skew': 0.4, 'max_skew_ratio': 3.0, 'max_ruled_out': 0.99, 'max_depth': 0}
    """
    sensitive, codes = read_sensitive(truth, given.get("outcomes"), given.get("missing"))
    outcomes = sensitive.view_outcomes
    combined = np.bincount(codes, minlength=sensitive.outcomes)
    counts = [table[0] for table in sensitive.view_counts(combined[None])]
    out: dict[str, Any] = {
        "min_rows": limits.rows,
        "max_posterior": limits.posterior,
        "max_skew": limits.skew,
        "max_skew_ratio": limits.skew_ratio,
        "max_ruled_out": limits.ruled_out,
    }
    impossible = []
    if len(codes) < limits.rows:
        impossible.append("min_rows")
    if max(counts[v].max() for v in single_views(outcomes)) > limits.posterior * len(codes):
        impossible.append("max_posterior")
    # Of two answers none can be ruled out. The limit is a parameter all the same: without it the parameters would tell that there are two.
    wide = ruled_out_views(outcomes)
    if wide and max(surest_if_ruled_out(counts[v][None])[0] for v in wide) > limits.ruled_out:
        impossible.append("max_ruled_out")
    for name in impossible:
        del out[name]
    if any(name not in given for name in impossible):
        out["max_depth"] = 0
    return {**{key: value for key, value in out.items() if key not in given}, **given}

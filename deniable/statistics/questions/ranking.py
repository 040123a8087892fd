"""Rows in the order of the probability that they meet a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deniable.core.domains.exact import Floats
from deniable.errors import ParameterError
from deniable.statistics.candidates import Candidates
from deniable.statistics.conditions import Condition
from deniable.statistics.given_parts import Part
from deniable.statistics.hits import ListedHits
from deniable.statistics.iterative import choose_iteratively
from deniable.statistics.joint import NOISE_BINS
from deniable.statistics.likeliest_joint import LikeliestJoint
from deniable.statistics.reports import Reports
from deniable.statistics.rows import kept_cells


def candidates(
    reports: Reports, where: Any, size: int | None, method: str, rng: np.random.Generator | None, draw: str | None,
    keep: Sequence[str],
) -> Candidates:  # fmt: skip
    """`Sample.candidates`."""
    condition = reports.needed(where, "candidates")
    if method not in ("joint", "iterative"):
        raise ParameterError("method", "candidates: method must be 'joint' or 'iterative', got {got!r}.", got=method)
    names = condition.attributes()
    asking = reports.parts.asking(names)
    if method == "iterative":
        reports.only_part("method='iterative'", names)
    columns = [reports.columns(part, names, "candidates") for part in asking]
    by_part, fitted = _probabilities(reports, condition, asking, columns)
    probability = np.concatenate(by_part)
    chosen = None
    if method == "iterative":
        chosen = np.zeros(len(probability))
        chosen[choose_iteratively(columns[0], asking[0][1], condition)[1]] = 1.0
    kept = {name: [cell for data, _ in asking for cell in kept_cells(data, name)] for name in keep}
    listed = Candidates(probability, size, rng, first=chosen, sizes=[len(part) for part in by_part], draw=draw, kept=kept)
    if fitted is not None and fitted.truth.exact and method == "joint":
        listed.hits = ListedHits(fitted, condition)
    listed.warnings = tuple(reports.parts.misfits(names))
    return listed


def _probabilities(
    reports: Reports, condition: Condition, asking: Sequence[Part], columns: Sequence[dict[str, Any]]
) -> tuple[list[Floats], LikeliestJoint | None]:
    """How probably each row of each part meets the condition (Bayes), and the joint distribution behind that, unless it is smoothed."""
    codes = [
        {name: schema[name].reported.encode(cells, name) for name, cells in of_part.items()}
        for of_part, (_, schema) in zip(columns, asking, strict=True)
    ]
    smooth = reports.smoothing.probabilities(condition, codes)
    if smooth is not None:
        return [smooth], None
    fitted = LikeliestJoint(asking, [condition], dict.fromkeys(condition.attributes(), NOISE_BINS))
    return [
        truth.posterior(fitted.shares, condition)[truth.codes(of_part)]
        for of_part, truth in zip(codes, fitted.truths, strict=True)
    ], fitted

"""What a forest says about reported rows: the mean of what it says about the truths that may be behind them."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.classify.single_attributes import SingleAttributes
from deniable.kernels.forest_chances import ForestNodes, expected_chances


def chances_of_reports(model: Any, single: SingleAttributes, codes: Any) -> Any:
    """P(class | reports): classes and, in each class, cells one by one are believed as naive Bayes has them; the forest says the rest."""
    nodes, depth = model.trees_.nodes, model.trees_.depth()
    starts, tables = _tables(nodes, [single.of_truths(i) if f.hidden else None for i, f in enumerate(model.features_)])
    reports = np.array([feature.matrix.shape[1] for feature in model.features_], dtype=np.int64)
    beliefs = np.ascontiguousarray(single.beliefs(codes))
    return expected_chances(np.ascontiguousarray(codes, dtype=np.int32), beliefs, nodes, starts, tables, reports, depth)


def _tables(nodes: ForestNodes, of_truths: list[Any]) -> tuple[Any, Any]:
    """For each node the chance to be sent there from its parent, by class and report; where they start, -1 if reports are the truth.

    A second test of an attribute asks for its set of cells that is left, given the set before.
    """
    starts = np.full(len(nodes.attribute), -1, dtype=np.int64)
    parts: list[Any] = []
    at = 0
    for root in nodes.roots:
        stack: list[tuple[int, dict[int, Any]]] = [(int(root), {})]
        while stack:
            node, sets = stack.pop()
            a = int(nodes.attribute[node])
            if a < 0:
                continue
            for child, passing in ((int(nodes.left[node]), True), (int(nodes.right[node]), False)):
                if of_truths[a] is None:
                    stack.append((child, sets))
                    continue
                cells = of_truths[a].shape[2]
                before = sets.get(a, np.ones(cells))
                after = before * (nodes.passes[node, :cells] == passing)
                above, below = of_truths[a] @ before, of_truths[a] @ after
                starts[child] = at
                parts.append(np.divide(below, above, out=np.zeros_like(below), where=above > 0).ravel())
                at += parts[-1].size
                stack.append((child, {**sets, a: after}))
    return starts, np.concatenate([*parts, np.zeros(1)])

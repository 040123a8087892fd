"""MDL pruning (thesis 2.2): a subtree stays while describing it and its errors is shorter than the errors of a leaf."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

NODE_COST = 1.0
THRESHOLD_COST = 1.0


def pruned(attribute: Any, left: Any, right: Any, values: Any, ordered: Any) -> Any:
    """The tests that stay, -1 where a node becomes (or is) a leaf.

    C_leaf = 1 + errors; C_both = 1 + cost of the test + C(left) + C(right), where a threshold costs 1 and a subset test on an
    attribute ln(number of tests on it in the tree). A node becomes a leaf if C_leaf < C_both.

    >>> stay = pruned([0, -1, -1], [1, -1, -1], [2, -1, -1], np.array([[9.0, 1.0], [5.0, 0.0], [4.0, 1.0]]), [True])
    >>> stay.tolist()                       # errors stay 1, and a test costs more than it saves
    [-1, -1, -1]
    """
    kept = np.array(attribute, dtype=np.int64)
    tests = Counter(int(a) for a in kept if a >= 0)
    errors = np.asarray(values).sum(axis=1) - np.asarray(values).max(axis=1)
    cost = np.empty(len(kept))
    # Children come after their parents, so backwards every child is done before its parent.
    for node in range(len(kept) - 1, -1, -1):
        cost[node] = NODE_COST + errors[node]
        if kept[node] < 0:
            continue
        of_test = THRESHOLD_COST if ordered[kept[node]] else math.log(tests[int(kept[node])])
        both = NODE_COST + of_test + cost[left[node]] + cost[right[node]]
        if cost[node] < both:
            kept[node] = -1
        else:
            cost[node] = both
    return kept

"""Expectation maximisation of a latent class model through channels, attribute by attribute."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.kernels.compiling import compiled

SMALLEST = 1e-300


@compiled()
def expected_reports(cells: Any, matrices: Any, sizes: Any, hidden: Any, given: Any) -> None:
    """Fill in P(report | kind), [kind, attribute, report]."""
    for k in range(cells.shape[0]):
        for j in range(cells.shape[1]):
            for z in range(sizes[j, 1]):
                total = 0.0
                if hidden[j]:
                    for x in range(sizes[j, 0]):
                        total += cells[k, j, x] * matrices[j, x, z]
                else:
                    total = cells[k, j, z]
                given[k, j, z] = max(total, SMALLEST)


@compiled()
def maximise_margins(
    counts: Any, cells: Any, matrices: Any, sizes: Any, hidden: Any, base: Any, pseudo: float, steps: int
) -> None:
    """Improve `cells` [kind, attribute, cell] in place for kinds that are known: `counts` are of reports, [kind, attribute, report]."""
    given = np.ones((cells.shape[0], cells.shape[1], matrices.shape[2]))
    for _ in range(steps):
        expected_reports(cells, matrices, sizes, hidden, given)
        improve(counts, given, cells, matrices, sizes, hidden, base, pseudo)


@compiled()
def improve(counts: Any, given: Any, cells: Any, matrices: Any, sizes: Any, hidden: Any, base: Any, pseudo: float) -> None:
    """One step of expectation maximisation, from expected counts of reports."""
    for k in range(cells.shape[0]):
        for j in range(cells.shape[1]):
            people = 0.0
            for z in range(sizes[j, 1]):
                people += counts[k, j, z]
            for x in range(sizes[j, 0]):
                ratio = 0.0
                if hidden[j]:
                    for z in range(sizes[j, 1]):
                        ratio += matrices[j, x, z] * counts[k, j, z] / given[k, j, z]
                else:
                    ratio = counts[k, j, x] / given[k, j, x]
                cells[k, j, x] = (cells[k, j, x] * ratio + pseudo * base[j, x]) / (people + pseudo)


@compiled()
def maximised(
    codes: Any,
    chance: Any,
    parts: Any,
    cells: Any,
    matrices: Any,
    sizes: Any,
    hidden: Any,
    base: Any,
    pseudo: float,
    steps: int,
) -> Any:
    """Improve `parts` [kind] and `cells` [kind, attribute, cell] in place, so many times; the log-likelihood of each row.

    `chance[i, k]` is P(reported class of row i | class of kind k), `sizes[j]` how many cells and reports attribute j has.
    """
    rows, attributes = codes.shape
    kinds = parts.size
    most = matrices.shape[2]
    given, logs = np.ones((kinds, attributes, most)), np.empty((kinds, attributes, most))
    counts = np.empty((kinds, attributes, most))
    people = np.empty(kinds)
    told, belief = np.empty(rows), np.empty(kinds)
    for step in range(steps + 1):
        expected_reports(cells, matrices, sizes, hidden, given)
        for k in range(kinds):
            for j in range(attributes):
                for z in range(sizes[j, 1]):
                    logs[k, j, z] = np.log(given[k, j, z])
        counts[:] = 0.0
        people[:] = 0.0
        for i in range(rows):
            top = -np.inf
            for k in range(kinds):
                if chance[i, k] <= 0 or parts[k] <= 0:
                    belief[k] = -np.inf
                    continue
                log = np.log(chance[i, k] * parts[k])
                for j in range(attributes):
                    log += logs[k, j, codes[i, j]]
                belief[k] = log
                top = max(top, log)
            total = 0.0
            for k in range(kinds):
                belief[k] = np.exp(belief[k] - top) if belief[k] > -np.inf else 0.0
                total += belief[k]
            told[i] = top + np.log(total) if total > 0 else -700.0
            if total <= 0:
                continue
            for k in range(kinds):
                share = belief[k] / total
                if share > 1e-12:
                    people[k] += share
                    for j in range(attributes):
                        counts[k, j, codes[i, j]] += share
        if step == steps:
            break
        for k in range(kinds):
            parts[k] = people[k] / rows
        improve(counts, given, cells, matrices, sizes, hidden, base, pseudo)
    return told

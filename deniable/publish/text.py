"""The tree in words and as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.plurals import counted
from deniable.privacy.reporting.words import percent
from deniable.publish.fitted_tree import FittedTree
from deniable.publish.rules import single_views

ANSWERS_SHOWN = 4


def export_text(fitted: FittedTree, max_depth: int | None = None) -> str:
    """One line per node, questions indented below each other."""
    inner = fitted.tree
    lines: list[str] = []
    waiting = [(0, "everyone", 0)]
    while waiting:
        node, name, depth = waiting.pop()
        leaf = inner.flat.feature[node] < 0
        cut = max_depth is not None and depth >= max_depth and not leaf
        lines.append(f"{'|   ' * depth}{name}: {described(fitted, node)}" + (" ..." if cut else ""))
        if not leaf and not cut:
            waiting += [(c, q, depth + 1) for c, q in zip(inner.children(node), inner.questions(node), strict=True)][::-1]
    return "\n".join(lines)


def described(fitted: FittedTree, node: int) -> str:
    """Rows, deniability with the minority it means here, and answers of a node."""
    counts = fitted.tree.flat.counts[node]
    n = int(counts.sum())
    tables, columns = fitted.sensitive.view_counts(counts[None]), single_views(fitted.sensitive.view_outcomes)
    minority = 1 - max(tables[v].max() for v in columns) / n
    level = fitted.deniability_of_nodes([node]).min()
    rows = counted(n, "row")
    return f"{rows}, deniability {level:.3f} (minority {percent(minority, down=True)}); {answers_of(fitted, counts)}"


def answers_of(fitted: FittedTree, counts: Any) -> str:
    """The most frequent answers with their shares."""
    order = np.argsort(-counts, kind="stable")
    shown = [
        f"{fitted.sensitive.shown(code)} {percent(counts[code] / counts.sum())}"
        for code in order[:ANSWERS_SHOWN]
        if counts[code]
    ]
    left = int((counts > 0).sum()) - len(shown)
    return ", ".join(shown) + (f", {left} more" if left > 0 else "")


def _leaves_below(fitted: FittedTree, node: int) -> int:
    """How many groups a node is divided into further down."""
    inner, leaves, waiting = fitted.tree, 0, [node]
    while waiting:
        at = waiting.pop()
        if inner.flat.feature[at] < 0:
            leaves += 1
        else:
            waiting += inner.children(at)
    return leaves


def picture(fitted: FittedTree, max_depth: int, max_leaves: int) -> Any:
    """The first levels of the tree; below them a group stands for all that is left out."""
    # Altair loads with the first picture.
    from deniable.charts.tree import tree_chart

    inner = fitted.tree
    shown: dict[int, tuple[int | None, str, int]] = {0: (None, "everyone", 0)}
    ends = 1
    queue = [0]
    while queue:
        node = queue.pop(0)
        depth = shown[node][2]
        width = int(inner.flat.width[node]) if inner.flat.feature[node] >= 0 else 0
        if not width or depth >= max_depth or (node and ends - 1 + width > max_leaves):
            continue
        below = list(zip(inner.children(node), inner.questions(node), strict=True))
        # Of a first question with very many answers at least the largest groups.
        largest = {child for child, _ in sorted(below, key=lambda branch: -inner.flat.counts[branch[0]].sum())[:max_leaves]}
        ends += len(largest) - 1
        for child, question in below:
            if child in largest:
                shown[child] = (node, question, depth + 1)
                queue.append(child)
    rows: list[dict[str, Any]] = []
    for node, (parent, question, depth) in shown.items():
        counts = inner.flat.counts[node]
        hidden = [child for child in inner.children(node) if child not in shown] if inner.flat.feature[node] >= 0 else []
        rows.append(
            {
                "node": node,
                "parent": parent,
                "depth": depth,
                "question": question,
                "rows": int(counts.sum()),
                "deniability": float(fitted.deniability_of_nodes([node]).min()),
                "answers": answers_of(fitted, counts),
                "folded": sum(_leaves_below(fitted, child) for child in hidden),
            }
        )
    title = f"Groups in which {', '.join(fitted.sensitive.names)} can be denied"
    folded = sum(row["folded"] for row in rows)
    left_out = (
        f" {counted(folded, 'group')} {'is' if folded == 1 else 'are'} not drawn; the tree in words (export_text, or the owner's report) "
        "has them all."
        if folded
        else ""
    )
    note = (
        f"{counted(len(fitted.leaves), 'group')}; the smallest deniability is {fitted.deniability:.3f}, the minimum asked for "
        f"{fitted.rules.min_deniability:.4g} (a minority of at least {percent(fitted.minority_share, down=True)}).{left_out}"
    )
    return tree_chart(rows, title=title, note=note)

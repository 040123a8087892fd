"""The tree in words and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deniable.plurals import counted
from deniable.privacy.reporting.words import percent

if TYPE_CHECKING:
    from deniable.publish.deniability_tree import DeniabilityTree

ANSWERS_SHOWN = 4


def export_text(tree: DeniabilityTree, max_depth: int | None = None) -> str:
    """A line a node, questions indented below each other."""
    inner = tree._fitted()
    lines: list[str] = []
    waiting = [(0, "everyone", 0)]
    while waiting:
        node, name, depth = waiting.pop()
        leaf = inner.flat.feature[node] < 0
        cut = max_depth is not None and depth >= max_depth and not leaf
        lines.append(f"{'|   ' * depth}{name}: {described(tree, node)}" + (" ..." if cut else ""))
        if not leaf and not cut:
            waiting += [(c, q, depth + 1) for c, q in zip(inner.children(node), inner.questions(node), strict=True)][::-1]
    return "\n".join(lines)


def described(tree: DeniabilityTree, node: int) -> str:
    """Rows, deniability with the minority it means here, and answers of a node."""
    counts = tree._fitted().flat.counts[node]
    n = int(counts.sum())
    level = min(_level(own, answers) for _, answers, own in tree._views(counts))
    minority = 1 - max(own.max() for _, _, own in tree._views(counts)[-len(tree.sensitive_.names) :]) / n
    rows = counted(n, "row")
    return f"{rows}, deniability {level:.3f} (minority {percent(minority, down=True)}); {answers_of(tree, counts)}"


def answers_of(tree: DeniabilityTree, counts: Any) -> str:
    """The most frequent answers with their shares."""
    order = np.argsort(-counts, kind="stable")
    shown = [
        f"{tree.sensitive_.shown(code)} {percent(counts[code] / counts.sum())}"
        for code in order[:ANSWERS_SHOWN]
        if counts[code]
    ]
    left = int((counts > 0).sum()) - len(shown)
    return ", ".join(shown) + (f", {left} more" if left > 0 else "")


def _level(counts: Any, answers: int) -> float:
    from deniable.privacy.measures.deniability import deniability

    return deniability(counts, answers)


def picture(tree: DeniabilityTree, max_depth: int, max_leaves: int) -> Any:
    """The first levels of the tree; below them a group stands for all that is left out."""
    from deniable.charts.tree import tree_chart

    inner = tree._fitted()
    shown: dict[int, tuple[int | None, str, int]] = {0: (None, "everyone", 0)}
    ends = 1
    queue = [0]
    while queue:
        node = queue.pop(0)
        depth = shown[node][2]
        width = int(inner.flat.width[node]) if inner.flat.feature[node] >= 0 else 0
        if not width or depth >= max_depth or ends - 1 + width > max_leaves:
            continue
        ends += width - 1
        for child, question in zip(inner.children(node), inner.questions(node), strict=True):
            shown[child] = (node, question, depth + 1)
            queue.append(child)
    rows = []
    for node, (parent, question, depth) in shown.items():
        counts = inner.flat.counts[node]
        hidden = inner.flat.feature[node] >= 0 and not any(above == node for above, _, _ in shown.values())
        rows.append(
            {
                "node": node,
                "parent": parent,
                "depth": depth,
                "question": question,
                "rows": int(counts.sum()),
                "deniability": float(min(_level(own, answers) for _, answers, own in tree._views(counts))),
                "answers": answers_of(tree, counts),
                "folded": bool(hidden),
            }
        )
    title = f"Groups in which {', '.join(tree.sensitive_.names)} can be denied"
    below = len(tree.leaves_)
    note = (
        f"{counted(below, 'group')}; the smallest deniability is {tree.deniability_:.3f}, the minimum asked for "
        f"{float(tree.min_deniability):.4g} (a minority of at least {percent(tree.minority_share_, down=True)})."
    )
    return tree_chart(rows, title=title, note=note)

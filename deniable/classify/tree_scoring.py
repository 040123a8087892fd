"""A tree and distorted rows: where they probably end, and unbiased weights of where their truths end."""

from __future__ import annotations

from typing import Any

import numpy as np

from deniable.classify.confusion import class_weights, group_inflation, inflation, not_possible, scaled, useful
from deniable.classify.densities import densities
from deniable.reconstruction.em import em

SMALLEST = 1e-9


def posterior(model: Any, codes: Any, reported_class: Any = None) -> Any:
    """P(class and leaf | reports), [row, class, leaf]: down the tree by Bayes, with the distributions estimated in each node.

    At a node that tests attribute a, a class c and a side s have the weight of c so far times the estimated P(a's cell on side s,
    z_a reported | c); weights are scaled to sum to 1 (the reconstructed P(z_a), not the observed one, errata 11).
    """
    tree = model.tree_
    classes = len(model.classes_)
    start = np.tile(model._chances[0], (len(codes), 1))
    if reported_class is not None:
        start = start * model.target_.matrix[:, reported_class].T
    start = scaled(start)
    leaves = np.flatnonzero(tree.attribute < 0)
    place = {int(leaf): i for i, leaf in enumerate(leaves)}
    out = np.zeros((len(codes), classes, len(leaves)))
    stack = [(0, start)]
    while stack:
        node, belief = stack.pop()
        if tree.attribute[node] < 0:
            out[:, :, place[node]] = belief
            continue
        a = int(tree.attribute[node])
        feature = model.features_[a]
        matrix = feature.matrix
        counts = tree.tables[node, : feature.cells] + SMALLEST
        given = counts / counts.sum(axis=0)
        passes = tree.passes[node, : feature.cells].astype(np.float64)
        yes = (given * passes[:, None]).T @ matrix
        no = (given * (1 - passes)[:, None]).T @ matrix
        total = belief.sum(axis=1, keepdims=True)
        left, right = belief * yes[:, codes[:, a]].T, belief * no[:, codes[:, a]].T
        scale = (left + right).sum(axis=1, keepdims=True)
        factor = np.divide(total, scale, out=np.zeros_like(scale), where=scale > 0)
        stack += [(int(tree.left[node]), left * factor), (int(tree.right[node]), right * factor)]
    return out


def leaf_votes(model: Any, codes: Any) -> Any:
    """The chance that a row's truth ends in a leaf of each class, by its reports, [row, class] (thesis 7.1)."""
    ends = posterior(model, codes).sum(axis=1)
    decided = model._chances[model.tree_.attribute < 0].argmax(axis=1)
    return ends @ (decided[:, None] == np.arange(len(model.classes_)))


def guessed(model: Any, codes: Any, reported_class: Any) -> Any:
    """Where true rows end if attributes are independent in each class, as they are distributed in the rows being scored.

    The distributions in the nodes are not asked: a tree believes the rows it was grown on too much.
    """
    target, classes = model.target_, len(model.classes_)
    predicted = model._chances.argmax(axis=1)
    counts = np.bincount(reported_class, minlength=target.matrix.shape[1]).astype(np.float64)
    prior = em(target.channel.law, counts).shares if target.hidden else counts / counts.sum()
    belief = prior * target.matrix[:, reported_class].T
    regions = paths(model)
    given = {}
    for a in sorted({a for _, region in regions for a in region}):
        feature = model.features_[a]
        table = np.zeros((target.matrix.shape[1], feature.matrix.shape[1]))
        np.add.at(table, (reported_class, codes[:, a]), 1.0)
        joint = (np.kron(target.matrix, feature.matrix), prior) if target.hidden else (None, None)
        shares = densities(feature.matrix, table, feature.ordered, feature.n_unordered, *joint)
        both = shares[:, :, None] * feature.matrix
        reports = np.maximum(both.sum(axis=1), 1e-300)
        given[a] = both / reports[:, None, :]
        if target.hidden:
            belief = belief * reports[:, codes[:, a]].T
    belief = scaled(belief)
    out = np.zeros((len(codes), classes, classes))
    for leaf, region in regions:
        chance = belief.copy()
        for a, cells in region.items():
            chance *= np.einsum("x,cxz->cz", cells, given[a])[:, codes[:, a]].T
        out[:, :, predicted[leaf]] += chance
    return out


def paths(model: Any) -> list[tuple[int, dict[int, Any]]]:
    """Every leaf with the cells that lead to it, attribute by attribute."""
    tree = model.tree_
    leaves = []
    stack: list[tuple[int, dict[int, Any]]] = [(0, {})]
    while stack:
        node, region = stack.pop()
        a = int(tree.attribute[node])
        if a < 0:
            leaves.append((node, region))
            continue
        passes = tree.passes[node, : model.features_[a].cells].astype(np.float64)
        before = region.get(a, np.ones(len(passes)))
        stack.append((int(tree.left[node]), {**region, a: before * passes}))
        stack.append((int(tree.right[node]), {**region, a: before * (1 - passes)}))
    return leaves


def unbiased(model: Any, codes: Any, reported_class: Any, method: str) -> Any:
    """Weights of each (class, prediction); None where they are no use.

    The indicator of a leaf is a product over the attributes on its path, and unbiased weights multiply over blocks.
    """
    if method == "model":
        return None
    predicted = model._chances.argmax(axis=1)
    of_class = class_weights(model.target_.matrix)
    if of_class is None:
        return not_possible(method, "the reported class does not determine the class")
    regions = paths(model)
    on_paths = sorted({a for _, region in regions for a in region})
    inverses = {a: model.features_[a].inverse() for a in on_paths}
    if any(inverse is None for inverse in inverses.values()):
        return not_possible(
            method, "the tree tests an attribute that is hidden by noise and seen through bins, or cannot be undone"
        )
    home = {i: g for g, group in enumerate(model.groups_) for i in group.members}
    spread = _variance(model, regions, inverses, home) * inflation(of_class)
    if not useful(spread, len(codes), method):
        return None
    classes = len(model.classes_)
    total = np.zeros((len(codes), classes))
    for leaf, region in regions:
        weights = np.ones(len(codes))
        together: dict[int, list[int]] = {}
        for a, cells in region.items():
            if a in home:
                together.setdefault(home[a], []).append(a)
            else:
                weights *= (inverses[a] @ cells)[codes[:, a]]
        for g, members in together.items():
            group = model.groups_[g]
            names = {model.features_[a].name: region[a][model.features_[a].of_true] for a in members}
            # Any label of a reported cell will do: the functions are the same for all labels of a cell.
            labels = {model.features_[a].name: _first_label(model.features_[a])[codes[:, a]] for a in members}
            weights *= group.channel.product_weights(names, labels)
        total[:, predicted[leaf]] += weights
    return of_class[reported_class][:, :, None] * total[:, None, :]


def _first_label(feature: Any) -> Any:
    return np.array([np.flatnonzero(feature.of_reported == z)[0] for z in range(feature.matrix.shape[1])])


def _variance(model: Any, regions: Any, inverses: Any, home: dict[int, int]) -> float:
    """How much undoing the channels of a path multiplies variances, averaged over the leaves by their share of the rows."""
    total, rows = 0.0, 0.0
    for leaf, region in regions:
        factor = 1.0
        for a in region:
            if a not in home:
                factor *= inflation(inverses[a])
        for g in {home[a] for a in region if a in home}:
            factor *= group_inflation(model.groups_[g])
        share = float(model.tree_.values[leaf].sum()) + SMALLEST
        total += share * factor
        rows += share
    return total / rows

"""Trees and forests of scikit-learn as plain data: written to JSON, read back and followed without any code of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

STORABLE: dict[str, Any] = {
    kind.__name__: kind for kind in (RandomForestClassifier, ExtraTreesClassifier, DecisionTreeClassifier, ExtraTreeClassifier)
}
_NOT_KEPT = ("random_state", "n_jobs", "verbose", "warm_start")
"""Parameters that say how a learner works, not what it learns."""


def is_storable(learner: Any) -> bool:
    """Whether a learner can be written as data: exactly these kinds, for a subclass may predict otherwise."""
    return STORABLE.get(type(learner).__name__) is type(learner)


@dataclass
class StoredTrees:
    """The nodes of all trees, one after another; predicts as the learner they were taken from."""

    classes_: Any
    roots: Any
    feature: Any
    threshold: Any
    left: Any
    right: Any
    chances: Any

    @classmethod
    def of(cls, learner: Any) -> StoredTrees:
        """The trees of a fitted learner."""
        trees = [tree.tree_ for tree in getattr(learner, "estimators_", [learner])]
        roots = np.concatenate([[0], np.cumsum([tree.node_count for tree in trees])[:-1]]).astype(np.int64)
        inner = [tree.children_left >= 0 for tree in trees]
        left, right = (
            np.concatenate([np.where(here, side + root, -1) for side, here, root in zip(sides, inner, roots, strict=True)])
            for sides in ([tree.children_left for tree in trees], [tree.children_right for tree in trees])
        )
        feature = np.concatenate([np.where(here, tree.feature, -1) for tree, here in zip(trees, inner, strict=True)])
        threshold = np.concatenate([np.where(here, tree.threshold, 0.0) for tree, here in zip(trees, inner, strict=True)])
        return cls(
            learner.classes_, roots, feature, threshold, left, right, np.concatenate([tree.value[:, 0, :] for tree in trees])
        )

    def predict_proba(self, X: Any) -> Any:
        """The mean over trees of the shares of classes in a row's leaf."""
        rows = np.asarray(X, dtype=np.float32)
        total = np.zeros((len(rows), self.chances.shape[1]))
        for root in self.roots:
            node = np.full(len(rows), root)
            going = np.flatnonzero(self.feature[node] >= 0)
            while going.size:
                here = node[going]
                passes = rows[going, self.feature[here]] <= self.threshold[here]
                node[going] = np.where(passes, self.left[here], self.right[here])
                going = going[self.feature[node[going]] >= 0]
            total += self.chances[node]
        return total / len(self.roots)

    def to_dict(self) -> dict[str, Any]:
        """As lists, for JSON."""
        return {
            "classes": self.classes_.tolist(),
            **{name: getattr(self, name).tolist() for name in ("roots", "feature", "threshold", "left", "right", "chances")},
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any], columns: int, classes: int) -> StoredTrees:
        """What `to_dict` gave; nodes that lead nowhere or in circles are refused."""
        whole = [np.array(content[name], dtype=np.int64) for name in ("classes", "roots", "feature", "left", "right")]
        own, roots, feature, left, right = whole
        threshold, chances = (np.array(content[name], dtype=np.float64) for name in ("threshold", "chances"))
        count, inner = len(feature), np.flatnonzero(feature >= 0)
        if any(array.ndim != 1 for array in whole) or not len(own) or (own < 0).any() or (own >= classes).any():
            raise ValueError("its learner knows classes that are not there")
        if (
            threshold.shape != (count,)
            or left.shape != (count,)
            or right.shape != (count,)
            or chances.shape != (count, len(own))
        ):
            raise ValueError("its trees need a threshold, two children and one chance for each class in every node")
        if not len(roots) or (roots < 0).any() or (roots >= count).any() or (feature < -1).any() or (feature >= columns).any():
            raise ValueError("its trees begin outside their nodes, or test columns that are not there")
        if any(((side[inner] <= inner) | (side[inner] >= count)).any() for side in (left, right)):
            raise ValueError("a node of its trees leads to no later node")
        if not (np.isfinite(threshold).all() and np.isfinite(chances).all() and (chances >= 0).all()):
            raise ValueError("thresholds and chances of its trees must be numbers, chances of at least 0")
        return cls(own, roots, feature, threshold, left, right, chances)


def settings_of(learner: Any) -> dict[str, Any]:
    """The kind of a learner and those of its parameters that plain JSON can say."""
    kept = {
        name: value
        for name, value in learner.get_params(deep=False).items()
        if name not in _NOT_KEPT and isinstance(value, (bool, int, float, str, type(None)))
    }
    return {"kind": type(learner).__name__, "parameters": kept}


def learner_from(settings: dict[str, Any]) -> Any:
    """An unfitted learner with these settings."""
    if settings["kind"] not in STORABLE:
        raise ValueError(f"its learner is a {settings['kind']!r}, not one of {list(STORABLE)}")
    return STORABLE[settings["kind"]]().set_params(**settings["parameters"])

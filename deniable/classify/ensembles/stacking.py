"""How much groups of copies count, by rows that none of them learned from."""

from __future__ import annotations

from copy import copy as shallow
from typing import Any

import numpy as np

from deniable.classify.coded_rows import CodedRows
from deniable.classify.ensembles.votes import group_weights
from deniable.progress import Progress


def held_out_weights(ensemble: Any, rows: CodedRows, weights: Any, seed: Any, listener: Progress) -> Any:
    """The weights of the groups that make the reported classes of held-out rows likeliest."""
    groups = ensemble.group_of_copies_[0]
    part = _parts(rows, ensemble.stack_folds, np.random.default_rng(seed))
    chances = np.zeros((len(groups), len(rows), len(ensemble.classes_)))
    for fold, own in enumerate(seed.spawn(ensemble.stack_folds)):
        out, rest = np.flatnonzero(part == fold), np.flatnonzero(part != fold)
        again = shallow(ensemble)
        kept = None if weights is None else weights[rest]
        again._take(ensemble._trained(rows.take(rest), kept, own, listener), rows.attributes)
        cells = CodedRows.cells_for(rows.take(out), again)
        for group, answer in zip(
            again.group_of_copies_[0], again._group_answers(again._answers(cells, True), True), strict=True
        ):
            chances[groups.index(group), out] = answer
    belongs = rows.target.matrix[:, rows.classes].T
    counted = np.ones(len(rows)) if weights is None else weights
    seen = counted > 0
    return group_weights(chances[:, seen], belongs[seen])


def _parts(rows: CodedRows, folds: int, rng: Any) -> Any:
    """The part that each row is in: as many of every reported class in each."""
    part = np.zeros(len(rows), dtype=np.int64)
    order = rows.order
    for label in np.unique(rows.classes):
        own = rng.permutation(order[rows.classes[order] == label])
        part[own] = (np.arange(len(own)) + rng.integers(folds)) % folds
    return part

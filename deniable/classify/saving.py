"""Fitted classifiers as JSON text: the schema, what was counted, and what else was learned. `store.py` reads them again."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from deniable.errors import ParameterError

FORMAT, VERSION = "deniable-classifier", 1
WEIGHTED = 2
"""The version of files whose counts are no whole numbers, as weighted rows give: releases that would cut them refuse such files."""


def to_json(model: Any) -> str:
    """A fitted classifier as JSON text; it must have been fitted with a schema.

    >>> import deniable as dn, pandas as pd
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.7), "c": dn.Identity(dn.Binary())}, target="c")
    >>> rows = pd.DataFrame({"a": [0, 0, 1, 1], "c": [0, 0, 1, 1]})
    >>> list(json.loads(to_json(dn.ReconstructionNaiveBayes(schema).fit(rows))))
    ['format', 'version', 'kind', 'parameters', 'schema', 'counts', 'weights']
    """
    check_is_fitted(model)
    schema = model.schema
    if schema is None or schema.target is None or any(attribute.floating for attribute in model.attributes_):
        raise ParameterError(
            "cannot_store",
            "A classifier is saved with its schema, which must name the class as its target (declare an open class as dn.Identity) and "
            "give every number a step; fit it with such a schema.",
        )
    if model.target_.encoded:
        raise ParameterError(
            "cannot_store_encoded",
            "This classifier learned classes as codes, inside an ensemble; fit it with their labels to save it.",
        )
    body = described(model)
    content = {
        "format": FORMAT,
        "version": VERSION if all(are_whole(counts) for counts in model._counts) else WEIGHTED,
        "kind": body.pop("kind"),
        "parameters": body.pop("parameters"),
        "schema": json.loads(schema.to_json()),
        "counts": counted(model),
    }
    body.pop("counts", None)
    return json.dumps(content | body, ensure_ascii=False)


def described(model: Any) -> dict[str, Any]:
    """The kind and parameters of a fitted classifier, and what it learned; its schema and class are known from elsewhere."""
    content = {
        "kind": model._kind,
        "parameters": {k: v for k, v in model.get_params(deep=False).items() if k not in ("schema", "random_state")},
    }
    learned: dict[str, Any] = model._learned()
    return content | ({} if model._counts_choose_cells_only else {"counts": counted(model)}) | learned


def counted(model: Any) -> dict[str, Any]:
    """The counts of reports of every attribute."""
    return {column.name: _sparse(counts) for column, counts in zip(model.attributes_, model._counts, strict=True)}


def are_whole(counts: Any) -> bool:
    """Whether all are whole numbers; rows that count in part give others."""
    return bool((np.asarray(counts) == np.rint(counts)).all())


def _sparse(counts: Any) -> dict[str, Any]:
    cells = np.argwhere(counts)
    counts = np.rint(counts).astype(np.int64) if are_whole(counts) else counts
    return {"shape": list(counts.shape), "cells": cells.tolist(), "n": counts[tuple(cells.T)].tolist()}

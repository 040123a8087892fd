"""Fitted classifiers as JSON: the schema, what was counted and, of a tree, its nodes. Opening one runs no code."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from deniable.classify.features import Hidden
from deniable.classify.naive_bayes import ReconstructionNaiveBayes
from deniable.classify.shared import shared_draws
from deniable.classify.target import Target
from deniable.classify.tree import ReconstructionTree, Tree
from deniable.core.schema import Schema
from deniable.errors import DataError, ParameterError

FORMAT, VERSION = "deniable-classifier", 1
KINDS = {"naive_bayes": ReconstructionNaiveBayes, "tree": ReconstructionTree}
ARRAYS = {
    "attribute": "int32",
    "left": "int32",
    "right": "int32",
    "passes": "bool",
    "values": "float64",
    "depth": "int32",
    "tables": "float64",
}


def to_json(model: ReconstructionNaiveBayes | ReconstructionTree) -> str:
    """A fitted classifier as JSON text; it must have been fitted with a schema.

    >>> import deniable as dn, pandas as pd
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.7), "c": dn.Identity(dn.Binary())}, target="c")
    >>> rows = pd.DataFrame({"a": [0, 0, 1, 1], "c": [0, 0, 1, 1]})
    >>> model = from_json(to_json(dn.ReconstructionNaiveBayes(schema).fit(rows)))
    >>> model.predict(rows[["a"]]).tolist()
    [0, 0, 1, 1]
    """
    schema = model.schema
    if schema is None or schema.target is None or any(attribute.floating for attribute in model.attributes_):  # type: ignore[attr-defined]
        raise ParameterError(
            "cannot_store", "A classifier is stored as JSON if it was fitted with a schema that has a target and steps."
        )
    kind = next(name for name, cls in KINDS.items() if isinstance(model, cls))
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "parameters": {k: v for k, v in model.get_params().items() if k not in ("schema", "random_state")},
        "schema": json.loads(schema.to_json()),
        "counts": {a.name: _sparse(counts) for a, counts in zip(model.attributes_, model._counts, strict=True)},
    }
    if isinstance(model, ReconstructionNaiveBayes):
        content["weights"] = {"truths": model.weights_.tolist(), "reports": model.report_weights_.tolist()}
    if isinstance(model, ReconstructionTree):
        content["tree"] = {name: getattr(model.tree_, name).tolist() for name in ARRAYS}
    return json.dumps(content, ensure_ascii=False)


def from_json(text: str, where: str = "The text") -> Any:
    """The classifier that `to_json` wrote."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(
            "not_a_classifier", "{where} is no classifier: not JSON ({reason}).", where=where, reason=error.msg
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError("not_a_classifier", "{where} is no classifier written by Deniable.", where=where)
    if content.get("version") != VERSION or content.get("kind") not in KINDS:
        raise DataError(
            "classifier_version", "{where} is a {kind!r} of version {version!r}; this release reads {kinds} of version {own}.",
            where=where, kind=content.get("kind"), version=content.get("version"), kinds=list(KINDS), own=VERSION,
        )  # fmt: skip
    try:
        return _rebuilt(content, where)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        if isinstance(error, (DataError, ParameterError)):
            raise
        raise DataError("broken_classifier", "{where} is damaged: {reason}.", where=where, reason=repr(error)) from None


def _rebuilt(content: dict[str, Any], where: str) -> Any:
    schema = Schema.from_json(json.dumps(content["schema"]), where)
    model = KINDS[content["kind"]](schema, **content["parameters"])
    assert schema.target is not None
    model.target_ = Target.declared(schema.target, schema[schema.target])
    model.classes_ = model.target_.labels
    names = [name for name in schema if name != schema.target]
    model.attributes_ = [Hidden(name, schema[name]) for name in names]
    model.n_features_in_ = len(names)
    model.feature_names_in_ = np.array(names, dtype=object)
    model._counts = [_dense(content["counts"][name]) for name in names]
    if isinstance(model, ReconstructionNaiveBayes):
        model._estimate()
        if "weights" in content:
            model.weights_, model.report_weights_ = (
                _weights(content["weights"][kind], names) for kind in ("truths", "reports")
            )
        return model
    model.features_ = model._cells()
    model.groups_ = shared_draws(schema, model.features_, schema.target)
    model.tree_ = Tree(**{name: np.array(content["tree"][name], dtype=kind) for name, kind in ARRAYS.items()})
    model._chances = model.tree_.chances
    return model


def _weights(given: Any, names: list[str]) -> Any:
    found = np.array(given, dtype=np.float64)
    if found.shape != (len(names),) or not (np.isfinite(found) & (found >= 0)).all():
        raise ValueError(f"weights must be {len(names)} numbers of at least 0")
    return found


def _sparse(counts: Any) -> dict[str, Any]:
    cells = np.argwhere(counts)
    return {"shape": list(counts.shape), "cells": cells.tolist(), "n": counts[tuple(cells.T)].tolist()}


def _dense(given: dict[str, Any]) -> Any:
    counts = np.zeros(given["shape"], dtype=np.int64)
    if given["cells"]:
        counts[tuple(np.array(given["cells"]).T)] = given["n"]
    return counts

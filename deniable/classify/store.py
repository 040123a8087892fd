"""Fitted classifiers as JSON: the schema, what was counted and, of a tree, its nodes. Opening one runs no code, and what does not fit
together is refused before it is used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from deniable.classify.features import Hidden
from deniable.classify.naive_bayes import ReconstructionNaiveBayes
from deniable.classify.shared import shared_draws
from deniable.classify.target import Target
from deniable.classify.tree import ReconstructionTree, Tree
from deniable.core.schema import Schema
from deniable.errors import DataError, DeniableError, FileError, ParameterError
from deniable.files.atomic import write_text

FORMAT, VERSION = "deniable-classifier", 1
WEIGHTED = 2
"""The version of files whose counts are no whole numbers, as weighted rows give: releases that would cut them refuse such files."""
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
    kind = next(name for name, cls in KINDS.items() if isinstance(model, cls))
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION if all(_are_whole(counts) for counts in model._counts) else WEIGHTED,
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


def save(model: Any, path: str | Path, force: bool = False) -> None:
    """Write a fitted classifier to a file, whole or not at all; an existing file stays unless `force`."""
    write_text(Path(path), to_json(model), force)


def load_model(path: str | Path) -> Any:
    """The classifier that `model.save` or `deniable classify fit` wrote. Opening it runs no code; what is damaged is refused.

    >>> import deniable as dn, pandas as pd, tempfile
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.7), "c": dn.Identity(dn.Binary())}, target="c")
    >>> rows = pd.DataFrame({"a": [0, 0, 1, 1], "c": [0, 0, 1, 1]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dn.ReconstructionTree(schema, pruning=None).fit(rows).save(folder + "/model.json")
    ...     dn.load_model(folder + "/model.json").predict(rows[["a"]]).tolist()
    [0, 0, 1, 1]
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DataError("not_a_classifier", "{path} is no classifier: not text.", path=str(path)) from None
    except OSError as error:
        raise FileError("cannot_read", "{path} cannot be read: {reason}.", path=str(path), reason=error.strerror) from None
    return from_json(text, str(path))


def from_json(text: str, where: str = "The text") -> Any:
    """The classifier that `to_json` wrote."""
    try:
        content = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        reason = getattr(error, "msg", "nested too deeply")
        raise DataError(
            "not_a_classifier", "{where} is no classifier: not JSON ({reason}).", where=where, reason=reason
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError("not_a_classifier", "{where} is no classifier written by Deniable.", where=where)
    if content.get("version") not in (VERSION, WEIGHTED) or content.get("kind") not in KINDS:
        raise DataError(
            "classifier_version", "{where} is a {kind!r} of version {version!r}; this release reads {kinds} up to version {own}.",
            where=where, kind=content.get("kind"), version=content.get("version"), kinds=list(KINDS), own=WEIGHTED,
        )  # fmt: skip
    try:
        return _rebuilt(content, where)
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, DeniableError):
            raise
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise DataError("broken_classifier", "{where} is damaged: {reason}.", where=where, reason=reason) from None


def _rebuilt(content: dict[str, Any], where: str) -> Any:
    schema = Schema.from_json(json.dumps(content["schema"]), where)
    model = KINDS[content["kind"]](schema, **content["parameters"])
    model._check_parameters()
    if schema.target is None:
        raise ValueError("its schema names no class")
    model.target_ = Target.declared(schema.target, schema[schema.target])
    model.classes_ = model.target_.labels
    names = [name for name in schema if name != schema.target]
    model.attributes_ = [Hidden(name, schema[name]) for name in names]
    model.n_features_in_ = len(names)
    model.feature_names_in_ = np.array(names, dtype=object)
    by_class = (model.target_.matrix.shape[1],) if isinstance(model, ReconstructionNaiveBayes) else ()
    model._counts = [
        _dense(content["counts"][attribute.name], (*by_class, attribute.reported_size), attribute.name)
        for attribute in model.attributes_
    ]
    if isinstance(model, ReconstructionNaiveBayes):
        model._estimate()
        if "weights" in content:
            model.weights_, model.report_weights_ = (
                _weights(content["weights"][kind], names) for kind in ("truths", "reports")
            )
        return model
    model.features_ = model._cells()
    model.groups_ = shared_draws(schema, model.features_, schema.target)
    tree = Tree(**{name: np.array(content["tree"][name], dtype=kind) for name, kind in ARRAYS.items()})
    _check_tree(tree, [feature.cells for feature in model.features_], len(model.classes_))
    model.tree_ = tree
    model._chances = tree.chances
    return model


def _check_tree(tree: Tree, cells: list[int], classes: int) -> None:
    """Refuse nodes that lead nowhere or round in circles: compiled code follows them without looking."""
    nodes, most = len(tree.attribute), tree.passes.shape[-1]
    shapes = {"left": (nodes,), "right": (nodes,), "depth": (nodes,), "values": (nodes, classes), "passes": (nodes, most),
              "tables": (nodes, most, classes)}  # fmt: skip
    for name, shape in shapes.items():
        if getattr(tree, name).shape != shape:
            raise ValueError(f"{name} of its tree has the shape {getattr(tree, name).shape}, not {shape}")
    inner = np.flatnonzero(tree.attribute >= 0)
    if not nodes or (tree.attribute >= len(cells)).any() or any(cells[i] > most for i in tree.attribute[inner]):
        raise ValueError("its tree tests attributes or cells that are not there, or has no nodes")
    for side in (tree.left[inner], tree.right[inner]):
        if ((side <= inner) | (side >= nodes)).any():
            raise ValueError("a node of its tree leads to no later node")
    for name in ("values", "tables"):
        if not (np.isfinite(getattr(tree, name)) & (getattr(tree, name) >= 0)).all():
            raise ValueError(f"{name} of its tree must be numbers of at least 0")


def _weights(given: Any, names: list[str]) -> Any:
    found = np.array(given, dtype=np.float64)
    if found.shape != (len(names),) or not (np.isfinite(found) & (found >= 0)).all():
        raise ValueError(f"weights must be {len(names)} numbers of at least 0")
    return found


def _are_whole(counts: Any) -> bool:
    return bool((np.asarray(counts) == np.rint(counts)).all())


def _sparse(counts: Any) -> dict[str, Any]:
    cells = np.argwhere(counts)
    counts = np.rint(counts).astype(np.int64) if _are_whole(counts) else counts
    return {"shape": list(counts.shape), "cells": cells.tolist(), "n": counts[tuple(cells.T)].tolist()}


def _dense(given: dict[str, Any], shape: tuple[int, ...], name: str) -> Any:
    """The counts of an attribute, as many as its schema has reports for."""
    if tuple(given["shape"]) != shape:
        raise ValueError(f"the counts of {name!r} have the shape {given['shape']}, its schema asks for {list(shape)}")
    n = np.array(given["n"], dtype=np.float64)
    cells = np.array(given["cells"]).reshape(-1, len(shape))
    if len(n) != len(cells) or not (np.isfinite(n) & (n >= 0)).all() or (len(cells) and cells.dtype.kind not in "iu"):
        raise ValueError(f"the counts of {name!r} must be numbers of at least 0, one for each cell")
    if ((cells < 0) | (cells >= np.array(shape))).any():
        raise ValueError(f"the counts of {name!r} name cells that are not there")
    counts = np.zeros(shape)
    counts[tuple(cells.T.astype(np.int64))] = n
    return counts.astype(np.int64) if _are_whole(counts) else counts

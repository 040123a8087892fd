"""Classifiers that were saved are opened again. That runs no code, and what does not fit together is refused before it is used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from deniable.classify.as_reported import AsReported
from deniable.classify.coded_rows import CodedRows
from deniable.classify.ensembles.auto import AutoClassifier
from deniable.classify.ensembles.ensemble import ReconstructionEnsemble
from deniable.classify.forest.unbiased import UnbiasedForest
from deniable.classify.latent_bayes import LatentBayes
from deniable.classify.naive_bayes import ReconstructionNaiveBayes
from deniable.classify.patterns.emerging import EmergingPatterns
from deniable.classify.patterns.lazy import LazyPatterns
from deniable.classify.saving import FORMAT, VERSION, WEIGHTED, are_whole
from deniable.classify.tree import ReconstructionTree
from deniable.core.schema import Schema
from deniable.errors import DataError, DeniableError, FileError

KINDS: dict[str, Any] = {
    kind._kind: kind
    for kind in (
        ReconstructionNaiveBayes,
        ReconstructionTree,
        LatentBayes,
        EmergingPatterns,
        LazyPatterns,
        UnbiasedForest,
        AsReported,
        ReconstructionEnsemble,
        AutoClassifier,
    )
}


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
    """The classifier that `saving.to_json` wrote.

    >>> import deniable as dn, pandas as pd
    >>> from deniable.classify.saving import to_json
    >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.7), "c": dn.Identity(dn.Binary())}, target="c")
    >>> rows = pd.DataFrame({"a": [0, 0, 1, 1], "c": [0, 0, 1, 1]})
    >>> from_json(to_json(dn.ReconstructionNaiveBayes(schema).fit(rows))).predict(rows[["a"]]).tolist()
    [0, 0, 1, 1]
    """
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
            "classifier_version", "{where} is a {kind!r} of version {version!r}; this release reads {kinds} up to version {latest}.",
            where=where, kind=content.get("kind"), version=content.get("version"), kinds=list(KINDS), latest=WEIGHTED,
        )  # fmt: skip
    try:
        return _rebuilt(content, where)
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        if isinstance(error, DeniableError):
            raise
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise DataError("broken_classifier", "{where} is damaged: {reason}.", where=where, reason=reason) from None


def _rebuilt(content: dict[str, Any], where: str) -> Any:
    schema = Schema.from_json(json.dumps(content["schema"]), where)
    model = _made(content, schema)
    if schema.target is None:
        raise ValueError("its schema names no class")
    model._declare(schema)
    return _restored(model, content)


def _made(content: dict[str, Any], schema: Schema | None) -> Any:
    """The classifier as it was before it learned."""
    model = KINDS[content["kind"]](schema=schema, **content["parameters"])
    model._check_parameters()
    return model


def _restored(model: Any, content: dict[str, Any]) -> Any:
    """What was learned, for a classifier that knows its class and attributes."""
    model._counts = [
        _dense(content["counts"][attribute.name], model._shape_of_counts(attribute.reported_size), attribute.name)
        if "counts" in content or not model._counts_choose_cells_only
        else np.zeros(model._shape_of_counts(attribute.reported_size), dtype=np.int64)
        for attribute in model.attributes_
    ]
    if isinstance(model, ReconstructionEnsemble):
        columns = model._given_columns()
        rows = CodedRows(columns, model.target_, [], np.zeros(0), model.feature_names_in_)
        content = content | {"columns": columns, "copies": [_copy(given, model.schema, rows) for given in content["copies"]]}
    model._restore(content)
    return model


def _copy(content: dict[str, Any], schema: Schema, rows: CodedRows) -> dict[str, Any]:
    """One classifier of an ensemble, with the class and attributes of that."""
    model = _made(content, schema)
    rows.named(model)
    return content | {"model": _restored(model, content)}


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
    return counts.astype(np.int64) if are_whole(counts) else counts

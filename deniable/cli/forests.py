"""Forests, and what is chosen by itself, on the command line: `classify fit --model forest|as-reported|auto`."""

from __future__ import annotations

from typing import Any

from deniable.core.schema import Schema

FORESTS = ("forest", "as-reported", "auto")


def forest_learner(kind: str, schema: Schema, given: dict[str, Any]) -> Any:
    """The classifier of a kind, with the options that were given."""
    chosen: dict[str, Any] = {} if given["bins"] is None else {"bins": given["bins"]}
    jobs = -1 if given["jobs"] is None else given["jobs"]
    if kind == "forest":
        from deniable.classify.forest.unbiased import UnbiasedForest

        deep = {} if given["max_depth"] is None else {"max_depth": given["max_depth"]}
        return UnbiasedForest(schema, n_jobs=jobs, **chosen, **deep)
    if kind == "auto":
        from deniable.classify.ensembles.auto import AutoClassifier

        return AutoClassifier(schema, n_jobs=jobs, **chosen)
    from deniable.classify.as_reported import AsReported

    return AsReported(schema=schema, **chosen)

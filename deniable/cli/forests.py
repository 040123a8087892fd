"""Forests on the command line: `classify fit --model forest|as-reported`."""

from __future__ import annotations

from typing import Any

from deniable.cli.bars import Bar
from deniable.core.schema import Schema

FORESTS = ("forest", "as-reported")


def grown_forest(kind: str, schema: Schema, rows: Any, bins: int | None, max_depth: int | None) -> Any:
    """The forest of a kind, trained on randomised rows with the options that were given."""
    if kind == "forest":
        from deniable.classify.forest.unbiased import UnbiasedForest

        options = {name: value for name, value in (("bins", bins), ("max_depth", max_depth)) if value is not None}
        return UnbiasedForest(schema, n_jobs=-1, **options).fit(rows, progress=Bar())
    from deniable.classify.as_reported import AsReported

    return (AsReported(schema=schema) if bins is None else AsReported(schema=schema, bins=bins)).fit(rows)

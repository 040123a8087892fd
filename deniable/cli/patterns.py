"""Classifiers by patterns on the command line: `classify fit --model patterns|lazy`, and `classify explain`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from deniable.cli.show import console
from deniable.core.channels.designs import Identity
from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.files.atomic import refuse_same
from deniable.plurals import counted
from deniable.statistics.rows import load_columns

PATTERNS = ("patterns", "lazy")
SHOWN = 5

Bins = Annotated[
    int | None,
    typer.Option(help="Numbers are seen through so many cells: 10, of patterns and lazy 5, as-reported 50, unless given."),
]
MinSupport = Annotated[float | None, typer.Option(help="Of patterns and lazy: the share of a class that must have a pattern.")]
MinGrowth = Annotated[
    float | None,
    typer.Option(
        help="Of patterns and lazy: how many times as frequent it must be in its class as elsewhere; inf: only there."
    ),
]


def pattern_learner(kind: str, schema: Schema, **options: Any) -> Any:
    """The classifier of a kind, with the options that were given."""
    from deniable.classify.patterns.emerging import EmergingPatterns
    from deniable.classify.patterns.lazy import LazyPatterns

    make = EmergingPatterns if kind == "patterns" else LazyPatterns
    return make(schema, **{name: value for name, value in options.items() if value is not None})


def show_patterns(learner: Any) -> None:
    """The strongest patterns of every class."""
    from deniable.classify.patterns.explanation import growth_words, said

    frame = learner.patterns_
    for label in learner.classes_:
        own = frame[frame["class"] == label]
        print(f"{counted(len(own), 'pattern')} of {label}" + (", the strongest:" if len(own) else ""))
        for row in own.head(SHOWN).to_dict("records"):
            print(f"  {said(row['itemsets'])}: {row['support']:.1%} of {label}, {growth_words(row)}")


def explain(
    model: Annotated[
        Path, typer.Argument(help="A classifier by patterns that `classify fit --model patterns|lazy` wrote (JSON).")
    ],
    data: Annotated[Path, typer.Argument(help="True rows: CSV or Parquet.")],
    row: Annotated[int, typer.Option(min=1, help="Which row to explain; the first is 1.")] = 1,
    plot: Annotated[Path | None, typer.Option(help="Save a picture (.svg, .png or .html).")] = None,
) -> None:
    """Why a row is classified as it is: which patterns decided, and what would have to change.

    The row is taken as true; of randomised rows nobody knows which patterns they hold.
    """
    from deniable.classify.patterns.classifier import PatternClassifier
    from deniable.classify.store import load_model

    if plot is not None:
        from deniable import charts

        charts.check_path(plot)
        refuse_same(plot, data, model)
    learner = load_model(model)
    if not isinstance(learner, PatternClassifier):
        raise ParameterError(
            "explain_patterns",
            "{path} is no classifier by patterns: `classify fit --model patterns` writes one.",
            path=str(model),
        )
    names = [name for name in learner.schema if name != learner.schema.target]
    rows = load_columns(data, Schema({name: Identity(learner.schema[name].domain) for name in names}), names)
    if row > rows.num_rows:
        raise ParameterError(
            "row_of_file", "{path} has {rows:,} rows; there is no row {got:,}.", path=str(data), rows=rows.num_rows, got=row
        )
    explanation = learner.explain(rows.slice(row - 1, 1))
    console().print(str(explanation), markup=False, highlight=False)
    if plot is not None:
        charts.save(explanation.plot(), plot)
        print(f"Picture: {plot}")

"""Questions of averages: `deniable mean`, `quantile`."""

from __future__ import annotations

from typing import Annotated

import typer

from deniable.cli.estimates import bins_or_few, edges, present, tell_bins
from deniable.cli.question_options import (
    ByBins,
    JointOrEm,
    Json,
    Level,
    Method,
    MostShare,
    Numeric,
    Plot,
    Target,
    Weights,
    Where,
    grouping_domain,
    open_sample,
)
from deniable.cli.shared_options import Data, Engine, Language, SchemaFile
from deniable.statistics.attribute_cells import MOST_VALUES


def mean(
    data: Data,
    name: Numeric,
    where: Where = None,
    by: Annotated[str | None, typer.Option(help="One mean for each label of this attribute.")] = None,
    by_bins: ByBins = None,
    schema: SchemaFile = None,
    engine: Engine = None,
    method: Method = "joint",
    target: Target = "population",
    level: Level = 0.95,
    most: MostShare = None,
    weights: Weights = None,
    as_json: Json = False,
    plot: Plot = None,
    language: Language = None,
) -> None:
    """The mean of an attribute, of all or of those who meet a condition; with --by in each group."""
    sample = open_sample(data, schema, engine, level, plot, most, weights, language)
    domain = grouping_domain(sample, by, by_bins)
    cells = edges(by_bins) if as_json or domain is None else bins_or_few(by_bins, domain)
    present(
        sample.mean(name, where, target, method, by, cells), level, as_json, plot, texts=sample.schema.texts, language=language
    )
    if not as_json and domain is not None:
        tell_bins(by_bins, domain, "--by-bins", MOST_VALUES, language)


def quantile(
    data: Data,
    name: Numeric,
    q: Annotated[
        list[float] | None,
        typer.Option(
            "--q", "-q", help="Which: 0.5 is the median (as without it), 0.9 what nine in ten do not exceed. Repeat for more."
        ),
    ] = None,
    where: Where = None,
    schema: SchemaFile = None,
    engine: Engine = None,
    method: JointOrEm = "joint",
    target: Target = "population",
    level: Level = 0.95,
    most: MostShare = None,
    weights: Weights = None,
    as_json: Json = False,
    plot: Plot = None,
    language: Language = None,
) -> None:
    """The value that a share q of the people does not exceed (the median unless you say otherwise), of all or of those who meet a
    condition."""
    sample = open_sample(data, schema, engine, level, plot, most, weights, language)
    present(
        sample.quantile(name, q or 0.5, where, target, method),
        level,
        as_json,
        plot,
        texts=sample.schema.texts,
        language=language,
    )

"""Questions of how many, and of shares: `deniable count`, `share`, `distribution`, `crosstab`."""

from __future__ import annotations

from typing import Annotated

import typer

from deniable.cli.estimates import bins_or_few, edges, is_all, present, tell_bins
from deniable.cli.question_options import (
    ByBins,
    JointOrEm,
    Json,
    Level,
    Method,
    MostShare,
    Plot,
    Target,
    Weights,
    Where,
    domain_of,
    grouping_domain,
    open_sample,
)
from deniable.cli.shared_options import Data, Engine, Language, SchemaFile
from deniable.statistics.attribute_cells import MOST_VALUES


def count(
    data: Data,
    where: Annotated[str, typer.Argument(help="A condition, such as \"sex == 'F' and 18 <= age < 30\".")],
    schema: SchemaFile = None,
    engine: Engine = None,
    method: Method = "joint",
    target: Annotated[
        str | None,
        typer.Option(
            help="Error bars for the respondents only, or for the population. Without it for the respondents, with --weights for the "
            "population."
        ),
    ] = None,
    level: Level = 0.95,
    most: MostShare = None,
    weights: Weights = None,
    as_json: Json = False,
    plot: Plot = None,
    language: Language = None,
) -> None:
    """How many meet a condition."""
    sample = open_sample(data, schema, engine, level, plot, most, weights, language)
    present(sample.count(where, target, method), level, as_json, plot, texts=sample.schema.texts, language=language)


def share(
    data: Data,
    condition: Annotated[str, typer.Argument(help="A condition, such as \"violence == 'yes'\".")],
    among: Annotated[
        str | None,
        typer.Option(
            "--among", "-a", help="Of whom it is the share: a condition, such as \"sex == 'F'\". Without it of everyone."
        ),
    ] = None,
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
    """The share of those who meet a condition, of everyone or among a group: share answers.csv "violence == 'yes'" --among "sex == 'F'"."""
    sample = open_sample(data, schema, engine, level, plot, most, weights, language)
    present(sample.share(condition, among, target, method), level, as_json, plot, texts=sample.schema.texts, language=language)


def distribution(
    data: Data,
    name: Annotated[str, typer.Argument(help="An attribute.")],
    where: Where = None,
    by: Annotated[str | None, typer.Option(help="One distribution for each label of this attribute.")] = None,
    by_bins: ByBins = None,
    bins: Annotated[
        str | None,
        typer.Option(
            help="For numbers: how many bins, their edges (18,30,45,90), or all for every value. Without it 10 bins if there are over 25 "
            "values; --json has every value."
        ),
    ] = None,
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
    """The distribution of an attribute, of all or of those who meet a condition."""
    sample = open_sample(data, schema, engine, level, plot, most, weights, language)
    asked = [(bins, domain_of(sample, name), "--bins"), (by_bins, grouping_domain(sample, by, by_bins), "--by-bins")]
    cells = [edges(given) if as_json or domain is None else bins_or_few(given, domain) for given, domain, _ in asked]
    estimate = sample.distribution(name, where, by, cells[0], target, method, cells[1])
    present(estimate, level, as_json, plot, texts=sample.schema.texts, language=language)
    for given, domain, option in asked:
        if not as_json and domain is not None:
            tell_bins(given, domain, option, MOST_VALUES, language)


def crosstab(
    data: Data,
    a: Annotated[str, typer.Argument(help="An attribute.")],
    b: Annotated[str, typer.Argument(help="Another attribute.")],
    a_bins: Annotated[
        str | None,
        typer.Option(help="Bins of the first, if it is a number: as --bins of distribution. all also allows a large table."),
    ] = None,
    b_bins: Annotated[str | None, typer.Option(help="Bins of the second.")] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="One line per cell, with its interval drawn as a bar, instead of a table.")
    ] = False,
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
    """The joint distribution of two attributes: shares of everyone, the first attribute in rows, the second in columns.

    Shares within each label of another attribute (row percentages): distribution DATA B --by A.
    """
    sample = open_sample(data, schema, engine, level, plot, most, weights, language)
    asked = [(a, a_bins, domain_of(sample, a), "--a-bins"), (b, b_bins, domain_of(sample, b), "--b-bins")]
    bins = {name: edges(given) if as_json or domain is None else bins_or_few(given, domain) for name, given, domain, _ in asked}
    # Anyone who writes "all" has made up their mind.
    limit = {"most_cells": None} if any(is_all(given) for _, given, _, _ in asked) else {}
    estimate = sample.crosstab(a, b, target, bins, method, **limit)
    present(estimate, level, as_json, plot, texts=sample.schema.texts, language=language, listed=listed)
    for _, given, domain, option in asked:
        if not as_json and domain is not None:
            tell_bins(given, domain, option, MOST_VALUES, language)

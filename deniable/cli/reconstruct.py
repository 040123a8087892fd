"""`deniable reconstruct`: the true distribution of one attribute of randomised data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from deniable.cli.asked import now_asked
from deniable.cli.bars import Bar
from deniable.cli.estimates import bins_or_few, check_language, is_all, is_numeric, present, tell_bins
from deniable.cli.shared_options import Data, Engine, Language, SchemaFile
from deniable.core.channels.base import Channel, rounded_up
from deniable.core.channels.optional import Optional
from deniable.core.intervals import check_level
from deniable.core.polish import Polish
from deniable.engines.opening import open_data
from deniable.errors import DataError, ParameterError
from deniable.files.atomic import refuse_same
from deniable.picture_words import ENGLISH, POLISH, words_of
from deniable.reconstruction.reconstruct import METHODS, reconstruct


def reconstruct_command(
    data: Data,
    name: Annotated[str, typer.Argument(help="The attribute whose true distribution is wanted.")],
    schema: SchemaFile = None,
    engine: Engine = None,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = "em",
    bins: Annotated[
        str | None,
        typer.Option(
            help="For numbers: how many bins, their edges (18,30,45,90), or all for every value. By default 10 bins if there are more "
            "than 25 values."
        ),
    ] = None,
    target: Annotated[str, typer.Option(help="Error bars for the population, or for the respondents only.")] = "population",
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    plot: Annotated[Path | None, typer.Option(help="Save a picture (.svg, .png or .html).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    language: Language = None,
) -> None:
    """Estimate the true distribution of one attribute from its randomised reports."""
    check_level(level)
    if plot is not None:
        # Altair is slow to import: only pictures pay for it.
        from deniable import charts

        charts.check_path(plot)
        refuse_same(plot, Path(data), *([schema] if schema is not None else []))
    source = open_data(data, schema, engine)
    read = source.declared
    if name not in read:
        raise DataError("no_attribute", "The schema has no attribute {got!r}, only {allowed}.", got=name, allowed=list(read))
    check_language(language, read.texts)
    now_asked().opened(source, read)
    channel = read[name]
    cells = _bins(bins, channel, data, name)
    estimate = reconstruct(source.column_table(name, cells, Bar()), channel, method, target)
    estimate.attributes = (name,)
    epsilon = rounded_up(channel.epsilon)
    heading = f"epsilon {epsilon if words_of(language) is ENGLISH else epsilon.replace('.', ',')}, "
    if not as_json:
        from deniable.privacy.reporting.describe_designs import describe_design  # measures of privacy are slow to load

        hidden = describe_design(channel)
        print(f"{type(channel).__name__}: {Polish({}).sentence(hidden) if words_of(language) is POLISH else hidden}.")
    present(estimate, level, as_json, plot, heading, read.texts, language)
    if not as_json and cells is not None:
        tell_bins(bins, channel.domain, language=language)


def _bins(given: str | None, channel: Channel, data: str, name: str) -> Any:
    if given is not None and not is_numeric(channel.domain):
        raise ParameterError("bins_need_numbers", "--bins is for attributes that are numbers, got {got!r}.", got=given)
    if channel.domain.missing is None or isinstance(channel, Optional):
        return bins_or_few(given, channel.domain)
    # Nonresponse is hidden among the numbers, so bins have no channel of their own; weights of single values do not need one.
    if given is not None and not is_all(given):
        raise ParameterError(
            "bins_beside_silence",
            "{name!r} may be unanswered, so this command shows every value. In bins: deniable distribution {data} {name} --bins {got}",
            name=name, data=data, got=given,
        )  # fmt: skip
    return None

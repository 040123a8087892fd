"""`deniable reconstruct`: the true distribution of one attribute of a randomised file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from deniable.cli.bars import Bar
from deniable.cli.estimates import bins_or_few, check_language, is_all, is_numeric, present, tell_bins
from deniable.cli.shared_options import Language
from deniable.core.channels.base import Channel, rounded_up
from deniable.core.channels.optional import Optional
from deniable.core.estimate import check_level
from deniable.core.polish import Polish
from deniable.core.tables import count_file
from deniable.engines.schemas import schema_of
from deniable.errors import DataError, ParameterError
from deniable.files.atomic import refuse_same
from deniable.picture_words import ENGLISH, POLISH, words_of
from deniable.reconstruction.reconstruct import METHODS, reconstruct


def reconstruct_command(
    data: Annotated[Path, typer.Argument(help="A randomised file: CSV (also .csv.gz) or Parquet.")],
    name: Annotated[str, typer.Argument(help="The attribute whose true distribution is wanted.")],
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="The schema, if it does not travel with the data.")
    ] = None,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = "em",
    bins: Annotated[
        str | None,
        typer.Option(
            help="For numbers: how many bins, their edges (18,30,45,90), or all for every value. Without it 10 bins if there are over 25 "
            "values."
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
        refuse_same(plot, data, *([schema] if schema is not None else []))
    read = schema_of((data,), data, schema)
    if name not in read:
        raise DataError("no_attribute", "The schema has no attribute {got!r}, only {allowed}.", got=name, allowed=list(read))
    check_language(language, read.texts)
    channel = read[name]
    cells = _bins(bins, channel, data, name)
    table = count_file(data, channel, name, cells, Bar())
    estimate = reconstruct(table, channel, method, target)
    estimate.attributes = (name,)
    epsilon = rounded_up(channel.epsilon)
    heading = f"epsilon {epsilon if words_of(language) is ENGLISH else epsilon.replace('.', ',')}, "
    if not as_json:
        from deniable.privacy.hiding import in_words  # measures of privacy are slow to load

        hidden = in_words(channel)
        print(f"{type(channel).__name__}: {Polish({}).sentence(hidden) if words_of(language) is POLISH else hidden}.")
    present(estimate, level, as_json, plot, heading, read.texts, language)
    if not as_json and cells is not None:
        tell_bins(bins, channel.domain, language=language)


def _bins(given: str | None, channel: Channel, data: Path, name: str) -> Any:
    if given is not None and not is_numeric(channel.domain):
        raise ParameterError("bins_need_numbers", "--bins is for attributes that are numbers, got {got!r}.", got=given)
    if channel.domain.missing is None or isinstance(channel, Optional):
        return bins_or_few(given, channel.domain)
    # Silence is hidden among the numbers, so no bins of them have a channel of their own; weights of single values do not need one.
    if given is not None and not is_all(given):
        raise ParameterError(
            "bins_beside_silence",
            "{name!r} may be unanswered, so this command shows every value. In bins: deniable distribution {data} {name} --bins {got}",
            name=name, data=str(data), got=given,
        )  # fmt: skip
    return None

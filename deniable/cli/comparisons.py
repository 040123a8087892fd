"""Questions of what differs or goes together: `deniable difference`, `correlation`, `regression`."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from deniable.cli.estimates import CODES, present
from deniable.cli.question_options import (
    NUMERIC,
    JointOrEm,
    Json,
    Level,
    MostShare,
    Numeric,
    Plot,
    Target,
    Weights,
    Where,
    open_sample,
)
from deniable.cli.shared_options import Data, Engine, Language, SchemaFile
from deniable.core.estimate import Estimate
from deniable.errors import ParameterError
from deniable.picture_words import ENGLISH, words_of
from deniable.statistics.condition_parser import parse
from deniable.statistics.conditions import bare, compared_groups
from deniable.statistics.sample import Sample

DIFFERENCE_TAKES = (
    "A difference takes one condition and --between with two groups, two conditions (shares of everyone), or two groups and --of with an "
    "attribute whose means are compared. To compare women with men: difference DATA \"violence == 'yes'\" --between \"sex == 'F'\" "
    "\"sex == 'M'\""
)


def difference(
    data: Data,
    first: Annotated[str | None, typer.Argument(help="A condition, such as \"violence == 'yes'\".")] = None,
    second: Annotated[
        str | None, typer.Argument(help="Another condition, unless one condition is compared between two groups.")
    ] = None,
    between: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--between",
            "-b",
            metavar="GROUP GROUP",
            help="Two groups, such as \"sex == 'F'\" \"sex == 'M'\": how much the share of those who meet the condition among the first "
            "exceeds that among the second.",
        ),
    ] = None,
    of: Annotated[str | None, typer.Option(help="Compare the means of this attribute in the two groups instead.")] = None,
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
    """How much two groups differ, and whether that can be told from 0.

    One condition and --between: its share among the first group minus its share among the second.

    Two conditions: the share of everyone who meets the first, minus the share of everyone who meets the second.

    Two conditions, or --between, and --of: the mean in the first group minus the mean in the second.
    """
    if (first is None and (of is None or between is None)) or (between is None and of is None and second is None):
        raise ParameterError("difference_asked", DIFFERENCE_TAKES)
    if between is not None and (second is not None or (of is not None and first is not None)):
        raise ParameterError("difference_asked", DIFFERENCE_TAKES)
    sample = open_sample(data, schema, engine, level, plot, most, weights, language)
    estimate = sample.difference(first, second, of, target, method, between)
    present(estimate, level, as_json, plot, texts=sample.schema.texts, language=language)
    if as_json:
        return
    words = words_of(language)
    if estimate.has_interval:
        _tell_verdict(words.differences["means" if of else "groups" if between else "shares"], estimate, sample, language)
        told = (
            estimate
            if sample.schema.texts is None or language in (None, CODES)
            else estimate.in_words(sample.schema.texts, language)
        )
        if told.comparison:
            print(told.comparison)
    compared = compared_groups(parse(first), parse(second)) if first and second and not of else None
    if compared is not None:
        asked, *groups = (_quoted(bare(part)) for part in compared)
        command = f"deniable difference {_quoted(data)} {asked} --between {' '.join(groups)}"
        print(words.compare_groups.format(command=command + (f" --language {language}" if language else "")))


def _tell_verdict(what: str, estimate: Estimate, sample: Sample, language: str | None) -> None:
    """Say whether it can be told from 0, unless too few people are behind it."""
    if estimate.said_instead == [None]:
        texts = sample.schema.texts
        told = estimate if texts is None or language in (None, CODES) else estimate.in_words(texts, language)
        linked = "" if told.verdict.startswith(ENGLISH.near_zero) else words_of(told.language).linked
        print(f"{what} {linked}{told.verdict}.")


def _quoted(text: str) -> str:
    """As it is typed into a terminal."""
    return shlex.quote(text) if set(text) & set('"`$\\!') else f'"{text}"'


def correlation(
    data: Data,
    a: Numeric,
    b: Annotated[str, typer.Argument(help="Another one.")],
    where: Where = None,
    schema: SchemaFile = None,
    engine: Engine = None,
    level: Level = 0.95,
    most: MostShare = None,
    weights: Weights = None,
    as_json: Json = False,
    plot: Plot = None,
    language: Language = None,
) -> None:
    """The correlation of two attributes among those who answered both, of all or of those who meet a condition."""
    sample = open_sample(data, schema, engine, level, plot, most, weights, language)
    estimate = sample.correlation(a, b, where)
    present(estimate, level, as_json, plot, texts=sample.schema.texts, language=language)
    if not as_json:
        _tell_verdict(words_of(language).the_correlation, estimate, sample, language)


def regression(
    data: Data,
    outcome: Annotated[str, typer.Argument(help="What is explained: " + NUMERIC)],
    on: Annotated[
        list[str],
        typer.Argument(help="What explains it: one or more others. Words get a slope for each label but one, the reference."),
    ],
    where: Where = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ATTRIBUTE=LABEL", help="The label that others are compared with, instead of the first. Repeat for more."
        ),
    ] = None,
    schema: SchemaFile = None,
    engine: Engine = None,
    level: Level = 0.95,
    most: MostShare = None,
    weights: Weights = None,
    as_json: Json = False,
    plot: Plot = None,
    language: Language = None,
) -> None:
    """Least squares of an attribute on one or more others: by how much it is higher where another is higher by 1, or where a label is
    another one than the reference.

    An interval that does not hold 0 is that of a slope that can be told from 0.
    """
    references = dict(_reference(given) for given in reference or ())
    sample = open_sample(data, schema, engine, level, plot, most, weights, language)
    present(
        sample.regression(outcome, on, where, references), level, as_json, plot, texts=sample.schema.texts, language=language
    )


def _reference(given: str) -> tuple[str, str]:
    name, sign, label = given.partition("=")
    if not sign:
        raise ParameterError(
            "reference_written", "--reference takes an attribute and its label, such as district=south; got {got!r}.", got=given
        )
    return name.strip(), label.strip()

"""Questions to randomised data: `deniable count`, `share`, `mean`, `quantile`, `distribution`, `crosstab`, `difference`, `correlation`,
`regression`, `candidates`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.asked import now_asked
from deniable.cli.candidate_words import CandidateWords, candidate_words
from deniable.cli.estimates import CODES, bins_or_few, check_language, edges, is_all, present, shares, tell_bins
from deniable.cli.shared_options import Data, Engine, Language, SchemaFile
from deniable.core.domains.domain import Domain
from deniable.core.estimate import Estimate, check_level
from deniable.core.polish import Polish
from deniable.errors import ParameterError
from deniable.files.atomic import refuse_same, write_text
from deniable.files.tables import open_table
from deniable.picture_words import ENGLISH, POLISH, words_of
from deniable.plurals import counted
from deniable.statistics.condition_parser import parse
from deniable.statistics.conditions import bare, compared_groups
from deniable.statistics.reading import read
from deniable.statistics.sample import MOST_LABELS, Sample
from deniable.statistics.sample_text import missing_columns

Where = Annotated[str | None, typer.Option("--where", "-w", help="A condition, such as \"sex == 'F' and 18 <= age < 30\".")]
Level = Annotated[float, typer.Option(help="Confidence level of the intervals.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Plot = Annotated[Path | None, typer.Option(help="Save a picture (.svg, .png or .html).")]
Method = Annotated[
    str,
    typer.Option(
        help="joint (unbiased; behind noise of bounded bias), em (likelihood on the joint table) or iterative (as published, biased)."
    ),
]
MostShare = Annotated[
    str | None,
    typer.Option(
        "--most",
        help="Behind noise: the largest share of the people that any single value holds (0.06), or by attribute: age=0.06,rating=0.5. "
        "Without it five times an even share; 1 assumes nothing, and intervals are wide.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="COLUMN",
        help="The column that says how many people of the population each respondent stands for: numbers such as 0.8 or 153.2. It need not "
        "be in the schema. Intervals are then for the population.",
    ),
]
ByBins = Annotated[
    str | None,
    typer.Option(
        help="Bins of the attribute of --by, if it is a number: how many, their edges (18,30,45,90), or all for every value. Without it 10 "
        "bins if there are over 25 values."
    ),
]
NUMERIC = "an attribute of numbers, of ordered labels that are numbers (a rating), or of yes and no (yes counts as 1)."
Numeric = Annotated[str, typer.Argument(help="A" + NUMERIC[1:])]
JointOrEm = Annotated[
    str, typer.Option(help="joint (unbiased; behind noise of bounded bias) or em (likelihood on the joint table).")
]
Target = Annotated[str, typer.Option(help="Error bars for the population, or for the respondents only.")]

DIFFERENCE_TAKES = (
    "A difference takes one condition and --between with two groups, two conditions (shares of everyone), or two groups and --of with an "
    "attribute whose means are compared. To compare women with men: difference DATA \"violence == 'yes'\" --between \"sex == 'F'\" "
    "\"sex == 'M'\""
)


def _open(
    data: str,
    schema: Path | None,
    engine: str | None,
    level: float,
    plot: Path | None,
    most: str | None,
    weights: str | None,
    language: str | None,
) -> Sample:
    check_level(level)
    if plot is not None:
        from deniable import charts

        charts.check_path(plot)
        refuse_same(plot, Path(data))
    sample = read(data, schema, engine, shares(most), weights)
    check_language(language, sample.schema.texts)
    now_asked().opened(sample.parts[0][0], sample.schema, weights)
    for sentence in missing_columns(sample, language):
        print(sentence, file=sys.stderr)
    return sample


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
    sample = _open(data, schema, engine, level, plot, most, weights, language)
    present(sample.count(where, target, method), level, as_json, plot, texts=sample.schema.texts, language=language)


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
    sample = _open(data, schema, engine, level, plot, most, weights, language)
    domain = _grouping(sample, by, by_bins)
    cells = edges(by_bins) if as_json or domain is None else bins_or_few(by_bins, domain)
    present(
        sample.mean(name, where, target, method, by, cells), level, as_json, plot, texts=sample.schema.texts, language=language
    )
    if not as_json and domain is not None:
        tell_bins(by_bins, domain, "--by-bins", MOST_LABELS, language)


def _grouping(sample: Sample, by: str | None, by_bins: str | None) -> Domain | None:
    """The answers that divide people into groups, if anything does."""
    if by is None and by_bins is not None:
        raise ParameterError("by_bins_without_by", "--by-bins gives the bins of --by: name that attribute too.")
    return None if by is None else _domain(sample, by)


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
    sample = _open(data, schema, engine, level, plot, most, weights, language)
    asked = [(bins, _domain(sample, name), "--bins"), (by_bins, _grouping(sample, by, by_bins), "--by-bins")]
    cells = [edges(given) if as_json or domain is None else bins_or_few(given, domain) for given, domain, _ in asked]
    found = sample.distribution(name, where, by, cells[0], target, method, cells[1])
    present(found, level, as_json, plot, texts=sample.schema.texts, language=language)
    for given, domain, option in asked:
        if not as_json and domain is not None:
            tell_bins(given, domain, option, MOST_LABELS, language)


def _domain(sample: Sample, name: str) -> Domain | None:
    # Without one the sample itself says what is wrong.
    return sample.schema[name].domain if name in sample.schema else None


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
    sample = _open(data, schema, engine, level, plot, most, weights, language)
    asked = [(a, a_bins, _domain(sample, a), "--a-bins"), (b, b_bins, _domain(sample, b), "--b-bins")]
    bins = {name: edges(given) if as_json or domain is None else bins_or_few(given, domain) for name, given, domain, _ in asked}
    # Anyone who writes "all" has made up their mind.
    limit = {"most_cells": None} if any(is_all(given) for _, given, _, _ in asked) else {}
    found = sample.crosstab(a, b, target, bins, method, **limit)
    present(found, level, as_json, plot, texts=sample.schema.texts, language=language, listed=listed)
    for _, given, domain, option in asked:
        if not as_json and domain is not None:
            tell_bins(given, domain, option, MOST_LABELS, language)


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
    sample = _open(data, schema, engine, level, plot, most, weights, language)
    present(sample.share(condition, among, target, method), level, as_json, plot, texts=sample.schema.texts, language=language)


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
    sample = _open(data, schema, engine, level, plot, most, weights, language)
    found = sample.difference(first, second, of, target, method, between)
    present(found, level, as_json, plot, texts=sample.schema.texts, language=language)
    if as_json:
        return
    words = words_of(language)
    if found.has_interval:
        _tell(words.differences["means" if of else "groups" if between else "shares"], found, sample, language)
        told = (
            found if sample.schema.texts is None or language in (None, CODES) else found.in_words(sample.schema.texts, language)
        )
        if told.comparison:
            print(told.comparison)
    compared = compared_groups(parse(first), parse(second)) if first and second and not of else None
    if compared is not None:
        asked, *groups = (_quoted(bare(part)) for part in compared)
        command = f"deniable difference {_quoted(data)} {asked} --between {' '.join(groups)}"
        print(words.compare_groups.format(command=command + (f" --language {language}" if language else "")))


def _tell(what: str, found: Estimate, sample: Sample, language: str | None) -> None:
    """Say whether it can be told from 0, unless too few people are behind it."""
    if found.said_instead == [None]:
        texts = sample.schema.texts
        told = found if texts is None or language in (None, CODES) else found.in_words(texts, language)
        linked = "" if told.verdict.startswith(ENGLISH.near_zero) else words_of(told.language).linked
        print(f"{what} {linked}{told.verdict}.")


def _quoted(text: str) -> str:
    """As it is typed into a terminal."""
    return shlex.quote(text) if set(text) & set('"`$\\!') else f'"{text}"'


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
    sample = _open(data, schema, engine, level, plot, most, weights, language)
    present(
        sample.quantile(name, q or 0.5, where, target, method),
        level,
        as_json,
        plot,
        texts=sample.schema.texts,
        language=language,
    )


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
    sample = _open(data, schema, engine, level, plot, most, weights, language)
    found = sample.correlation(a, b, where)
    present(found, level, as_json, plot, texts=sample.schema.texts, language=language)
    if not as_json:
        _tell(words_of(language).the_correlation, found, sample, language)


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
    sample = _open(data, schema, engine, level, plot, most, weights, language)
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


def candidates(
    data: Annotated[str, typer.Argument(help="Randomised CSV or Parquet files: a path or glob.")],
    where: Annotated[str, typer.Argument(help="The condition that the invited should meet.")],
    size: Annotated[int, typer.Option(min=1, help="How many to list.")] = 20,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the list as CSV instead of printing it.")] = None,
    schema: SchemaFile = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="A column of the data to show beside each row; receipt codes (code) are shown unless told. Repeat for more."
        ),
    ] = None,
    draw: Annotated[
        str | None,
        typer.Option(
            help="What rows with the same probability are drawn by: the draw of an earlier list, to make it again, or a text that "
            "nobody could choose, such as the numbers of a lottery."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing output.")] = False,
    language: Language = None,
) -> None:
    """Rows (counted from 1) that probably meet a condition, best first. None is certain to: each is listed with its probability.

    Rows with the same probability stand in the order of a draw, which is told below the list and stands in a file that is written: the
    SHA-256 of DRAW:ROW decides, the lowest first. So a list that ends among equals is fair, and anybody can check it with --draw.
    """
    if output is not None:
        refuse_same(output, Path(data))
    sample = read(data, schema)
    check_language(language, sample.schema.texts)
    condition, words = parse(where), candidate_words(language)
    found = sample.candidates(condition, draw=draw, keep=keep or _codes(sample)).first(size)
    frame = found.to_frame().assign(row=lambda f: f["row"] + 1)
    # A file is handed on alone, so it carries its draw; below a list that is printed it stands once.
    frame = (frame if output is None else frame.assign(draw=found.draw)).rename(columns=dict(words.columns))
    text = frame.to_csv(index=False, float_format="%.4f")
    if output is None:
        print(text, end="")
    else:
        write_text(output, text, force, private=bool(found.kept))
        rows = str(len(found)) if words.columns else counted(len(found), "row")
        print(words.written.format(rows=rows, path=output, expected=words_of(language).number(found.expected, ",.1f")))
    # Beside the list, not in it: what is printed may be a CSV file by now.
    speak = Polish({}).sentence if words_of(language) is POLISH else str
    nobody = "" if found.kept else _whose(sample, words)
    for said in (
        *(f"{words.warning}: {speak(warning)}" for warning in found.warnings),
        *(f"{words.note}: {note}" for note in (speak(found.note) if found.note else "", nobody) if note),
        f"{speak(found.cut)}." if found.cut else "",
        words.drawn.format(draw=found.draw),
    ):
        if said:
            print(said, file=sys.stderr)


def _whose(sample: Sample, words: CandidateWords) -> str:
    """What can be done with a list of rows that belong to nobody: without a word it would lead nowhere."""
    if sample.schema.texts is not None:
        # Only exports of surveys carry texts.
        return words.nobodys + words.no_codes
    files = [path for data, _ in sample.parts for path in getattr(data, "files", ())]
    kept = [name for name in (open_table(files[0]).columns if files else []) if name not in sample.schema]
    shown = words.kept.format(columns=", ".join(kept), first=kept[0]) if kept else ""
    return words.nobodys + words.not_kept + shown


def _codes(sample: Sample) -> list[str]:
    """The column of receipt codes that an export of a survey has, if these are its files."""
    files = [path for data, _ in sample.parts for path in getattr(data, "files", ())]
    wanted = "code"
    while wanted in sample.schema:  # then exports call it so
        wanted += "_"
    return [wanted] if files and all(wanted in open_table(path).columns for path in files) else []

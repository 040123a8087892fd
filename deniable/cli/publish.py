"""`deniable publish`: an owner publishes a table in which everyone can deny the sensitive answer, and sees what is lost and exposed."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import sys
import textwrap
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.table import Table

from deniable.cli.bars import Bar
from deniable.cli.publish_words import all_options, as_option
from deniable.cli.show import console
from deniable.errors import DataError, ParameterError
from deniable.files.atomic import file_exists, refuse_same

WIDTH = 110


def publish(
    data: Annotated[Path, typer.Argument(help="The true data: a CSV (also .csv.gz) or Parquet file.")],
    sensitive: Annotated[
        list[str], typer.Option("--sensitive", "-s", help="A column whose answers are hidden. May be repeated.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the published file goes (.csv, .csv.gz, .parquet).")],
    min_deniability: Annotated[
        float, typer.Option(help="Least deniability of every group, 0 to 1; 0.1 of a yes/no answer is a minority of only 1.3%.")
    ] = 0.1,
    min_change: Annotated[float, typer.Option(help="Least change of the answers that makes a split worth it.")] = 0.0,
    distance: Annotated[str, typer.Option(help="squared, euclidean, cosine, total_variation or chi2.")] = "squared",
    search: Annotated[str, typer.Option(help="greedy, beam or backtracking.")] = "greedy",
    time_budget: Annotated[float, typer.Option(help="Seconds after which a search stops with the best tree so far.")] = 30.0,
    max_depth: Annotated[int | None, typer.Option(help="Most questions on a path of the tree.")] = None,
    min_rows: Annotated[int | None, typer.Option(help="Fewest people in a group. Default: --limit-rows.")] = None,
    max_posterior: Annotated[
        float | None, typer.Option(help="Largest share of one answer in a group. Default: --limit-posterior.")
    ] = None,
    max_skew: Annotated[
        float | None, typer.Option(help="Largest distance between the answers of a group and of all. Default: --limit-skew.")
    ] = None,
    max_skew_ratio: Annotated[
        float | None,
        typer.Option(help="How many times as frequent an answer may be in a group as among all. Default: --limit-skew-ratio."),
    ] = None,
    max_ruled_out: Annotated[
        float | None,
        typer.Option(help="Largest share of one answer in a group once another is ruled out. Default: --limit-ruled-out."),
    ] = None,
    mix: Annotated[float, typer.Option(help="Share of each draw that comes from all rows; gives a finite epsilon.")] = 0.0,
    group: Annotated[
        bool, typer.Option("--group/--no-group", help="Whether categories may share a branch of the tree.")
    ] = True,
    reuse: Annotated[bool, typer.Option("--reuse", help="A column may be asked again further down the tree.")] = False,
    joint: Annotated[
        bool, typer.Option("--joint", help="Hide several columns as combinations, not one after the other.")
    ] = False,
    answers: Annotated[
        list[str] | None,
        typer.Option("--answer", help="A possible answer, if some occur nowhere: list them all. May be repeated."),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option("--drop", help="Leave this column out. May be repeated.")] = None,
    recode: Annotated[
        bool,
        typer.Option("--recode", help="Put the numbers of other columns into bands and rare categories together as 'other'."),
    ] = False,
    min_shared: Annotated[
        int | None,
        typer.Option(help="Recode until so many rows share every combination of up to three other columns (5, say)."),
    ] = None,
    bands: Annotated[
        list[str] | None,
        typer.Option(
            "--bands",
            metavar="COLUMN=WIDTH",
            help="Put a column of numbers into bands: age=10, or where bands begin: age=18,30,65. May be repeated.",
        ),
    ] = None,
    merge_rare: Annotated[
        list[str] | None,
        typer.Option(
            "--merge-rare",
            metavar="COLUMN=ROWS",
            help="Put categories that fewer rows have together as 'other': job=20. May be repeated.",
        ),
    ] = None,
    categorical: Annotated[
        list[str] | None, typer.Option("--categorical", help="A column of numbers that are categories. May be repeated.")
    ] = None,
    missing: Annotated[str | None, typer.Option(help="What missing cells are called; without it they are refused.")] = None,
    shuffle: Annotated[
        bool,
        typer.Option(
            "--shuffle/--keep-order",
            help="Rows in random order, or in that of the input, by which people may be found though their names are left out.",
        ),
    ] = True,
    report: Annotated[
        Path | None, typer.Option(help="Write a web page for the owner here: it names rows; only you can read it.")
    ] = None,
    tree: Annotated[Path | None, typer.Option(help="Save a picture of the tree (.svg, .png or .html), for the owner.")] = None,
    compare: Annotated[
        Path | None,
        typer.Option(help="Compare with plain randomised response: print a table and save a picture here, for the owner."),
    ] = None,
    compare_levels: Annotated[
        list[float] | None, typer.Option("--compare-level", help="A minimum deniability to compare at. May be repeated.")
    ] = None,
    limit_posterior: Annotated[float, typer.Option(help="Check: how sure an attacker may be who knows the group.")] = 0.95,
    limit_rows: Annotated[int, typer.Option(help="Check: fewest people in a group.")] = 5,
    limit_skew: Annotated[float, typer.Option(help="Check: how far a group's answers may be from those of all.")] = 0.4,
    limit_skew_ratio: Annotated[
        float, typer.Option(help="Check: how many times as frequent an answer may be in a group as among all.")
    ] = 3.0,
    limit_ruled_out: Annotated[
        float, typer.Option(help="Check: how sure an attacker may be who also rules out one answer.")
    ] = 0.99,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Write nothing but the report if a check fails, and end with 2. Without it the file is written, with a warning.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, with the exposed rows.")] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite existing outputs.")] = False,
) -> None:
    """Publish a file in which the sensitive answers may be false for anyone, drawn from the answers of deniable groups.

    NAME.publication.json beside the output says what was done and what holds; it names no rows and no seed, and nothing that was
    found from the true answers but whether checks passed (possible answers only where --answer lists them). A file that fails a
    check is written all the same, called NOT SAFE, with the options that would fix it; with --strict it is not written.
    """
    # scikit-learn is slow to import; other commands must not pay for it.
    from deniable.publish.checks.limits import Limits
    from deniable.publish.files import publish_file, sidecar

    trees = _pictures_of_trees(tree, sensitive, joint)
    pictures = [*trees, *([compare] if compare is not None else [])]
    if pictures:
        from deniable import charts

        for path in pictures:
            charts.check_path(path)
            refuse_same(path, data)
            if path.exists() and not force:
                raise file_exists(path)
    outputs = [path for path in (output, sidecar(output), report, *trees, compare) if path is not None]
    if len({path.resolve() for path in outputs}) < len(outputs):
        raise ParameterError("same_output", "Two outputs have the same name; choose different ones.")
    if compare_levels and compare is None:
        raise ParameterError(
            "compare", "--compare-level says where to compare; --compare FILE must say where the picture goes."
        )
    if compare is not None and len(sensitive) > 1:
        raise ParameterError("one_attribute", "--compare takes one sensitive column, got {got}.", got=sensitive)
    with warnings.catch_warnings(record=True) as noted, _naming_the_command(force):
        warnings.simplefilter("always")
        publication = publish_file(
            data,
            output,
            sensitive,
            report=report,
            force=force,
            strict=strict,
            compare=None if compare is None else {"levels": compare_levels} if compare_levels else {},
            shuffle=shuffle,
            progress=Bar(),
            write=as_option,
            call=lambda settings: _command(settings, force=bool(settings)),
            min_deniability=min_deniability,
            min_change=min_change,
            distance=distance,
            search=search,
            time_budget=time_budget,
            max_depth=max_depth,
            min_rows=min_rows,
            max_posterior=max_posterior,
            max_skew=max_skew,
            max_skew_ratio=max_skew_ratio,
            max_ruled_out=max_ruled_out,
            recode=recode,
            min_shared=min_shared,
            bands={name: _band(text) for name, text in _by_column(bands, "--bands age=10").items()},
            merge_rare={name: _rows(text) for name, text in _by_column(merge_rare, "--merge-rare job=20").items()},
            mix=mix,
            group=group,
            reuse=reuse,
            joint=joint,
            outcomes=answers,
            drop=drop or (),
            categorical=[name for name in categorical or [] if name not in (drop or [])],
            missing=missing,
            limits=Limits(limit_posterior, limit_rows, limit_skew, limit_ruled_out, limit_skew_ratio),
        )
    for drawn, path in zip(publication.trees, trees, strict=bool(trees)):
        charts.save(drawn.plot(), path, private=True)
    if compare is not None:
        charts.save(publication.comparison.plot(), compare, private=True)
    for sentence in dict.fromkeys(str(warning.message) for warning in noted):
        print(f"warning: {sentence}", file=sys.stderr)
    if as_json:
        content = publication.to_dict(rows=True)
        if publication.comparison is not None:
            content["comparison"] = publication.comparison.to_frame().to_dict("records")
        print(json.dumps(content, indent=2, ensure_ascii=False))
        warn_if_unsafe(publication, output, sys.stderr)
        return
    print(publication.to_text(as_option))
    if publication.comparison is not None:
        show_comparison(publication.comparison)
    print(f"Written to {output}, described in {sidecar(output)}.")
    owners = [("Report", report), *(("Tree", path) for path in trees), ("Comparison", compare)]
    for name, saved in owners:
        if saved is not None:
            print(f"{name} for the owner, not for publication: {saved}")
    warn_if_unsafe(publication, output, sys.stdout)


def _pictures_of_trees(path: Path | None, sensitive: list[str], joint: bool) -> list[Path]:
    """One picture per tree: of several columns each has its own, named after it."""
    if path is None:
        return []
    if joint or len(sensitive) == 1:
        return [path]
    names = [re.sub(r"[^\w-]+", "_", name) for name in sensitive]
    return [path.with_name(f"{path.stem}-{name}{path.suffix}") for name in names]


def _by_column(given: list[str] | None, example: str) -> dict[str, str]:
    """COLUMN=TEXT, split at the last sign: names of columns may hold one."""
    out = {}
    for pair in given or []:
        name, sign, text = pair.rpartition("=")
        if not sign or not name or not text:
            raise ParameterError("by_column", "{got!r} names no column and value; write {example}.", got=pair, example=example)
        out[name] = text
    return out


def _band(text: str) -> Any:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(
            "bands", "--bands: {got!r} is neither a width (10) nor numbers where bands begin (18,30,65).", got=text
        ) from None
    return numbers if "," in text else numbers[0]


def _rows(text: str) -> int:
    if not text.isdigit():
        raise ParameterError("merge_rare", "--merge-rare: {got!r} is no number of rows.", got=text)
    return int(text)


def warn_if_unsafe(publication: Any, output: Path, stream: TextIO) -> None:
    """Last, so that it is what stays on the screen: a failed check, what would fix it, and that the file is there all the same."""
    if publication.passed:
        return
    print(f"NOT SAFE: {output} was written, but do not hand it on as it is. To fix it:", file=stream)
    for line in publication.remedies(as_option):
        print(f"  {line}", file=stream)
    if publication.remedy:
        command = _command(publication.remedy, force=True)
        print(f"This command passes all checks; it was tried on this table:\n  {command}", file=stream)
    else:
        print("Then publish again, with --force over this file.", file=stream)
    for note in publication.remedy_notes:
        print(textwrap.fill(note, WIDTH, initial_indent="  ", subsequent_indent="    "), file=stream)
    print("With --strict nothing is written if a check fails.", file=stream)


def _command(settings: Mapping[str, Any], force: bool) -> str:
    """The command line that was given, and options for these settings."""
    given = sys.argv[1:]
    if settings.get("shuffle"):
        given = [word for word in given if word != "--keep-order"]
        settings = {name: value for name, value in settings.items() if name != "shuffle"}
    forced = ["--force"] if force and not {"--force", "-f"} & set(given) else []
    return shlex.join(["deniable", *given, *all_options(settings), *forced])


@contextlib.contextmanager
def _naming_the_command(force: bool) -> Iterator[None]:
    """An error that knows which settings would do names the whole command line."""
    try:
        yield
    except DataError as error:
        if error.code != "not_safe" or not error.parameters["remedy"]:
            raise
        # The report of what failed is there by now.
        command = _command(error.parameters["remedy"], force or error.parameters["report"] != "")
        notes = "".join(f"\n  {note}" for note in error.parameters["notes"])
        passing = f"\nThis command passes all checks; it was tried on this table:\n  {command}{notes}"
        raise DataError(error.code, error.sentence, **error.parameters | {"passing": passing}) from None


def show_comparison(comparison: Any) -> None:
    """The tree beside randomised response, level by level."""
    table = Table(title="Accuracy on true answers of people who were left out, at the same worst-case posterior")
    for heading in ("minimum", "method"):
        table.add_column(heading)
    names = list(comparison.original)
    for heading in ("worst\nposterior", "knowing\nthe groups", "unchanged", *names, "mean"):
        table.add_column(heading, justify="right")
    for row in comparison.rows:
        keys = ("worst_posterior", "posterior_knowing_groups", "unchanged", *names, "mean")
        table.add_row(f"{row['min_deniability']:g}", row["method"], *(f"{row[key]:.1%}" for key in keys))
    truth = [f"{value:.1%}" for value in comparison.original.values()]
    mean = sum(comparison.original.values()) / len(comparison.original)
    table.add_row("", "true answers", "", "", "", *truth, f"{mean:.1%}")
    guessed = [f"{comparison.usual:.1%}"] * (len(names) + 1)
    table.add_row("", "most frequent answer", "", "", "", *guessed)
    console().print(table)
    print(comparison.verdict)

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
from typing import Any, NamedTuple, TextIO

from rich.table import Table

from deniable.cli import publish_options as option
from deniable.cli.bars import Bar
from deniable.cli.publish_words import all_options, as_option
from deniable.cli.show import console
from deniable.errors import DataError, ParameterError
from deniable.files.atomic import file_exists, refuse_same

WIDTH = 110
HANDED_ON = (
    "min_deniability", "min_change", "distance", "search", "time_budget", "max_depth", "min_rows", "max_posterior", "max_skew",
    "max_skew_ratio", "max_ruled_out", "mix", "group", "reuse", "joint", "recode", "min_shared", "missing", "shuffle",
)  # fmt: skip
"""Options that are parameters of the same name and kind."""
LIMITS = ("posterior", "rows", "skew", "ruled_out", "skew_ratio")


def publish(
    data: option.TrueData,
    sensitive: option.Sensitive,
    output: option.PublishedFile,
    min_deniability: option.MinDeniability = 0.1,
    min_change: option.MinChange = 0.0,
    distance: option.Distance = "squared",
    search: option.Search = "greedy",
    time_budget: option.TimeBudget = 30.0,
    max_depth: option.MaxDepth = None,
    min_rows: option.MinRows = None,
    max_posterior: option.MaxPosterior = None,
    max_skew: option.MaxSkew = None,
    max_skew_ratio: option.MaxSkewRatio = None,
    max_ruled_out: option.MaxRuledOut = None,
    mix: option.Mix = 0.0,
    group: option.Group = True,
    reuse: option.Reuse = False,
    joint: option.Joint = False,
    answers: option.Answers = None,
    drop: option.Drop = None,
    recode: option.Recode = False,
    min_shared: option.MinShared = None,
    bands: option.Bands = None,
    merge_rare: option.MergeRare = None,
    categorical: option.Categorical = None,
    missing: option.Missing = None,
    shuffle: option.Shuffle = True,
    report: option.Report = None,
    tree: option.Tree = None,
    compare: option.Compare = None,
    compare_levels: option.CompareLevels = None,
    limit_posterior: option.LimitPosterior = 0.95,
    limit_rows: option.LimitRows = 5,
    limit_skew: option.LimitSkew = 0.4,
    limit_skew_ratio: option.LimitSkewRatio = 3.0,
    limit_ruled_out: option.LimitRuledOut = 0.99,
    strict: option.Strict = False,
    as_json: option.Json = False,
    force: option.Force = False,
) -> None:
    """Publish a file in which the sensitive answers may be false for anyone, drawn from the answers of deniable groups.

    NAME.publication.json beside the output says what was done and what holds; it names no rows and no seed, and nothing that was
    found from the true answers but whether checks passed (possible answers only where --answer lists them). A file that fails a
    check is written all the same, called NOT SAFE, with the options that would fix it; with --strict it is not written.
    """
    given = dict(locals())
    # scikit-learn is slow to import; other commands must not pay for it.
    from deniable.publish.files import publish_file

    owners = OwnersFiles(report, tuple(_pictures_of_trees(tree, sensitive, joint)), compare)
    _refuse_outputs(data, output, owners, force)
    _refuse_comparison(compare, compare_levels, sensitive)
    with warnings.catch_warnings(record=True) as noted, _naming_the_command(force):
        warnings.simplefilter("always")
        publication = publish_file(
            data, output, sensitive, report=report, force=force, strict=strict, compare=_compared_at(compare, compare_levels),
            progress=Bar(), write=as_option, call=lambda settings: _command(settings, force=bool(settings)), **_parameters(given),
        )  # fmt: skip
    _tell(publication, output, owners, [str(warning.message) for warning in noted], as_json)


class OwnersFiles(NamedTuple):
    """What is written for the owner alone: the report, a picture of each tree, and one of the comparison."""

    report: Path | None
    trees: tuple[Path, ...]
    compare: Path | None

    @property
    def pictures(self) -> list[Path]:
        """The pictures among them."""
        return [*self.trees, *([self.compare] if self.compare is not None else [])]

    @property
    def by_name(self) -> list[tuple[str, Path]]:
        """All of them, with what they are called."""
        named = [("Report", self.report), *(("Tree", path) for path in self.trees), ("Comparison", self.compare)]
        return [(name, path) for name, path in named if path is not None]


def _refuse_outputs(data: Path, output: Path, owners: OwnersFiles, force: bool) -> None:
    """Refuse, before anything is read, pictures that cannot be written and two outputs of one name."""
    from deniable.publish.files import sidecar

    if owners.pictures:
        from deniable import charts

        for path in owners.pictures:
            charts.check_path(path)
            refuse_same(path, data)
            if path.exists() and not force:
                raise file_exists(path)
    outputs = [output, sidecar(output), *(path for _, path in owners.by_name)]
    if len({path.resolve() for path in outputs}) < len(outputs):
        raise ParameterError("same_output", "Two outputs have the same name; choose different ones.")


def _refuse_comparison(compare: Path | None, levels: list[float] | None, sensitive: list[str]) -> None:
    if levels and compare is None:
        raise ParameterError(
            "compare", "--compare-level says where to compare; --compare FILE must say where the picture goes."
        )
    if compare is not None and len(sensitive) > 1:
        raise ParameterError("one_attribute", "--compare takes one sensitive column, got {got}.", got=sensitive)


def _compared_at(compare: Path | None, levels: list[float] | None) -> dict[str, Any] | None:
    if compare is None:
        return None
    return {"levels": levels} if levels else {}


def _parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options as parameters of `publish_frame`."""
    from deniable.publish.checks.limits import Limits

    bands = {name: _band(text) for name, text in _by_column(given["bands"], "--bands age=10").items()}
    merge_rare = {name: _rows(text) for name, text in _by_column(given["merge_rare"], "--merge-rare job=20").items()}
    drop = given["drop"] or ()
    return {name: given[name] for name in HANDED_ON} | {
        "bands": bands,
        "merge_rare": merge_rare,
        "outcomes": given["answers"],
        "drop": drop,
        "categorical": [name for name in given["categorical"] or [] if name not in drop],
        "limits": Limits(**{name: given[f"limit_{name}"] for name in LIMITS}),
    }


def _tell(publication: Any, output: Path, owners: OwnersFiles, warned: list[str], as_json: bool) -> None:
    """Save the pictures, and say what was published."""
    from deniable.publish.files import sidecar

    if owners.pictures:
        from deniable import charts

        for drawn, path in zip(publication.trees, owners.trees, strict=bool(owners.trees)):
            charts.save(drawn.plot(), path, private=True)
        if owners.compare is not None:
            charts.save(publication.comparison.plot(), owners.compare, private=True)
    for sentence in dict.fromkeys(warned):
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
    for name, path in owners.by_name:
        print(f"{name} for the owner, not for publication: {path}")
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

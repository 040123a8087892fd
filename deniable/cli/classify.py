"""`deniable classify fit|predict|score`: classifiers from randomised files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from deniable.cli.bars import Bar
from deniable.cli.classifier_scores import show_scores
from deniable.cli.csv_options import reads_csv
from deniable.cli.ensembles import Bagging, Boosting, Combination, Jobs, Members, Vote, ensemble_learner, show_ensemble
from deniable.cli.estimates import as_dict
from deniable.cli.forests import FORESTS, forest_learner
from deniable.cli.patterns import PATTERNS, Bins, MinGrowth, MinSupport, explain, pattern_learner, show_patterns
from deniable.cli.shared_options import Force, SchemaFile
from deniable.cli.show import console
from deniable.core.channels.designs import Identity
from deniable.core.intervals import check_level
from deniable.core.schema import Schema
from deniable.core.shuffle_mark import file_is_marked
from deniable.engines.opening import open_data
from deniable.engines.schemas import Around, schema_around
from deniable.errors import DataError, FileError, ParameterError
from deniable.files.atomic import file_exists, refuse_same, write_text
from deniable.plurals import counted
from deniable.statistics.rows import load_columns

app = typer.Typer(
    help="Learn to predict an attribute from randomised data, and score that on randomised data.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

app.command()(reads_csv(explain))

MOST_BYTES = 200_000_000
"""Larger files are read in pieces, attribute by attribute, and so are databases."""
MODELS = ("naive_bayes", "tree", "patterns", "lazy", "forest", "as-reported", "ensemble", "auto")
TELL_PROGRESS = ("forest", "ensemble", "auto")
Model = Annotated[Path, typer.Argument(help="A classifier that `classify fit` wrote (JSON).")]


@app.command()
@reads_csv
def fit(
    data: Annotated[
        str,
        typer.Argument(
            help="Randomised data: a CSV or Parquet file; for naive_bayes also a glob or duckdb:///, sqlite:///, postgresql:// address."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the classifier goes (JSON).")],
    target: Annotated[str | None, typer.Option(help="The attribute to predict, if the schema names none.")] = None,
    model: Annotated[str, typer.Option("--model", "--kind", help=f"One of {', '.join(MODELS)}.")] = "naive_bayes",
    schema: SchemaFile = None,
    bins: Bins = None,
    min_support: MinSupport = None,
    min_growth: MinGrowth = None,
    reconstruction: Annotated[str, typer.Option(help="Of a tree: local, by_class, global, local_all or none.")] = "local",
    max_depth: Annotated[int | None, typer.Option(help="Of a tree or forest: the most tests on a path.")] = None,
    bagging: Bagging = None,
    boosting: Boosting = None,
    member: Members = None,
    vote: Vote = None,
    combination: Combination = None,
    jobs: Jobs = None,
    engine: Annotated[
        str | None, typer.Option(help="duckdb, arrow or spark; chosen by what is installed unless given.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Of a tree: save a picture (.svg, .png or .html).")] = None,
    force: Force = False,
) -> None:
    """Learn from randomised data."""
    _refuse_before_learning(data, output, model, schema, plot, force)
    options = {
        "bins": bins, "min_support": min_support, "min_growth": min_growth, "reconstruction": reconstruction, "max_depth": max_depth,
        "bagging": bagging, "boosting": boosting, "member": member, "vote": vote, "combination": combination, "jobs": jobs,
    }  # fmt: skip
    if model != "naive_bayes" or (engine is None and Path(data).is_file() and Path(data).stat().st_size <= MOST_BYTES):
        # Only whole rows show which attributes repeat each other.
        declared, rows = _whole_rows(data, schema, target)
        learner = _learner(model, declared, options)
        learner.fit(rows, **({"progress": Bar()} if model in TELL_PROGRESS else {}))
        count = rows.num_rows
    else:
        opened = open_data(data, schema, engine)
        declared = _with_target(opened.declared, target)
        learner = _learner(model, declared, options)
        with _class_is_there(data, declared):
            learner.fit_tables(learner.count_tables(opened))
        count = int(learner._counts[0].sum())
    learner.save(output, force)
    print(f"Learned {declared.target!r} from {counted(count, 'row')} of {counted(len(declared) - 1, 'attribute')}: {output}")
    _show_learned(learner, model, plot)


def _learner(model: str, schema: Schema, given: dict[str, Any]) -> Any:
    """The classifier of a kind, with the options that were given."""
    # scikit-learn takes longer to import than most commands to run.
    from deniable.classify.naive_bayes import ReconstructionNaiveBayes
    from deniable.classify.tree import ReconstructionTree

    if model in PATTERNS:
        return pattern_learner(model, schema, **{name: given[name] for name in ("bins", "min_support", "min_growth")})
    if model == "tree":
        kind = None if given["reconstruction"] == "none" else given["reconstruction"]
        return ReconstructionTree(schema, reconstruction=kind, bins=given["bins"] or 10, max_depth=given["max_depth"])
    if model in FORESTS:
        return forest_learner(model, schema, given)
    if model == "ensemble":
        return ensemble_learner(schema, given)
    return ReconstructionNaiveBayes(schema, bins=given["bins"] or 10)


def _refuse_before_learning(data: str, output: Path, model: str, schema: Path | None, plot: Path | None, force: bool) -> None:
    """Refuse what can be seen to be wrong before anything is read."""
    if model not in MODELS:
        raise ParameterError("model", "--model must be one of {allowed}, got {got!r}.", allowed=list(MODELS), got=model)
    if plot is not None and model != "tree":
        raise ParameterError("plot_of_tree", "--plot shows a tree: add --model tree.")
    if output.exists() and not force:
        raise file_exists(output)
    refuse_same(output, Path(data), *([schema] if schema is not None else []))
    if plot is not None:
        from deniable import charts

        charts.check_path(plot)
        refuse_same(plot, Path(data), output)


def _whole_rows(data: str, schema: Path | None, target: str | None) -> tuple[Schema, Any]:
    """The schema with its target, and all rows of a file."""
    declared = _with_target(open_data(data, schema, "arrow").declared, target)
    with _class_is_there(data, declared):
        return declared, load_columns(Path(data), declared, list(declared))


def _show_learned(learner: Any, model: str, plot: Path | None) -> None:
    """The tree in words, and as a picture; of naive Bayes the shares of the classes."""
    if model == "patterns":
        show_patterns(learner)
    if model == "auto":
        print(learner.explain_choice())
    if model == "ensemble":
        show_ensemble(learner)
    if model != "tree":
        for label, share in zip(learner.classes_, learner.class_prior_, strict=True):
            print(f"  {label!s:<20} {share:6.1%}")
        return
    print(learner.export_text(max_depth=4))
    if plot is not None:
        from deniable import charts

        charts.save(learner.plot(), plot)
        print(f"Picture: {plot}")


@app.command()
@reads_csv
def predict(
    model: Model,
    data: Annotated[
        Path,
        typer.Argument(help="Rows to classify: CSV or Parquet. True rows, unless --distorted says that they are randomised."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the predictions go (CSV): the class and P of every class.")
    ],
    distorted: Annotated[
        bool,
        typer.Option(
            "--distorted",
            help="The rows are randomised, as those it learned from: predict by what such reports say about the truth.",
        ),
    ] = False,
    true: Annotated[
        bool, typer.Option("--true", help="The rows are true, even if the schema that travels with them says otherwise.")
    ] = False,
    force: Force = False,
) -> None:
    """Predict the class of true rows, or of randomised ones (--distorted).

    Randomised rows taken for true ones are predicted wrongly. So a file with a schema inside it or beside it (NAME.schema.json), no matter
    who wrote it, is refused unless --distorted or --true says how to take it. A draft without a fingerprint says nothing of the rows.
    """
    refuse_same(output, data, model)
    if distorted and true:
        raise ParameterError("distorted_or_true", "Rows are either randomised (--distorted) or true (--true), not both.")
    classifier = _open(model)
    schema: Schema = classifier.schema
    names = [name for name in schema if name != schema.target]
    _refuse_other_rows(data, schema, names, distorted, true)
    read = schema if distorted else Schema({name: Identity(schema[name].domain) for name in names})
    rows = load_columns(data, read, names)
    chances = classifier.predict_proba_distorted(rows) if distorted else classifier.predict_proba(rows)
    import pandas as pd

    frame = pd.DataFrame(chances, columns=[f"P({label})" for label in classifier.classes_])
    frame.insert(0, str(schema.target), classifier.classes_[chances.argmax(axis=1)])
    write_text(output, frame.to_csv(index=False, float_format="%.6g"), force)
    print(f"{counted(len(frame), 'row')} classified: {output}")


def _refuse_other_rows(data: Path, schema: Schema, names: list[str], distorted: bool, true: bool) -> None:
    """Refuse rows of another kind than they are taken for, where a schema in or beside their file, or the mark of a shuffle, tells."""
    if true or not data.is_file():
        return
    around = schema_around(data)
    if not distorted:
        why = _why_randomised(data, around, names)
        if why is not None:
            raise ParameterError(
                "rows_are_randomised",
                "{path} {why}; randomised rows that are taken for true ones would be predicted wrongly. Add --distorted to predict from "
                "randomised rows. If they are true: --true.",
                path=str(data),
                why=why,
            )
        print(
            f"note: the rows of {data} are taken as true. Randomised rows: --distorted; --true says that they are true, without this note.",
            file=sys.stderr,
        )
        return
    other = [] if around is None else [name for name in names if name in around.schema and around.schema[name] != schema[name]]
    if around is not None and other and around.text.data in (None, data.name):
        raise DataError(
            "other_schema",
            "{path} was randomised under another schema than the classifier learned from: {names}.",
            path=str(data),
            names=", ".join(other),
        )


def _why_randomised(data: Path, around: Around | None, names: list[str]) -> str | None:
    """What says that rows are randomised, or that they may be; None if nothing does."""
    if around is not None and any(name in around.schema and not isinstance(around.schema[name], Identity) for name in names):
        if around.text.is_of_this_file:
            return "holds randomised rows, as the schema that travels with it says"
        whose = "which names no data" if around.text.data is None else f"which was written for {around.text.data}"
        return f"may hold randomised rows: the schema {around.text.where} lies beside it, {whose}"
    return "holds rows that `randomise` shuffled" if file_is_marked(data) else None


@app.command()
@reads_csv
def score(
    model: Model,
    data: Annotated[
        Path, typer.Argument(help="Rows with their class: CSV or Parquet, randomised under the classifier's schema.")
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="accuracy, balanced_accuracy, sensitivity, specificity, precision, f1, f2, ..., auc, log_loss; may be repeated."
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            help="The class that sensitivity, f1 and the like are about; without it their macro average: every class counts the same."
        ),
    ] = None,
    true: Annotated[bool, typer.Option("--true", help="The rows, and their class, are true.")] = False,
    method: Annotated[str, typer.Option(help="auto, unbiased or model.")] = "auto",
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """How well it predicts true rows, estimated from randomised ones.

    Without --true rows and their class are taken as randomised under the classifier's schema, and what was done to them is undone: the
    figure is that of true rows, which nobody has seen. With --true the rows are predicted as they are, and right ones are counted.
    """
    check_level(level)
    classifier = _open(model)
    schema: Schema = classifier.schema
    if true:
        from deniable.classify.scoring import score_true_rows

        rows = load_columns(data, Schema({name: Identity(channel.domain) for name, channel in schema.items()}), list(schema))
        labels = classifier.target_.true(rows[schema.target])
        codes = classifier._codes(rows.drop_columns([schema.target]), reported=False)
        label = _label(classifier, positive)
        scores = [score_true_rows(classifier, codes, labels, name, label) for name in metric or ["accuracy"]]
    else:
        _tell_taken_as_randomised(data)
        source = open_data(data, None if _has_schema(data) else schema, "arrow")
        if _with_target(source.declared, schema.target) != schema:
            raise DataError(
                "other_schema", "{path} was randomised under another schema than the classifier learned from.", path=str(data)
            )
        rows = load_columns(data, schema, list(schema))
        scores = [
            classifier.score_distorted(rows, None, name, _label(classifier, positive), method)
            for name in metric or ["accuracy"]
        ]
        _refuse_impossible(data, scores, lambda: classifier.score_distorted(rows, None, "accuracy", None, method))
    if as_json:
        print(json.dumps([as_dict(estimate, level) for estimate in scores], indent=2, ensure_ascii=False))
        return
    show_scores(scores, level)
    if not true:
        console().print(
            "Estimated from randomised rows, the figures are about true ones. --true is for rows that are true themselves.",
            markup=False,
        )


def _tell_taken_as_randomised(data: Path) -> None:
    """Say that rows are taken as randomised where no schema says so itself."""
    if not _has_schema(data):
        why, under = "carries no schema", "the classifier's"
    else:
        around = schema_around(data)
        if around is None or around.text.is_of_this_file:
            return
        why, under = f"lies beside {around.text.where}, which names no data", "it"
    print(f"note: {data} {why}; its rows are taken as randomised under {under}. True rows: --true.", file=sys.stderr)


def _refuse_impossible(data: Path, scores: list[Any], accuracy: Callable[[], Any]) -> None:
    """Refuse rows whose accuracy shows that they were not randomised as they are taken to be; other measures hide it."""
    from deniable.classify.scoring import is_impossible

    known = next((estimate for estimate in scores if estimate.name == "accuracy"), None) or accuracy()
    if is_impossible(known):
        raise DataError(
            "not_randomised",
            "{path}: taken as randomised under the classifier's schema, its rows would be predicted with an accuracy of {value:.2f}, "
            "which chance does not explain: they were not randomised like that. If they are true rows: --true.",
            path=str(data),
            value=float(known.value[0]),
        )


def _label(classifier: Any, given: str | None) -> Any:
    if given is None:
        return None
    for label in classifier.classes_:
        if str(label) == given:
            return label
    raise ParameterError(
        "positive", "--positive must be one of {allowed}, got {got!r}.", allowed=list(map(str, classifier.classes_)), got=given
    )


def _has_schema(data: Path) -> bool:
    try:
        Schema.load(data)
    except FileError:
        return False
    return True


def _open(path: Path) -> Any:
    from deniable.classify.store import load_model

    return load_model(path)


@contextmanager
def _class_is_there(data: str, schema: Schema) -> Iterator[None]:
    """A column that is missing is told by its part: without the class there is nothing to learn."""
    try:
        yield
    except DataError as error:
        if error.code != "no_column" or schema.target not in error.parameters["got"]:
            raise
        raise DataError(
            "no_class",
            "{path} has no column {target}, the class to learn; its columns are {found}. Give data that holds the class, or another class "
            "with --target.",
            path=data,
            target=schema.target,
            found=error.parameters["found"],
        ) from None


def _with_target(schema: Schema, target: str | None) -> Schema:
    if target is not None and target not in schema:
        raise ParameterError(
            "target_unknown",
            "--target {got} is not an attribute of the schema; it describes {allowed}. The class needs a channel too: Identity, if it is "
            "not hidden.",
            got=target,
            allowed=list(schema),
        )
    if target is None and schema.target is None:
        raise ParameterError(
            "no_target",
            "The schema names no target: say which attribute to predict with --target, one of {allowed}.",
            allowed=list(schema),
        )
    return schema if target in (None, schema.target) else Schema(dict(schema), target, schema.groups)

"""`deniable survey`: from a questionnaire to a file of answers."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from deniable.cli.serve import DEFAULT_DB, Database, Keys
from deniable.cli.shared_options import Force
from deniable.cli.show import console, show_designs
from deniable.core.channels.base import rounded_up
from deniable.errors import ParameterError, RefusedError
from deniable.files.atomic import write_text
from deniable.files.sidecar import sidecar
from deniable.plurals import counted
from deniable.privacy.reporting.rows import NOT_PROTECTED, OPEN
from deniable.privacy.reporting.words import factor, odds, together

app = typer.Typer(help="Prepare, open, close and export surveys.", no_args_is_help=True, rich_markup_mode=None)
Slug = Annotated[str, typer.Argument(metavar="SURVEY", help="The short name of a survey.")]
SAMPLE = Path(__file__).parents[1] / "survey" / "sample.yaml"


def read_questionnaire(path: Path) -> Any:
    """A questionnaire in a file."""
    # Loaded late: it needs PyYAML, which only the extra `serve` has.
    return import_module("deniable.survey.questionnaire").Questionnaire.load(path)


@contextlib.contextmanager
def opened(db: str, keys: Path | None) -> Iterator[Any]:
    """A store whose owner is told what is in it when something is not. The public is not: pages have the short sentence."""
    from deniable.survey.store import Store

    with Store(db, keys, create=False) as store:
        try:
            yield store
        except RefusedError as error:
            slug = str(error.parameters.get("slug"))
            if error.code == "unknown_survey":
                slugs = store.slugs()
                there = f"It has {_listed(slugs)}." if slugs else "It has none yet."
                sentence = "There is no survey {slug!r} in {place}. {there}"
                raise RefusedError(error.code, sentence, slug=slug, place=store.place, there=there) from None
            if error.code == "unknown_version":
                numbers = [str(one.number) for one in store.overviews(slug)]
                sentence = "{slug} has no version {got} in {place}, only {there}."
                there = _listed(numbers)
                raise RefusedError(error.code, sentence, **error.parameters, place=store.place, there=there) from None
            raise


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


@app.command("new")
def new(
    output: Annotated[Path, typer.Argument(help="Where the questionnaire goes (.yaml).")],
    force: Force = False,
) -> None:
    """Write a commented sample questionnaire, to be edited."""
    write_text(output, SAMPLE.read_text(encoding="utf-8"), force)
    print(f"Sample written to {output}. Edit it, then look at it: deniable survey check {output}")


@app.command("check")
def check(
    questionnaire: Annotated[Path, typer.Argument(help="A questionnaire (YAML or JSON).")],
    answers: Annotated[int, typer.Option(min=1, help="How many answers are expected.")] = 1_000,
    language: Annotated[str, typer.Option(help="The language of the table, the warnings and the mistakes: en or pl.")] = "en",
) -> None:
    """Read a questionnaire and show what each question gives away, and what that costs in accuracy."""
    from deniable.privacy.reporting.polish import number, sayer
    from deniable.privacy.reporting.warnings import ALL_TOGETHER
    from deniable.survey.planning import advice, costs

    if language not in ("en", "pl"):
        raise ParameterError("language", "This is said in en (English) or pl (Polish), got {got!r}.", got=language)
    say = sayer(language)
    read = read_questionnaire(questionnaire)
    table = Table()
    table.add_column(say("column"))
    table.add_column(say("hidden by"))
    table.add_column(say("epsilon"), justify="right")
    table.add_column(say("a report changes anyone's odds by a factor of"), justify="right")
    table.add_column(
        say(f"{_answers(answers)} {'is' if answers == 1 else 'are'} worth how many direct answers"), justify="right"
    )
    estimated = costs(read, answers)
    said = any(cost.use for cost in estimated)
    heading = "margin of error for a share of 20%, or for what is said" if said else "margin of error for a share of 20%"
    table.add_column(say(heading), justify="right")
    table.add_column(say("one lie shifts a count by up to"), justify="right")
    openly = {name for block in read.schema.blocks if block.open for name in block.attributes}
    for cost in estimated:
        channel = read.schema[cost.name]
        hidden = OPEN, NOT_PROTECTED
        if cost.name not in openly:
            hidden = number(rounded_up(cost.epsilon), language), factor(odds(cost.epsilon))
        table.add_row(
            cost.name, type(channel).__name__, *map(say, hidden),
            number(cost.worth_in_words, language), say(cost.margin_in_words), say(cost.counts_as),
        )  # fmt: skip
    console().print(table)
    show_designs(read.schema, say=say)
    print(say(f"Private answers together: epsilon {rounded_up(read.epsilon)} per respondent; {together(read.epsilon)}."))
    for one in advice(read, answers):
        about = say(one.name) if one.name == ALL_TOGETHER else one.name
        print(f"{say(one.kind)}: {about}: {say(one.text)}")
    # After all the rest, which does not depend on the day: what is refused is seen last.
    read.check_last_day(datetime.date.today())


@app.command("open")
def open_(
    questionnaire: Annotated[Path, typer.Argument(help="A questionnaire (YAML or JSON).")],
    db: Database = DEFAULT_DB,
    keys: Keys = None,
    erase_contacts_on: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="When contact details are erased (for linkage: register).")
    ] = None,
    discard: Annotated[
        bool,
        typer.Option("--discard", help="Throw away the answers to the version before, if they are too few to be released."),
    ] = False,
) -> None:
    """Freeze a questionnaire into a version and take answers to it.

    A changed questionnaire becomes a new version, which replaces the one before: that takes no more answers, and those it has are kept
    and exported by themselves (deniable survey export SURVEY --version N). Fewer than 50 that wait for their batch would be told apart
    one by one: then it is refused until there are 50, or --discard throws them away.
    """
    from deniable.survey.backup import new_store
    from deniable.survey.store.audit import COMMAND_LINE

    read = read_questionnaire(questionnaire)
    read.check_last_day(datetime.date.today())
    # What is refused leaves no new database behind.
    with new_store(db, keys) as store:
        before = store.overviews(read.slug) if read.slug in store.slugs() else []
        number = store.open_survey(read, _day(erase_contacts_on), discard, COMMAND_LINE)
        seen = store.overviews(read.slug)
    print(f"{read.slug} is open (version {number}). Serve it: deniable serve --db {shown_place(db)}")
    if 0 < len(before) < number:
        _tell_replaced(seen[-2], number, discard, _given(db, keys))
    elif before:
        print("The questionnaire is as it was: its answers are kept, and more are taken.")
    if read.invited:
        print(f"It is by invitation: deniable survey invite {read.slug} people.csv -o invited.csv")


def _tell_replaced(old: Any, number: int, discard: bool, options: str) -> None:
    lost = "Answers too few to be released, if there were any, were thrown away." if discard else "Nothing of it is lost."
    print(f"The questionnaire was changed: version {old.number} takes no more answers. {lost}")
    if old.mixed:
        kept = "stays by itself and is" if old.mixed == 1 else "stay by themselves and are"
        print(
            f"Its {_answers(old.mixed)} {kept} not counted with version {number}: "
            f"deniable survey export {old.slug} --version {old.number} -o FILE{options}"
        )
    if old.mixed and not old.shown:
        print("If a few more came after its last batch, they are released when the survey is closed.")
    if old.shown:
        print(
            "note: this survey was closed once, and then the rest of its answers was released. From now on results come in batches of "
            "50 or more, even at a closing. If fewer are expected, give the questionnaire another name (survey: NAME)."
        )
    print("Anyone who has the old page open is asked to load it again before sending.")
    if old.invited:
        print("Invitations used for it stay used: people who answered then cannot answer again.")


def _answers(count: int) -> str:
    return counted(count, "answer")


def _given(db: str, keys: Path | None) -> str:
    """What has to be said again to reach the same store."""
    return (f" --db {shown_place(db)}" if db != DEFAULT_DB else "") + (f" --keys {keys}" if keys is not None else "")


def _day(text: str | None) -> datetime.date | None:
    if text is None:
        return None
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise ParameterError("bad_date", "{got!r} is not a date; write YYYY-MM-DD.", got=text) from None


def shown_place(db: str) -> str:
    """A database as it may be named on a screen."""
    # A URL may hold a password.
    return "..." if "@" in db else db


@app.command("close")
def close(slug: Slug, db: Database = DEFAULT_DB, keys: Keys = None) -> None:
    """Take no more answers, and mix in those that wait."""
    from deniable.survey.store.audit import COMMAND_LINE

    with opened(db, keys) as store:
        before = store.overviews(slug)
        count = store.close_survey(slug, COMMAND_LINE)
        after = store.overviews(slug)
    *_, last = before
    # The same whether answers wait or not: only what has been released is compared.
    if last.state == "closed" and [one.mixed for one in before] == [one.mixed for one in after]:
        print(f"{slug} is closed already, with {_answers(count)} to version {last.number}. Nothing has changed.")
        return
    print(f"{slug} is closed with {_answers(count)} to version {last.number}.")
    if last.shown:
        print(
            "The rest was released at an earlier closing. If fewer than 50 have come since, they stay sealed, because anyone who compared "
            "the results would see them one by one. They are released once 50 are waiting: open the survey again and wait for more."
        )


@app.command("delete")
def delete(
    slug: Slug,
    typed: Annotated[
        str | None,
        typer.Option("--really", metavar="SURVEY", help="The short name once more; without it you are asked for it."),
    ] = None,
    db: Database = DEFAULT_DB,
    keys: Keys = None,
) -> None:
    """Delete a closed survey with all that belongs to it: answers and keys, invitations, receipts, contact details, questionnaires.

    A trial (deniable survey try) goes at once, open or closed.

    Backups and exported files keep what they have. What stays are the lines about it in `deniable survey audit`, and the
    numbers that its versions had: a new survey of that name goes on from there.
    """
    from deniable.survey.store.audit import COMMAND_LINE

    with opened(db, keys) as store:
        seen = store.overview(slug)
        if seen.kind is not None:
            from deniable.survey.trials import delete_trial

            delete_trial(store, slug, COMMAND_LINE)
            print(f"{slug} is deleted.")
            return
        if seen.state == "open":
            raise RefusedError("still_open", "{slug} is open; close it before it is deleted.", slug=slug)
        count = seen.mixed + seen.earlier
        if typed is None:
            print(f"{slug} goes for good, with {_answers(count)}, its invitations, contact details and questionnaires.")
            typed = typer.prompt("Type its short name to delete it")
        if typed.strip() != slug:
            raise ParameterError("mistyped", "{got!r} is not {slug}, so nothing was deleted.", got=typed, slug=slug)
        store.delete_survey(slug, COMMAND_LINE)
    print(f"{slug} is deleted, with {_answers(count)}. Backups and exported files keep what they have.")


@app.command("list")
def list_(db: Database = DEFAULT_DB, keys: Keys = None) -> None:
    """Show the surveys of a database, every version of each: its state and how many answers have been released, nothing else.

    Both numbers, of answers and of invitations used, move in steps of 50 or more while a survey is open, half an hour to an hour and a half
    after enough have come. A version is replaced when a changed questionnaire is opened; its answers are kept.
    """
    with opened(db, keys) as store:
        surveys = [one for slug in store.slugs() for one in store.overviews(slug)]
    surveys.sort(key=lambda one: one.kind is not None)  # trials come last
    table = Table()
    for heading in ("survey", "version", "state", "last day", "invitations used", "view of the database"):
        # On a narrow terminal names go on in the next line; the words of a state stay whole.
        table.add_column(heading, overflow="fold", no_wrap=heading == "state", min_width=8 if heading == "state" else None)
    table.add_column("answers released", justify="right")
    for one in surveys:
        # Invitations are to a survey, whatever its version.
        invited = f"{one.used:,} of {one.invitations:,}" if one.invited else "no invitations"
        invited = "" if one.state == "replaced" else invited
        version = one.kind or str(one.number)
        table.add_row(one.slug, version, one.state, one.closes or "", invited, one.view, f"{one.mixed:,}")
    console().print(table)
    if any(one.kind is not None for one in surveys):
        print("Trials and made-up answers count in no survey: deniable survey delete SURVEY")
    if any(one.state == "open" for one in surveys):
        print("While a survey is open these numbers move in steps of 50 or more, and some time after people answered.")
    if any(one.state == "replaced" and one.mixed for one in surveys):
        print("Answers to a replaced version are kept by themselves: deniable survey export SURVEY --version N -o FILE")


@app.command("export")
def export(
    slug: Slug,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the answers go (.csv, .csv.gz, .parquet).")],
    version: Annotated[int | None, typer.Option(help="The number of an earlier version; the newest unless given.")] = None,
    spreadsheet: Annotated[
        bool,
        typer.Option(
            "--spreadsheet", help="CSV that Excel and LibreOffice open by a double click: semicolons, and a mark of UTF-8."
        ),
    ] = False,
    db: Database = DEFAULT_DB,
    keys: Keys = None,
    force: Force = False,
) -> None:
    """Write the answers to one version with their schema beside them, the newest unless --version names another.

    While a survey is open: in batches of at least 50 new answers. `deniable survey list` shows all versions. Rows are randomised: to
    estimate what people answered, ask this file (deniable distribution FILE COLUMN); a count of its rows is not that. Every command reads
    files for spreadsheets, too.
    """
    from deniable.survey.export import export as write
    from deniable.survey.store.audit import COMMAND_LINE

    with opened(db, keys) as store:
        rows = write(store, slug, output, version, force, spreadsheet)
        store.record(COMMAND_LINE, "exported", slug)
        *others, seen = store.overviews(slug)
    earlier = [one for one in others if one.mixed]
    print(f"{_answers(rows)} written to {output}, schema in {sidecar(output)}.")
    if version is None and seen.state == "open":
        print("Newer answers, if there are any, wait for their batch of 50 or more.")
    if version is None and earlier:
        kept = " and ".join(f"version {one.number} ({one.mixed:,})" for one in earlier)
        print(f"These are answers to version {seen.number}. Those to {kept} are exported by themselves: add --version N.")


@app.command("schema")
def schema(
    slug: Slug,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the schema goes (.json).")],
    version: Annotated[int | None, typer.Option(help="The number of an earlier version; the newest unless given.")] = None,
    db: Database = DEFAULT_DB,
    keys: Keys = None,
    force: Force = False,
) -> None:
    """Write the schema of a survey, to ask the live database with: deniable count DATABASE#VIEW --schema FILE ..."""
    from deniable.survey.question_texts import frozen_texts
    from deniable.survey.store.labels import view_name

    with opened(db, keys) as store:
        read = store.version(slug, version)
    read.schema.with_texts(frozen_texts(read.questionnaire)).save(output, force)
    where = db if "://" in db else f"sqlite:///{db}"
    print(f"Schema of {slug}, version {read.number}, written to {output}.")
    print(
        f"Its mixed answers are in the view {view_name(slug, read.number)}: {shown_place(where)}#{view_name(slug, read.number)}"
    )

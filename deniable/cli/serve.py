"""`deniable serve`, `backup` and `restore`: running a survey service."""

from __future__ import annotations

import contextlib
import json
import logging
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deniable import interrupts
from deniable.cli.shared_options import Force
from deniable.errors import FileError
from deniable.plurals import counted

if TYPE_CHECKING:
    from deniable.survey.store import Store
    from deniable.web.serve import Service

Database = Annotated[str, typer.Option("--db", help="A SQLite file, or postgresql://USER@HOST/DATABASE.", envvar="DENIABLE_DB")]
Keys = Annotated[
    Path | None,
    typer.Option(
        help="The folder of the keys of waiting answers; beside a SQLite file by default. Keep it on a durable disk.",
        envvar="DENIABLE_KEYS",
    ),
]
DEFAULT_DB = "deniable.db"
INTERRUPTED = 130


def serve(
    db: Database = DEFAULT_DB,
    keys: Keys = None,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for every one.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 8000,
    burst: Annotated[int, typer.Option(min=0, help="Answers at once from one address; 0 for no limit.")] = 1_200,
    per_second: Annotated[float, typer.Option(min=0.01, help="Answers per second from one address after that.")] = 10.0,
    reset_password: Annotated[
        bool, typer.Option(help="Print a new one-time link for the password of the oldest owner.")
    ] = False,
    discard_unreadable: Annotated[
        bool, typer.Option(help="Give up waiting answers whose key is lost for good, instead of refusing to start.")
    ] = False,
    new: Annotated[
        bool, typer.Option("--new", help="Begin an empty database: surveys are then written in the browser.")
    ] = False,
) -> None:
    """Serve the surveys of a database until interrupted. Answers arrive randomised; nothing else about anyone is kept.

    SIGTERM (systemd, docker stop) finishes what is under way and ends with exit code 0; Ctrl-C does the same and ends with 130.
    """
    from deniable.survey.store import Store
    from deniable.web.app import Settings
    from deniable.web.serve import Service

    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s", stream=sys.stderr)
    file, _ = Store.places(db, keys)
    if file is not None and not file.exists() and not new:
        # A mistyped name must not become an empty service.
        raise FileError(
            "no_database", "{path} does not exist. To begin it, and write surveys in the browser, add --new. {advice}",
            path=str(file), advice=_how_to_open(db, keys),
        )  # fmt: skip
    with Store(db, keys) as store:
        settings = Settings(burst=burst, per_second=per_second, reset_password=reset_password)
        # The port first: a second server that cannot have it leaves the database alone.
        service = Service(store, host, port, settings)
        try:
            discarded = store.check(discard_unreadable)
        except BaseException:
            service.close()
            raise
        _tell_of_database(store, discarded)
        _tell_addresses(service, store)
        if not store.slugs():
            print(f"No survey is in {store.place} yet: write one at {service.url}/organiser", file=sys.stderr)
        code = _run(service)
    print("Stopped. Every answer that was acknowledged is kept.", file=sys.stderr)
    raise typer.Exit(code)


def _tell_of_database(store: Store, discarded: int) -> None:
    if discarded:
        print(f"{counted(discarded, 'waiting answer')} {'was' if discarded == 1 else 'were'} given up: the key is lost.")
    logged = store.logged_statements()
    if logged:
        print(
            f"warning: this database writes its statements to a log ({', '.join(logged)}): when which invitation was used, and which "
            "answers were mixed in together. Turn that off, or keep the log as safe as the answers (docs/security.md).",
            file=sys.stderr,
        )


def _tell_addresses(service: Service, store: Store) -> None:
    for slug in store.slugs():
        seen = store.overview(slug)
        print(f"{service.url}/s/{slug}   {seen.state}, {_answers(seen.mixed)} released{_earlier(seen)}")
        _tell_refused(store, slug, seen.state)
    print(f"{service.url}/organiser   for the organiser")
    if service.first_link is not None:
        print(f"{service.first_link}   one-time link: choose the first owner's password")
    if service.host not in ("127.0.0.1", "localhost", "::1"):
        print(
            "Put a proxy with HTTPS before it: over plain HTTP anyone on the way can change the page, and read the password "
            "(docs/security.md, Behind a proxy)."
        )
    sys.stdout.flush()


def _run(service: Service) -> int:
    """Serve until something ends it; the exit code."""
    try:
        with _terminable():
            service.run()
    except KeyboardInterrupt:
        interrupts.taken_up()
        return INTERRUPTED
    except _TerminatedError:
        # What a service manager asks for, and has got.
        return 0
    finally:
        service.close()
    return 0


def _tell_refused(store: Store, slug: str, state: str) -> None:
    """A survey that an earlier release opened may be one that pages ask nothing by."""
    from deniable.survey.page_rules import PageRuleError, check_page

    try:
        if state == "open":
            check_page(json.loads(store.current(slug)[1]))
    except PageRuleError as error:
        print(f"warning: {slug}: {error} Nobody can answer it. It can still be closed and exported.", file=sys.stderr)


class _TerminatedError(BaseException):
    """SIGTERM came."""


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end what is inside like an error, so that the database is closed behind it. The server finishes its requests
    first, and then raises the signal again."""

    def end(*_: object) -> None:
        raise _TerminatedError

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _how_to_open(db: str, keys: Path | None) -> str:
    shown = "..." if "@" in db else db  # an address may hold a password
    named = f" --keys {keys}" if keys is not None else ""
    return f"Or open a survey in it first: deniable survey open QUESTIONNAIRE --db {shown}{named}"


def backup(
    output: Annotated[Path, typer.Argument(help="Where the backup goes.")],
    db: Database = DEFAULT_DB,
    keys: Keys = None,
    force: Force = False,
) -> None:
    """Write everything of one moment to a file, while the service goes on."""
    from deniable.survey.backup import backup as write
    from deniable.survey.backup import keys_beside
    from deniable.survey.store import Store
    from deniable.survey.store.audit import COMMAND_LINE

    with Store(db, keys, create=False) as store:
        with_keys = write(store, output, force)
        store.record(COMMAND_LINE, "backed_up")
        seen = [one for slug in store.slugs() for one in store.overviews(slug)]
    print(f"Backup written to {output}.")
    if with_keys:
        tell = ["which invitation such an answer came with"] if any(one.invitations for one in seen) else []
        tell += ["whose contact details it came with"] if any(one.linkage == "register" for one in seen) else []
        both = (
            f"Anyone who has both files can tell {' and '.join(tell)}"
            if tell
            else "Anyone who has both files can read such answers one by one"
        )
        print(f"Answers that are not mixed yet need {keys_beside(output)} to be restored. {both}: keep them apart.")


def restore(
    given: Annotated[Path, typer.Argument(metavar="BACKUP", help="A file that `deniable backup` wrote.")],
    db: Database = DEFAULT_DB,
    keys: Keys = None,
) -> None:
    """Fill a new database from a backup. If that fails, no new database is left behind."""
    from deniable.survey.backup import check, new_store
    from deniable.survey.backup import restore as read
    from deniable.survey.store.audit import COMMAND_LINE

    check(given)
    with new_store(db, keys) as store:
        rows = read(store, given)
        store.record(COMMAND_LINE, "restored")
        surveys = [store.overview(slug) for slug in store.slugs()]
    # An address may hold a password.
    print(f"{counted(rows, 'row')} restored to {store.place if '://' in db else db}.")
    for one in surveys:
        print(f"  {one.slug}: version {one.number}, {one.state}, {_answers(one.mixed)} released{_earlier(one)}")
    print("Answers that waited for their batch when the backup was made, if there were any, wait again.")


def _answers(count: int) -> str:
    return counted(count, "answer")


def _earlier(seen: Any) -> str:
    return f", {seen.earlier:,} to earlier versions" if seen.earlier else ""

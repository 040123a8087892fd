"""`deniable verify`: looking at a server from outside."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from deniable import __version__
from deniable.errors import ParameterError

UNCHECKED = 2


def verify(
    url: Annotated[
        str | None, typer.Argument(help="The address of a survey, exactly as people are given it: https://HOST/s/SURVEY.")
    ] = None,
    questionnaire: Annotated[
        Path | None, typer.Option("--questionnaire", "-q", help="Compare also what the page is told with this questionnaire.")
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser", help="Also open the page in a real Chromium, and compare what it ran and asked for.")
    ] = False,
    file: Annotated[
        Path | None, typer.Option("--file", help="Check a page that `deniable survey page` wrote, instead of an address.")
    ] = None,
) -> None:
    """Compare what a server sends to browsers with this release, and look whether private answers are mixed.

    The address is visited the way Chrome, Firefox and Safari visit it, in several languages, orders and kinds of connection, twice by
    each. Status, headers and bytes of every answer are compared; redirects are told, not followed. Without an address: print the
    released hashes. Exit code 1 if anything is different, 2 if something could not be compared.

    What this cannot show: a server that recognises those who verify (by the network address, the time, or the way its connections
    are made) can send everybody else something different. Verify from where respondents are, more than once, and with --browser.
    """
    from deniable.web.released import released

    if file is not None:
        if url is not None or browser:
            raise ParameterError("two_wanted", "Give an address or --file FILE: a file is checked by itself, without a server.")
        _verify_file(file, questionnaire)
        return
    if url is None:
        if questionnaire is not None or browser:
            raise ParameterError(
                "no_address", "Give the address of a survey to compare: deniable verify https://HOST/s/SURVEY."
            )
        print(f"deniable {__version__}")
        for name, known in released().items():
            print(f"{known.sha256}  {name}")
        return
    from deniable.web.verify import verify as compare

    client = _client(questionnaire)
    findings = compare(url, client)
    if browser:
        from deniable.web.driven import drive

        findings += drive(url)
    _tell(findings)
    _judge(findings, "This server does not send")
    _notes(url, client is None, browser)


def _verify_file(file: Path, questionnaire: Path | None) -> None:
    from deniable.web.single_page import check_single_page, read_page

    content = read_page(file)
    findings = check_single_page(content, file.name, _client(questionnaire))
    _tell(findings)
    print(f"SHA-256    {hashlib.sha256(content).hexdigest()}  {file.name}")
    _judge(findings, f"{file.name} is not")
    print(
        "note: compare the SHA-256 with the one in your letter. It is the file you have that was checked, not what a site sends others."
    )


def _client(questionnaire: Path | None) -> dict[str, Any] | None:
    if questionnaire is None:
        return None
    client: dict[str, Any] = import_module("deniable.survey.questionnaire").Questionnaire.load(questionnaire).client()
    return client


def _tell(findings: Sequence[Any]) -> None:
    from deniable.web.fetching import shown

    for finding in findings:
        word = "good" if finding.good else "DIFFERENT" if finding.checked else "UNCHECKED"
        print(f"{word:<10} {shown(finding.what)}\n           {shown(finding.found)}")


def _judge(findings: Sequence[Any], subject: str) -> None:
    """End with a sentence and a code unless everything is good."""
    if any(finding.checked and not finding.good for finding in findings):
        print(f"{subject} what deniable {__version__} released. Do not answer truthfully there.", file=sys.stderr)
        raise typer.Exit(1)
    missed = sum(not finding.checked for finding in findings)
    if missed:
        print(
            f"{missed} of {len(findings)} could not be checked. That is not the same as good: do not rely on it.",
            file=sys.stderr,
        )
        raise typer.Exit(UNCHECKED)
    print(f"All {len(findings)} are as they should be for deniable {__version__}.")


def _notes(url: str, without_questions: bool, driven: bool) -> None:
    from deniable.web.visits import Address

    if Address.of(url).slug is None:
        print("note: no survey's page was looked at. Give its address: HOST/s/SURVEY.")
    elif without_questions:
        print("note: the questions themselves were not compared. With the organiser's questionnaire they are: -q FILE.")
    more = "" if driven else ", and with --browser"
    print(
        f"note: a server can recognise those who verify and send everyone else something different. Verify from several places{more}."
    )

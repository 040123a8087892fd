"""`deniable survey page`: the respondent's page as one file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated

import typer

from deniable.cli import survey_accounts, survey_people, survey_report, survey_trials  # noqa: F401 - their commands stand before this one
from deniable.cli.serve import DEFAULT_DB, Database, Keys
from deniable.cli.shared_options import Force
from deniable.cli.survey import Slug, app, opened
from deniable.files.atomic import replacing


@app.command("page")
def page(
    slug: Slug,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the page goes (.html).")],
    address: Annotated[str, typer.Option(help="The server that takes the answers: https://HOST.")],
    db: Database = DEFAULT_DB,
    keys: Keys = None,
    force: Force = False,
) -> None:
    """Write the respondent's page as one file, which can come from elsewhere: another site, or an e-mail.

    Only for surveys with `offline: true`. The file carries the questions and how they are mixed, and sends answers to the server; a
    server that has been changed since cannot change it. When the survey gets a new version, the file says so and sends nothing.
    """
    from deniable.web.single_page import server_address, single_page

    server = server_address(address)
    with opened(db, keys) as store:
        _, client = store.current(slug, public=True)
    survey = json.loads(client)
    content = single_page(survey, server)
    with replacing(output, force) as temporary:
        temporary.write_bytes(content)
    print(f"The page of {slug}, version {survey['version']}, is in {output}. It sends answers to {server}.")
    print(f"SHA-256 {hashlib.sha256(content).hexdigest()}")
    print(f"Print that number in the letter. Anyone with this release can check the file: deniable verify --file {output}")
    if survey["invited"]:
        print(f"Everybody's link: ADDRESS/{output.name}#TOKEN. What follows # is not sent to where the file is.")

"""The tables by name. How they came about is in migrations.py; a test compares the two."""

from __future__ import annotations

import sqlalchemy as sa

METADATA = sa.MetaData()

# Tables whose rows come one by one are kept in the order of a hash (no row numbers in SQLite): no order of arrival remains.
survey = sa.Table(
    "survey",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("slug", sa.Text),
    sa.Column("state", sa.Text),  # open or closed
    sa.Column("version_id", sa.Integer),  # the version that is answered now
)
version = sa.Table(
    "survey_version",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("survey_id", sa.Integer),
    sa.Column("number", sa.Integer),
    sa.Column("fingerprint", sa.Text),
    sa.Column("schema", sa.Text),
    sa.Column("questionnaire", sa.Text),
    sa.Column("client", sa.Text),
    sa.Column("linkage", sa.Text),
    sa.Column("invited", sa.Integer),
    sa.Column("closes", sa.Text),  # the last day, or null
    sa.Column("contacts_until", sa.Text),  # the day on which contact details are erased, or null
    sa.Column("closings", sa.Integer),  # how often it was closed when there were answers
    sa.Column("key_name", sa.Text),  # the key under which answers are sealed now
)
inbox = sa.Table(
    "inbox",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("version_id", sa.Integer),
    sa.Column("key_name", sa.Text),
    sa.Column("sealed", sa.Text),
)
receipt = sa.Table(
    "receipt",
    METADATA,
    sa.Column("id_hash", sa.Text, primary_key=True),
    sa.Column("body_mac", sa.Text),
    sa.Column("survey_id", sa.Integer),
)
invitation = sa.Table(
    "invitation",
    METADATA,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("survey_id", sa.Integer),
    sa.Column("used", sa.Integer),  # UNUSED, USED, SHOWN or REVOKED
    sa.Column("valid_from", sa.Text),
    sa.Column("valid_until", sa.Text),
)
contact = sa.Table(
    "contact",
    METADATA,
    sa.Column("code", sa.Text, primary_key=True),
    sa.Column("survey_id", sa.Integer, primary_key=True),
    sa.Column("details", sa.Text),
    sa.Column("until", sa.Text),
)
key_folder = sa.Table(
    "key_folder", METADATA, sa.Column("mark", sa.Text), sa.Column("place", sa.Text)
)  # one row; not in backups
account = sa.Table(
    "account",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text),
    sa.Column("folded", sa.Text),  # the same for names that are taken for the same
    sa.Column("role", sa.Text),  # owner or analyst
    sa.Column("password", sa.Text),  # a hash, or null until one is chosen
    sa.Column("mark", sa.Text),  # random, new after every change: a session with another one is over
    sa.Column("link", sa.Text),  # the hash of a one-time link, or null
    sa.Column("link_until", sa.Text),  # its last day
)
audit = sa.Table(
    "audit",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("day", sa.Text),  # never a time of day: see audit.py
    sa.Column("kind", sa.Text),  # of the actor: account, command line, unknown
    sa.Column("name", sa.Text),
    sa.Column("action", sa.Text),
    sa.Column("about", sa.Text),
    sa.Column("repeats", sa.Integer),
)
report_draft = sa.Table(
    "report_draft",
    METADATA,
    sa.Column("survey_id", sa.Integer, primary_key=True),
    sa.Column("content", sa.Text),  # JSON: see results/draft.py
)
released_page = sa.Table(
    "released_page",
    METADATA,
    sa.Column("survey_id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),  # a language, or the name of the style sheet
    sa.Column("day", sa.Text),
    sa.Column("content", sa.Text),  # as it is sent to everyone
)
once_released = sa.Table(
    "once_released",
    METADATA,
    sa.Column("version_id", sa.Integer, primary_key=True),
    sa.Column("total", sa.Integer, primary_key=True),  # of how many answers figures were released
    sa.Column("division", sa.Text, primary_key=True),  # into which classes people were divided: see results/releasing.py
)
draft = sa.Table(
    "draft",
    METADATA,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("content", sa.Text),  # a questionnaire as JSON, with or without mistakes
    sa.Column("revision", sa.Integer),  # how often it was saved
    sa.Column("changed_by", sa.Text),  # who saved it last; never when: a day would date rows that were written beside it
)
deleted = sa.Table(
    "deleted",
    METADATA,
    sa.Column("slug", sa.Text, primary_key=True),
    # The highest numbers that it had, none of which is given out again: somebody may still hold a page of it.
    sa.Column("number", sa.Integer),
    sa.Column("survey_id", sa.Integer),
    sa.Column("version_id", sa.Integer),
)

UNUSED, USED, SHOWN, REVOKED = 0, 1, 2, 3
"""An invitation is used at once; that it was is shown only with the batch its answer is in, for one by one it would tell who came when. One
that is taken back stays known, so that nobody can try another's and then put it back as it was."""

# Those that others refer to come first.
STATIC = (
    survey,
    version,
    inbox,
    receipt,
    invitation,
    contact,
    account,
    audit,
    draft,
    deleted,
    report_draft,
    released_page,
    once_released,
)


def answers(version_id: int, columns: int, linkage: str) -> sa.Table:
    """The wide table of one version: one small integer per question, and the receipt code where the survey keeps one."""
    codes = [sa.Column(f"c{i}", sa.Integer) for i in range(columns)]
    code = [] if linkage == "none" else [sa.Column("code", sa.Text)]
    return sa.Table(f"answers_{version_id}", sa.MetaData(), *codes, *code)

"""Where answers are kept: SQLite by default, PostgreSQL by URL. SQLAlchemy lives in this folder.

engine.py       connections that sync before they say "committed"; the database's errors as ours
tables.py       the tables by name
migrations.py   how a database of any earlier version becomes one of today's
database.py     an open database and the folder of its keys
folder.py       whether that is the right folder, and which keys the database names
bulk.py         many rows in one statement
opening.py      freezing a questionnaire into a version
closing.py      no more answers; what waits is mixed in
deleting.py     a closed survey goes, with all that belongs to it
drafts.py       questionnaires that are being written
retention.py    how long contact details are kept
surveys.py      reading versions and their answers
submissions.py  a group of submissions in one transaction
mixing.py       from the inbox to the answers, in random order
labels.py       views that show labels
people.py       invitations, contact details
accounts.py     those who run surveys: names, roles, passwords
audit.py        what they did, by day
checking.py     whether all is whole
dump.py         backup and restore
store.py        `Store`: all of it behind one name
"""

from deniable.engines.extras import not_installed

try:
    from deniable.survey.store.store import Store
except ModuleNotFoundError as error:
    if (error.name or "deniable").startswith("deniable"):
        raise
    raise not_installed(error.name or "sqlalchemy", "serve") from None

__all__ = ["Store"]

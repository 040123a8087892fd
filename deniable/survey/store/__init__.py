"""Where answers are kept: SQLite by default, PostgreSQL by URL. SQLAlchemy lives in this folder.

engine.py       connections that sync before they say "committed"; complaints in our own words
tables.py       the tables by name
migrations.py   how a database of any earlier version becomes one of today's
bulk.py         many rows in one statement
surveys.py      freezing a questionnaire into a version, opening, closing, reading
submissions.py  a group of submissions in one transaction
mixing.py       from the inbox to the answers, in random order
folder.py       which folder holds the keys
people.py       invitations, contact details, the organiser
dump.py         backup and restore
database.py     `Store`: all of it behind one name
"""

from deniable.engines.extras import not_installed

try:
    from deniable.survey.store.database import Store
except ModuleNotFoundError as error:
    if (error.name or "deniable").startswith("deniable"):
        raise
    raise not_installed(error.name or "sqlalchemy", "serve") from None

__all__ = ["Store"]

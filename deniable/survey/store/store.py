"""`Store`: everything that is kept, behind one name."""

from __future__ import annotations

from deniable.survey.store import checking, closing, counting, mixing, opening, people, submissions, surveys
from deniable.survey.store import dump as backups
from deniable.survey.store.database import Database


class Store(Database):
    """Surveys, answers and invitations in a database. What each of these does is said where it is written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/town.db") as store:
    ...     store.slugs()
    []
    """

    check = checking.check
    sweep = checking.sweep
    logged_statements = checking.logged_statements

    open_survey = opening.open_survey
    reopen_survey = opening.reopen_survey
    close_survey = closing.close_survey
    close_due = closing.close_due

    slugs = surveys.slugs
    overview = surveys.overview
    overviews = surveys.overviews
    current = surveys.current
    asked_before = surveys.asked_before
    version = surveys.frozen_version
    mixed_rows = surveys.mixed_rows
    waiting = surveys.waiting
    count_released = counting.count_released
    count_reports = counting.count_reports
    closings_of = counting.closings_of

    submit = submissions.submit
    mix = mixing.mix

    add_invitations = people.add_invitations
    invitation_states = people.invitation_states
    revoke_invitations = people.revoke_invitations
    contacts = people.contacts
    erase = people.erase
    expire_contacts = people.expire_contacts
    password = people.password
    set_password = people.set_password

    dump = backups.dump
    load = backups.load

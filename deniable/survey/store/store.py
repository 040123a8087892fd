"""`Store`: everything that is kept, behind one name."""

from __future__ import annotations

from deniable.survey.store import accounts as staff
from deniable.survey.store import (
    audit,
    checking,
    closing,
    counting,
    deleting,
    mixing,
    opening,
    people,
    published,
    submissions,
    surveys,
)
from deniable.survey.store import drafts as written
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
    delete_survey = deleting.delete_survey

    drafts = written.drafts
    draft = written.find_draft
    add_draft = written.add_draft
    change_draft = written.change_draft
    remove_draft = written.remove_draft

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

    report_draft = published.report_draft
    keep_report_draft = published.keep_report_draft
    release_results = published.release_results
    take_back_results = published.take_back_results
    released_on = published.released_on
    released_part = published.released_part
    released_surveys = published.released_surveys
    once_released = published.once_released

    accounts = staff.accounts
    account_by_mark = staff.account_by_mark
    account_by_name = staff.account_by_name
    account_by_link = staff.account_by_link
    first_owner = staff.first_owner
    add_account = staff.add_account
    set_role = staff.set_role
    remove_account = staff.remove_account
    new_link = staff.new_link
    choose_password = staff.choose_password
    choose_first_password = staff.choose_first_password
    change_password = staff.change_password

    record = audit.record
    audit_lines = audit.audit_lines

    dump = backups.dump
    load = backups.load

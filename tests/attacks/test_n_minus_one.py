"""A curious organiser, or anyone who works with one, finds the answer of one person by knowing all the others of their batch.

Somebody known answers: the number of answers moves by one. The attacker sends 49 answers of their own, the batch is full and comes out,
and what is not the attacker's is the victim's: 5 of 5 when this was tried. Now no number moves before a batch is out, and it ends at a
random time after it is full, so that others join it. The victim's row is one of theirs, and a randomised one as ever.
"""

import csv
import dataclasses
import datetime
import io
import sqlite3
import statistics
import time
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.survey import writer as writing
from deniable.survey.invitations import invite, new_token, with_states
from deniable.survey.store import Store, mixing, submissions, surveys
from deniable.survey.store.mixing import BATCH
from deniable.survey.store.tables import SHOWN
from deniable.survey.submission import token_hash
from deniable.survey.writer import Writer

ROUNDS = 5
PEOPLE = 400
SCHEMA = dn.Schema({"number": dn.Retention(dn.Integer(1, PEOPLE), 0.5)})
TEN_MINUTES = 600.0


class Clock:
    """Time that passes as it does, and by leaps."""

    def __init__(self):
        self.ahead = 0.0
        self.sleep = time.sleep

    def monotonic(self):
        return time.monotonic() + self.ahead


@pytest.fixture
def clock(monkeypatch):
    """The clock of the thread that writes."""
    made = Clock()
    monkeypatch.setattr(writing, "time", made)
    return made


@pytest.fixture
def unprotected(monkeypatch):
    """As it was: every number moves with every arrival, and a batch ends with its fiftieth answer."""
    real = surveys.overviews

    def live(store, slug):
        counts = store.waiting()
        return [dataclasses.replace(one, mixed=sum(counts[store.version(slug, one.number).id])) for one in real(store, slug)]

    for owner in (surveys, Store):  # an overview is the last of them
        monkeypatch.setattr(owner, "overviews", live)
    monkeypatch.setattr(submissions, "USED", SHOWN)
    monkeypatch.setattr(writing, "WAIT_SECONDS", (0.0, 0.0))


class Organiser:
    """Logged in over HTTP, and beside the database."""

    def __init__(self, town, tmp_path):
        self.town, self.folder = town, tmp_path
        path = town.service.first_link[len(town.url) :]
        town.client.post(path, data=dict.fromkeys(("password", "again"), "correct horse battery"), headers={"Origin": town.url})

    def looks(self):
        return self.town.client.get("/organiser").text

    def viewed(self, slug):
        """What the view of the database shows."""
        with sqlite3.connect(self.folder / "town.db") as connection:
            found = {row[0] for row in connection.execute(f'SELECT number FROM "{slug.replace("-", "_")}_v1"')}
        connection.close()
        return found

    def exported(self, slug):
        """The same from the page."""
        content = self.town.client.get(f"/organiser/surveys/{slug}/export.parquet").content
        found = set(pd.read_parquet(io.BytesIO(content))["number"])
        assert found == self.viewed(slug)
        return found


def attack(organiser, standin, clock, slug, others):
    """Whether the organiser saw the victim come, and the answers among which the victim's is. Another person comes every ten minutes."""
    town, numbers = organiser.town, iter(range(PEOPLE))

    def answers(times=1):
        bodies = [standin.body({"number": next(numbers)}) for _ in range(times)]
        # A retry is acknowledged when all that was to be done after the first sending is begun, and a mixing is waited for.
        assert {town.post(body, slug=slug).status_code for body in [*bodies, bodies[-1]]} == {201}
        mixer = town.service.app.state.collector.writer._mixer
        if mixer is not None:
            mixer.join(10.0)
        return {body["report"]["number"] + 1 for body in bodies}

    quiet = organiser.looks()
    victim = answers()
    came = organiser.looks() != quiet
    own = answers(BATCH - 1)
    for _ in range(others):
        if organiser.viewed(slug):
            break
        clock.ahead += TEN_MINUTES
        answers()
    found = organiser.exported(slug) - own
    assert victim <= found
    return came, found


def attacks(serve, standin, clock, tmp_path):
    town = serve(*(standin.Standin(slug=f"town-{i}", schema=SCHEMA) for i in range(ROUNDS)), burst=0)
    organiser = Organiser(town, tmp_path)
    return [attack(organiser, standin, clock, f"town-{i}", others=9) for i in range(ROUNDS)]


def test_whoever_sends_all_other_answers_of_a_batch_does_not_find_the_one(serve, standin, clock, tmp_path):
    """Three people or more come in the half hour at least that a full batch stays open, nine in the longest."""
    found = attacks(serve, standin, clock, tmp_path)
    assert [came for came, _ in found] == [False] * ROUNDS
    assert all(1 + 3 <= len(among) <= 1 + 9 for _, among in found)


def test_without_the_protection_they_find_it_every_time(serve, standin, clock, tmp_path, unprotected):
    found = attacks(serve, standin, clock, tmp_path)
    assert [came for came, _ in found] == [True] * ROUNDS
    assert [len(among) for _, among in found] == [1] * ROUNDS


def test_a_closing_ends_a_batch_at_once_and_nobody_else_joins_it(serve, standin, clock, tmp_path):
    """What cannot be promised (docs/security.md): who sends the other answers and closes the survey finds one row, a randomised one."""
    town = serve(standin.Standin(schema=SCHEMA), burst=0)
    for i in range(BATCH):
        town.post(standin.body({"number": i}))
    organiser = Organiser(town, tmp_path)
    town.client.post("/organiser/surveys/town/close", data={"sure": "yes"}, headers={"Origin": town.url})
    assert organiser.exported("town") - set(range(2, BATCH + 1)) == {1}


@pytest.fixture
def consultation(run, standin, tmp_path):
    """A survey by invitation, one of its people a line, and the command line."""
    with Store("town.db") as store:
        store.open_survey(standin.Standin(invited=True))
        store.open_survey(standin.Standin(slug="club", linkage="register"), datetime.date(2099, 1, 1))
    Path("people.csv").write_text("email\n" + "".join(f"p{i}@town.example\n" for i in range(BATCH + 1)))
    run("survey", "invite", "town", "people.csv", "-o", "invited.csv", "--db", "town.db")
    with Path("invited.csv").open(encoding="utf-8-sig", newline="") as file:
        return [row["token"] for row in csv.DictReader(file)]


def everything(run):
    """All that tells an organiser of answers and changes nothing."""

    def told(*command, file=None):
        said = run("survey", *command, "--db", "town.db")
        return said, Path(file).read_text() if file and Path(file).exists() else None

    return {
        "list": told("list"),
        "status": told("invite", "town", "invited.csv", "-o", "state.csv", "--status", "--force", file="state.csv"),
        "export": told("export", "town", "-o", "out.csv", "--force", file="out.csv"),
        "register": told("contacts", "club", "-o", "register.csv", "--force", file="register.csv"),
    }


def arrive(standin, send, tokens):
    with Store("town.db") as store:
        assert set(send(store, *(standin.body(token=token) for token in tokens))) == {None}
        bodies = [standin.body(code=standin.code(), contact={"name": "Ada"}) for _ in tokens]
        assert set(send(store, *bodies, slug="club")) == {None}


def test_nothing_that_the_command_line_tells_moves_before_a_batch_is_out(run, standin, send, consultation):
    before = everything(run)
    for some in (consultation[:1], consultation[1 : BATCH - 1]):
        arrive(standin, send, some)
        assert everything(run) == before
    arrive(standin, send, consultation[BATCH - 1 : BATCH])
    with Store("town.db") as store:
        assert [store.mix(store.version(slug).id) for slug in ("town", "club")] == [BATCH, BATCH]
    after = everything(run)
    assert [name for name in before if before[name] == after[name]] == []
    assert f"{BATCH} of {BATCH + 1}" in after["list"][0][1]
    # The next person is not seen either.
    arrive(standin, send, consultation[BATCH:])
    assert everything(run) == after


def test_without_the_protection_it_tells_of_one_arrival(run, standin, send, consultation, unprotected):
    before = everything(run)
    arrive(standin, send, consultation[:1])
    after = everything(run)
    assert [name for name in before if before[name] != after[name]] == ["list", "status"]


def test_neither_does_what_changes_something(run, standin, send, consultation):
    """Replacing a version says that answers wait, not how many; taking a token back says nothing of its use; closing, once the rest was
    shown, nothing of the few that came since."""

    def tried(token):
        Path("one.csv").write_text(f"token\n{token}\n")
        return [
            run("survey", "revoke", "town", "one.csv", "--db", "town.db"),
            run("survey", "close", "town", "--db", "town.db"),
            run("survey", "list", "--db", "town.db")[1].replace(
                f"of {BATCH}", f"of {BATCH - 1}"
            ),  # the invitations that are left
        ]

    with Store("town.db") as store:
        for waiting in range(1, 4):
            assert send(store, standin.body(token=consultation[-waiting])) == [None]
            with pytest.raises(dn.DeniableError) as refused:
                store.open_survey(standin.Standin(invited=True, title="two"))
            assert str(refused.value).startswith("Answers to version 1 of town wait sealed. They are fewer than 50")
        store.close_survey("town")
        store.reopen_survey("town")
    quiet = tried(consultation[0])
    with Store("town.db") as store:
        store.reopen_survey("town")
        assert send(store, standin.body(token=consultation[1])) == [None]
    assert tried(consultation[1]) == quiet


def test_trying_somebodys_token_uses_it_up(store, standin, send):
    """Anyone who made the invitations knows them. A token that is over, or comes with a taken code, would tell its use for free."""
    yesterday = (datetime.date.today() - datetime.timedelta(days=1)).isoformat()
    store.open_survey(standin.Standin(linkage="register", invited=True), datetime.date(2099, 1, 1))
    used, unused, mine = (new_token() for _ in range(3))
    store.add_invitations("town", [(token_hash("town", token), None, None) for token in (used, unused, mine)])
    taken = standin.code()

    def tried(token, code):
        outcome = send(store, standin.body(token=token, code=code, contact={"name": "x"}))[0]
        return outcome and outcome.code

    assert [tried(mine, taken), tried(used, standin.code())] == [None, None]
    assert [tried(used, taken), tried(unused, taken)] == ["code_used", "code_used"]
    with store.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE invitation SET valid_until = '{yesterday}'")
    assert [tried(used, standin.code()), tried(unused, standin.code())] == ["token_not_now", "token_not_now"]


def test_invitations_turn_with_the_batch_that_their_answers_are_in(store, standin, send, monkeypatch):
    """Also of those who answer while others are mixed in."""
    store.open_survey(standin.Standin(invited=True))
    people = invite(store, "town", [{"email": str(i)} for i in range(2 * BATCH)])
    late = people[BATCH : BATCH + 3]

    def states():
        return [row["completed"] for row in with_states(store, "town", people)].count("Y"), store.overview("town").used

    send(store, *(standin.body(token=row["token"]) for row in people[:BATCH]))
    unsealed = mixing.Mixing._unsealed

    def meanwhile(self, *given):
        assert set(send(store, *(standin.body(token=row["token"]) for row in late))) == {None}
        return unsealed(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(mixing.Mixing, "_unsealed", meanwhile)
        assert store.mix(1) == BATCH
    assert states() == (BATCH, BATCH)
    assert store.mix(1) == 0
    store.close_survey("town")  # shows all that wait, once
    assert states() == (BATCH + 3, BATCH + 3)
    store.reopen_survey("town")
    send(store, standin.body(token=people[BATCH + 3]["token"]))
    store.close_survey("town")
    assert states() == (BATCH + 3, BATCH + 3)
    store.reopen_survey("town")
    send(store, *(standin.body(token=row["token"]) for row in people[BATCH + 4 :]))
    store.close_survey("town")
    assert states() == (BATCH + 3, BATCH + 3)


def test_invitations_that_an_earlier_release_marked_turn_at_a_closing_if_nothing_waits(store, standin, send):
    store.open_survey(standin.Standin(invited=True))
    people = invite(store, "town", [{"email": str(i)} for i in range(BATCH)])
    send(store, *(standin.body(token=row["token"]) for row in people))
    store.close_survey("town")
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE invitation SET used = 1")
    assert store.overview("town").used == 0
    store.close_survey("town")
    assert store.overview("town").used == BATCH
    # Fewer than a batch are not shown: their answers may have been thrown away to see who came.
    with store.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE invitation SET used = 1 WHERE hash = '{token_hash('town', people[0]['token'])}'")
    store.close_survey("town")
    assert store.overview("town").used == BATCH - 1


class Inbox:
    """What a writer knows of a store: who waits, and how many are out."""

    def __init__(self):
        self.people, self.out, self.batch = [], 0, None

    def waiting(self):
        return {1: (len(self.people), self.out)}

    def mix(self, version):
        self.batch, self.people = self.people, []
        self.out += len(self.batch)
        return len(self.batch)

    def nothing(self):
        pass

    close_due = expire_contacts = sweep = nothing


class Watch:
    """Time in a simulation."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(writing, "time", types.SimpleNamespace(monotonic=lambda: self.now))


def company(watch, rng, an_hour):
    """How many honest people a batch has that began with the victim and 49 answers of the attacker: the victim, and who joined."""
    inbox = Inbox()
    writer = Writer(inbox)
    inbox.people = ["victim"] + ["attacker"] * (BATCH - 1)
    writer._waiting = {1: [BATCH, 0]}
    begin = watch.now
    come = begin + np.cumsum(rng.exponential(3_600 / an_hour, int(2 * an_hour + 20 * an_hour**0.5 + 20)))
    for watch.now in sorted([*come[come < begin + 2 * 3_600], *np.arange(begin, begin + 2 * 3_600, 180.0)]):
        if watch.now in come:
            inbox.people.append("honest")
            writer._waiting[1][0] += 1
        writer._keep_house()
        if writer._mixer is not None:
            writer._mixer.join()
        if inbox.batch is not None:
            return len(inbox.batch) - (BATCH - 1)
    raise AssertionError("the batch did not end")


# Of docs/security.md, by arrivals an hour: how often the victim is alone, and how often a guess among those who are left is right.
FIGURES = {1: (0.38, 0.64), 2: (0.16, 0.45), 6: (0.01, 0.18), 20: (0.0, 0.05), 60: (0.0, 0.02)}


@pytest.mark.parametrize("an_hour", list(FIGURES))
def test_the_figures_of_the_documentation(an_hour, monkeypatch):
    rng, watch = np.random.default_rng(an_hour), Watch(monkeypatch)
    found = [company(watch, rng, an_hour) for _ in range(400)]
    alone, right = FIGURES[an_hour]
    # Four standard errors.
    assert statistics.mean(one == 1 for one in found) == pytest.approx(alone, abs=4 * (max(alone, 0.005) / 400) ** 0.5)
    assert statistics.mean(1 / one for one in found) == pytest.approx(right, abs=4 * (right / 400) ** 0.5)
    text = (Path(__file__).parents[2] / "docs" / "security.md").read_text(encoding="utf-8")
    assert f"| {an_hour} | {alone:.0%} | {right:.0%} |" in text


def test_without_the_wait_the_victim_is_alone(monkeypatch):
    monkeypatch.setattr(writing, "WAIT_SECONDS", (0.0, 0.0))
    rng, watch = np.random.default_rng(1), Watch(monkeypatch)
    assert {company(watch, rng, 60) for _ in range(20)} == {1}


def test_neither_a_restart_nor_another_mixing_ends_a_batch_sooner(monkeypatch):
    watch, inbox = Watch(monkeypatch), Inbox()
    least, most = writing.WAIT_SECONDS

    def started():
        writer = Writer(inbox)
        writer._waiting = {version: list(counts) for version, counts in inbox.waiting().items()}
        writer._keep_house()
        return writer

    inbox.people = ["victim"] * BATCH
    for _ in range(5):
        writer = started()
        watch.now += least - 1
        writer._keep_house()
        assert inbox.batch is None
    # Not rounded: of 50 times out of an hour two are the same to a millisecond once in 3,000 runs.
    ends = {started()._ends[1][0] - watch.now for _ in range(50)}
    assert len(ends) == 50
    assert min(ends) >= least
    assert max(ends) <= most
    # A closing, or another server, mixes them in; the next batch is full at once and waits anew.
    writer = started()
    inbox.mix(1)
    inbox.people, inbox.batch = ["victim"] * BATCH, None
    watch.now = writer._ends[1][0]
    writer._keep_house()
    assert inbox.batch is None
    watch.now += least - 1
    writer._keep_house()
    assert inbox.batch is None
    watch.now += most - least + 1
    writer._keep_house()
    assert len(inbox.batch) == BATCH

"""SIGKILL in the midst of a small closing: it shows all or nothing, and there is no second one to be had."""

import os
import signal

import pytest

from deniable.survey.sealing import KeyFolder
from deniable.survey.store import Store, closing, mixing
from deniable.survey.store.mixing import Mixing

pytestmark = pytest.mark.servers

POINTS = {
    "before the keys are changed": (Mixing, "change_key", False),
    "before the mixing": (Mixing, "mix_older", False),
    "after the rewriting, before the note": (closing, "_note_closing", False),
    "after the note, before the commit": (closing, "_show_left", False),
    "after the commit, before the keys are destroyed": (KeyFolder, "destroy", True),
    "before the log is emptied": (mixing, "forget", True),
    "before the file is rewritten": (closing, "vacuum", True),
}


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def close_and_die(database, keys, owner, name):
    """Closes the survey in a process of its own, which is killed when it comes to that point."""
    child = os.fork()
    if child == 0:
        try:
            setattr(owner, name, die)
            Store(database, keys).close_survey("town")
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL


@pytest.mark.parametrize("point", list(POINTS))
def test_a_small_closing_that_is_killed_shows_all_or_nothing_and_once(
    database, tmp_path, open_store, standin, send, stored, point
):
    owner, name, committed = POINTS[point]
    codes = [standin.code() for _ in range(5)]
    with Store(database, tmp_path / "keys") as store:
        store.open_survey(standin.Standin(linkage="code"))
        send(store, *(standin.body(code=code) for code in codes[:3]))
    close_and_die(database, tmp_path / "keys", owner, name)
    again = open_store()
    again.check()
    assert again.waiting() == {1: (0, 3) if committed else (3, 0)}
    assert sorted(row[-1] for row in stored(again)) == codes[:3]
    # The next closing is the small one only if that which was killed has shown nothing.
    for count, code in enumerate(codes[3:], 4):
        again.reopen_survey("town")
        assert send(again, standin.body(code=code)) == [None]
        again.close_survey("town")
        assert again.overview("town").mixed == (3 if committed else 4)
        assert sorted(row[-1] for row in stored(again)) == codes[:count]

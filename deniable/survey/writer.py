"""The one thread that writes: submissions queue up and are committed together, with one sync, before any is acknowledged."""

from __future__ import annotations

import logging
import queue
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from deniable.errors import StoreError
from deniable.survey.store import Store
from deniable.survey.store.mixing import BATCH
from deniable.survey.store.submissions import Outcome
from deniable.survey.submission import Submission

LOG = logging.getLogger("deniable")
MOST_AT_ONCE = 1_000
MOST_WAITING = 20_000
GROWTH = 4
"""All answers are written again when a quarter of their number waits: each is written some four or five times in all."""
MIX_SECONDS = 3_600.0
WAIT_SECONDS = 1_800.0, 5_400.0
"""A full batch ends after a random time between these, with whatever has arrived by then. If it ended with its fiftieth answer, anyone who
sends 49 of their own could choose whom they share it with. An ordinary small survey (500 answers in a week of days of 12 hours) has six
arrivals an hour: three to nine people join meanwhile. The least keeps a restart, which draws anew, from gaining anything; the most keeps
nobody's results back for long; a closing does not wait."""
HOUSEKEEPING_SECONDS = 60.0
PAUSE_SECONDS = 0.2
LAST_SECONDS = 3.0
BUSY_GROUP, GATHER_SECONDS = 8, 0.008
"""Where groups are of eight or more, some milliseconds make them larger: a group costs about as much as ten of its answers."""
_STOP = None


def _set_futures(replies: Sequence[tuple[Future[Outcome], Outcome]]) -> None:
    for future, outcome in replies:
        future.set_result(outcome)


class Writer:
    """Groups submissions, mixes them in when enough wait, closes surveys on their last day.

    `deliver` gets the outcomes of a whole group at once, with the tickets under which its submissions were put.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/town.db") as store, Writer(store) as writer:
    ...     writer.trouble is None
    True
    """

    def __init__(self, store: Store, deliver: Callable[[Sequence[tuple[Any, Outcome]]], None] = _set_futures) -> None:
        self._store, self._deliver = store, deliver
        self._queue: queue.SimpleQueue[tuple[Submission, Any] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="deniable-writer", daemon=True)
        self._waiting: dict[int, list[int]] = {}
        self._mixed_at: dict[int, float] = {}
        self._ends: dict[int, tuple[float, int]] = {}
        self._look_at = self._rest_until = 0.0
        self.trouble: str | None = None
        self.groups = 0
        self._busy = False
        self._mixer: _Mixer | None = None

    def __enter__(self) -> Writer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin to write."""
        self._waiting = {version: list(counts) for version, counts in self._store.waiting().items()}
        self._thread.start()

    def stop(self) -> None:
        """Write what is queued, then end. A mixing beside it has some seconds; one that is cut off has changed nothing."""
        self._queue.put(_STOP)
        self._thread.join()
        if self._mixer is not None:
            self._mixer.join(LAST_SECONDS)

    def put(self, submission: Submission, ticket: Any) -> None:
        """Queue a submission; its outcome is delivered with the ticket."""
        if self._queue.qsize() >= MOST_WAITING:
            raise StoreError("busy", "Too many answers arrive at once; nothing was stored. Try again in a moment.")
        self._queue.put((submission, ticket))

    def submit(self, submission: Submission) -> Outcome:
        """Queue a submission and wait for its outcome (with the default `deliver`)."""
        future: Future[Outcome] = Future()
        self.put(submission, future)
        return future.result()

    def _run(self) -> None:
        stopping = False
        while not stopping:
            group, stopping = self._next_group()
            if group:
                self._write(group)
            self._keep_house()
        rest, _ = self._next_group(wait=False)
        if rest:
            self._write(rest)

    def _next_group(self, wait: bool = True) -> tuple[list[tuple[Submission, Any]], bool]:
        group: list[tuple[Submission, Any]] = []
        try:
            entry = self._queue.get(timeout=1.0) if wait else self._queue.get_nowait()
            if wait and self._busy:
                time.sleep(GATHER_SECONDS)
            while True:
                if entry is _STOP:
                    return group, True
                group.append(entry)
                if len(group) >= MOST_AT_ONCE:
                    break
                entry = self._queue.get_nowait()
        except queue.Empty:
            pass
        return group, False

    def _write(self, group: list[tuple[Submission, Any]]) -> None:
        outcomes: Sequence[Outcome]
        try:
            outcomes = self._store.submit([submission for submission, _ in group])
            if self.trouble is not None:
                LOG.warning("answers can be stored again")
            self.trouble = None
        except Exception as error:
            # Whatever went wrong, nothing was stored, nobody is told otherwise, and the next group is tried.
            if self.trouble is None:
                LOG.error("answers cannot be stored: %s", error)
            self.trouble = str(error)
            failed = StoreError("not_stored", "The answer could not be stored just now. Nothing is lost: send it again.")
            outcomes = [failed] * len(group)
        if self.trouble is not None:
            # A database that is down is not asked a thousand times a second.
            time.sleep(PAUSE_SECONDS)
        self.groups += 1
        self._busy = len(group) >= BUSY_GROUP
        self._deliver([(ticket, outcome) for (_, ticket), outcome in zip(group, outcomes, strict=True)])
        for (submission, _), outcome in zip(group, outcomes, strict=True):
            if outcome is None:
                self._waiting.setdefault(submission.version, [0, 0])[0] += 1

    def _keep_house(self) -> None:
        now = time.monotonic()
        if now < self._rest_until:
            return
        try:
            self._note_mixed()
            for version in list(self._waiting):
                if self._mixer is None and self._batch_ends(version, now):
                    self._mixed_at[version] = now
                    self._mixer = _Mixer(partial(self._store.mix, version), version)
                    self._mixer.start()
            if self._mixer is None and now >= self._look_at:
                self._look_at = now + HOUSEKEEPING_SECONDS
                # A closing mixes too.
                self._mixer = _Mixer(self._look_after)
                self._mixer.start()
        except Exception as error:
            # Answers are taken meanwhile: they wait, sealed.
            LOG.error("mixing failed and is tried again in a minute: %s", error)
            self._rest_until = now + HOUSEKEEPING_SECONDS

    def _look_after(self) -> int:
        self._store.close_due()
        self._store.expire_contacts()
        self._store.sweep()
        return 0

    def _is_full(self, version: int, now: float) -> bool:
        waiting, mixed = self._waiting[version]
        long_ago = now - self._mixed_at.setdefault(version, now) >= MIX_SECONDS
        return waiting >= BATCH and (waiting * GROWTH >= mixed or long_ago)

    def _batch_ends(self, version: int, now: float) -> bool:
        """Whether a full batch ends now. When it is full first its end is drawn, and drawn anew if others have mixed it in since."""
        if not self._is_full(version, now) or now < self._ends.get(version, (0.0, 0))[0]:
            return False
        # Closings, erasures and other servers change what this one has counted.
        self._waiting |= {one: list(counts) for one, counts in self._store.waiting().items()}
        end, before = self._ends.pop(version, (0.0, -1))
        mixed = self._waiting[version][1]
        if not self._is_full(version, now):
            return False
        self._ends[version] = (end if before == mixed else now + _drawn_wait(), mixed)
        return now >= self._ends[version][0]

    def _note_mixed(self) -> None:
        if self._mixer is None or self._mixer.is_alive():
            return
        done, self._mixer = self._mixer, None
        if done.error is not None:
            raise done.error
        if done.version is None:
            return
        self._ends.pop(done.version, None)
        waiting, mixed = self._waiting[done.version]
        self._waiting[done.version] = [max(0, waiting - done.moved), mixed + done.moved]


def _drawn_wait() -> float:
    """A time from the operating system's randomness."""
    least, most = WAIT_SECONDS
    return least + (most - least) * secrets.randbelow(2**53) / 2**53


class _Mixer(threading.Thread):
    """Mixes answers in, or keeps house otherwise, beside the writer."""

    def __init__(self, work: Callable[[], int], version: int | None = None) -> None:
        super().__init__(name="deniable-mixer", daemon=True)
        self._work, self.version = work, version
        self.moved = 0
        self.error: Exception | None = None

    def run(self) -> None:
        """Work, and keep what came of it."""
        try:
            self.moved = self._work()
        except Exception as error:
            self.error = error

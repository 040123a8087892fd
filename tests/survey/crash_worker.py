"""Forks a process that submits as fast as it can, once for every line on its input, and says what was acknowledged.

Loaded once and forked from, because starting Python for each of 300 crashes would take longer than the crashes.
Lines out: `pid N` of the child, then `ack CODE` for every acknowledgement it got, `mixing` and `mixed` around every mixing, `gone`
when it is dead.
"""

import os
import secrets
import sys
import threading
import time
import traceback

from deniable.errors import StoreError
from deniable.survey import writer
from deniable.survey.store import Store
from deniable.survey.submission import read_submission
from deniable.survey.writer import Writer

THREADS = 8


def patiently(url: str, keys: str) -> Store:
    """PostgreSQL takes a while to recover."""
    for _ in range(600):
        try:
            store = Store(url, keys)
            store.check()
            return store
        except StoreError as error:
            # A lost key or a damaged file is no passing trouble.
            if error.code != "database":
                raise
            time.sleep(0.1)
    raise SystemExit("the database did not recover")


def submit_for_ever(url: str, keys: str) -> None:
    writer.GROWTH = 10**9  # mix at every fiftieth answer, so that crashes fall into the mixing too
    writer.WAIT_SECONDS = 0.0, 0.0
    store = patiently(url, keys)
    asked = store.current("town")[0]
    mix = store.mix

    def told(version: int) -> int:
        os.write(1, b"mixing\n")
        moved = mix(version)
        os.write(1, b"mixed\n")
        return moved

    store.mix = told

    def one() -> None:
        while True:
            code = secrets.token_hex(16)
            given = {"version": 1, "id": secrets.token_urlsafe(16), "code": code, "report": {"smokes": 1, "age": 7}}
            if working.submit(read_submission(asked, given)) is None:
                # A short write to a pipe is whole or not at all.
                os.write(1, f"ack {code}\n".encode())

    with Writer(store) as working:
        for _ in range(THREADS):
            threading.Thread(target=one, daemon=True).start()
        threading.Event().wait()


def main() -> None:
    url, keys = sys.argv[1:]
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                submit_for_ever(url, keys)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.write(1, f"pid {child}\n".encode())
        os.waitpid(child, 0)
        os.write(1, b"gone\n")


if __name__ == "__main__":
    main()

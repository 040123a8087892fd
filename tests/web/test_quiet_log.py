"""The log of a running server: a line a minute for each kind of trouble, and no word of what people sent."""

import logging

import pytest

from deniable.web import quiet_log
from deniable.web.quiet_log import Quiet, unhandled


@pytest.fixture
def lines(caplog):
    with quiet_log.quiet_log() as quiet:
        yield quiet, lambda: [record.getMessage() for record in caplog.records]


def test_a_kind_has_one_line_and_a_count(lines):
    quiet, told = lines
    for i in range(1_000):
        logging.getLogger("deniable").warning("answer %s cannot be stored", i)
        logging.getLogger("asyncio").warning("no descriptor")
    quiet.tell(ending=True)
    assert told() == [
        "answer 0 cannot be stored",
        "no descriptor",
        "answer ... cannot be stored: and 999 more of that kind in the last minute",
        "no descriptor: and 999 more of that kind in the last minute",
    ]


def test_after_a_minute_there_is_the_next(lines, monkeypatch):
    quiet, told = lines
    monkeypatch.setattr(quiet_log, "EVERY_SECONDS", 0.0)
    for _ in range(3):
        logging.getLogger("deniable").warning("again")
    quiet.tell()
    assert told() == ["again"] * 3
    assert quiet._kinds == {}


def test_an_error_is_told_by_its_place_and_without_its_words(lines, caplog):
    for text in ("Anna Smith", "Jan Kowalski"):
        try:
            int(text)
        except ValueError:
            logging.getLogger("uvicorn.error").exception("Exception in ASGI application\n")
    assert caplog.text.count("Traceback") == 1
    assert "test_quiet_log.py" in caplog.text
    assert "ValueError" in caplog.text
    assert "Anna" not in caplog.text


def test_what_clients_break_is_not_worth_a_line(lines):
    _, told = lines
    unhandled(None, {"message": "Fatal error", "exception": ConnectionResetError(104, "from 203.0.113.5")})
    unhandled(None, {"message": "socket.accept() out of system resource", "exception": OSError(24, "Too many open files")})
    assert told() == ["the network: Too many open files"]


def test_kinds_have_an_end_too():
    quiet = Quiet()
    for i in range(10 * quiet_log.MOST_KINDS):
        quiet.filter(logging.makeLogRecord({"name": "asyncio", "msg": f"kind {i}"}))
    assert len(quiet._kinds) == quiet_log.MOST_KINDS + 1

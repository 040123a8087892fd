"""The audit of `Sample` in short, and that its verdicts can be bad."""

import math

import numpy as np
import pandas as pd
import pytest

from benchmarks import audit_judging as judging
from benchmarks.audit_cases import CHANNELS, SHAPES, Case, Cell
from benchmarks.audit_questions import QUESTIONS, Asked
from benchmarks.audit_references import REFERENCES, best_affine_half_width
from benchmarks.audit_running import Job, run_cell
from benchmarks.sample_audit import Workers, audit, chosen_channels, quick_plan, run_jobs


def made_up(
    held=0.95, runs=700, n=2_000, statistic="count", aware=False, inside=True, error=1.0, other=1.0, excess=0.0, bias=0.1
):
    """Records of a group as a frame, evenly over seven shapes."""
    number = np.arange(runs)
    frame = pd.DataFrame(
        {
            "channel": "KRR 5", "n": n, "shape": np.array(list(SHAPES))[number % 7], "run": number // 7, "part": 0,
            "statistic": pd.Categorical([statistic] * runs, list(QUESTIONS)),
            "target": pd.Categorical(["population"] * runs, ["population", "respondents"]),
            "held": (number >= round((1 - held) * runs)).astype(int), "refused": False, "crashed": False, "aware": aware,
            "inside": inside, "error": error, "half": 1.0, "bias": bias, "se": 0.0, "excess": excess, "seconds": 0.0,
        }
    )  # fmt: skip
    return frame.assign(**dict.fromkeys(REFERENCES, other))


@pytest.mark.parametrize(
    ("given", "passes"),
    [
        ({"held": 0.95}, True),
        ({"held": 0.90}, False),
        ({"held": 0.99}, False),
        ({"held": 0.99, "statistic": "quantile"}, True),
        ({"held": 0.99, "aware": True}, True),
        ({"held": 0.90, "aware": True}, False),
        ({"held": 0.90, "aware": True, "inside": False}, True),
        ({"held": 0.99, "n": 200}, True),
        ({"held": 0.88, "n": 200}, False),
    ],
)
def test_coverage_is_judged(given, passes):
    assert judging.judge_coverage(made_up(**given), None).passed == passes


def test_fresh_runs_decide_about_doubtful_groups():
    doubtful = made_up(held=0.90)
    assert judging.judge_coverage(doubtful, made_up(held=0.95, runs=2_002)).passed
    assert judging.judge_coverage(doubtful, made_up(held=0.932, runs=2_002)).passed  # within what chance does
    verdict = judging.judge_coverage(doubtful, made_up(held=0.91, runs=2_002))
    assert not verdict.passed
    assert "91.0% of 2,002 runs" in str(verdict)


def test_a_refusal_is_fine_for_few_people_only_and_counts_for_nothing_else():
    frame = made_up(held=0.5, runs=700, n=200)
    frame.loc[frame["held"] == 0, ["held", "refused"]] = [-1, True]
    assert judging.judge_coverage(frame, None).passed
    [row] = judging.coverage(frame.assign(n=2_000)).itertuples()
    assert (row.coverage, row.runs, row.refused) == (1.0, 350, 0.5)
    nothing = frame.assign(held=-1, refused=True, n=2_000)
    assert judging.judge_coverage(nothing, None).passed


def test_errors_widths_and_impossible_values_are_judged():
    assert judging.judge_errors(made_up(error=1.19)).passed
    assert not judging.judge_errors(made_up(error=1.21)).passed
    assert not judging.judge_errors(made_up(error=1.0, other=0.0)).passed
    # What chance made large is judged by fresh runs of the same group; those of another say nothing of it.
    large, small = made_up(error=1.3), made_up(error=1.1)
    assert judging.judge_errors(large, again=small).passed
    assert not judging.judge_errors(large, again=large).passed
    assert not judging.judge_errors(large, again=small.assign(channel="another")).passed
    assert judging.judge_possible(made_up(excess=3.9)).passed
    assert not judging.judge_possible(made_up(excess=4.1)).passed
    assert not judging.judge_possible(made_up().assign(crashed=True)).passed
    best = {("KRR 5", 2_000, "count", shape): 1.0 for shape in SHAPES}
    assert judging.judge_widths(made_up(aware=True, bias=1.14), best).passed
    assert not judging.judge_widths(made_up(aware=True, bias=1.16), best).passed
    assert not judging.judge_widths(made_up(aware=True, bias=math.nan), best).passed
    # An interval for a class need not be as short as one of somebody who knows the shape; that is said, not judged.
    knowing = {key: 0.5 if i else 1.0 for i, key in enumerate(best)}
    beside = judging.judge_widths(made_up(aware=True, bias=1.14), knowing)
    assert beside.passed
    assert len(beside.figures) == len(SHAPES) - 1
    assert not judging.judge_widths(made_up(aware=True, bias=1.14), dict.fromkeys(best, 0.5)).passed


def test_shares_of_every_shape_sum_to_one_and_answers_near_them():
    for name in CHANNELS:
        for shape in SHAPES:
            assert Case(name, shape).truth.xg.sum() == pytest.approx(1)
            assert Case(name, shape).truth.xy.sum() == pytest.approx(1)
    case = Case("Uniform 11", "skewed")
    people, _ = case.draw(200_000, np.random.default_rng(7))
    for question in QUESTIONS.values():
        truth, seen = (question.truth(tables, Asked(case), 1) for tables in (case.truth, people))
        assert seen == pytest.approx(truth, rel=0.05, abs=0.02), question.name


def test_a_cell_repeats_itself_and_a_saved_one_is_read(tmp_path):
    job = Job(Cell("KRR 5", 200, "skewed"), 2, 5, statistics=("count", "mean"))
    with Workers(1) as workers:
        [(_, first)] = run_jobs([job], workers, tmp_path / "audit.npz", "test")
        [(_, second)] = run_jobs([job], workers, tmp_path / "audit.npz", "test")
    assert (first["seconds"] == second["seconds"]).all()
    again = run_cell(job)[1]
    assert again["error"].tolist() == first["error"].tolist()
    assert np.load(tmp_path / "audit.npz").files == [job.key]


def test_channels_are_chosen_by_name():
    assert chosen_channels("Normal 10,001, KRR 5") == ["KRR 5", "Normal 10,001"]
    with pytest.raises(SystemExit, match="KRR 6"):
        chosen_channels("KRR 5,KRR 6")


def test_the_best_affine_interval_is_unbiased_where_nothing_is_known_and_shorter_where_something_is():
    pytest.importorskip("cvxpy")
    case = Case("Normal 11", "skewed")
    P, f = Case("KRR 5", "skewed").channel.matrix(), np.arange(5.0)
    q = Case("KRR 5", "skewed").shares @ P
    w = np.linalg.solve(P, f)
    plain = 1.96 * math.sqrt((q @ w**2 - (q @ w) ** 2) / 1_000)
    assert best_affine_half_width(P, q, f, 1_000, np.arange(5), 1.0) == pytest.approx(plain, rel=0.01)
    P, f, q = case.channel.matrix(), (case.numbers <= 2).astype(float), case.channel.push(case.shares)
    wide, narrow = (best_affine_half_width(P, q, f, 1_000, np.arange(11), most) for most in (1.0, 0.2))
    assert narrow < 0.9 * wide


def test_the_quick_audit_finds_intervals_honest_and_values_possible():
    outcome = audit(quick_plan(runs=5))
    verdicts = {verdict.name: verdict for verdict in outcome.verdicts}
    assert set(verdicts) == {"coverage", "width", "error", "possible values"}
    assert verdicts["coverage"].passed, str(verdicts["coverage"])
    assert verdicts["possible values"].passed, str(verdicts["possible values"])
    assert outcome.frame["held"].isin([-1, 0, 1]).all()
    assert set(outcome.frame["statistic"]) == set(QUESTIONS)

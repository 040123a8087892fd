"""Information loss of EM/AS, EQ and converged EM over the probability of keeping an answer (Figure 3 of paper 001), and of the
reconstruction of a noisy number (Figure 5.3 of the thesis, with --data).

    python -m benchmarks.information_loss [--data DIR] [--runs 100] [--out FOLDER]

Prints the losses and saves a picture of each. "EQ beats EM/AS" is an effect of EM/AS's stopping rule: converged, EM is as good
as EQ or better. Without --data the two attributes are drawn from their known frequencies.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

import deniable as dn
from deniable import charts
from deniable.reconstruction.loss import information_loss

# Frequencies in the UCI sets: credit-g savings_status, mushroom cap-surface.
ATTRIBUTES = {
    "savings_status (credit-g)": ("uci/credit-g.csv", "savings_status", [603, 103, 63, 48, 183]),
    "cap-surface (mushroom)": ("uci/mushroom.csv.gz", "cap-surface", [2320, 4, 2556, 3244]),
}
METHODS = {
    "EM/AS (stopped early)": {"method": "em/as"},
    "EQ": {"method": "eq", "negative": "project"},
    "EM (converged)": {"method": "em"},
}
KEEP = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


def frequencies(name: str, data: Path | None) -> np.ndarray[Any, Any]:
    """The counts of an attribute's values, from the file if there is one; the two must agree."""
    path, column, known = ATTRIBUTES[name]
    if data is None:
        return np.array(known)
    read = pd.read_csv(data / path, dtype=str, keep_default_na=False)[column].value_counts()
    if sorted(read.tolist()) != sorted(known):
        raise SystemExit(f"{path}: frequencies of {column} are {sorted(read.tolist())}, expected {sorted(known)}")
    return np.array(known)


def nominal(runs: int, data: Path | None) -> pd.DataFrame:
    """Mean information loss of each method for each probability of keeping."""
    rng = np.random.default_rng()
    rows = []
    for name in ATTRIBUTES:
        counts = frequencies(name, data)
        k = len(counts)
        truth = np.repeat(np.arange(k), counts)
        for p in KEEP:
            channel = dn.KRR(dn.Integer(0, k - 1), p)
            losses: dict[str, list[float]] = {method: [] for method in METHODS}
            if abs(p - 1 / k) < 1e-9:
                continue
            for _ in range(runs):
                table = dn.counts(channel.randomise(truth, rng), channel)
                for method, options in METHODS.items():
                    losses[method].append(information_loss(counts, dn.reconstruct(table, channel, **options)))  # type: ignore[arg-type]
            rows += [{"attribute": name, "p": p, "method": m, "loss": float(np.mean(v))} for m, v in losses.items()]
    return pd.DataFrame(rows)


def figure_5_3(runs: int, data: Path) -> pd.DataFrame:
    """Diabetes age under staircased (whole-number) and continuous uniform noise: original, reported, reconstructed."""
    age = pd.read_csv(data / "uci/diabetes.csv")["age"].to_numpy()
    low, high = int(age.min()), int(age.max())
    edges = [*range(low, high, 5), high]
    half = (high - low) // 2
    rng = np.random.default_rng()
    rows = []
    for kind, channel in (
        ("continuous", dn.Additive(dn.Continuous(low, high), dn.Uniform(half))),
        ("discrete", dn.Additive(dn.Integer(low, high), dn.Uniform(half))),
    ):
        original = np.histogram(age, [*edges[:-1], high + 1])[0] / len(age)
        found: dict[str, list[np.ndarray[Any, Any]]] = {"AS, as published": [], "regularised (default)": []}
        for _ in range(runs):
            table = dn.counts(channel.randomise(age if kind == "discrete" else age.astype(float), rng), channel, bins=edges)
            found["AS, as published"].append(dn.reconstruct(table, channel, "as").value)
            found["regularised (default)"].append(dn.reconstruct(table, channel).value)
        for method, values in found.items():
            loss = float(np.mean([information_loss(original, value) for value in values]))
            print(
                f"  {kind:<12}{method:<24}information loss {loss:.4f}   (thesis: {'0.4529' if kind == 'continuous' else '0.4585'})"
            )
            mean = np.mean(values, axis=0)
            rows += [{"domain": kind, "age": e, "share": v, "series": method} for e, v in zip(edges, mean, strict=False)]
        rows += [{"domain": kind, "age": e, "share": v, "series": "original"} for e, v in zip(edges, original, strict=False)]
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the public data sets (uci/...)")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path("build"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    frame = nominal(options.runs, options.data)
    for name, part in frame.groupby("attribute"):
        print(f"\n{name}: information loss, mean of {options.runs} runs")
        print(part.pivot(index="p", columns="method", values="loss").round(4).to_string())
    lines = (
        alt.Chart(frame)
        .mark_line(point=alt.OverlayMarkDef(filled=False, size=90, fillOpacity=0))
        .encode(
            x=alt.X("p:Q", title="probability of keeping the answer", scale=alt.Scale(domain=[0.2, 1])),
            y=alt.Y("loss:Q", title="information loss"),
            color=alt.Color("method:N", title=None, scale=alt.Scale(range=["#0072B2", "#D55E00", "#009E73"])),
            shape=alt.Shape("method:N", title=None),
            strokeDash=alt.StrokeDash("method:N", legend=None),
        )
        .properties(width=330, height=260)
        .facet(column=alt.Column("attribute:N", title=None))
    )
    print("Picture:", charts.save(lines, options.out / "information_loss.png"))
    if options.data is not None:
        print(f"\nDiabetes age, uniform noise of range privacy 100% (Figure 5.3), mean of {options.runs} runs")
        ages = figure_5_3(options.runs, options.data)
        picture = (
            alt.Chart(ages)
            .mark_line(point=True, interpolate="monotone")
            .encode(
                x=alt.X("age:Q", scale=alt.Scale(zero=False)),
                y=alt.Y("share:Q"),
                color=alt.Color("series:N", title=None, scale=alt.Scale(range=["#D55E00", "#000000", "#0072B2"])),
                strokeDash=alt.StrokeDash("series:N", title=None),
            )
            .properties(width=330, height=260)
            .facet(column=alt.Column("domain:N", title=None))
        )
        print("Picture:", charts.save(picture, options.out / "figure_5_3.png"))


if __name__ == "__main__":
    main()

"""How long reconstruction takes once reports are counted: certified maximum likelihood from 10 to 10,000 labels, against
multi-freq-ldpy's iterative Bayesian update run to the same accuracy.

    python -m benchmarks.reconstruction [--quick]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import deniable as dn
from benchmarks.timing import interleaved
from deniable.reconstruction.em import Likelihood, em

LABELS = (10, 100, 1_000, 10_000)
KERNEL_GAP = 1e-3


def reports(channel: Any, n: int) -> np.ndarray[Any, Any]:
    """Counts of simulated reports of a skewed distribution."""
    rng = np.random.default_rng(0)
    k = channel.law.inputs
    truth = 1 / np.arange(1, k + 1)
    return rng.multinomial(n, channel.push(truth / truth.sum())).astype(np.float64)


def plain_em(P: np.ndarray[Any, Any], counts: np.ndarray[Any, Any], gap: float) -> int:
    """EM as one writes it with numpy, until the log-likelihood an answer is within `gap` of the maximum; its number of steps."""
    observed = counts / counts.sum()
    shares = np.full(len(P), 1 / len(P))
    for step in range(1, 100_000):
        factors = P @ np.nan_to_num(observed / (shares @ P))
        if factors.max() - 1 <= gap:
            return step
        shares = shares * factors
    return step


def peer_steps(update: Any, P: np.ndarray[Any, Any], counts: np.ndarray[Any, Any], gap: float, most: int) -> int:
    """How many steps the peer's update needs to come within `gap` of the maximum, to the next power of 1.5; at most `most`."""
    observed = counts / counts.sum()
    steps = 10
    while steps < most:
        shares = update(len(P), P, observed, steps, 1e-300, "max_abs")
        if (P @ (observed / (shares @ P))).max() - 1 <= gap:
            return steps
        steps = int(1.5 * steps) + 1
    return most


def _against_peer(labels: tuple[int, ...], gap: float) -> None:
    try:
        from multi_freq_ldpy.estimators.Histogram_estimator import IBU
    except ImportError:
        print('The peer is not installed: pip install -e ".[benchmark]" (make benchmark does).')
        return
    print(f"k-ary randomised response, epsilon 1, 100,000 reports; both within {gap:g} of the maximal log-likelihood an answer")
    print(f"{'labels':>8}{'ours, ms':>12}{'multi-freq-ldpy IBU, ms':>26}{'steps':>8}{'faster by (aim: 10)':>21}")
    for k in labels:
        channel = dn.KRR.from_epsilon(dn.Integer(0, k - 1), 1.0)
        counts = reports(channel, 100_000)
        P, observed = channel.matrix(), counts / counts.sum()
        most = 50_000 if k <= 100 else 1_000
        steps = peer_steps(IBU, P, counts, gap, most)
        seconds = interleaved(
            {
                "ours": lambda c=channel, x=counts: em(c.law, x),
                "peer": lambda k=k, p=P, x=observed, s=steps: IBU(k, p, x, s, 1e-300, "max_abs"),
            },
            3,
        )
        ratio = seconds["peer"] / seconds["ours"]
        more = "more than " if steps >= most else ""
        print(f"{k:>8,}{1e3 * seconds['ours']:>12.3f}{1e3 * seconds['peer']:>26.1f}{steps:>8,}{more + f'{ratio:,.0f}x':>21}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    _against_peer(LABELS[: 2 if quick else 3], 1e-6)
    print(
        "\nThe same for kernels (no dense matrix; reports of width 2a+1 spread by FFT or banded products), ours only beyond 1,000 labels"
    )
    print(f"{'labels':>8}  {'noise':<16}{'ours, ms':>12}{'steps':>8}{'gap':>10}{'plain EM, ms':>14}{'faster by':>11}")
    for k in LABELS[: 2 if quick else 4]:
        for noise in (dn.Uniform(max(1, k // 20)), dn.Laplace(max(1, k // 20))):
            channel = dn.Additive(dn.Integer(0, k - 1), noise)
            counts = reports(channel, 100_000)
            fit = em(channel.law, counts, tolerance=KERNEL_GAP)
            contestants: dict[str, Any] = {"ours": lambda c=channel, x=counts: em(c.law, x, tolerance=KERNEL_GAP)}
            if k <= 1_000:
                P = channel.matrix()
                contestants["peer"] = lambda p=P, x=counts: plain_em(p, x, KERNEL_GAP)
            seconds = interleaved(contestants, 3)
            peer = f"{1e3 * seconds['peer']:>14.1f}{seconds['peer'] / seconds['ours']:>10,.0f}x" if "peer" in seconds else ""
            ours = f"{1e3 * seconds['ours']:>12.1f}{fit.steps:>8,}{fit.gap:>10.0e}"
            print(f"{k:>8,}  {type(noise).__name__ + f'({max(1, k // 20)})':<16}{ours}{peer}")
    channel = dn.KRR.from_epsilon(dn.Integer(0, 99), 1.0)
    print("\nCost does not depend on the number of reports once they are counted (KRR, 100 labels):")
    for n in (10_000, 1_000_000, 100_000_000):
        counts = reports(channel, n)
        seconds = interleaved({"ours": lambda x=counts: dn.reconstruct(x, channel)}, 5)
        print(f"{n:>14,} reports{1e3 * seconds['ours']:>10.2f} ms with error bars")
    likelihood = Likelihood(channel.law, counts)
    best = em(channel.law, counts).shares
    print(
        f"Certificate: no truth explains the reports better by more than {likelihood.factors(channel.law.push(best)).max() - 1:.1e}"
    )


if __name__ == "__main__":
    main()

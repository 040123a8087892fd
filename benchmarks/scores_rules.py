"""Nine populations whose classes a rule makes: eight of independent attributes, which give as many true rows as are asked for, and the 958
ends of games of noughts and crosses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn

Rng = np.random.Generator
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def balance(a: Any, b: Any, c: Any, d: Any) -> Any:
    """To which side a balance tips, of weights and distances."""
    return np.sign((a + 1) * (b + 1) - (c + 1) * (d + 1)) + 1


def car(price: Any, upkeep: Any, doors: Any, seats: Any, boot: Any, safety: Any) -> Any:
    """Which cars are acceptable, good and very good."""
    cost, comfort = price + upkeep, (seats > 0) * (1 + (doors > 0) + (boot > 0) + (boot > 1))
    good = (safety > 0) & (cost < 5) & (comfort > 1)
    better = good & (cost < 3) & (safety == 2)
    return good * 1 + better + (better & (cost < 2) & (boot == 2))


def monks_first(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
    """The first of the Monk's problems."""
    return (a == b) | (e == 0)


def monks_third(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
    """The third of them."""
    return ((e == 2) & (d == 0)) | ((e != 3) & (b != 2))


def majority(*bits: Any) -> Any:
    """Whether most say yes."""
    return sum(bits) * 2 > len(bits)


def multiplexer(a: Any, b: Any, *lines: Any) -> Any:
    """What the line says that two bits name."""
    return np.choose(2 * a + b, lines)


def one_decides(a: Any, b: Any, c: Any, *others: Any) -> Any:
    """One attribute alone decides who is in the first class."""
    return np.where(a == 0, 0, np.where(b + c >= 4, 1, 2))


def two_steps(a: Any, b: Any, c: Any, d: Any, e: Any, *others: Any) -> Any:
    """The same, and two more decide some of the others."""
    return np.where(a == 0, 0, np.where((b == 0) & (c > 0), 1, np.where(d + e >= 4, 2, 1)))


RULES: dict[str, tuple[Callable[..., Any], tuple[int, ...], float]] = {
    "balance": (balance, (5, 5, 5, 5), 0.0),
    "car": (car, (4, 4, 4, 3, 3, 3), 0.0),
    "monks first": (monks_first, (3, 3, 2, 3, 4, 2), 0.0),
    "monks third": (monks_third, (3, 3, 2, 3, 4, 2), 0.05),
    "majority": (majority, (2,) * 9, 0.0),
    "multiplexer": (multiplexer, (2,) * 6, 0.0),
    "one decides": (one_decides, (3, 4, 4, 3, 2, 5, 3), 0.0),
    "two steps": (two_steps, (4, 3, 3, 4, 4, 2, 3), 0.0),
}
"""The rule, how many cells the attributes have, and how many people get a class at random (as in the third of the Monk's problems)."""


def _domain(size: int) -> Any:
    return dn.Nominal(list(range(size))) if size > 2 else dn.Integer(0, 1)


def _framed(columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({f"x{i}": column for i, column in enumerate(columns)})


def domains(name: str) -> dict[str, Any]:
    """What each attribute may be."""
    return {f"x{i}": _domain(size) for i, size in enumerate(RULES[name][1])}


def made(name: str, n: int, rng: Rng) -> tuple[pd.DataFrame, Any]:
    """So many true rows and their classes."""
    rule, sizes, at_random = RULES[name]
    columns = [rng.integers(0, size, n) for size in sizes]
    y = rule(*columns).astype(int)
    return _framed(columns), np.where(rng.random(n) < at_random, rng.integers(0, y.max() + 1, n), y)


def endgames() -> tuple[pd.DataFrame, Any, dict[str, Any]]:
    """All ends of games of noughts and crosses, whether who began has won, and what the squares may be."""
    found: dict[tuple[int, ...], bool] = {}
    boards, mover = {(0,) * 9}, 1
    while boards:
        after = set()
        for board in boards:
            won = [any(all(board[i] == player for i in line) for line in LINES) for player in (1, 2)]
            if any(won) or 0 not in board:
                found[board] = won[0]
            else:
                after |= {(*board[:i], mover, *board[i + 1 :]) for i in range(9) if board[i] == 0}
        boards, mover = after, 3 - mover
    columns = list(np.array(sorted(found)).T)
    return _framed(columns), np.array([int(found[board]) for board in sorted(found)]), {f"x{i}": _domain(3) for i in range(9)}

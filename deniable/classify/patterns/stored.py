"""Patterns in the JSON of a model, and back; what does not fit the attributes is refused before compiled code reads it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deniable.classify.patterns.found import NUMBERS, Patterns

UNBOUNDED = ("growth_rate", "growth_high")
"""Of these, null stands for infinity; of others for "not known"."""


def patterns_to(patterns: Patterns) -> dict[str, Any]:
    """As plain lists."""
    items = patterns.places.tolist()
    return {
        "items": [items[a:b] for a, b in zip(patterns.starts[:-1].tolist(), patterns.starts[1:].tolist(), strict=True)],
        "class": patterns.label.tolist(),
        "known_growth": (~np.isnan(patterns.numbers["growth_low"])).tolist(),
        **{name: _plain(patterns.numbers[name]) for name in NUMBERS},
    }


def _plain(values: Any) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values.tolist()]


def patterns_from(content: dict[str, Any], features: Any, classes: int) -> Patterns:
    """From such lists."""
    sizes = [len(items) for items in content["items"]]
    flat = [pair for items in content["items"] for pair in items]
    places = np.array(flat, dtype=np.int64).reshape(len(flat), 2)
    label = np.array(content["class"], dtype=np.int64).reshape(-1)
    cells = np.array([feature.cells for feature in features])
    if any(size < 1 for size in sizes) or len(label) != len(sizes):
        raise ValueError("every pattern needs items and a class")
    if ((label < 0) | (label >= classes)).any():
        raise ValueError("patterns name classes that are not there")
    if ((places[:, 0] < 0) | (places[:, 0] >= len(cells))).any() or (
        (places[:, 1] < 0) | (places[:, 1] >= cells[places[:, 0].clip(0, len(cells) - 1)])
    ).any():
        raise ValueError("patterns name cells that are not there")
    known = np.array(content["known_growth"], dtype=bool)
    numbers = {}
    for name in NUMBERS:
        instead = np.inf if name in UNBOUNDED else np.nan
        values = np.array([instead if value is None else value for value in content[name]], dtype=np.float64)
        if values.shape != label.shape:
            raise ValueError(f"{name} must be one number for each pattern")
        numbers[name] = np.where(known, values, np.nan) if name == "growth_high" else values
    if not (np.isfinite(numbers["contribution"]) & (numbers["contribution"] >= 0)).all():
        raise ValueError("contributions must be numbers of at least 0")
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Patterns(starts, places, label, numbers)

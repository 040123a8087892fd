"""Write draws.json: bytes in, reported labels out, for every law a browser may be given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import deniable as dn
from deniable.core.channels.sampling import candidate_shape
from deniable.core.domains.missing import WithMissing

DRAWS = 10_000
THREE = dn.Nominal(["a", "b", "c"])
YES_NO = dn.Nominal(["no", "yes"])
SCHEMAS = [
    dn.Schema({"x": dn.KRR(dn.Binary(), 0.75)}),
    dn.Schema({"x": dn.KRR(dn.Nominal(list("abcdefghij"), missing="no answer"), 0.55)}),
    dn.Schema({"x": dn.KRR.from_epsilon(dn.Nominal(list("abcde")), 1.3)}),
    dn.Schema({"x": dn.Flip(0.4, 0.96)}),
    dn.Schema({"x": dn.Identity(THREE)}),
    dn.Schema({"x": dn.Retention(dn.Integer(18, 90), 0.5)}),
    dn.Schema({"x": dn.Retention(THREE, 0.3, {"a": 0.5, "b": 0.25, "c": 0.25})}),
    dn.Schema({"x": dn.UnrelatedQuestion(YES_NO, 0.6, 0.3)}),
    dn.Schema({"x": dn.ForcedResponse(0.2, 0.1)}),
    dn.Schema({"x": dn.Crosswise(0.7)}),
    dn.Schema({"x": dn.Neighbours(dn.Ordinal(list("abcdef")), [0.6, 0.2])}),
    dn.Schema({"x": dn.Neighbours(dn.Ordinal(list("abcdef")), [0.6, 0.2], wrap=True)}),
    dn.Schema({"x": dn.Matrix(THREE, [[0.7, 0.2, 0.1], [0.15, 0.7, 0.15], [0.01, 0.29, 0.7]])}),
    dn.Schema({"x": dn.Matrix(YES_NO, [[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]], outputs=["low", "middle", "high"])}),
    dn.Schema({"x": dn.Additive(dn.Integer(0, 20), dn.Uniform(5))}),
    dn.Schema({"x": dn.Additive(dn.Integer(0, 20), dn.Uniform(5), edges="clamp")}),
    dn.Schema({"x": dn.Additive(dn.Integer(0, 10), dn.Laplace(2))}),
    dn.Schema({"x": dn.Additive(dn.Integer(0, 10), dn.Normal(3))}),
    dn.Schema({"x": dn.Optional(dn.Additive(dn.Integer(0, 9), dn.Laplace(2)), 0.8)}),
    dn.Schema({"x": dn.Optional(dn.Retention(dn.Integer(0, 9), 0.5), 0.7)}),
    dn.Schema(
        {name: dn.UnrelatedQuestion(YES_NO, 0.5, 0.5) for name in "xyz"},
        groups={"g": ["x", "y", "z"]},
    ),
    dn.Schema(
        {"x": dn.UnrelatedQuestion(YES_NO, 0.6, 0.3), "y": dn.UnrelatedQuestion(THREE, 0.6, {"a": 0.2, "b": 0.5, "c": 0.3})},
        groups={"g": ["x", "y"]},
    ),
    dn.Schema({"x": dn.KRR(dn.Binary(), 0.7), "y": dn.KRR(dn.Binary(), 0.7)}, groups={"g": ["x", "y"]}),
]
# Added later: the draws of those above stay what they are.
ADDED_DRAWS = 2_000
NUMBERS = WithMissing(dn.Integer(0, 9))
ADDED = [
    dn.Schema({"x": dn.OneBit(dn.Integer(0, 99), 5)}),
    dn.Schema({"x": dn.OneBit(NUMBERS, 3)}),
    dn.Schema({"x": dn.Piecewise(dn.Integer(0, 9), 5)}),
    dn.Schema({"x": dn.Piecewise(NUMBERS, "9/2", reports=3, width=1)}),
    dn.Schema({"x": dn.Optional(dn.OneBit(dn.Integer(0, 9), 4), 0.75)}),
    dn.Schema({"x": dn.Optional(dn.Piecewise(dn.Integer(0, 9), 4, reports=5), 0.75)}),
]


def stream(denominator: int, rng: np.random.Generator) -> str:
    """Candidates of which the last is accepted; sometimes others, which are not, come before."""
    width, bits, limit = candidate_shape(denominator)
    candidates = []
    while limit < 1 << bits and rng.random() < 0.3 and len(candidates) < 3:
        candidates.append(int(rng.integers(limit, 1 << bits)))
    draw = int(rng.integers(denominator)) if rng.random() < 0.9 else int(rng.choice([0, denominator - 1]))
    candidates.append(draw + denominator * int(rng.integers(limit // denominator)))
    # Bits beyond the 53 that are kept may be anything.
    junk = [int(rng.integers(0, 1 << (8 * width - bits))) << bits if 8 * width > bits else 0 for _ in candidates]
    return "".join((c + j).to_bytes(width, "little").hex() for c, j in zip(candidates, junk, strict=True))


def denominators(recipe: dict[str, Any]) -> list[int]:
    """The bounds of the whole numbers that a block draws, in order."""
    inside = recipe.get("innocuous", [recipe["weights"]] if "cells" in recipe else [])
    return [recipe["denominator"], *(sum(weights) for weights in inside)]


def replay(streams: list[str]) -> Any:
    """A source of bytes for Python's sampler, which asks once for each draw, for more than it may need."""
    waiting = iter(streams)
    return lambda n: bytes.fromhex(next(waiting)).ljust(n, b"\0")[:n]


def report(schema: dn.Schema, codes: list[int], streams: list[str]) -> list[int]:
    """What Python's sampler makes of these bytes."""
    from deniable.core.channels.sampling import integers_below

    [block] = schema.blocks
    source = replay(streams)
    truth = [np.array([code]) for code in codes]
    if isinstance(block.channel, dn.Channel):
        law = block.channel.law
        return law.choose(truth[0], integers_below(law.denominator, 1, source)).tolist()
    return [int(codes[0]) for codes in block.channel.draw(truth, source)]


def drawn(schemas: list[dn.Schema], first: int, many: int, rng: np.random.Generator) -> list[Any]:
    """So many draws of these schemas in turn, the first of which has this number."""
    recipes = [schema.recipe()["blocks"][0] for schema in schemas]
    draws = []
    for i in range(many):
        at = i % len(schemas)
        schema, recipe = schemas[at], recipes[at]
        codes = [int(rng.integers(schema[name].law.inputs)) for name in recipe["attributes"]]
        streams = [stream(denominator, rng) for denominator in denominators(recipe)]
        draws.append([first + at, codes, streams, report(schema, codes, streams)])
    return draws


def main() -> None:
    """Write the file anew."""
    draws = drawn(SCHEMAS, 0, DRAWS, np.random.default_rng(20261115))
    draws += drawn(ADDED, len(SCHEMAS), ADDED_DRAWS, np.random.default_rng(20261117))
    schemas = [*SCHEMAS, *ADDED]
    recipes = [schema.recipe()["blocks"][0] for schema in schemas]
    content = {"schemas": [json.loads(schema.to_json()) for schema in schemas], "recipes": recipes, "draws": draws}
    text = ",\n".join(json.dumps(draw, separators=(",", ":")) for draw in draws)
    head = json.dumps({key: content[key] for key in ("schemas", "recipes")}, separators=(",", ":"))[:-1]
    Path(__file__).with_name("draws.json").write_text(f'{head},\n"draws":[\n{text}\n]}}\n')


if __name__ == "__main__":
    main()

"""Local differential privacy by question, by block and for everything one person answers."""

from __future__ import annotations

from dataclasses import dataclass

from deniable.core.schema import Schema


@dataclass(frozen=True)
class Epsilons:
    """Epsilon of every question's own report, of every block that is drawn together, and of the whole schema."""

    questions: dict[str, float]
    blocks: dict[str, float]
    schema: float


def epsilons(schema: Schema) -> Epsilons:
    """max over z, x, x' of log( P(z | x) / P(z | x') ), for each question, each block, and summed over the blocks.

    No report can change the odds between two answers by more than e^epsilon, whatever else is known. A question's figure is
    that of its own report; where questions share a draw only the figure of their block bounds what their joint report says.

    >>> import deniable as dn
    >>> asked = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)
    >>> five = dn.Schema({f"q{i}": asked for i in range(5)}, groups={"all": [f"q{i}" for i in range(5)]})
    >>> given = dn.privacy.epsilons(five)
    >>> round(given.questions["q0"], 2), round(given.blocks["all"], 2), round(given.schema, 2)
    (1.1, 3.5, 3.5)
    """
    return Epsilons(
        questions={name: channel.epsilon for name, channel in schema.items()},
        blocks={block.name: block.epsilon for block in schema.blocks},
        schema=schema.epsilon,
    )

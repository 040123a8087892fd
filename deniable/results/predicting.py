"""The view of predictions: a classifier chosen by the reports, and the accuracy to expect of it on true answers."""

from __future__ import annotations

from typing import Any

from deniable.core.estimate import Estimate
from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.results.calls import call
from deniable.results.estimating import Found
from deniable.results.figures import SHARE, Block, Figure, figures_of
from deniable.results.material import Material, Spoken
from deniable.results.questions import Prediction
from deniable.results.remarks import as_sentence, remarks
from deniable.results.rows import only, rows_of
from deniable.results.together import check_own_draws
from deniable.results.words import Said

MOST_LEARNED = 20_000
"""A classifier learns from so many rows at most."""
MOST_CLASSES = 10


def prediction(material: Material, asked: Prediction, spoken: Spoken) -> Found:
    """How often a classifier would be right, beside how often the most frequent answer is."""
    for name in (asked.of, *asked.given):
        material.check([name])
    check_own_draws(material, (asked.of, *asked.given))
    if material.schema[asked.of].domain.size > MOST_CLASSES:
        raise ParameterError(
            "many_classes", "{name!r} has more than {most} answers, too many to be predicted.", name=asked.of, most=MOST_CLASSES
        )
    chosen, expected = expected_accuracy(material.data, material.schema, asked)
    said = spoken.said
    (figure,) = figures_of(expected, SHARE, said, [None])
    figure = Figure(said.accuracy, None, (asked.of,), figure.value, figure.low, figure.high, None, None, figure.sentence)
    asking = call("distribution", asked.of)
    shares = asking.run(material.sample)
    low, high = shares.interval()
    place = int(shares.shown.argmax())
    often = Figure(
        said.baseline, None, (asked.of, shares.labels[place]), float(shares.shown[place]), float(low[place]), float(high[place]),
        None, None, said.share(float(low[place]), float(high[place])),
    )  # fmt: skip
    title = said.predicted.format(title=spoken.title(asked.of))
    sentences: tuple[str, ...] = ()
    if figure.low is not None:
        better = said.better if figure.low > float(high[place]) else said.not_better
        sentences = (said.expected.format(chosen=_spoken(chosen, said), share=figure.sentence), better)
    block = Block(
        asked.of,
        title,
        SHARE,
        (figure, often),
        expected.n,
        sentences,
        remarks([expected], spoken),
        (0.0, 1.0),
        extra={"chosen": chosen},
    )
    given = said.given.format(titles="; ".join(map(spoken.title, asked.given)))
    return Found(title, (block,), (as_sentence(given),), code=_code(asked))


def expected_accuracy(data: Any, schema: Schema, asked: Prediction) -> tuple[str, Estimate]:
    """What decides, in words, and how often it is expected to be right."""
    from deniable.classify.ensembles.auto import AutoClassifier

    names = [*asked.given, asked.of]
    rows = rows_of(data, schema, names, MOST_LEARNED)
    model = AutoClassifier(only(schema, names, asked.of)).fit(rows)
    return str(model.chosen_), model.expected_accuracy_


def _spoken(chosen: str, said: Said) -> str:
    """What decides, in the reader's language.

    >>> from deniable.results.words import said_in
    >>> _spoken("naive Bayes and a forest on reports, together", said_in("pl"))
    'naiwny Bayes i las na zgłoszeniach, razem'
    """
    for english, spoken in said.classifiers.items():
        chosen = chosen.replace(english, spoken)
    return chosen


def _code(asked: Prediction) -> tuple[str, ...]:
    return (
        "from deniable.results.predicting import expected_accuracy",
        "from deniable.results.questions import Prediction",
        "data, schema = sample.parts[0]",
        f"chosen, estimate = expected_accuracy(data, schema, {asked!r})",
        "numbers = [told(estimate)]",
    )

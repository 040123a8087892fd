"""Answers to one version at one moment, ready to be shown to those who may export, or to those who may not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deniable.core.schema import Schema
from deniable.engines.countable import Countable
from deniable.errors import RefusedError
from deniable.results.answers import Answer
from deniable.results.asking import answered, in_cells, material_of
from deniable.results.estimating import attributes_of, too_few
from deniable.results.material import Material
from deniable.results.questions import Overview, Prediction, Question, Versions
from deniable.results.viewable import Viewable


@dataclass(frozen=True)
class Ready:
    """One version at one moment, ready to be asked."""

    material: Material
    whole: Material
    viewable: Viewable | None
    """What may be seen; None for those who may export."""


def ready(number: int, data: Countable, schema: Schema, exporting: bool, grown: bool = False) -> Ready:
    """Make answers ready to be asked.

    Parameters
    ----------
    number
        That of the version.
    data, schema
        The answers, and how they were hidden.
    exporting
        Whether those who ask may export.
    grown
        Whether answers came after results were first shown.

    Returns
    -------
    Ready

    Examples
    --------
    >>> import deniable as dn, pandas as pd
    >>> from deniable.engines.count import as_countable
    >>> schema = dn.Schema({"town": dn.Identity(dn.Nominal(["A", "B", "C"]))})
    >>> data = as_countable(pd.DataFrame({"town": ["A"] * 60 + ["B"] * 60 + ["C"] * 7}))
    >>> [len(ready(1, data, schema, may).material.schema["town"].domain.labels) for may in (True, False)]
    [3, 2]
    """
    whole = Material.of(number, data, schema)
    if exporting:
        return Ready(whole, whole, None)
    viewable = Viewable.of(data, schema, grown)
    coarse_data, coarse = viewable.coarse()
    return Ready(Material.of(number, coarse_data, coarse, viewable.allows), whole, viewable)


def shown(versions: Sequence[Ready], question: Question, language: str | None = None) -> Answer:
    """What a view shows of these versions."""
    materials = [one.material for one in versions]
    if all(one.viewable is None for one in versions):
        return answered(materials, question, language, True)
    if isinstance(question, Prediction):
        raise RefusedError(
            "needs_export", "A classifier learns from whole rows, which only those may use who may export the answers."
        )
    here = next(one for one in versions if one.material is material_of(materials, question.version))
    assert here.viewable is not None
    names = attributes_of(question)
    for name in names:
        here.whole.check([name])
    unseen = [name for name in names if name in here.whole.schema and name not in here.material.schema]
    if unseen and not isinstance(question, Versions):
        spoken = here.whole.spoken(language)
        found = too_few(names[0] if not isinstance(question, Overview) else unseen[0], spoken)
        chosen = language or here.whole.languages[0]
        return Answer(question, chosen, found.title, found.blocks, found.sentences, found, (), False)
    return answered(materials, in_cells(question, here.viewable), language, False)

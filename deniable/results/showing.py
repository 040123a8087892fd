"""Answers to one version at one moment, ready to be shown to those who may export, or to those who may not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deniable.core.question_texts import Question as Texts
from deniable.core.schema import Schema
from deniable.engines.countable import Countable
from deniable.errors import RefusedError
from deniable.results.answers import Answer
from deniable.results.asking import answered, in_cells, material_of, may_show
from deniable.results.cells import FEWEST
from deniable.results.estimating import attributes_of, not_shown
from deniable.results.material import Material, Spoken
from deniable.results.naming import named
from deniable.results.questions import Overview, Prediction, Question, Versions
from deniable.results.viewable import Viewable


@dataclass(frozen=True)
class Ready:
    """One version at one moment, ready to be asked."""

    material: Material
    whole: Material
    viewable: Viewable | None
    """What may be seen; None for those who may export."""

    def spoken(self, language: str | None) -> Spoken:
        """A language with the texts of all questions, also of those that may not be seen."""
        whole, seen = self.whole.spoken(language), self.material.spoken(language).questions
        both = {
            name: Texts(question.title, {**question.labels, **(seen[name].labels if name in seen else {})})
            for name, question in whole.questions.items()
        }
        return Spoken(whole.said, both)

    def why_not(self, question: Question) -> str | None:
        """Why nothing of a view may be shown, as the name of a sentence of `Said`; None where something may."""
        unseen = [name for name in attributes_of(question) if name in self.whole.schema and name not in self.material.schema]
        return self.material.instead if unseen or not may_show(self.material, question) else None


def ready(number: int, data: Countable, schema: Schema, exporting: bool, grown: str | bool = False) -> Ready:
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
        Whether answers came after results were first shown; or another reason why groups are not shown, as `Said` names it.

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
    viewable = Viewable.of(data, schema, bool(grown))
    coarse_data, coarse = viewable.coarse()
    few = not grown or whole.table([next(iter(schema))]).total < FEWEST
    instead = "too_few" if few else "reopened" if grown is True else str(grown)
    return Ready(Material.of(number, coarse_data, coarse, viewable.allows, instead), whole, viewable)


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
        spoken = here.spoken(language)
        found = not_shown(
            names[0] if not isinstance(question, Overview) else unseen[0],
            named(question, spoken),
            spoken,
            here.material.instead,
        )
        chosen = language or here.whole.languages[0]
        return Answer(question, chosen, found.title, found.blocks, found.sentences, found, (), False)
    return answered(materials, in_cells(question, here.viewable), language, False)

"""A table as it is published: one sensitive column or several, with what is promised and what is still exposed."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from deniable import __version__
from deniable.plurals import counted
from deniable.privacy.reporting.words import percent
from deniable.publish.cells import columns_of
from deniable.publish.deniability_tree import DeniabilityTree
from deniable.publish.epsilon import epsilon_in_words
from deniable.publish.guarantees import TOGETHER, Guarantees, remedies_of_all, verdict_of_all
from deniable.publish.html import page
from deniable.publish.recoding import Recoding
from deniable.publish.remedies import Write, in_python

NOTICE = (
    "Answers in the sensitive columns were drawn from the answers of groups of people and may be false for any of them. Publish one copy "
    "only: copies drawn anew average out."
)
EPSILON_IS_THE_OWNERS = (
    "answers are mixed with those of all rows (mix). Which epsilon that gives depends on how rare the rarest answer is, so only the "
    "owner is told."
)
WIDTH = 110


class Publication:
    """A published table (`data`), its trees, and the guarantees of each; as text, JSON or web page.

    Parameters
    ----------
    data : the table as it is published.
    trees : the trees, in the order in which columns were hidden.
    guaranteed : what is promised of each, and what is exposed.
    joint : whether several columns were hidden together.
    recodings : what became of columns whose values were made coarser; the published table holds the coarser ones.
    shuffled : whether the rows are in random order.
    declared : the sensitive columns whose possible answers the owner declared: those may be public, others are found from the answers.

    Examples
    --------
    >>> import deniable as dn, pandas as pd
    >>> people = pd.DataFrame({"town": ["A"] * 50 + ["B"] * 50, "ill": ["yes", "no"] * 50})
    >>> published = dn.publish_frame(people, "ill", min_deniability=0.5)
    >>> published.passed, list(published.data.columns), sorted(published.data["town"]) == sorted(people["town"])
    (True, ['town', 'ill'], True)
    """

    def __init__(
        self,
        data: Any,
        trees: Sequence[DeniabilityTree],
        guaranteed: Sequence[Guarantees],
        joint: bool,
        recodings: Sequence[Recoding] = (),
        shuffled: bool = True,
        declared: Sequence[str] = (),
    ) -> None:
        self.data = data
        self.declared = tuple(declared)
        self.trees = tuple(trees)
        self.guarantees = tuple(guaranteed)
        self.joint = joint
        self.comparison: Any = None
        """The tree beside plain randomised response, where that was asked for."""
        self.recodings = tuple(recodings)
        self.shuffled = shuffled
        self.remedy: Mapping[str, Any] = {}
        """Settings with which a table that failed a check was seen to pass them all, beside those that were given."""
        self.remedy_notes: Sequence[str] = ()
        """What those settings cost; or why there are none."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"declared": (), "remedy_notes": (), **state})
        if "trees" not in state:
            # Earlier releases kept each tree in its guarantees, and a remedy as options of the command line.
            self.trees = tuple(vars(each).pop("estimator") for each in self.guarantees)
            self.remedy = {}

    @property
    def passed(self) -> bool:
        """Whether no check of any sensitive column failed."""
        return all(each.passed for each in self.guarantees)

    @property
    def epsilon(self) -> float:
        """Over all columns; infinite without `mix`. The trees are not covered."""
        return sum(each.tree.epsilon for each in self.guarantees)

    @property
    def verdict(self) -> str:
        """The result in a few sentences."""
        return self.verdict_in()

    def verdict_in(self, write: Write = in_python) -> str:
        """The result in a few sentences, settings written as a face writes them."""
        return verdict_of_all(self.guarantees, [each.verdict_in(write) for each in self.guarantees])

    @property
    def public_verdict(self) -> str:
        """The same without what was measured on the true answers."""
        return verdict_of_all(self.guarantees, [each.public_verdict for each in self.guarantees])

    def remedies(self, write: Write = in_python) -> list[str]:
        """What would make the failed checks hold, one line per check; `write` says how a face writes settings."""
        return remedies_of_all(self.guarantees, write)

    def to_dict(self, rows: bool = False) -> dict[str, Any]:
        """Method, parameters, guarantees and version, for JSON. By default nothing that was measured on the true answers is in it, so that
        it may go with the published table; with `rows` it is for the owner. There is no seed: draws come from the operating system."""
        return {
            "kind": "deniable.publication",
            "version": __version__,
            "method": "deniability tree (answers drawn from the answers of groups)",
            "joint": self.joint,
            "passed": self.passed,
            "verdict": self.verdict if rows else self.public_verdict,
            **self._epsilon(rows),
            "shuffled": self.shuffled,
            "published_as_they_are": self.as_they_are,
            "published_coarser": self.coarser,
            "recoded": [recoding.to_dict(rows, recoding.name in self._sensitive) for recoding in self.recodings],
            "columns": [
                {**self._tree(tree, rows), "guarantees": guaranteed.to_dict(rows)}
                for tree, guaranteed in zip(self.trees, self.guarantees, strict=True)
            ],
            "notice": NOTICE,
        }

    @property
    def as_they_are(self) -> list[str]:
        """The columns that are published as they are: neither hidden nor recoded."""
        changed = {*self._sensitive, *(recoding.name for recoding in self.recodings)}
        return [name for name in columns_of(self.data) if name not in changed]

    @property
    def coarser(self) -> list[str]:
        """The columns that are published true, in bands or with rare values put together, and not hidden."""
        shown = set(columns_of(self.data)) - set(self._sensitive)
        return [recoding.name for recoding in self.recodings if recoding.name in shown]

    @property
    def _sensitive(self) -> list[str]:
        return [name for tree in self.trees for name in tree.sensitive_.names]

    def _epsilon(self, rows: bool) -> dict[str, Any]:
        """How large epsilon is depends on the groups and on the rarest answer, so the public is told only whether there is a mix."""
        if rows:
            return {"epsilon": None if math.isinf(self.epsilon) else self.epsilon}
        mixed = all(tree.mix for tree in self.trees)
        return {"epsilon": None, "epsilon_in_words": EPSILON_IS_THE_OWNERS if mixed else epsilon_in_words(math.inf)}

    def _tree(self, tree: DeniabilityTree, rows: bool) -> dict[str, Any]:
        """Answers, parameters, and whether the search was finished in time; the public reads only what the owner declared or set."""
        names, parameters = list(tree.sensitive_.names), tree.get_params()
        answers = [_plain(labels) for labels in tree.sensitive_.labels]
        if rows:
            told = {"answers": answers, "search_finished": tree.search_finished_}
        else:
            told = {"answers": answers} if set(names) <= set(self.declared) else {}
            parameters = {key: value for key, value in parameters.items() if told or key != "outcomes"}
        return {"sensitive": names, **told, "parameters": {key: _plain(value) for key, value in parameters.items()}}

    def to_html(self, write: Write = in_python, made: Sequence[tuple[str, str]] = ()) -> str:
        """A page for the owner: it names rows and shows true counts, so it is not for publication. `made` says how it was made."""
        return page(self.guarantees, self.recodings, self.comparison, write, self._true_columns, made)

    @property
    def _true_columns(self) -> str:
        """A sensitive column that was forgotten goes out true: only the owner can see that it is one."""
        told = f"Published as they are: {', '.join(self.as_they_are) or 'no columns'}."
        if self.coarser:
            told += f" Published true, only coarser: {', '.join(self.coarser)}."
        return told + (
            " If one of them is sensitive too, hide it as well, or leave it out." if self.as_they_are or self.coarser else ""
        )

    def to_text(self, write: Write = in_python) -> str:
        """The result as people read it; `write` says how a face writes settings."""
        lines = [line for each in self.guarantees for line in _lines(each, write)]
        if self.shuffled:
            lines.append("Rows are published in random order; row numbers above are those of the data that was read.")
        lines += textwrap.wrap(self._true_columns, WIDTH, subsequent_indent="    ")
        for recoding in self.recodings:
            lines += textwrap.wrap(f"Recoded: {recoding.owner}", WIDTH, subsequent_indent="    ")
        if len(self.guarantees) > 1:
            total = "" if math.isinf(self.epsilon) else f" Their epsilons add up to {self.epsilon:.3g}."
            lines += textwrap.wrap(TOGETHER + total, WIDTH)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.to_text()


def _lines(guaranteed: Guarantees, write: Write) -> list[str]:
    """One sensitive column, or several hidden together: the verdict, a paragraph per check, and the settings."""
    overall = guaranteed.overall
    lines = [f"Published: {guaranteed.tree.names}, {counted(overall['rows'], 'row')} in {counted(overall['groups'], 'group')}"]
    lines += textwrap.wrap(guaranteed.verdict_in(write), WIDTH, initial_indent="  ", subsequent_indent="  ")
    for check in guaranteed.checks:
        named = f" ({check.named})" if check.named else ""
        text = f"{check.state:<8}{check.name}: {check.found}{named}"
        lines += textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="          ")
    lines += textwrap.wrap(guaranteed.settings, WIDTH, initial_indent="  ", subsequent_indent="    ")
    lines.append(f"  unchanged: {percent(overall['expected_unchanged'])} of the answers on average")
    lines += textwrap.wrap(f"epsilon: {guaranteed.epsilon_in(write)}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    return lines


def _plain(value: Any) -> Any:
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(cell) for key, cell in value.items()}
    if isinstance(value, Iterable):
        return [_plain(cell) for cell in value]
    # Dates and decimals have no form of their own in JSON.
    return value.item() if isinstance(value, np.generic) else str(value)

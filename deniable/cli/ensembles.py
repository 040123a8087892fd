"""Ensembles on the command line: `classify fit --model ensemble`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from deniable.core.schema import Schema
from deniable.errors import ParameterError
from deniable.plurals import counted

Bagging = Annotated[
    int | None,
    typer.Option(min=0, help="Of an ensemble: so many copies of each member learn from drawn rows [5 unless given]."),
]
Boosting = Annotated[
    int | None, typer.Option(min=0, help="Of an ensemble: so many copies of each member learn from mistakes [5 unless given].")
]
Vote = Annotated[str | None, typer.Option(help="Of an ensemble: weighted, simple, soft or product.")]
Combination = Annotated[str | None, typer.Option(help="Of an ensemble: flat, hierarchical or stacked.")]
Members = Annotated[
    list[str] | None,
    typer.Option(
        "--member",
        help="Of an ensemble: tree (of every reconstruction), naive_bayes, patterns, forest or as-reported; may be repeated [tree].",
    ),
]
Jobs = Annotated[int | None, typer.Option(help="Of an ensemble: how many processes learn at once; -1: one per core.")]
MEMBERS = ("tree", "naive_bayes", "patterns", "forest", "as-reported")


def ensemble_learner(schema: Schema, given: dict[str, Any]) -> Any:
    """The ensemble, with the options that were given."""
    from deniable.classify.ensembles.ensemble import ReconstructionEnsemble

    options = {name: given[name] for name in ("bins", "bagging", "boosting", "vote", "combination") if given[name] is not None}
    members = given["member"]
    chosen = (
        None if not members or set(members) == {"tree"} else [one for name in members for one in _members(name, given["bins"])]
    )
    return ReconstructionEnsemble(schema, chosen, n_jobs=given["jobs"], **options)


def _members(name: str, bins: int | None) -> list[Any]:
    """The classifiers that a name stands for; each has bins of its own unless some were given."""
    from deniable.classify.as_reported import AsReported
    from deniable.classify.ensembles.ensemble import ReconstructionEnsemble
    from deniable.classify.forest.unbiased import UnbiasedForest
    from deniable.classify.naive_bayes import ReconstructionNaiveBayes
    from deniable.classify.patterns.emerging import EmergingPatterns

    if name not in MEMBERS:
        raise ParameterError("member", "--member must be one of {allowed}, got {got!r}.", allowed=list(MEMBERS), got=name)
    own: dict[str, Any] = {} if bins is None else {"bins": bins}
    if name == "tree":
        return list(ReconstructionEnsemble.grid(**own))
    kinds: dict[str, Any] = {
        "naive_bayes": ReconstructionNaiveBayes,
        "patterns": EmergingPatterns,
        "forest": UnbiasedForest,
        "as-reported": AsReported,
    }
    return [kinds[name](**own)]


def show_ensemble(learner: Any) -> None:
    """How many classifiers decide, and how."""
    groups, of_copy = learner.group_of_copies_
    members, said = learner.members_, []
    for how in dict.fromkeys(how for _, how in groups):
        many = sum(groups[group][1] == how for group in of_copy)
        said.append(f"{many} by {how}" if how != "once" else f"{many} on all rows")
    print(
        f"{counted(len(of_copy), 'classifier')} of {counted(len(members), 'member')} ({', '.join(said)}), votes {learner.vote}"
    )

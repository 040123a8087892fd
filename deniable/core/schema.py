"""A schema: which channel hides which attribute, and which attributes share a draw. It travels with the data."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from deniable.core.channels.base import Channel, rounded_up
from deniable.core.channels.blocks import Block, blocks_of
from deniable.core.channels.designs import Identity
from deniable.core.channels.groups import Group, JointChannel
from deniable.core.question_texts import QuestionTexts
from deniable.core.randomising.files import randomise_file
from deniable.core.randomising.frames import randomise_frame
from deniable.core.randomising.spark import is_spark_frame, randomise_spark
from deniable.core.randomising.table import without_dropped
from deniable.core.schema_json import FORMAT, VERSION, read_channel, read_content, read_texts
from deniable.errors import OrderWarning, ParameterError, SchemaError
from deniable.files.atomic import write_text
from deniable.files.sidecar import NOTICE, read_schema_text
from deniable.progress import Progress, Silent


def summed(epsilons: Sequence[float]) -> float:
    """What independent draws give away together, rounded up.

    >>> summed([1.0]), summed([1.0, 1.0]) > 2, summed([1.0, math.inf]), summed([])
    (1.0, True, inf, 0.0)
    """
    total = math.fsum(epsilons)
    return total if len(epsilons) < 2 or math.isinf(total) else math.nextafter(total, math.inf)


class Schema(Mapping[str, Channel]):
    """A mapping from attribute to channel; blocks of attributes are independent, attributes of a group share one draw.

    >>> import deniable as dn
    >>> yes_no = dn.UnrelatedQuestion(dn.Binary(), theta=0.5, innocuous=0.5)
    >>> survey = dn.Schema({f"q{i}": yes_no for i in range(1, 6)}, groups={"all": [f"q{i}" for i in range(1, 6)]})
    >>> round(survey.epsilon, 2)
    3.5
    """

    texts: QuestionTexts | None = None
    """What was asked, in a survey's languages, where the schema is that of a survey; no part of the fingerprint."""

    def __init__(
        self,
        channels: Mapping[str, Channel],
        target: str | None = None,
        groups: Mapping[str, Sequence[str] | Group] | None = None,
        texts: QuestionTexts | None = None,
    ) -> None:
        if not isinstance(channels, Mapping):
            raise SchemaError(
                "schema_mapping", "A schema is a mapping from name to channel, got {got}.", got=type(channels).__name__
            )
        if not channels:
            raise SchemaError("schema_empty", "A schema needs at least one attribute: Schema({{name: channel, ...}}).")
        for name, channel in channels.items():
            if not isinstance(name, str) or not name:
                raise SchemaError("attribute_name", "Attribute names must be non-empty text, got {got!r}.", got=name)
            if not isinstance(channel, Channel):
                raise SchemaError(
                    "not_a_channel",
                    "Attribute {name!r} needs a channel such as dn.KRR(domain, p), got {got!r}.",
                    name=name,
                    got=channel,
                )
        if target is not None and target not in channels:
            raise SchemaError(
                "unknown_target",
                "The target {got!r} is not among the attributes {allowed}.",
                got=target,
                allowed=list(channels),
            )
        self._channels = dict(channels)
        self.target = target
        self.texts = texts
        self.groups = {
            name: group if isinstance(group, Group) else Group(list(group) if not isinstance(group, str) else group)
            for name, group in (groups or {}).items()
        }
        self.blocks = blocks_of(self._channels, self.groups)

    def __getitem__(self, name: str) -> Channel:
        if name not in self._channels:
            raise KeyError(f"There is no attribute {name!r}; there are {', '.join(map(repr, self._channels))}.")
        return self._channels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._channels)

    def __len__(self) -> int:
        return len(self._channels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        inside = ",\n    ".join(f"{name!r}: {channel!r}" for name, channel in self.items())
        return f"Schema({{\n    {inside}\n}})  # epsilon {rounded_up(self.epsilon)}"

    @property
    def exact(self) -> bool:
        """Whether every channel is a table of integers, fit to protect people."""
        return all(channel.exact for channel in self.values())

    @property
    def epsilon(self) -> float:
        """What one respondent gives away at most: the sum over independent blocks, rounded up."""
        return summed([block.epsilon for block in self.blocks])

    @property
    def hidden_epsilon(self) -> float:
        """The same of what is hidden alone: a column that is reported as it is, on purpose, is open and tells nothing of the others."""
        return summed([block.epsilon for block in self.blocks if not block.open])

    def check_budget(self, epsilon: float) -> None:
        """Refuse a schema that gives away more than `epsilon` per respondent.

        >>> import deniable as dn
        >>> dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)}).check_budget(1.1)
        """
        if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float)) or not epsilon > 0:
            raise ParameterError("budget", "A budget must be a positive number, got {got!r}.", got=epsilon)
        if self.epsilon > epsilon:
            parts = ", ".join(f"{block.name} {rounded_up(block.epsilon)}" for block in self.blocks)
            raise SchemaError(
                "over_budget",
                "The schema gives away epsilon {got} per respondent, the budget is {budget}: {parts}. "
                "Hide some questions more, or ask fewer.",
                got=rounded_up(self.epsilon),
                budget=epsilon,
                parts=parts,
            )

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the schema and of every integer weight behind it: equal fingerprints mean equal randomisation."""
        content = json.dumps(
            {**self._content(), "laws": {name: _digest(channel) for name, channel in self.items()}},
            sort_keys=True,
            separators=(",", ":"),
        )
        return hashlib.sha256(content.encode()).hexdigest()

    def _content(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "target": self.target,
            "attributes": {name: channel.to_json() for name, channel in self.items()},
            "groups": {name: group.to_json() for name, group in self.groups.items()},
        }

    def to_json(self, notice: str | None = None, fingerprint: bool = True, data: str | None = None) -> str:
        """The schema as JSON text, with its fingerprint unless it is still to be edited (format: `docs/schema.md`).

        >>> import deniable as dn
        >>> schema = dn.Schema({"a": dn.KRR(dn.Binary(), 0.75)})
        >>> dn.Schema.from_json(schema.to_json()) == schema
        True
        """
        content = self._content()
        if fingerprint:
            content["fingerprint"] = self.fingerprint
        if notice is not None:
            content["notice"] = notice
        if data is not None:
            content["data"] = data
        if self.texts is not None:
            content["texts"] = self.texts.to_json()
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, given: str | bytes | dict[str, Any], where: str = "the schema") -> Schema:
        """Read a schema; one whose fingerprint does not match what it says is refused."""
        content = read_content(given, where)
        channels = {name: read_channel(name, channel, where) for name, channel in content["attributes"].items()}
        groups = {name: Group.from_json(group) for name, group in (content.get("groups") or {}).items()}
        schema = cls(channels, content.get("target"), groups, read_texts(content.get("texts"), list(channels), where))
        if content.get("fingerprint") not in (None, schema.fingerprint):
            raise SchemaError(
                "fingerprint",
                "{where} was changed after it was written: its fingerprint is {got}..., its content has {expected}.... "
                "If the change is meant and no data was randomised under the old one, delete the fingerprint.",
                where=where,
                got=str(content["fingerprint"])[:12],
                expected=schema.fingerprint[:12],
            )
        return schema

    def with_texts(self, texts: QuestionTexts | None) -> Schema:
        """The same schema with the texts of its questions, which travel in its file.

        >>> import deniable as dn
        >>> from deniable.core.question_texts import QuestionTexts
        >>> schema = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)})
        >>> texts = QuestionTexts(["en"], {"smokes": {"title": {"en": "Do you smoke?"}, "labels": {}}})
        >>> schema.with_texts(texts) == schema
        True
        """
        return Schema(self, self.target, self.groups, texts)

    def recipe(self) -> dict[str, Any]:
        """What a browser needs to randomise one person's answers by the same steps as Python: labels and integers only.

        >>> import deniable as dn
        >>> dn.Schema({"smokes": dn.KRR(dn.Binary(), 0.75)}).recipe()["blocks"]
        [{'attributes': ['smokes'], 'law': 'mixture', 'denominator': 4, 'diagonal': 2, 'replacement': [1, 1]}]
        """
        self._refuse_floating([name for name in self if not self[name].exact])
        blocks = [
            {"attributes": list(block.attributes)}
            | (block.channel.recipe() if isinstance(block.channel, JointChannel) else block.channel.law.recipe())
            for block in self.blocks
        ]
        return {"fingerprint": self.fingerprint, "blocks": blocks}

    def _refuse_floating(self, names: Sequence[str]) -> None:
        """Refuse to protect people by draws in floating point: among numbers with many decimals, those that were kept stand out."""
        if names:
            raise SchemaError(
                "floating_channel",
                "{got} have no step: their reports are drawn in floating point, which protects nobody. Give the domain a step, as in "
                "dn.Continuous(0, 8000, step=100); in simulations give randomise an rng.",
                got=list(names),
            )

    def save(self, path: str | Path, force: bool = False, notice: str | None = None) -> None:
        """Write the schema to a JSON file; an existing file stays unless `force`."""
        write_text(Path(path), self.to_json(notice), force)

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema from a JSON file, or the one that travels inside a Parquet file."""
        return cls.from_json(read_schema_text(Path(path)), where=str(path))

    def randomise(
        self,
        data: Any,
        rng: np.random.Generator | None = None,
        keep: Sequence[str] = (),
        *,
        order: str | None = None,
        output: str | Path | None = None,
        force: bool = False,
        progress: Progress | None = None,
        drop: Sequence[str] = (),
    ) -> Any:
        """Randomise every attribute of an eager data frame, or a CSV or Parquet file or Spark frame to `output` in bounded memory.

        Rows come out in random order, for epsilon says nothing of what rows tell about one another, and in a sorted table they tell nearly
        everything. So row i of the result is not row i of `data`; what belongs to it must be in the schema or in `keep`.

        Parameters
        ----------
        data
            An eager frame, a Spark frame, or the path of a CSV or Parquet file.
        rng
            For simulations: draws then repeat, the order is kept unless you say otherwise, and nothing is measured. People are protected
            by the randomness of the operating system only.
        keep, drop
            Columns that are handed on as they are, and those that are left out; any other column that is not in the schema is refused.
        order
            "shuffled", or "kept", which warns where neighbours are alike. An `OrderWarning` names kept columns that restore the order.
        output, force
            Where a file or Spark frame is written, with the schema beside it (`NAME.schema.json`, and inside Parquet); an existing file
            stays unless `force`.
        progress
            Who is told how far it is.

        Returns
        -------
        frame or int
            The new frame, or the number of rows written.

        Examples
        --------
        >>> import deniable as dn, numpy as np, pandas as pd
        >>> schema = dn.Schema({"smokes": dn.KRR(dn.Nominal(["no", "yes"]), 0.75)})
        >>> people = pd.DataFrame({"smokes": ["no"] * 500, "town": ["Ulm", "Bonn"] * 250})
        >>> reported = schema.randomise(people, keep=["town"])
        >>> sorted(reported["smokes"].unique()), reported["town"].equals(people["town"])
        (['no', 'yes'], False)
        >>> simulated = schema.randomise(people, np.random.default_rng(1), keep=["town"])
        >>> simulated["town"].equals(people["town"])
        True
        """
        if isinstance(keep, str):
            raise ParameterError("keep_list", "keep must be a list of column names, got {got!r}; write [{got!r}].", got=keep)
        if rng is None:
            self._refuse_floating(
                [name for name, channel in self.items() if not (channel.exact or isinstance(channel, Identity))]
            )
        drop = (drop,) if isinstance(drop, str) else tuple(drop)
        if isinstance(data, (str, Path)):
            if output is None:
                raise ParameterError(
                    "no_output", "A file is randomised to a file: give output=, got only {got}.", got=str(data)
                )
            made, warning = randomise_file(
                self,
                self.blocks,
                self._travelling(output),
                Path(data),
                Path(output),
                rng,
                tuple(keep),
                order,
                force,
                progress or Silent(),
                drop,
            )
        elif output is not None and is_spark_frame(data):
            made, warning = randomise_spark(
                self,
                self._travelling(output),
                _read_again,
                data.select(*without_dropped(self, data.columns, drop, "The Spark frame")) if drop else data,
                Path(output),
                rng,
                tuple(keep),
                order,
                force,
                progress or Silent(),
            )
        else:
            if output is not None:
                raise ParameterError(
                    "output_of_frame", "output= is for files and Spark; other frames are returned, not written."
                )
            made, warning = randomise_frame(self, self.blocks, data, rng, tuple(keep), order, drop)
        if warning is not None:
            warnings.warn(warning, OrderWarning, stacklevel=2)
        return made

    def _travelling(self, output: str | Path) -> str:
        """The schema as it travels with the file `output`."""
        return self.to_json(NOTICE, data=Path(output).name)


def _read_again(schema_json: str) -> tuple[Schema, tuple[Block, ...]]:
    """What Spark's workers make of the schema's text: one that says something else there than here is refused by its fingerprint."""
    schema = Schema.from_json(schema_json)
    return schema, schema.blocks


def _digest(channel: Channel) -> str | None:
    return channel.law.digest if channel.exact else None

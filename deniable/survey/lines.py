"""YAML or JSON text as plain values that know the line they stand on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import MappingNode, SequenceNode

from deniable.errors import QuestionnaireError
from deniable.survey.yaml_hints import hint

Path = tuple[str | int, ...]
LARGEST = 100_000
"""Values in a questionnaire; references to earlier parts could multiply them without end."""


DEEPEST = 50
"""Levels of lists and mappings in each other; a questionnaire has ten. The reader needs seconds for thousands of them."""
MOST_ALIASES = 100
"""References to earlier parts (*name). A questionnaire has a few; thousands are read in minutes."""
LONGEST = 300


class _AliasesError(Exception):
    """Too many references to earlier parts."""


class _Shallow(Composer):
    """Gives up where no questionnaire goes."""

    depth = 0
    aliases = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.parser.check_event(AliasEvent):
            self.aliases += 1
            if self.aliases > MOST_ALIASES:
                raise _AliasesError
        self.depth += 1
        if self.depth > DEEPEST:
            raise RecursionError
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


class _Cut(str):
    """The beginning of something long, which is shown without quotes of its own."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _short(value: Any) -> Any:
    """What was given, or its beginning: nobody reads a sentence with five hundred choices in it."""
    shown = value if isinstance(value, str) else repr(value)
    return value if len(shown) <= LONGEST else _Cut(f"{shown[: LONGEST // 3]} ... ({len(shown):,} characters)")


class Document:
    """The values of a text, and the line of each of them by its path.

    >>> document = Document("title: Traffic\\npages:\\n- elements: []\\n", "survey.yaml")
    >>> document.value["title"], document.line(("pages", 0, "elements"))
    ('Traffic', 3)
    """

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self._lines: dict[Path, int] = {}
        self._size = 0
        self.mistakes: list[QuestionnaireError] = []
        """Keys that are given twice; the first of them counts."""
        try:
            yaml = YAML(typ="safe", pure=True)
            yaml.Composer = _Shallow
            node = yaml.compose(text)
        except YAMLError as error:
            line, problem = hint(text, error)
            raise QuestionnaireError(
                "not_yaml", "{where}, line {line}: {problem}", where=where, line=line, problem=problem
            ) from None
        except RecursionError:
            raise QuestionnaireError("too_deep", "{where} is nested too deeply.", where=where) from None
        except _AliasesError:
            raise QuestionnaireError(
                "too_many_aliases", "{where} refers to earlier parts (*name) more than {most} times. Write them out.",
                where=where, most=MOST_ALIASES,
            ) from None  # fmt: skip
        try:
            self.value: Any = None if node is None else self._read(node, ())
        except RecursionError:
            raise QuestionnaireError("too_deep", "{where} is nested too deeply, or holds itself.", where=where) from None

    @classmethod
    def of(cls, value: Any, where: str, lines: Mapping[Path, int] | None = None) -> Document:
        """Values that are there already; all stand on line 1, unless it is said on which."""
        made = cls("", where)
        made.value = value
        made._lines = dict(lines or {})
        return made

    def line(self, path: Path) -> int:
        """The line of a value, or of the nearest thing around it."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def rename(self, path: Path, key: str, meant: str) -> None:
        """Find what stands under a key by the one that was meant, too."""
        self._lines[(*path, meant)] = self.line((*path, key))

    def error(self, path: Path, code: str, sentence: str, /, **parameters: Any) -> QuestionnaireError:
        """An error that points at the line of a value."""
        made = QuestionnaireError(
            code, "{where}, line {line}: " + sentence, where=self.where, line=self.line(path),
            **{name: _short(value) for name, value in parameters.items()},
        )  # fmt: skip
        made.path = path
        return made

    def _read(self, node: Any, path: Path) -> Any:
        self._size += 1
        if self._size > LARGEST:
            raise QuestionnaireError("too_large", "{where} holds more than {most:,} values.", where=self.where, most=LARGEST)
        self._lines[path] = node.start_mark.line + 1
        if isinstance(node, MappingNode):
            content: dict[str, Any] = {}
            for key_node, value_node in node.value:
                key = str(key_node.value)
                if key_node.style is None and key[:1] == "-" and key[1:2].isalpha():
                    self._lines[path] = key_node.start_mark.line + 1
                    raise self.error(path, "no_space", "a space is missing after the dash: - {key}:", key=key[1:])
                if key in content:
                    self._lines[(*path, key)] = key_node.start_mark.line + 1
                    self.mistakes.append(self.error((*path, key), "key_twice", "{key!r} is given twice.", key=key))
                    continue
                content[key] = self._read(value_node, (*path, key))
                self._lines[(*path, key)] = key_node.start_mark.line + 1
            return content
        if isinstance(node, SequenceNode):
            return [self._read(item, (*path, i)) for i, item in enumerate(node.value)]
        return self._scalar(node)

    def _scalar(self, node: Any) -> Any:
        # YAML 1.2: yes, no, on and off are words, and a question may end with its mark.
        tag, text = str(node.tag).rpartition(":")[2], node.value
        if tag == "bool":
            return text.lower() == "true"
        if tag == "null":
            return None
        if tag in ("int", "float"):
            try:
                return int(text) if tag == "int" else float(text)
            except ValueError:
                return text
        return text

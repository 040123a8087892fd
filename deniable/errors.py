"""Every error that Deniable raises on purpose.

    DeniableError
    ├── ParameterError      a channel, domain or option got a value that it does not allow
    ├── DataError           rows or columns that do not fit the schema (all of them together)
    ├── SchemaError         a schema that contradicts itself or its file
    ├── QuestionnaireError  a questionnaire that cannot be asked, with the line
    ├── NotInvertibleError  the reports do not determine what was asked
    ├── NoIntervalError     a method that has no honest confidence interval
    ├── WideDomainError     something that would need a dense matrix of a wide domain
    ├── RefusedError        a submission, or an organiser's request, that a survey does not accept
    ├── StoreError          a database that cannot be opened, read or written
    └── FileError           a file that is missing, unreadable, empty or in the way

and the warnings:

    OrderWarning            the order of rows gives answers away, or a column restores it
    RandomisedRowsWarning   randomised rows are used as if they were true

An error is a code, its parameters and an English sentence, so that a page can translate it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Setting:
    """A parameter by which a problem can be solved, and what it should be; without a value only its name is meant.

    Errors carry settings among their parameters. As text they are what Python writes; on the command line they are options.

    >>> f"{Setting('missing', 'no answer')}"
    "missing='no answer'"
    """

    name: str
    value: Any = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class DeniableError(Exception):
    """Base of the tree: `code` names the fault, `parameters` its details, `str()` is the sentence.

    >>> from deniable.errors import ParameterError
    >>> error = ParameterError("p_outside", "{owner}: p must lie in [0, 1], got {got}.", owner="KRR", got=1.2)
    >>> error.code, error.parameters["got"], str(error)
    ('p_outside', 1.2, 'KRR: p must lie in [0, 1], got 1.2.')
    """

    def __init__(self, code: str, sentence: str, /, **parameters: Any) -> None:
        self.code = code
        self.sentence = sentence
        self.parameters = parameters
        super().__init__(sentence.format(**parameters))

    def __reduce__(self) -> tuple[Any, ...]:
        # The default rebuilds from the finished sentence alone and would lose code and parameters.
        return (_rebuild, (type(self), self.code, self.sentence, self.parameters))


def _rebuild(cls: type[DeniableError], code: str, sentence: str, parameters: dict[str, Any]) -> DeniableError:
    return cls(code, sentence, **parameters)


class ParameterError(DeniableError, ValueError):
    """A parameter outside what its owner allows."""


class DataError(DeniableError, ValueError):
    """Data that does not fit the schema."""


class SchemaError(DeniableError, ValueError):
    """A schema that contradicts itself, its version or its fingerprint."""


class QuestionnaireError(DeniableError, ValueError):
    """A questionnaire that cannot be asked as it stands; the sentence names the line."""

    path: tuple[str | int, ...] = ()
    """Where in the questionnaire it is, from the outside in: keys, and places in lists."""


class NotInvertibleError(DeniableError, ValueError):
    """The reports do not determine what was asked."""


class NoIntervalError(DeniableError):
    """The method is biased or regularised: it has a variability band at most, no confidence interval."""


class WideDomainError(DeniableError):
    """A dense matrix of a wide domain would be needed."""


class FileError(DeniableError, OSError):
    """A file that is missing, unreadable, empty or in the way."""


class RefusedError(DeniableError):
    """What was sent to a survey, or asked of it, was refused; nothing was stored."""


class StoreError(DeniableError):
    """The database cannot be opened, read or written, or is not what it should be."""


class OrderWarning(UserWarning):
    """The order of the rows that are passed on gives answers away, or a column puts shuffled rows back in order."""


class RandomisedRowsWarning(UserWarning):
    """Rows that were randomised are predicted, or scored, as if they were true."""

"""What all questions share: `--title` of the picture, and what the JSON says about where the answer came from."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from deniable import __version__
from deniable.core.schema import Schema
from deniable.errors import ParameterError

_TITLE = Annotated[str | None, typer.Option("--title", help="What is written above the picture of --plot.", show_default=False)]


@dataclass
class Asked:
    """The title of the picture, if one is given, and what the answer was found from."""

    title: str | None = None
    found_from: dict[str, Any] = field(default_factory=dict)

    def opened(self, data: Any, schema: Schema, weights: str | None = None) -> None:
        """Remember what was opened, by its name, which hides passwords."""
        self.found_from = {
            "deniable": __version__,
            "data": getattr(data, "name", None),
            "schema_fingerprint": schema.fingerprint,
            "weights": weights,
        }


_NOW: ContextVar[Asked | None] = ContextVar("asked", default=None)


def now_asked() -> Asked:
    """What the command that runs was asked."""
    return _NOW.get() or Asked()


def draws_pictures(command: Callable[..., None]) -> Callable[..., None]:
    """The command with `--title`; what was asked is remembered for those who show the answer."""

    @functools.wraps(command)
    def asking(*given: Any, title: str | None, **named: Any) -> None:
        if title is not None and named.get("plot") is None:
            raise ParameterError("title_without_plot", "--title is written above a picture: add --plot FILE.")
        token = _NOW.set(Asked(title))
        try:
            command(*given, **named)
        finally:
            _NOW.reset(token)

    signature = inspect.signature(command, eval_str=True)
    added = inspect.Parameter("title", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_TITLE)
    asking.__signature__ = signature.replace(parameters=[*signature.parameters.values(), added])  # type: ignore[attr-defined]
    return asking

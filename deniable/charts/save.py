"""A chart as a file."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import altair as alt

from deniable import interrupts
from deniable.errors import FileError, ParameterError
from deniable.picture_words import Words

SUFFIXES = (".svg", ".png", ".html", ".json")
# The editor on the web is not offered: it would carry the numbers elsewhere.
_MENU = {"export": True, "source": False, "compiled": False, "editor": False}
_SEE_THROUGH = (alt.Undefined, None, "transparent", "none")


def save(chart: Any, path: str | os.PathLike[str], private: bool = False) -> Path:
    """Write a chart to `path` as its suffix says: .svg, .png (at twice the size, for sharp screens), .html or .json.

    The page is complete in itself and loads nothing from elsewhere. Pictures have a white ground, so that they can be read
    on a dark page too, and carry the chart's description for screen readers. A file in the way is replaced once the new
    one is complete; nothing half-written is left behind. A `private` one can be read by nobody but the user (mode 0600).

    >>> import tempfile
    >>> from deniable.charts import distribution_chart, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(distribution_chart(["no", "yes"], [0.7, 0.3]), folder + "/children.svg").name
    'children.svg'
    """
    target = check_path(path)
    _write(target, picture(chart, target.suffix.lower()), private)
    return target


def check_path(path: str | os.PathLike[str]) -> Path:
    """Refuse a name that no picture can be saved under, before any work is done.

    >>> from deniable.charts import check_path
    >>> check_path("children.svg").name
    'children.svg'
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise ParameterError(
            "picture_suffix",
            "save: a picture's name must end in one of {allowed}, got {got!r}.",
            allowed=", ".join(SUFFIXES),
            got=target.name,
        )
    if not target.parent.is_dir():
        raise FileError("no_folder", "save: the folder {folder} does not exist; create it first.", folder=str(target.parent))
    if target.is_dir():
        raise FileError("folder_in_the_way", "save: {path} is a folder, not a file.", path=str(target))
    return target


def in_language(chart: Any, words: Words) -> Any:
    """The chart with the numbers of its axes written as in a language, and marked as being in it.

    >>> from deniable.charts import distribution_chart
    >>> from deniable.picture_words import words_of
    >>> in_language(distribution_chart(["nie"], [1.0]), words_of("pl")).config["locale"]["number"]["decimal"]
    ','
    """
    if words.locale is None:
        return chart
    told = chart.copy(deep=False)
    told.config, told.usermeta = {"locale": words.locale}, {"language": words.language}
    return told


def picture(chart: Any, suffix: str) -> bytes:
    """A chart as the content of a file with this suffix."""
    opaque = chart.copy(deep=False)
    if opaque.background in _SEE_THROUGH:
        opaque.background = "white"
    if suffix == ".png":
        picture = io.BytesIO()
        opaque.save(picture, format="png", scale_factor=2)
        return picture.getvalue()
    text = io.StringIO()
    if suffix == ".html":
        opaque.save(text, format="html", inline=True, embed_options={"actions": _MENU}, json_kwds={"cls": _InScript})
        return _named(text.getvalue(), opaque).encode()
    opaque.save(text, format=suffix[1:])
    return (_told(text.getvalue(), opaque) if suffix == ".svg" else text.getvalue()).encode()


class _InScript(json.JSONEncoder):
    """JSON that may stand inside a script of a page: a label that reads </script> does not end it."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", "\\u003c")


def _told(svg: str, chart: Any) -> str:
    """The picture with the chart's description, which Vega leaves to the page around it."""
    if not isinstance(chart.description, str):
        return svg
    return svg.replace("<svg ", f'<svg role="img" aria-label={quoteattr(chart.description)} ', 1)


def _named(page: str, chart: Any) -> str:
    """The page with its language and a name for its tab."""
    title = chart.title.text if isinstance(chart.title, alt.TitleParams) else chart.title
    name = (
        escape(" ".join(title) if isinstance(title, list) else title) if isinstance(title, (str, list)) and title else "Chart"
    )
    language = chart.usermeta.get("language", "en") if isinstance(chart.usermeta, dict) else "en"
    return page.replace("<html>", f"<html lang={quoteattr(language)}>", 1).replace(
        "<head>", f"<head>\n  <title>{name}</title>", 1
    )


def _write(target: Path, content: bytes, private: bool) -> None:
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            if private:
                partial.unlink(missing_ok=True)
                partial.touch(mode=0o600, exist_ok=False)
            partial.write_bytes(content)
            interrupts.check()
            os.replace(partial, target)
            interrupts.wrote(target)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(
            "not_written", "save: {path} cannot be written ({reason}).", path=str(target), reason=error.strerror or str(error)
        ) from error

"""From a template and its values to HTML. Every value is escaped; a template never says which are not.

Jinja2 is loaded with the first page, since most commands write none.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = Path(__file__).parent / "templates"
_STRONG = re.compile(r"\*\*(.+?)\*\*")
_CODE = re.compile(r"`(.+?)`")


def render(template: str, **values: Any) -> str:
    """A page from the template of that name. A value that the template needs and does not get is an error, not an empty place.

    >>> print(render("server_page.html", language="en", title="<b>Surveys</b>").splitlines()[5])
    <title>&lt;b&gt;Surveys&lt;/b&gt; – Deniable</title>
    """
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    made.filters["marked"] = marked
    return made


def marked(text: str) -> Markup:
    """A sentence of ours with **strong** words, `code` and new lines. It is escaped first, so that marks can add nothing else.

    >>> print(marked("**Odds** of `<b>`"))
    <strong>Odds</strong> of <code>&lt;b&gt;</code>
    """
    from markupsafe import Markup, escape

    safe = _CODE.sub(r"<code>\1</code>", _STRONG.sub(r"<strong>\1</strong>", str(escape(text))))
    return Markup(safe.replace("\n", "<br>"))


def drawing(svg: str, label: str) -> Markup:
    """A picture that Altair drew, for the middle of a page; `label` says what it shows, for a screen reader.

    >>> print(drawing("<?xml version='1.0'?><svg width='9'></svg>", "Costs < 5%"))
    <svg role="img" aria-label="Costs &lt; 5%" width='9'></svg>
    """
    from markupsafe import Markup, escape

    return Markup(svg[svg.index("<svg") :].replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1))

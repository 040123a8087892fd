"""The page's modules as one script, for a page that is one file: each in a scope of its own, in the order in which they need each other."""

from __future__ import annotations

import re
from collections.abc import Mapping

from deniable.errors import DeniableError

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.-]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^\s*(?:import|export)\b.*$|\bimport\s*\(|\bimport\.meta\b", re.MULTILINE)


def bundle(modules: Mapping[str, str], entry: str) -> str:
    """One script that does what `entry` does with all that it imports.

    >>> print(bundle({"a.js": 'import { b } from "./b.js";\\nb();', "b.js": "export const b = () => 1;"}, "a.js"))
    "use strict";
    const b_js = (() => {
    const b = () => 1;
    return { b };
    })();
    const { b } = b_js;
    b();
    """
    order: list[str] = []
    _place(modules, entry, order, ())
    parts = ['"use strict";']
    for name in order:
        text, exported = _unlinked(name, modules[name])
        if name == entry:
            parts.append(text)
        else:
            parts.append(f"const {_scope(name)} = (() => {{\n{text}\nreturn {{ {', '.join(exported)} }};\n}})();")
    return "\n".join(parts)


def importers(modules: Mapping[str, str]) -> dict[str, list[str]]:
    """For each module that is imported, those that import it.

    >>> importers({"a.js": 'import { b } from "./b.js";', "b.js": "export const b = 1;"})
    {'b.js': ['a.js']}
    """
    importing: dict[str, list[str]] = {}
    for name, text in modules.items():
        for _, needed in _IMPORT.findall(text):
            importing.setdefault(needed, []).append(name)
    return importing


def _place(modules: Mapping[str, str], name: str, order: list[str], above: tuple[str, ...]) -> None:
    if name in order:
        return
    if name in above or name not in modules:
        raise _cannot(name, "it is imported in a circle, or not there")
    for _, needed in _IMPORT.findall(modules[name]):
        _place(modules, needed, order, (*above, name))
    order.append(name)


def _scope(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _unlinked(name: str, text: str) -> tuple[str, list[str]]:
    """A module without imports and exports, and the names that it exported."""
    exported = _EXPORT.findall(text)
    text = _EXPORT.sub("", text.strip())
    text = _IMPORT.sub(lambda match: f"const {{{match[1].replace(' as ', ': ')}}} = {_scope(match[2])};", text)
    if (other := _OTHER.search(text)) is not None:
        raise _cannot(name, f"{other[0].strip()[:60]!r} is not an import or export that can be put into one script")
    if "</script" in text.lower() or "<!--" in text:
        raise _cannot(name, "it would end the script that it is put into")
    return text, exported


def _cannot(name: str, reason: str) -> DeniableError:
    return DeniableError("cannot_bundle", "{name} cannot be put into one page: {reason}.", name=name, reason=reason)

"""The published JSON Schema of questionnaires, made from the same tables that the reader uses."""

from __future__ import annotations

from typing import Any

from deniable.planning.known_to import USES
from deniable.survey.apart import PREFIXES
from deniable.survey.levels import DESIGNS, LEVELS
from deniable.survey.page_rules import NAME
from deniable.survey.questionnaire import KEYS, LINKAGES, REQUIRED, SLUG
from deniable.survey.questions.kinds import KEYS as ELEMENTS

_TEXT = {"$ref": "#/$defs/text"}
_CHOICES = {"type": "array", "minItems": 1, "maxItems": 500, "items": {"$ref": "#/$defs/choice"}}
_PROPERTIES: dict[str, Any] = {
    "name": {"type": "string", "pattern": f"^{NAME.pattern}$"},
    "title": _TEXT,
    "description": _TEXT,
    "privacy": {"$ref": "#/$defs/privacy"},
    "visibleIf": {"type": "string"},
    "choices": _CHOICES,
    "rows": _CHOICES,
    "columns": _CHOICES,
    "ordered": {"type": "boolean"},
    "rateMin": {"type": "integer"},
    "rateMax": {"type": "integer"},
    "bands": {"type": "array", "minItems": 2, "maxItems": 499, "items": {"type": "integer"}},
    "grid": {"type": "boolean"},
    "min": {"type": "integer"},
    "max": {"type": "integer"},
    "step": {"type": "integer", "minimum": 1},
    "for": {
        "description": "What a number, a rating or an answer in an order will be asked for; its design is chosen by that.",
        "enum": list(USES),
    },
}
"""Of elements; what is not here is a text."""
_PAGE = {
    "type": "object",
    "properties": {
        "title": _TEXT,
        "name": {"type": "string"},
        "elements": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/element"}},
    },
    "required": ["elements"],
    "additionalProperties": False,
}
_SURVEY: dict[str, Any] = {
    "survey": {"type": "string", "pattern": f"^{SLUG.pattern}$", "not": {"pattern": f"^({'|'.join(PREFIXES.values())})"}},
    "closes": {"type": "string", "format": "date"},
    "languages": {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": "^[a-z]{2,3}$"}},
    "linkage": {"enum": list(LINKAGES)},
    "show_sent": {"enum": ["after", "never"]},
    "invited": {"type": "boolean"},
    "practice": {"type": "boolean"},
    "offline": {"type": "boolean"},
    "budget": {"type": "number", "exclusiveMinimum": 0},
    "privacy": {"$ref": "#/$defs/privacy"},
    "pages": {"type": "array", "minItems": 1, "items": _PAGE},
}
"""Of the questionnaire; what is not here is a text."""
_DEFINITIONS: dict[str, Any] = {
    "text": {
        "description": "One text, or one per language.",
        "anyOf": [
            {"type": ["string", "number"]},
            {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1},
        ],
    },
    "choice": {
        "anyOf": [
            {"type": ["string", "number"]},
            {
                "type": "object",
                "properties": {"value": {"type": ["string", "number"]}, "text": _TEXT},
                "required": ["value"],
                "additionalProperties": False,
            },
        ]
    },
    "privacy": {
        "description": "strong, standard, light: a report changes anyone's odds by a factor of at most 3, 5, 9; none; or a "
        "design, such as {design: krr, odds: 2.7}.",
        "anyOf": [
            {"enum": [*LEVELS, "none"]},
            {"type": "object", "properties": {"design": {"enum": list(DESIGNS)}}, "required": ["design"]},
        ],
    },
}


def json_schema() -> dict[str, Any]:
    """What editors and other programs can check a questionnaire against, before Deniable does.

    >>> sorted(json_schema()["$defs"])
    ['choice', 'element', 'privacy', 'text']
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:deniable:questionnaire:1",
        "title": "Deniable questionnaire, version 1",
        "type": "object",
        "properties": {key: _SURVEY.get(key, _TEXT) for key in sorted(KEYS)},
        "required": list(REQUIRED),
        "additionalProperties": False,
        "$defs": {**_DEFINITIONS, "element": {"oneOf": [_element(kind, keys) for kind, keys in ELEMENTS.items()]}},
    }


def _element(kind: str, keys: set[str]) -> dict[str, Any]:
    known = {**_PROPERTIES, "type": {"const": kind}}
    return {
        "type": "object",
        "properties": {key: known.get(key, _TEXT) for key in sorted(keys)},
        "required": ["type", "name", "title"],
        "additionalProperties": False,
    }

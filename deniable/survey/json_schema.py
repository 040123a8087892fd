"""The published JSON Schema of questionnaires, made from the same tables that the reader uses."""

from __future__ import annotations

from typing import Any

from deniable.survey.levels import DESIGNS, LEVELS
from deniable.survey.page_rules import NAME
from deniable.survey.questionnaire import KEYS, LINKAGES, REQUIRED, SLUG
from deniable.survey.questions import KEYS as ELEMENTS

_TEXT = {"$ref": "#/$defs/text"}
_CHOICES = {"type": "array", "minItems": 1, "maxItems": 500, "items": {"$ref": "#/$defs/choice"}}
_PROPERTIES: dict[str, Any] = {
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
}


def json_schema() -> dict[str, Any]:
    """What editors and other programs can check a questionnaire against, before Deniable does.

    >>> sorted(json_schema()["$defs"])
    ['choice', 'element', 'privacy', 'text']
    """
    elements = [
        {
            "type": "object",
            "properties": {
                key: {"const": kind}
                if key == "type"
                else {"type": "string", "pattern": f"^{NAME.pattern}$"}
                if key == "name"
                else _PROPERTIES.get(key, _TEXT)
                for key in sorted(keys)
            },
            "required": ["type", "name", "title"],
            "additionalProperties": False,
        }
        for kind, keys in ELEMENTS.items()
    ]
    own: dict[str, Any] = {
        "survey": {"type": "string", "pattern": f"^{SLUG.pattern}$"},
        "closes": {"type": "string", "format": "date"},
        "languages": {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": "^[a-z]{2,3}$"}},
        "linkage": {"enum": list(LINKAGES)},
        "show_sent": {"enum": ["after", "never"]},
        "invited": {"type": "boolean"},
        "practice": {"type": "boolean"},
        "offline": {"type": "boolean"},
        "budget": {"type": "number", "exclusiveMinimum": 0},
        "privacy": {"$ref": "#/$defs/privacy"},
        "pages": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "title": _TEXT,
                    "name": {"type": "string"},
                    "elements": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/element"}},
                },
                "required": ["elements"],
                "additionalProperties": False,
            },
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:deniable:questionnaire:1",
        "title": "Deniable questionnaire, version 1",
        "type": "object",
        "properties": {key: own.get(key, _TEXT) for key in sorted(KEYS)},
        "required": list(REQUIRED),
        "additionalProperties": False,
        "$defs": {
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
                "description": "strong, standard, light: a report changes anyone's odds by a factor of at most 3, 5, 9; none; or a design.",
                "anyOf": [
                    {"enum": [*LEVELS, "none"]},
                    {"type": "object", "properties": {"design": {"enum": list(DESIGNS)}}, "required": ["design"]},
                ],
            },
            "element": {"oneOf": elements},
        },
    }

"""Errors as answers: a status, a machine-readable code and a sentence."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from deniable.errors import DeniableError, RefusedError

STATUS = {
    "closed": 409,
    "wrong_version": 409,
    "token_used": 409,
    "id_reused": 409,
    "code_used": 409,
    "token_missing": 403,
    "token_unknown": 403,
    "token_not_now": 403,
    "cross_site": 403,
    "unknown_survey": 404,
    "not_found": 404,
    "unknown_version": 404,
    "too_large": 413,
    "content_type": 415,
    "not_json": 400,
    "too_many": 429,
}
"""All other refusals are 422: well-formed JSON that does not fit the survey."""
UNAVAILABLE = 503
DOCUMENTED: dict[int | str, dict[str, Any]] = {
    status: {
        "description": HTTPStatus(status).phrase,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status in sorted({*STATUS.values(), 405, 422, UNAVAILABLE})
}
SCHEMA = {
    "type": "object",
    "required": ["code", "message"],
    "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
}


def problem(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Response:
    """A JSON answer with a code and a sentence."""
    content = json.dumps({"code": code, "message": message})
    return Response(content, status, headers={"Cache-Control": "no-store", **(headers or {})}, media_type="application/json")


def from_error(error: DeniableError) -> Response:
    """The answer that belongs to an error."""
    if isinstance(error, RefusedError):
        headers = {"Retry-After": "10"} if error.code == "too_many" else None
        return problem(STATUS.get(error.code, 422), error.code, str(error), headers)
    # The particulars are the operator's business and in the log.
    sentence = "The answer could not be stored just now. Nothing is lost: send it again."
    return problem(UNAVAILABLE, "not_stored", sentence, {"Retry-After": "5"})


async def deniable_error(_: Request, error: Exception) -> Response:
    """Handler of our own errors."""
    assert isinstance(error, DeniableError)
    return from_error(error)


async def http_error(_: Request, error: Exception) -> Response:
    """Handler of the framework's errors: unknown paths and methods."""
    assert isinstance(error, HTTPException)
    phrase = HTTPStatus(error.status_code).phrase
    return problem(error.status_code, phrase.lower().replace(" ", "_"), f"{phrase}.", dict(error.headers or {}))

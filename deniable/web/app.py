"""The application: what respondents' browsers load and send, and the organiser's pages."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from deniable import __version__
from deniable.engines.extras import not_installed

try:
    from fastapi import FastAPI
    from fastapi.concurrency import run_in_threadpool
    from fastapi.responses import Response
    from starlette.exceptions import HTTPException
except ImportError:
    raise not_installed("fastapi", "serve") from None

from deniable.errors import DeniableError
from deniable.survey.store import Store
from deniable.web import (
    account_routes,
    collecting,
    draft_opening,
    draft_plan,
    draft_routes,
    draft_trial,
    login,
    offline,
    organiser,
    public_results,
    release_routes,
    report_routes,
    results,
    served_files,
)
from deniable.web.accounts import Accounts
from deniable.web.body_limits import largest_body
from deniable.web.headers import Guard
from deniable.web.limits import Limit
from deniable.web.pages import missing_page
from deniable.web.permissions import guarded
from deniable.web.problems import DOCUMENTED, SCHEMA, deniable_error, http_error, problem
from deniable.web.released import STATIC, released


@dataclass(frozen=True)
class Settings:
    """What an operator may choose. A burst of `burst` answers from one address, then `per_second`; 0 means no limit."""

    burst: int = 1_200
    per_second: float = 10.0
    reset_password: bool = False
    static: Path = STATIC


def create_app(store: Store, settings: Settings | None = None) -> FastAPI:
    """The application over a store, which it closes at the end. `app.state.accounts` has the organiser's one-time key."""
    settings = settings or Settings()
    collector = collecting.Collector(store)
    accounts = Accounts(store, settings.reset_password)
    limit = Limit(settings.burst, settings.per_second) if settings.burst else None
    missing_page()  # what renders pages is loaded now, not while the first visitor waits

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        collector.start()
        yield
        # Every request has been answered by now; what is left in the queue has nobody waiting for it, and is stored all the same.
        await collector.stop()

    # The framework would lead /s/town/ to the address in the Host header, which a request may say to be anyone's.
    app = FastAPI(
        title="Deniable",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        **guarded(accounts),
    )
    app.state.accounts, app.state.collector = accounts, collector
    app.add_exception_handler(DeniableError, deniable_error)
    app.add_exception_handler(HTTPException, http_error)
    app.state.largest_body = partial(largest_body, has_session=accounts.has_session)
    app.add_middleware(Guard, largest=app.state.largest_body)
    app.include_router(collecting.router(collector, limit))
    app.include_router(offline.router(collector, limit))
    tries = login.Tries()
    app.include_router(login.router(accounts, tries))
    app.include_router(account_routes.router(store, accounts, tries))
    asked = results.Results(store)
    # Before those of the organiser's pages: what is done to a survey is any last word of an address there.
    app.include_router(report_routes.router(asked))
    app.include_router(release_routes.router(asked))
    app.include_router(organiser.router(collector))
    app.include_router(results.router(asked))
    app.include_router(public_results.router(store))
    files = released(settings.static)
    app.include_router(draft_opening.router(collector))
    app.include_router(draft_trial.router(collector, files))
    app.include_router(draft_plan.router(store))
    app.include_router(draft_routes.router(store))
    app.include_router(served_files.router(collector, files))
    _describe(app)
    _add_health(app, collector)
    return app


def _add_health(app: FastAPI, collector: collecting.Collector) -> None:
    @app.head("/api/health", include_in_schema=False)
    @app.get("/api/health", responses={503: DOCUMENTED[503]}, summary="Whether answers can be stored")
    async def health() -> Response:
        if collector.writer.trouble is not None:
            return problem(503, "failing", "Answers cannot be stored at the moment.")
        await run_in_threadpool(collector.store.slugs)
        content = {"status": "ok", "version": __version__}
        return HealthResponse(content)


class HealthResponse(Response):
    """A small JSON answer that is not kept."""

    def __init__(self, content: dict[str, Any]) -> None:
        super().__init__(json.dumps(content), headers={"Cache-Control": "no-store"}, media_type="application/json")


def _describe(app: FastAPI) -> None:
    plain = app.openapi

    def described() -> dict[str, Any]:
        content = plain()
        content.setdefault("components", {}).setdefault("schemas", {})["Problem"] = SCHEMA
        return content

    app.openapi = described  # type: ignore[method-assign]

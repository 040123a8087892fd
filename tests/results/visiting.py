"""People who visit the pages of a server, asked through the application, without a network."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from deniable.survey.store import Store
from deniable.survey.store.audit import COMMAND_LINE
from deniable.web.accounts import COOKIE
from deniable.web.app import Settings, create_app

HOST = "http://council.example"


class Visitors:
    """An owner, an analyst and anyone else (None), at the pages of a store's surveys."""

    def __init__(self, store: Store) -> None:
        self.store, self.app = store, create_app(store, Settings(burst=0))
        self.cookies: dict[str | None, str] = {}
        for role in ("owner", "analyst"):
            store.add_account(role.title(), role, role, COMMAND_LINE)
            self.cookies[role] = self.app.state.accounts._new_session(store.choose_password(role, "no password has this hash"))

    def ask(
        self, verb: str, path: str, role: str | None = None, data: Any = None, headers: dict[str, str] | None = None
    ) -> httpx.Response:
        """A request; forms come from the same site unless headers say otherwise."""
        sent = {"Origin": HOST} if verb == "POST" else {}
        if role is not None:
            sent["Cookie"] = f"{COOKIE}={self.cookies[role]}"

        async def asked() -> httpx.Response:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url=HOST, timeout=60) as client:
                return await client.request(verb, path, data=data, headers={**sent, **(headers or {})})

        # In a thread of its own: in this one a browser's loop may be running.
        with ThreadPoolExecutor(1) as own:
            return own.submit(asyncio.run, asked()).result()

    def get(self, path: str, role: str | None = None) -> httpx.Response:
        return self.ask("GET", path, role)

    def post(self, path: str, role: str | None = "owner", **data: Any) -> httpx.Response:
        return self.ask("POST", path, role, data)

    def released(self, slug: str) -> httpx.Response:
        """Release what is chosen, as an owner does it: look, say yes."""
        path = f"/organiser/surveys/{slug}/publish"
        asked = self.post(path)
        if asked.status_code != 200 or 'name="seen" value="' not in asked.text:
            return asked
        seen = asked.text.split('name="seen" value="')[1].split('"')[0]
        return self.post(path, sure="yes", seen=seen)

"""Unsubscribing: a mail program stops notifications with a POST.

The POST needs only the link. Opening the link changes nothing.
"""

from __future__ import annotations

from web_in_memory import WebServer

from tpserver.store import StoreError


def test_notices_are_stopped_by_a_post_only() -> None:
    server, stopped = WebServer(), []

    async def stop(token: str) -> bool:
        stopped.append(token)
        return token == "1-right"

    server.root.stop_notices(stop)
    assert server.get("/stop-notices/1-right").code == 200
    assert stopped == [], "programs that look at all links in a mail stop nothing"
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    assert server.post("/stop-notices/1-right", b"List-Unsubscribe=One-Click", **form).code == 200
    assert server.post("/stop-notices/wrong", b"", **form).code == 404
    assert stopped == ["1-right", "wrong"]
    assert server.get("/stop-notices/x", method="PUT").code == 405


def test_what_cannot_be_saved_is_said() -> None:
    server = WebServer()

    async def stop(token: str) -> bool:
        raise StoreError("The disk is full.", code="full")

    assert server.post("/stop-notices/x", b"").code == 404, "a server that is starting knows no token"
    server.root.stop_notices(stop)
    answer = server.post("/stop-notices/x", b"")
    assert (answer.code, answer.body) == (503, b"This could not be saved, so nothing was changed; try again.\n")

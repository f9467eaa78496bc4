"""Bots of the client package that play as long as a test needs them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from tests.support.process import SECONDS
from tests.support.server import HOST
from tpclient.address import Address
from tpclient.bots.play import Policy, play
from tpclient.following import Game

PASSWORD = "secret"


class Enough(Exception):
    """Raised by a policy when the game has gone on long enough."""


@asynccontextmanager
async def bots_at_play(
    port: int,
    users: Iterable[str],
    game: str,
    policy: Callable[[Game], Policy],
    *,
    seed: str = "seed",
    begin: asyncio.Event | None = None,
) -> AsyncIterator[tuple[list[Game], list[asyncio.Task[Any]]]]:
    """Bots log in one after the other and play, each in a task, from the event `begin` on; at the end all hang up."""
    games: list[Game] = []
    lives: list[asyncio.Task[Any]] = []

    async def live(followed: Game) -> None:
        if begin is not None:
            await begin.wait()
        await play(followed, policy(followed), seed)

    try:
        for user in users:
            address = Address(HOST, port)
            games.append(await Game.open(address, user, PASSWORD, game, timeout=SECONDS, register=True))
        lives += [asyncio.create_task(live(followed)) for followed in games]
        yield games, lives
    finally:
        for life in lives:
            life.cancel()
        await asyncio.gather(*lives, return_exceptions=True)
        for followed in games:
            await followed.close()


async def until_enough(lives: Iterable[asyncio.Task[Any]]) -> None:
    """Wait until a bot has seen enough, or all have come to the end of the game; other exceptions are raised."""
    done, _ = await asyncio.wait(lives, timeout=SECONDS, return_when=asyncio.FIRST_EXCEPTION)
    assert done, f"the bots do not get there within {SECONDS:g} seconds"
    for life in done:
        if (error := life.exception()) is not None and not isinstance(error, Enough):
            raise error

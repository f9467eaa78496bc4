"""Several bots in one process: log in one after the other, so that seats go by order, and then play side by side."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from tpproto.dialects import Dialect

from ..address import Address
from ..connection import Connection
from ..errors import ClientError
from ..login import Login
from .play import Ending, play
from .policies import new_policy


@dataclass(frozen=True, slots=True)
class Bot:
    """Who plays, and how. Bots of the same seed differ by their player's number."""

    user: str
    password: str
    policy: str = "tae"
    seed: str = ""


async def enter(
    address: Address, bot: Bot, game: str, dialect: Dialect | None, timeout: float, register: bool
) -> Connection:
    """Connect and log in; with `register` make the account if the login is refused. Raises ClientError."""
    login = Login(partial(Connection.open, address, dialect, timeout), bot.user, bot.password, game, register)
    return (await login.enter())[0]


async def run_bots(
    address: Address,
    bots: Sequence[Bot],
    game: str = "",
    dialect: Dialect | None = None,
    timeout: float = 30.0,
    register: bool = False,
    tell: Callable[[Bot, Ending | ClientError], None] = lambda bot, end: None,
) -> list[Ending | ClientError]:
    """Play with all bots until the game is over for each, and return how it ended for each, in their order.

    A bot that cannot log in ends the run with its ClientError before any has played; later a bot that fails ends alone.
    `tell` is called as soon as one has ended.
    """
    connections: list[Connection] = []

    async def run(bot: Bot, connection: Connection) -> Ending | ClientError:
        end: Ending | ClientError
        try:
            end = await play(connection, new_policy(bot.policy), bot.seed)
        except ClientError as error:
            end = error
        finally:
            connection.close()
        tell(bot, end)
        return end

    try:
        for bot in bots:
            connections.append(await enter(address, bot, game, dialect, timeout, register))
        return await asyncio.gather(*(run(bot, one) for bot, one in zip(bots, connections, strict=True)))
    finally:
        for connection in connections:
            connection.close()

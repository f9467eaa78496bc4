"""Several bots in one process: log in one after the other, so that seats go by order, and then play side by side."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tpproto.dialects import Dialect

from ..address import Address
from ..errors import ClientError
from ..following import Game
from .play import Ending, play
from .random import RandomPolicy


@dataclass(frozen=True, slots=True)
class Bot:
    """Who plays. Bots of the same seed differ by their player's number."""

    user: str
    password: str
    seed: str = ""


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
    games: list[Game] = []

    async def run(bot: Bot, followed: Game) -> Ending | ClientError:
        end: Ending | ClientError
        try:
            end = await play(followed, RandomPolicy(), bot.seed)
        except ClientError as error:
            end = error
        finally:
            await followed.close()
        tell(bot, end)
        return end

    try:
        for bot in bots:
            games.append(
                await Game.open(
                    address, bot.user, bot.password, game, dialect=dialect, timeout=timeout, register=register
                )
            )
        return await asyncio.gather(*(run(bot, one) for bot, one in zip(bots, games, strict=True)))
    finally:
        for one in games:
            await one.close()

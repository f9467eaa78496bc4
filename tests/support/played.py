"""A played game in a data directory, without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tpserver.admin.commands.games import game_close_turn, game_create
from tpserver.admin.offline import offline_context
from tpserver.concurrency import result_now
from tpserver.config import load
from tpserver.games.turns import order_intake
from tpserver.rules.discovery import discover
from tpserver.store.people import accounts as stored_accounts


def played(
    data: Path,
    ruleset: str = "auction",
    words: str = "",
    turns: int = 4,
    *,
    name: str = "lots",
    clock: str = "manual",
    store: str = "",
) -> None:
    """Make a game of two people, with an order inserted and removed again in each turn, and one that stays."""
    with offline_context(load(None, {"server.data": data, "server.store": store}), discover()) as context:
        registry = context.registry
        asked = {"name": name, "ruleset": ruleset, "seats": 2, "seed": "7", "clock": clock}
        result_now(game_create(context, **asked))
        game = registry.named(name)
        for player in ("ada", "bob"):
            result_now(_take_seat(context, name, player))
        for _ in range(turns):
            for seat in (0, 1):
                home = 2 + seat
                bid = order_intake.insertion(game, seat, home, "Bid", {"gold": 1, "words": ""}, -1, 5.0)
                order_intake.make(game, bid, 5.0)
                order_intake.make(game, order_intake.removal(game, seat, home, 0, 5.0), 5.0)
                bid = order_intake.insertion(game, seat, home, "Bid", {"gold": seat, "words": words}, -1, 5.0)
                order_intake.make(game, bid, 5.0)
            result_now(game_close_turn(context, name))


async def _take_seat(context: Any, game: str, name: str) -> int:
    def add(connection: Any) -> Any:
        return stored_accounts.by_name(connection, name) or stored_accounts.add(connection, name, "no hash", now=1.0)

    account = await context.registry.store.write(add)
    seat: int = await context.registry.lobby.take_seat(context.registry.named(game), account.id, name)
    return seat

"""Names of the players of an anonymous game, revealed at its end."""

from __future__ import annotations

from collections.abc import Iterable

from tprules.api import Report
from tpserver.games.core.game import Game
from tpserver.games.core.player import Player
from tpserver.games.terms.anonymity import plain, seat_name


def reveal(game: Game, at: float) -> None:
    """Reveal the names of the players of a game that was over ``at`` a time."""
    if not game.row.anonymous:
        return
    told = max(game.next_player_time(player.seat, at) for player in game.players)
    for player in game.players:
        player.name, player.since = player.account_name, told
    for board in game.boards.values():
        board.touch(int(at))
    for view in game.views.values():
        view.encoded.clear()  # encoded objects may contain names of players
    game.known_time = None  # so may the title


def who_was_who(game: Game) -> list[Report]:
    """Return the report to all with the player of each seat; empty for a game that is not anonymous."""
    if not game.row.anonymous:
        return []
    told = [f"{seat_name(player.seat)} was {_name(player)}" for player in game.players if player.name]
    return [Report(None, "Player names", f"{_listed(told)}.")] if told else []


def _name(player: Player) -> str:
    return plain(player.account_name) if player.account is not None or player.bot else "nobody"


def _listed(texts: Iterable[str]) -> str:
    found = list(texts)
    return f"{', '.join(found[:-1])} and {found[-1]}" if len(found) > 1 else "".join(found)

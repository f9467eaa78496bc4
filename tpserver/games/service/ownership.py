"""Changes of a game by its owner or the operator.

They set the name, the rule for joining, the delay for spectators or the owner. They end the game without a result, or
remove it. A change is durable before the players are notified, by a message on their boards. A change by an account
(``actor``) goes into the audit. Operations of the operator write their audit entries themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tprules.api import Report
from tprules.printable import quoted
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.events import GameRemoved, SpectatorsLimited
from tpserver.games.core.game import Game, durable
from tpserver.games.core.turn_reports import delivery, written
from tpserver.games.hall.game_factory import is_name
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.service.moderation import reason_of
from tpserver.games.terms.anonymity import plain
from tpserver.games.terms.delay import BadDelay, check, delay_of, is_shorter, words
from tpserver.games.terms.delay import typed as delay_text
from tpserver.store import Transaction
from tpserver.store import audit as stored_audit
from tpserver.store.audit import AuditEntry
from tpserver.store.errors import NameTaken
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.games import rows as stored_games
from tpserver.store.games.changes import GameChanges
from tpserver.store.people.accounts import Account

OPEN, INVITED = "open", "invited"


async def rename(registry: GameRegistry, game: Game, name: str, who: str, actor: str = "") -> None:
    """Rename a game, which frees the old name. Raises GameError.

    ``who`` is the author in the message to the players.
    """
    if not is_name(name):
        raise GameError(
            f"{quoted(name)} is not a name for a game: 1 to 63 letters, digits, spaces, dots, dashes or underscores"
        )
    before = game.name
    if name == before:
        raise GameError(f"the game is already called {before!r}")
    entry = _entry(registry, actor, "game rename", before, {"new_name": name})
    await durable(game)
    try:
        await game.saving.write(stored_games.rename, game.row.id, name, entry)
    except NameTaken:
        raise GameError(f"there is already a game {name!r}") from None
    game = registry.with_id(game.row.id)  # it may have been loaded again meanwhile
    game.row = replace(game.row, name=name)
    _tell(registry, game, "Another name", f"{who} has called this game {name}; until now it was {before}.", {})
    await durable(game)


async def set_join(registry: GameRegistry, game: Game, join: str, who: str, actor: str = "") -> None:
    """Open a game to all players, or to invited players only. Raises GameError."""
    if game.over:
        raise GameError(f"the game {game.name!r} is over")
    if game.row.join == join:
        raise GameError(f"the game {game.name!r} is {'open' if join == OPEN else 'for invited players only'} already")
    words = "is open to everybody now" if join == OPEN else "is for invited players only now, also to watch"
    _tell(registry, game, "Joining the game", f"{who} has decided: this game {words}.", {"join": join})
    await durable(game)
    registry.bus.publish(SpectatorsLimited(game))
    await _note(registry, _entry(registry, actor, "game join", game.name, {"join": join}))


async def set_watch_delay(registry: GameRegistry, game: Game, delay: int, who: str, actor: str = "") -> None:
    """Set the delay of spectators: some turns, or until the end.

    Raises GameError, NotNow. After the start it can only grow. Players act in reliance on the delay, and a shorter one
    would reveal several turns at once.
    """
    try:
        check(delay)
    except BadDelay as error:
        raise GameError(str(error)) from None
    if game.over:
        raise GameError(f"the game {game.name!r} is over")
    if game.closing:
        raise NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")
    before = delay_of(game.row)
    if delay == before:
        raise GameError(f"{words(delay)} already")
    if game.started and is_shorter(delay, before):
        why = "its players rely on being seen no sooner; it can only be shown later"
        raise GameError(f"the game {game.name!r} has begun, and {why}")
    _tell(registry, game, "Spectators", f"{who} has decided: {words(delay)}.", {"watch_delay": delay})
    await durable(game)
    registry.bus.publish(SpectatorsLimited(game))
    await _note(registry, _entry(registry, actor, "game watch-delay", game.name, {"delay": delay_text(delay)}))


async def abort(registry: GameRegistry, game: Game, reason: str, who: str, actor: str = "") -> None:
    """End a game without a result, and notify all, with the reason. Raises GameError, NotNow."""
    if game.over:
        raise GameError(f"the game {game.name!r} is over")
    reason = reason_of(reason)
    await registry.control.abort(game, reason, who)
    await _note(registry, _entry(registry, actor, "game abort", game.name, {}, reason))


async def hand_over(registry: GameRegistry, game: Game, account: Account, actor: str = "") -> None:
    """Make another account the owner of a game. Raises GameError."""
    name = "this player" if game.hides_players else account.name
    if registry.store.read(stored_ownership.creator_of, game.row.id) == account.id:
        raise GameError(f"the game {game.name!r} already belongs to {name}")
    details = {} if game.hides_players else {"account": account.name}  # moderators read the audit, and may play
    await registry.seat_changes.hand_over(game, account.id, account.name)
    await _note(registry, _entry(registry, actor, "game give", game.name, details))


async def delete(
    registry: GameRegistry, game: Game, unit: Callable[[Transaction, int], object] = stored_games.delete
) -> None:
    """Remove a game that is over, or has not begun, with all its stored data. Raises GameError.

    ``unit`` does so in the store. If it raises, its error is raised here and the game stays.
    """
    if game.closing or not (game.over or not game.started):
        raise GameError(f"the game {game.name!r} is {game.row.state}; abort it before")
    await durable(game)
    registry.remove(game)  # before the deletion, so that nothing can change it meanwhile
    try:
        await game.saving.write(unit, game.row.id)
    except BaseException:
        with suppress(GameError, NotNow):
            registry.with_id(game.row.id)
        raise
    if (again := registry.games.get(game.row.id)) is not None:  # it was loaded again meanwhile
        registry.remove(again)
    registry.bus.publish(GameRemoved(game))


def _tell(registry: GameRegistry, game: Game, subject: str, text: str, columns: dict[str, Any]) -> None:
    """Commit columns of a game with a message to all its players."""
    now = registry.now()
    told = written(game, [Report(None, subject, plain(text))])
    game.commit(GameChanges(columns=columns, delivery=delivery(game, told, game.row.turn, now)), now)


def _entry(
    registry: GameRegistry, actor: str, operation: str, subject: str, details: dict[str, Any], reason: str = ""
) -> AuditEntry | None:
    return AuditEntry(registry.now(), actor, operation, subject, details, reason) if actor else None


async def _note(registry: GameRegistry, entry: AuditEntry | None) -> None:
    if entry is not None:
        await registry.store.write(stored_audit.add, entry)

"""Creation of games, and their seats until the start."""

from __future__ import annotations

from collections.abc import Callable

from tpserver.cluster.node import Node
from tpserver.concurrency import at_once
from tpserver.events import EVENTS
from tpserver.games.core.errors import GameElsewhere, GameError
from tpserver.games.core.game import Game, durable
from tpserver.games.hall.game_factory import NewGame, make
from tpserver.games.seats.presence import Presence
from tpserver.games.seats.seat_service import SeatChanges, vacations_of
from tpserver.games.terms.anonymity import any_of
from tpserver.games.turns.turn_service import TurnService
from tpserver.rules.discovery import Rulesets
from tpserver.store import Store
from tpserver.store.games.changes import GameChanges
from tpserver.store.games.rows import GameRow, SeatRow


class Lobby:
    """Creates games, gives their open seats to players, and starts them. Used on the reactor's thread.

    ``load`` loads a new game into memory. With ``node`` this server is one of a cluster.
    """

    def __init__(
        self,
        store: Store,
        rulesets: Rulesets,
        turns: TurnService,
        seat_changes: SeatChanges,
        presence: Presence,
        now: Callable[[], float],
        load: Callable[[GameRow], Game],
        node: Node | None,
    ) -> None:
        self._store = store
        self._rulesets = rulesets
        self._turns = turns
        self._seat_changes = seat_changes
        self._presence = presence
        self._now = now
        self._load = load
        self._node = node

    async def create(self, new: NewGame) -> Game:
        """Create a game that waits for players.

        Raises GameError or TooManyGames without any stored change. The setup may be slow, as an account chooses its
        options. So the rules run away from the thread of other requests.
        """
        if self._node is not None and self._node.draining:
            raise GameElsewhere("this server hands its games over to other nodes; make the game at one of them")
        compute = at_once if new.creator is None else self._turns.compute
        return self._load(await make(self._store, self._rulesets, new, self._now(), compute))

    async def take_seat(
        self, game: Game, account: int | None, name: str, *, bot: bool = False, seat: int | None = None
    ) -> int:
        """Give an open seat to an account, durably, and return it.

        The game starts when the last seat is taken. ``account`` None means a bot of the server.
        """
        mine = None if account is None else game.seat_of(account)
        if mine is not None:
            return mine
        if game.over:
            raise GameError(f"the game {game.name!r} is over")
        free = game.open_seats()
        if seat is None and free and game.hides_players:
            seat = any_of(free)
        if seat is not None and free and seat not in free:
            raise GameError(f"seat {seat + 1} of the game {game.name!r} is taken or not there")
        if not free:
            raise GameError(f"the game {game.name!r} is full: all {len(game.players)} seats are taken")
        player = game.players[free[0] if seat is None else seat]
        since = self._now()
        player.name, player.account_name = game.called(player.seat, name), name
        player.account, player.bot, player.since = account, bot, game.next_player_time(player.seat, since)
        player.vacations = vacations_of(self._store, account)
        for board in game.boards.values():
            board.touch(int(since))  # every player sees one more board
        # The seat is taken from now on. If that cannot be saved, the game is loaded again from the store.
        entry = game.entry("seat", player.seat, {"name": name, "account": account}, since)
        game.commit(GameChanges(entry=entry, seat=SeatRow(game.row.id, player.seat, account, name, bot)), since)
        if self._seat_changes.is_ready(game):
            self._seat_changes.start(game, player.seat)
        if account is not None:
            self._presence.end_spectator(game, account)
        await durable(game)
        EVENTS.seat_taken(game.name, player.seat, name)
        return player.seat

    def start(self, game: Game) -> None:
        """Start a game by hand. Raises GameError."""
        if game.started:
            raise GameError(f"the game {game.name!r} has already started")
        if game.open_seats():
            raise GameError(
                f"the game {game.name!r} waits for {len(game.open_seats())} more players; it starts when all are there"
            )
        self._turns.start(game)

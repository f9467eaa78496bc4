"""The games of a server: creating, finding and loading them, taking seats, and messages of players."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.api import Report
from tprules.printable import quoted
from tpserver.cluster.node import HeldElsewhere, Node
from tpserver.concurrency import Executor, Timer, Timers, at_once
from tpserver.events import EVENTS
from tpserver.games.agreements import Agreements
from tpserver.games.anonymity import any_of
from tpserver.games.creation import NewGame, make
from tpserver.games.game import MOST_ORDER_ENTRIES, Game, GameError, Player, durable
from tpserver.games.holding import CAN_BE_HELD, hold_stored
from tpserver.games.lifecycle import TurnLifecycle, spectators_view
from tpserver.games.looks import Looks
from tpserver.games.reports import delivery, written
from tpserver.games.restoring import read_game
from tpserver.games.seat_changes import SeatChanges
from tpserver.games.vacations import Vacations
from tpserver.games.verdicts import Verdicts
from tpserver.games.versions import goes_on, too_new
from tpserver.games.views import View, waiting_view
from tpserver.rules.discovery import Rulesets, UnknownRuleset
from tpserver.rules.watchdog import Escaped, TooSlow, why_it_failed
from tpserver.store import FencedStore, GameStore, Store, StoreError
from tpserver.store import accounts as stored_accounts
from tpserver.store import creations as stored_creations
from tpserver.store import games as stored_games
from tpserver.store.boards import Delivery, StoredMessage
from tpserver.store.game_changes import GameChanges
from tpserver.store.games import GameRow, SeatRow

log = Logger()

RETRY_SECONDS = 10.0
"""Seconds after a failure to save until the game closes a due turn by itself again."""

ENDED_SECONDS = 24 * 3600.0
"""Seconds for which a game that is over stays in memory after somebody was in it, or after its end: until then it may
still be told how it has ended."""
LOOK_SECONDS = 3600.0
"""Seconds between two looks for such games."""

DUE_SECONDS = 2.0
"""Seconds between two looks of a node for due games of nobody."""
DUE_AT_ONCE = 20
"""Maximum games that a node takes at such a look; others may take the rest."""


class GameElsewhere(GameError):
    """Another node of the cluster holds the game, or this server is no node at the moment."""


class GameRegistry:
    """All games of a server.  Used on the reactor's thread; with a store without reactor, synchronously on any thread.

    ``compute`` runs long work away from the reactor's thread and returns a Deferred of its result. ``now`` gives unix
    seconds, ``steady`` those of a monotonic clock. ``order_entries`` is the number of journal entries about orders in a
    turn at which they are compacted (`compaction`).  With ``node`` this server is one of a cluster: it takes each game
    before it reads it, and drops those that it has lost.
    """

    def __init__(
        self,
        store: Store,
        rulesets: Rulesets,
        timers: Timers,
        compute: Executor,
        now: Callable[[], float],
        steady: Callable[[], float] | None = None,
        order_entries: int = MOST_ORDER_ENTRIES,
        verdicts: Verdicts | None = None,
        node: Node | None = None,
    ) -> None:
        self.store = store
        self.node = node
        if node is not None:
            node.lost.append(self._drop_all)
        self.rulesets = rulesets
        self.timers = timers
        self.now = now
        self.steady = steady or now
        self.order_entries = order_entries
        self.lifecycle = TurnLifecycle(timers, compute, now, steady, self._note_clocks)
        self.seat_changes = SeatChanges(self.lifecycle, store, timers)
        self.looks = Looks(store, timers)
        self.games: dict[int, Game] = {}
        self.agreements = Agreements(store, self.games, self.lifecycle, timers, now)
        self.vacations = Vacations(store, self.games, self.lifecycle, now)
        self._ended: dict[int, float] = {}
        """By game id: since when games in memory are over and nobody is in them."""
        self.aborted: list[Callable[[Game], None]] = []
        """Called with a game that is over without a turn having closed, when that is durable."""
        self.removed: list[Callable[[Game], None]] = []
        """Called with a game that is not in the store any more."""
        self._looking: Timer | None = None
        self._looking_for_due: Timer | None = None
        self._unloadable: dict[int, str] = {}
        """Why games cannot be loaded, by game id."""
        self._bots = store.read(stored_accounts.bots)
        """The ids of the accounts that are labelled as programs."""
        self._guests = {account.id for account in store.read(stored_accounts.of_guests)}
        self._stored: tuple[list[GameRow], dict[int, tuple[int, int]]] | None = None
        self._verdicts = verdicts or Verdicts()
        self._unreadable: dict[int, tuple[float, str]] = dict.fromkeys(
            self._verdicts.unreadable(), (math.inf, "because its rules ended the server again")
        )
        """By game id: the time until which loading is not tried again, and what went wrong."""

    # --- making and finding ---------------------------------------------------------------------------------------

    async def create(self, new: NewGame) -> Game:
        """Create a game that waits for players.  Raises GameError or TooManyGames; then nothing is stored.

        An account chooses what the rules have to set up, so that runs where nobody waits for it.
        """
        compute = at_once if new.creator is None else self.lifecycle.compute
        return self._load(await make(self.store, self.rulesets, new, self.now(), compute))

    def rows(self) -> list[GameRow]:
        """Return the rows of all games, the oldest first; present values for those in memory.

        A game that could not be loaded, or that a newer version of its ruleset saved, is shown as held, whatever its
        row says: it cannot be played.
        """
        return [self._as_it_is(row) for row in self._stored_games()[0]]

    def row_named(self, name: str) -> GameRow | None:
        """Return the row of the game of this name, ignoring case, as ``rows`` has it; None if there is none."""
        row = self.store.read(stored_games.by_name, name)
        return None if row is None else self._as_it_is(row)

    def rows_of(self, account: int) -> list[GameRow]:
        """Return the rows of the games in which an account has a seat, or that it has made, the newest first."""
        mine = self.store.read(stored_games.with_seat_of, account) | self.store.read(stored_creations.made_by, account)
        return [row for row in reversed(self.rows()) if row.id in mine]

    def _as_it_is(self, row: GameRow) -> GameRow:
        if row.id in self.games:
            return self.games[row.id].row
        problem = self._unloadable.get(row.id) or too_new(row, self.rulesets.usable.get(row.ruleset))
        if problem and row.state != "over":
            return replace(row, state="held", held_reason=problem, deadline=None)
        return row

    def seat_counts(self) -> dict[int, tuple[int, int]]:
        """Return the number of taken seats, and of all seats, by game id, also for games not in memory."""
        counts = {
            number: (len(game.players) - len(game.open_seats()), len(game.players))
            for number, game in self.games.items()
        }
        return {**self._stored_games()[1], **counts}

    def _stored_games(self) -> tuple[list[GameRow], dict[int, tuple[int, int]]]:
        """Return the stored rows and seat counts of all games, cached until a game is loaded or dropped from memory.

        Only games in memory change what is stored, and callers use those instead; but in a cluster other nodes do.
        """
        if self._stored is None or self.node is not None:
            self._stored = self.store.read(stored_games.all), self.store.read(stored_games.seat_counts)
        return self._stored

    def named(self, name: str) -> Game:
        """Return the game of this name, loading it if need be.  Raises GameError."""
        for game in self.games.values():
            if game.name.casefold() == name.casefold():
                return game
        row = self.store.read(stored_games.by_name, name)
        if row is None:
            known = ", ".join(sorted(other.name for other in self.rows())) or "none"
            raise GameError(f"there is no game {quoted(name)} (games: {known})")
        return self._load(row)

    def with_id(self, number: int, wait: float = 0.0) -> Game:
        """Return the game with this id, loading it if need be; ``wait`` is that of ``_load``.  Raises GameError."""
        found = self.games.get(number)
        if found is not None:
            return found
        row = self.store.read(stored_games.by_id, number)
        if row is None:
            raise GameError(f"there is no game number {number}")
        return self._load(row, wait)

    def forgive(self, name: str) -> None:
        """Allow loading a game again, whatever its rules have done, as the operator resumes it.  Raises OSError."""
        row = self.store.read(stored_games.by_name, name)
        if row is not None:
            self._unreadable.pop(row.id, None)
            self._verdicts.forgive(row.id, row.ruleset)

    def load_all(self) -> None:
        """Load every game that goes on, so that turns whose deadlines have passed are closed.

        A game whose ruleset is missing or fails is logged and skipped.
        """
        for row in self.store.read(stored_games.all):
            if row.state in ("running", "waiting"):
                try:
                    self._load(row)
                except GameElsewhere as error:
                    log.info("{error}", error=error)
                except GameError as error:
                    log.error("{error}", error=error)
        self.lifecycle.watch()
        self._forget_ended()
        if self.node is not None:
            self._take_due(self.node)

    def _take_due(self, node: Node) -> None:
        """Take and load games whose turns are due and which nobody holds, and look again later."""
        self._looking_for_due = self.timers.callLater(DUE_SECONDS, self._take_due, node)
        if node.may_speak():
            node.take_due(self.now(), DUE_AT_ONCE).addCallbacks(self._load_due, lambda failure: None)

    def _load_due(self, taken: list[FencedStore]) -> None:
        for saves in taken:
            row = self.store.read(stored_games.by_id, saves.fence[0])
            if row is not None:
                try:
                    self._load(row, saves=saves)
                except GameError as error:
                    log.error("{error}", error=error)

    def _forget_ended(self) -> None:
        """Take the games out of memory that have been over for a while, and look again later: a server that runs for
        months plays any number of them.  Whoever comes to one has it loaded again."""
        now = self.now()
        ended = [game for game in self.games.values() if game.over and not game.subscribers and game.all_saved()]
        self._ended = {game.row.id: self._ended.get(game.row.id, now) for game in ended}
        for number, since in list(self._ended.items()):
            if now - since >= ENDED_SECONDS:
                self.lifecycle.turn_timers.disarm(self.games.pop(number))
                del self._ended[number]
                self._stored = None
        self._looking = self.timers.callLater(LOOK_SECONDS, self._forget_ended)

    def stop(self) -> None:
        """Close no more turns, and save what is not saved yet; the store has to be closed after that."""
        if self._looking is not None and self._looking.active():
            self._looking.cancel()
        if self._looking_for_due is not None and self._looking_for_due.active():
            self._looking_for_due.cancel()
        self.lifecycle.stop()
        self.agreements.stop()
        self.looks.stop()

    def _load(self, row: GameRow, wait: float = 0.0, saves: FencedStore | None = None) -> Game:
        """Load a game from the store.  A turn that is due closes after ``wait`` seconds.  Raises GameError.

        In a cluster the game is taken before, unless ``saves`` says that it was.
        """
        again, problem = self._unreadable.get(row.id, (0.0, ""))
        if self.now() < again:
            raise GameError(f"game {row.name!r} cannot be loaded {problem}")
        if self.node is not None and saves is None:
            row, saves = self._taken(self.node, row)
        try:
            game = self._read(row, saves or self.store)
        except GameError as error:
            if self.node is not None and saves is not None:  # another node may have what this one lacks
                self.node.release(saves).addErrback(lambda failure: None)
            self._unloadable[row.id] = str(error)
            raise
        self._unloadable.pop(row.id, None)
        self._unreadable.pop(row.id, None)
        game.store = saves or self.store
        game.on_stale = self._reload
        game.on_fault = self.lifecycle.broke
        game.most_entries = self.order_entries
        self.games[row.id] = game
        self._stored = None
        if told := goes_on(row, game.rules):
            log.warn("{told}", told=told)
        if not wait:  # what could not be saved a moment ago is not tried again at once
            self.lifecycle.give_back(game)
        self.lifecycle.turn_timers.arm(game, wait)
        self.timers.callLater(wait, self.lifecycle.close_if_due, game)
        self.seat_changes.await_roll(game)
        if game.proposals:
            self.timers.callLater(wait, self.agreements.look, game)
        if self.node is not None:  # it may have come from another node in the middle of a turn
            for look in self.lifecycle.began:
                self.timers.callLater(wait, look, game)
        return game

    def _taken(self, node: Node, row: GameRow) -> tuple[GameRow, FencedStore]:
        """Take a game, and return its row as it is now with what writes to it.  Raises GameError."""
        try:
            saves = node.take(row.id)
            return self.store.read(stored_games.by_id, row.id) or row, saves
        except HeldElsewhere as error:
            raise GameElsewhere(f"game {row.name!r} cannot be played here: {error}") from None
        except StoreError as error:
            raise GameElsewhere(f"game {row.name!r} cannot be taken: {error.sentence}") from None

    def _drop_all(self) -> None:
        """Forget what is in memory of all games, as other nodes may have taken them."""
        for game in list(self.games.values()):
            self._drop(game)

    def _drop(self, game: Game) -> None:
        """Forget a game that another node has, or may have, and end its connections; whoever comes back has it loaded
        again, if this node can take it."""
        game.stale = True
        self.lifecycle.turn_timers.disarm(game)
        if self.games.get(game.row.id) is game:
            del self.games[game.row.id]
        self._stored = None
        for subscriber in list(game.subscribers):
            subscriber.game_moved(game.name)

    def _note_clocks(self, now: float) -> None:
        """Note in the store that the clocks of all games have run until now, but of those that cannot be loaded, and
        of those that other nodes hold."""
        if not self.store.closed and self.store.gone is None:
            node = None if self.node is None else self.node.id
            noted = self.store.write(stored_games.clocks_run, now, list(self._unloadable), node)
            noted.addErrback(lambda failure: None)  # that nothing can be saved is in the log already

    def _read(self, row: GameRow, saves: GameStore) -> Game:
        try:
            rules = self.rulesets.named(row.ruleset)
        except UnknownRuleset as error:
            raise GameError(f"game {row.name!r} cannot be loaded: {error}") from None
        if problem := too_new(row, rules):
            raise GameError(problem)
        begun = time.monotonic()
        try:
            game = read_game(self.store, row, rules, self.now())
            self.looks.restore(game)
            return game
        except Exception as error:
            log.failure("game {game} cannot be loaded", game=row.name)
            why = why_it_failed(error)
            problem = f"by ruleset {row.ruleset} version {rules.version}: {why}"
            if isinstance(error, TooSlow):
                # Loading blocks all clients: repeated requests for this game may use at most a hundredth of the time.
                self._unreadable[row.id] = (self.now() + 100 * (time.monotonic() - begun), problem)
            if isinstance(error, TooSlow | Escaped | MemoryError):
                self._hold_unread(row, why, saves)
            raise GameError(f"game {row.name!r} cannot be loaded {problem}") from None

    def _hold_unread(self, row: GameRow, reason: str, saves: GameStore) -> None:
        """Hold a game that could not be loaded because of its rules, so that the next server does not try again."""
        if row.state in CAN_BE_HELD:
            hold_stored(saves, [(row, reason)], "load the game", self.now()).addErrback(
                lambda failure: log.error(
                    "{game} could not be held: {why}", game=row.name, why=failure.getErrorMessage()
                )
            )

    def _reload(self, old: Game, failure: Failure) -> None:
        """Replace a game whose last changes could not be saved by what the store holds."""
        if self.games.get(old.row.id) is not old:
            return  # replaced already: other changes that were waiting to be saved fail, too
        log.error("{game}: changes could not be saved ({why}); going on from what the store holds",
                  game=old.name, why=failure.getErrorMessage())  # fmt: skip
        del self.games[old.row.id]
        self._stored = None
        self.lifecycle.turn_timers.disarm(old)
        self._replace(old)

    def _replace(self, old: Game) -> None:
        """Load a stale game again from the store, and retry until that succeeds."""
        if self.store.closed or self.store.gone is not None:
            return
        try:
            # A due turn must not be saved again at once: a full disk stays full for a while.
            new = self.with_id(old.row.id, RETRY_SECONDS)
        except GameElsewhere as error:
            log.info("{error}", error=error)
            self._drop(old)
            return
        except Exception:
            log.failure("{game} cannot be read again; trying in {wait} s", game=old.name, wait=RETRY_SECONDS)
            self.timers.callLater(RETRY_SECONDS, self._replace, old)
            return
        new.past = old.past  # still limited in size
        new.subscribers |= old.subscribers
        for subscriber in list(old.subscribers):
            subscriber.game_reloaded(new)
        for look in self.lifecycle.began:
            look(new)

    # --- seats and start ------------------------------------------------------------------------------------------

    async def take_seat(
        self, game: Game, account: int | None, name: str, *, bot: bool = False, seat: int | None = None
    ) -> int:
        """Give an open seat to an account, durably, and return it; the game starts when the last seat is taken.

        ``account`` None means a bot of the server.
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
        since = self.now()
        player.name, player.account_name = game.called(player.seat, name), name
        player.account, player.bot, player.since = account, bot, int(since)
        for board in game.boards.values():
            board.touch(int(since))  # every player sees one more board
        # The seat is taken from here on; if that cannot be saved the game is read from the store again.
        entry = game.entry("seat", player.seat, {"name": name, "account": account}, since)
        game.commit(GameChanges(entry=entry, seat=SeatRow(game.row.id, player.seat, account, name, bot)), since)
        is_full = not game.open_seats() and game.row.state == "waiting"
        if is_full and not self.seat_changes.call_roll(game, player.seat):
            self.lifecycle.start(game)
        if account is not None:
            for tell in self.seat_changes.seated:
                tell(game, account)
        await durable(game)
        EVENTS.seat_taken(game.name, player.seat, name)
        return player.seat

    def is_bot(self, player: Player | SeatRow, hidden: bool = False) -> bool:
        """Return whether a seat is played by a program: the server's own, or that of an account which says so.

        ``hidden``: nobody is told which account that is, and so nothing is told of it.
        """
        return player.bot or (not hidden and player.account in self._bots)

    def label_bot(self, account: int, is_bot: bool) -> None:
        """Tell from now on that an account is a program, or that it is none, as the store has it."""
        (self._bots.add if is_bot else self._bots.discard)(account)

    def is_guest(self, player: Player) -> bool:
        """Return whether a seat is a guest's."""
        return player.account in self._guests

    def label_guest(self, account: int, is_guest: bool) -> None:
        """Tell from now on that an account is a guest's, or that it is none any more, as the store has it."""
        (self._guests.add if is_guest else self._guests.discard)(account)

    def renamed(self, account: int, name: str) -> None:
        """Show the seats of an account, which the store has under another name now, under it."""
        now = int(self.now())
        for game in self.games.values():
            for player in game.players:
                if player.account == account:
                    player.account_name = name
                    if game.hides_players:
                        continue
                    player.name, player.since = name, now
                    for board in game.boards.values():
                        board.touch(now)

    @property
    def killed_rules(self) -> int:
        """How often the rules of games have ended a server, since the operator resumed them."""
        return sum(self._verdicts.ends.values())

    def watch(self, game: Game) -> View:
        """Return the spectators' view of a game, kept up to date from now on.  Raises GameError if its rules fail."""
        view = game.views.get(None)
        if view is None:
            now = int(self.now())
            if not game.started:
                view = waiting_view(game.rules, None, now)
            else:
                view = spectators_view(game, None, now)
                if view is None:
                    raise GameError(f"the game {game.name!r} cannot be watched: its rules failed")
            game.views[None] = view
        return view

    def start(self, game: Game) -> None:
        """Start a game by hand.  Raises GameError."""
        if game.started:
            raise GameError(f"the game {game.name!r} has already started")
        if game.open_seats():
            raise GameError(
                f"the game {game.name!r} waits for {len(game.open_seats())} more players; it starts when all are there"
            )
        self.lifecycle.start(game)

    # --- boards ---------------------------------------------------------------------------------------------------

    def post(self, game: Game, sender: int, to: Mapping[int, list[list[int]]], subject: str, body: str) -> None:
        """Put a player's message on boards of the game, by number with its references there; durable when
        ``game.when_durable`` says so."""
        now = self.now()
        messages = [
            StoredMessage(
                game.row.id, board, game.boards[board].next_number(), game.state.turn, now, sender, subject, body, told
            )
            for board, told in to.items()
        ]
        game.commit(GameChanges(delivery=Delivery(messages)), now)

    def remove(self, game: Game) -> None:
        """Forget a game that is not in the store any more, and end its connections."""
        self.lifecycle.turn_timers.disarm(game)
        self.games.pop(game.row.id, None)
        self._stored = None
        for subscriber in list(game.subscribers):
            subscriber.game_deleted(game.name)
        for tell in self.removed:
            tell(game)

    def tell(self, account: int, subject: str, body: str, only: int | None = None) -> None:
        """Put a message on the boards of an account in all its games that are not over, or in one only, over or not.

        ``game.when_durable`` of each says when it is stored; games that are not in memory go on for nobody.
        """
        if only is not None:
            with suppress(GameError):  # one that is gone, or cannot be loaded, has nobody who would read it
                self.with_id(only)
        now, plain = self.now(), body.replace("{", "(").replace("}", ")")
        for game in list(self.games.values()):
            seat = game.seat_of(account)
            if seat is None or game.stale or (game.over if only is None else game.row.id != only):
                continue
            told = written(game, [Report(seat, subject, plain)])
            game.commit(GameChanges(delivery=delivery(game, told, game.row.turn, now)), now)

    def remove_messages(self, game: Game, number: int, slots: Iterable[int]) -> list[bool]:
        """Remove messages from a board, one slot after the other; return for each slot whether it held one."""
        board = game.boards[number]
        taken = [board.take(slot) if slot < len(board) else None for slot in slots]
        gone = [message for message in taken if message is not None]
        if gone:
            board.touch(int(self.now()))
            game.commit(GameChanges(removed={number: gone}), self.now())
        return [message is not None for message in taken]

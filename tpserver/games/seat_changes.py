"""Changes of who plays the seats of a game, each an entry of its journal that all players are told of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from tprules.api import Report, Seat, player
from tpserver.concurrency import Timer, Timers
from tpserver.events import EVENTS
from tpserver.games.anonymity import plain, seat_name
from tpserver.games.game import WARNING, Game, GameError, NotNow, durable
from tpserver.games.lifecycle import TurnLifecycle
from tpserver.games.reports import delivery, written
from tpserver.games.seating import BOT, MOST_AUTOPILOT, NO_RECORD, BadPolicy, SeatPolicy, SeatRecord, stored
from tpserver.names import bot_name
from tpserver.store import Store
from tpserver.store import accounts as stored_accounts
from tpserver.store import creations as stored_creations
from tpserver.store.done_requests import beside
from tpserver.store.game_changes import GameChanges
from tpserver.store.games import SeatRow
from tpserver.store.journal import AUTOPILOT, BACK, PLAYER, ROLL_CALL, SEAT_POLICY
from tpserver.store.looks import NEVER

MOST_POLICY_CHANGES = 20
"""How often in a turn whoever made a game can change what it does about absent players: each time is a message to
all."""
MOST_AUTOPILOTS = 20
"""How often in a turn a player can leave the seat to the bot, or change for how long, likewise."""

ANOTHER_OWNER = "Somebody else decides about the game from now on."
"""What all are told of another owner of an anonymous game: whoever is invited by it would know the seat."""


class SeatChanges:
    """Changes who plays the seats of games.  Used on the reactor's thread."""

    def __init__(self, lifecycle: TurnLifecycle, store: Store, timers: Timers) -> None:
        self._lifecycle = lifecycle
        self._timers = timers
        self._store = store
        self._ends: dict[int, Timer] = {}
        """By game: the timer of its roll call."""
        self.unseated: list[Callable[[Game, Seat, int, str], None]] = []
        """Called as soon as a seat is no more an account's, with why: its connections must not see the seat now."""

        self.seated: list[Callable[[Game, int], None]] = []
        """Called as soon as a seat is an account's: it does not watch the game besides."""

        self.narrowed: list[Callable[[Game], None]] = []
        """Called when some who may have watched a game may no more: it is for invited players now, another's, or shown
        later."""

    def back(self, game: Game, seat: Seat) -> bool:
        """Note that the player of a seat plays, as this one does something; return whether it was absent, or had left
        the seat to the bot.

        While the turn is being computed nothing happens: whoever is absent is still so in the next one.
        """
        with beside():  # it follows what was asked for, and is no part of it
            return self._back(game, seat)

    def _back(self, game: Game, seat: Seat) -> bool:
        record = game.players[seat].record
        if game.roll_is_called() and not record.here and not game.stale:
            self._is_here(game, seat)
            return True
        if not (game.is_absent(seat) or record.autopilot) or game.over or game.closing or game.stale:
            return False
        reports = []
        if game.is_absent(seat):
            text = f"{player(seat)} is back, and the game waits for them again."
            reports.append(Report(None, "Back again", text))
        if record.autopilot:
            reports.append(Report(None, "Autopilot", f"{player(seat)} plays again, and the bot no more for them."))
        record = replace(record, missed=0, autopilot=0)
        _commit(game, BACK, seat, None, reports, self._now(), records={seat: record})
        game.after_saving(lambda: self._lifecycle.waits_anew(game))
        return True

    # --- before the start -----------------------------------------------------------------------------------------

    def is_ready(self, game: Game) -> bool:
        """Return whether a game can be started: all seats are taken, and all have said that they are here who were
        asked."""
        if game.row.state != "waiting" or game.open_seats():
            return False
        return not game.roll_is_called() or all(player.record.here for player in game.players if player.is_person)

    def start(self, game: Game, seat: Seat | None) -> None:
        """Start a game that is ready, or ask its players first whether they are here, if it is made so.

        Whoever has just taken the last ``seat`` is here; None: nobody knows who that was.
        """
        if game.roll_is_called() or not self._call_roll(game, seat):
            self._lifecycle.start(game)

    def _call_roll(self, game: Game, seat: Seat | None) -> bool:
        """Ask the players of a full game whether they are here, if it is made so; return whether they are asked."""
        seconds = game.policy.roll_call
        people = [player for player in game.players if player.is_person]
        if not seconds or len(people) < 2:
            return False
        now = self._now()
        records = {one.seat: replace(one.record, here=one.seat == seat) for one in people}
        text = (
            f"All seats are taken. The game begins when everybody has said that they are here: say so, or that you are "
            f"done with this turn. Whoever has not by {game.clock.time_words(now + seconds)} loses the seat."
        )
        report = Report(None, "Are you here?", text)
        _commit(game, ROLL_CALL, None, None, [report], now, columns={"due": now + seconds}, records=records)
        self.await_roll(game)
        game.tell_time(WARNING, now)
        return True

    def await_roll(self, game: Game) -> None:
        """Have the seats of those who are not here open again when the time is up in which they could say so."""
        self.disarm(game)
        if game.roll_is_called() and game.row.due is not None:
            wait = max(0.0, game.row.due - self._now())
            self._ends[game.row.id] = self._timers.callLater(wait, self._end_roll, game)

    def disarm(self, game: Game) -> None:
        """Cancel the timer of a game's roll call, if there is one."""
        timer = self._ends.pop(game.row.id, None)
        if timer is not None and timer.active():
            timer.cancel()

    def _is_here(self, game: Game, seat: Seat) -> None:
        record = replace(game.players[seat].record, here=True)
        _commit(game, BACK, seat, None, [], self._now(), records={seat: record})
        if self.is_ready(game):
            self.start(game, seat)
        else:
            game.tell_time(WARNING, self._now())

    def _end_roll(self, game: Game) -> None:
        self._ends.pop(game.row.id, None)
        if game.stale or not game.roll_is_called() or game.row.due is None or self._lifecycle.stopped:
            return
        if game.row.due - self._now() > 0.01:
            self.await_roll(game)
            return
        gone = [player.seat for player in game.players if player.is_person and not player.record.here]
        for seat in gone:
            text = f"{plain(game.players[seat].name)} has not said to be here; the seat is open."
            if game.hides_seats:  # whoever comes now would have it
                text = "A player has not said to be here; a seat is open."
            self._give(
                game, seat, None, "", False, NO_RECORD, [Report(None, "A player is gone", text)], "", kicked=False
            )
        game.tell_time(WARNING, self._now())

    async def set_autopilot(self, game: Game, seat: Seat, turns: int) -> None:
        """Leave a seat to the bot of the rules for so many of its turns, this one included, or with 0 not any more;
        durably, and all are told.

        Raises GameError, NotNow.
        """
        check_open(game)
        if not 0 <= turns <= MOST_AUTOPILOT:
            raise GameError(f"the bot plays 1 to {MOST_AUTOPILOT} turns for you, or with 0 none, not {turns}")
        if not game.has_bot():
            raise GameError("these rules have no bot of their own that could play for you")
        if not game.started:
            raise NotNow(f"the game {game.name!r} has not started")
        if turns == game.players[seat].record.autopilot:
            return
        if not turns:
            self.back(game, seat)
            await durable(game)
            return
        if game.autopilots[seat] >= MOST_AUTOPILOTS:
            raise NotNow(f"you have said this {MOST_AUTOPILOTS} times in this turn, which is enough")
        game.autopilots[seat] += 1
        count = "a turn" if turns == 1 else f"{turns} turns"
        report = Report(None, "Autopilot", f"{player(seat)} leaves {count} to the bot of the rules.")
        record = replace(game.players[seat].record, missed=0, autopilot=turns)
        _commit(game, AUTOPILOT, seat, {"turns": turns}, [report], self._now(), records={seat: record})
        await durable(game)
        self._lifecycle.waits_anew(game)

    async def set_policy(self, game: Game, policy: SeatPolicy, who: str, *, maker: bool = False) -> None:
        """Have a game do something else about absent players, durably, and tell all who has done it.

        ``maker``: not the operator, but the account that has made the game; it can do so only so often in a turn.
        Raises GameError, NotNow.
        """
        check_open(game)
        try:
            policy.check(game.has_bot())
        except BadPolicy as error:
            raise GameError(str(error)) from None
        if maker and game.policy_changes >= MOST_POLICY_CHANGES:
            raise NotNow(f"this was changed {MOST_POLICY_CHANGES} times in this turn, which is enough")
        if policy == game.policy:
            return
        game.policy = policy
        game.policy_changes += maker
        report = Report(None, "Absent players", f"{plain(who)} has decided: {policy.words()}.")
        body = {**stored(policy), "by": who, "maker": maker}
        _commit(game, SEAT_POLICY, None, body, [report], self._now(), columns={"policy": stored(policy)})
        await durable(game)
        self._lifecycle.waits_anew(game)

    async def remove_player(self, game: Game, seat: Seat, who: str, *, maker: bool = False) -> None:
        """Take a seat from its player, durably, and tell all who has done it; a bot's is offered to people.

        Before the start the seat is open again.  After it the bot of the rules or nobody has it, as the policy of the
        game says, and it seeks another player.  If it was the player who has made the game, the game is the first
        person's who is there, or the operator's.  ``maker``: not the operator, but the account that has made the game.
        Raises GameError, NotNow.
        """
        check_open(game)
        player_there = game.player(seat + 1)
        if player_there is None or player_there.record.seeks:
            what = "seeks a player already" if player_there is not None else "is open, or not there"
            raise GameError(f"seat {seat + 1} of the game {game.name!r} {what}")
        if maker and game.hides_seats:
            raise GameError(
                f"nobody knows who has which seat of the anonymous game {game.name!r} before it starts; the operator "
                "can remove a player"
            )
        by, name = plain(who), player_there.account_name
        called = plain(player_there.name)
        if not game.started:
            text = "a player; a seat is open" if game.hides_seats else f"{called}; the seat is open"
            report = Report(None, "A player is gone", f"{by} has removed {text}.")
            self._give(game, seat, None, "", False, NO_RECORD, [report], who)
        elif player_there.bot:
            report = Report(None, "A player is sought", f"{by} seeks a player for the seat of {player(seat)}.")
            record = replace(player_there.record, seeks=True)
            self._give(game, seat, None, name, True, record, [report], who)
        else:
            is_bot = game.policy.absent == BOT
            record = SeatRecord(vacant=not is_bot, seeks=True)
            plays = "A bot plays it" if is_bot else "The rules give its orders"
            text = f"{by} has removed {called} from seat {seat + 1}. {plays} until somebody takes it."
            label = free_bot_name(game, self._store) if is_bot else seat_name(seat)
            report = Report(None, "A player is sought", text)
            self._give(game, seat, None, label, is_bot, record, [report], who)
        await durable(game)
        self._lifecycle.waits_anew(game)

    async def take_over(self, game: Game, seat: Seat, account: int, name: str) -> None:
        """Give a seat of a running game that seeks a player to an account, durably, and tell all.

        Orders and all that the seat knows go with it, letters do not.  Raises GameError, NotNow.
        """
        check_open(game)
        if game.seat_of(account) is not None:
            raise GameError(f"you have a seat in the game {game.name!r} already")
        before = game.player(seat + 1)
        if before is None or not game.seeks_player(seat):
            raise GameError(f"seat {seat + 1} of the game {game.name!r} seeks no player")
        text = f"{plain(name)} has taken seat {seat + 1}, which {plain(before.name)} had."
        if game.hides_players:
            text = f"Somebody else has seat {seat + 1} from now on."
        self._give(game, seat, account, name, False, NO_RECORD, [Report(None, "Another player", text)], name)
        for tell in self.seated:
            tell(game, account)
        await durable(game)
        EVENTS.seat_taken(game.name, seat, name)
        self._lifecycle.waits_anew(game)

    async def hand_over(self, game: Game, account: int | None, name: str) -> None:
        """Have an account be the maker of a game from now on, or the operator if None; all are told."""
        text = f"{plain(name)} decides about the game from now on."
        if game.hides_players:
            text = ANOTHER_OWNER
        _commit(
            game, PLAYER, None, {"owner": name}, [Report(None, "Another owner", text)], self._now(), owner=(account,)
        )
        await durable(game)
        for tell in self.narrowed:
            tell(game)

    def _give(
        self,
        game: Game,
        seat: Seat,
        account: int | None,
        name: str,
        bot: bool,
        record: SeatRecord,
        reports: list[Report],
        who: str,
        kicked: bool = True,
    ) -> None:
        """Commit that somebody else has a seat.  The letters on its board stay with nobody.

        ``reports`` are for all, so that all boards are listed anew, with the names of the players as they are then.
        """
        there, now = game.players[seat], self._now()
        old, was_person = there.account, there.is_person
        owner: tuple[int | None] | None = None
        if old is not None and self._store.read(stored_creations.creator_of, game.row.id) == old:
            heir = next(
                (one for one in game.players if one.is_person and one.seat != seat and not game.is_absent(one.seat)),
                None,
            )
            owner = (None if heir is None else heir.account,)
            text = f"{'The operator' if heir is None else player(heir.seat)} decides about the game from now on."
            reports.append(Report(None, "Another owner", ANOTHER_OWNER if game.hides_players else text))
        if old is not None and was_person:
            # Before anything is shown of the seat as it is now.
            for tell in self.unseated:
                tell(game, seat, old, no_seat_any_more(game.name))
        board = game.boards[seat + 1]
        letters = [board.take(slot) for slot in reversed(board.letters())] if old != account else []
        there.name, there.account_name = game.called(seat, name), name
        there.account, there.bot, there.since, there.look = account, bot, game.next_player_time(seat, now), NEVER
        if game.started:
            record = replace(record, since=there.since)
        body = {"name": name, "account": account, "bot": bot, "by": who}
        # An open seat ends a roll call; it is called anew when all are taken again.
        columns = {"due": None} if game.roll_is_called() else {}
        row = SeatRow(game.row.id, seat, account, name, bot)
        removed = old if account is None and was_person and kicked else None
        _commit(
            game,
            PLAYER,
            seat,
            body,
            reports,
            now,
            columns=columns,
            records={seat: record},
            player_row=row,
            removed_account=removed,
            owner=owner,
            letters={seat + 1: letters} if letters else {},
        )

    def _now(self) -> float:
        return self._lifecycle.now()


def no_seat_any_more(game: str) -> str:
    """Return what is told to whoever has lost a seat of a game of this name."""
    return f"you have no seat in the game {game!r} any more"


def check_open(game: Game) -> None:
    """Raise GameError or NotNow unless who plays the seats of a game can be changed now."""
    if game.over:
        raise GameError(f"the game {game.name!r} is over")
    if game.closing:
        raise NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")


def _commit(
    game: Game,
    kind: str,
    seat: Seat | None,
    body: Any,
    reports: Iterable[Report],
    now: float,
    *,
    columns: Mapping[str, Any] | None = None,
    records: Mapping[Seat, SeatRecord] | None = None,
    player_row: SeatRow | None = None,
    removed_account: int | None = None,
    owner: tuple[int | None] | None = None,
    letters: Mapping[int, list[int]] | None = None,
) -> None:
    """Commit a journal entry with what it changes, and reports to the players."""
    for number, record in (records or {}).items():
        game.players[number].record = record
    delivered = delivery(game, written(game, reports), game.row.turn, now)
    kept = {number: stored(record) for number, record in (records or {}).items()}
    entry = game.entry(kind, seat, body, now)
    game.forget_time()
    changes = GameChanges(
        entry=entry,
        columns=columns or {},
        player=player_row,
        removed_account=removed_account,
        owner=owner,
        records=kept,
        delivery=delivered,
        removed=letters or {},
    )
    game.commit(changes, now)


def free_bot_name(game: Game, store: Store) -> str:
    """Return the first name of a bot that no player of the game and no person's account has."""
    taken = {player.account_name.casefold() for player in game.players}
    for name in map(bot_name, count(1)):
        if name not in taken:
            account = store.read(stored_accounts.by_name, name)
            if account is None or account.bot:
                return name
    raise AssertionError("there is always another number")

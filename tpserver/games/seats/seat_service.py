"""Changes of the players of a game, journaled and announced to all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from tprules.api import Report, Seat, player
from tprules.api.bots import has_bot
from tpserver.bus import Bus
from tpserver.concurrency import Timer, Timers
from tpserver.events import EVENTS
from tpserver.games.core import attendance, time_notices
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.events import PlayerChanged, SpectatorsLimited
from tpserver.games.core.game import Game, durable
from tpserver.games.core.time_left import WARNING
from tpserver.games.core.turn_reports import delivery, written
from tpserver.games.seats.presence import Presence
from tpserver.games.terms.anonymity import plain, seat_name
from tpserver.games.terms.initiator import OPERATOR, Initiator
from tpserver.games.terms.seat_policy import BOT, MOST_AUTOPILOT, NO_RECORD, BadPolicy, SeatPolicy, SeatRecord, stored
from tpserver.games.turns.clock_service import ClockService
from tpserver.games.turns.turn_service import TurnService
from tpserver.names import bot_name
from tpserver.store import Store
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.games import vacations as stored_vacations
from tpserver.store.games.changes import GameChanges
from tpserver.store.games.journal import AUTOPILOT, BACK, PLAYER, ROLL_CALL, SEAT_POLICY, SILENT
from tpserver.store.games.proposals import LAPSED, OPEN, Proposal
from tpserver.store.games.rows import SeatRow
from tpserver.store.games.vacations import Vacation
from tpserver.store.idempotency import beside
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.last_seen import NEVER

MOST_POLICY_CHANGES = 20
"""Maximum changes of the seat policy by the owner in a turn. Each sends a message to all."""
SEEN_SECONDS = 3600
"""Minimum seconds between two records of a player's actions."""
MOST_AUTOPILOTS = 20
"""Maximum autopilot changes of a player in a turn. Each sends a message to all."""

ANOTHER_OWNER = "Somebody else decides about the game from now on."
"""Message about a new owner of an anonymous game. A name would reveal a seat to players that the owner invites."""


_OVER = "A proposal is over: the seat that it was about, or of which it was, changes its player."


class SeatChanges:
    """Changes the players of seats. Used on the reactor's thread."""

    def __init__(
        self,
        turns: TurnService,
        clocks: ClockService,
        store: Store,
        timers: Timers,
        bus: Bus,
        presence: Presence,
    ) -> None:
        self._turns = turns
        self._clocks = clocks
        self._bus = bus
        self._presence = presence
        self._timers = timers
        self._store = store
        self._ends: dict[int, Timer] = {}
        """By game: the timer of its roll call."""

    def back(self, game: Game, seat: Seat) -> bool:
        """Record an action of a seat's player, who counts as present from now on.

        Return whether the seat was absent or left to the bot. While the turn is being computed nothing happens: an
        absent player stays absent in the next turn.
        """
        with beside():  # it is a consequence of the request, not a part of it
            return self._back(game, seat)

    def _back(self, game: Game, seat: Seat) -> bool:
        record = game.players[seat].record
        if game.roll_is_called() and not record.here and not game.saving.stale:
            self._is_here(game, seat)
            return True
        if game.over or game.closing or game.saving.stale:
            return False
        if not (attendance.is_absent(game, seat) or record.autopilot):
            self._see(game, seat)
            return False
        reports = []
        if attendance.is_absent(game, seat):
            text = f"{player(seat)} is back, and the game waits for them again."
            reports.append(Report(None, "Back again", text))
        if record.autopilot:
            reports.append(Report(None, "Autopilot", f"{player(seat)} plays again, and the bot no more for them."))
        record = replace(record, missed=0, autopilot=0, away=False, seen=int(self._now()))
        _commit(game, BACK, seat, None, reports, self._now(), records={seat: record})
        game.saving.after_saving(lambda: self._turns.waits_anew(game))
        return True

    def came(self, game: Game, seat: Seat) -> None:
        """Record that the player of a seat has logged in to the game, which ends silence."""
        with beside():
            if game.players[seat].record.away:
                self._back(game, seat)
            elif not (game.over or game.closing or game.saving.stale):
                self._see(game, seat)

    def _see(self, game: Game, seat: Seat) -> None:
        """Record an action of a player, where silence counts; at most once in an hour, as each record is a write."""
        record, now = game.players[seat].record, self._now()
        if game.started and game.policy.silent_days and game.row.due is None and now - record.seen >= SEEN_SECONDS:
            game.players[seat].record = record = replace(record, seen=int(now))
            game.commit(GameChanges(records={seat: stored(record)}), now)

    def silent(self, game: Game, seat: Seat) -> None:
        """Stop waiting for a player who was silent for too many days, and notify all."""
        days = game.policy.silent_days
        text = f"{player(seat)} has done nothing for {'a day' if days == 1 else f'{days} days'}. "
        text += "The game does not wait for them until they are back."
        if game.policy.absent == BOT:
            text += " Until then the bot of the rules plays for them."
        record = replace(game.players[seat].record, away=True)
        report = Report(None, "Not waited for", text)
        _commit(game, SILENT, seat, None, [report], self._now(), records={seat: record})
        game.saving.after_saving(lambda: self._is_silent(game))

    def _is_silent(self, game: Game) -> None:
        self._turns.waits_anew(game)
        self._bus.publish(PlayerChanged(game))

    # --- before the start -----------------------------------------------------------------------------------------

    def is_ready(self, game: Game) -> bool:
        """Return whether a game can start: all seats are taken, and the roll call, if any, is complete."""
        if game.row.state != "waiting" or game.open_seats():
            return False
        return not game.roll_is_called() or all(player.record.here for player in game.players if player.is_person)

    def start(self, game: Game, seat: Seat | None) -> None:
        """Start a game that is ready, or first call the roll of its players.

        In a roll call they confirm that they are present. The player of ``seat`` has just taken the last seat and
        counts as present; None: unknown.
        """
        if game.roll_is_called() or not self._call_roll(game, seat):
            self._turns.start(game)

    def _call_roll(self, game: Game, seat: Seat | None) -> bool:
        """Start the roll call of a full game, if it has one; return whether it has."""
        seconds = game.policy.roll_call
        people = [player for player in game.players if player.is_person]
        if not seconds or len(people) < 2:
            return False
        now = self._now()
        records = {one.seat: replace(one.record, here=one.seat == seat) for one in people}
        text = (
            f"All seats are taken. The game begins when all players have confirmed that they are here: confirm it, or "
            f"finish this turn. Players who have not by {game.clock.time_words(now + seconds)} lose their seats."
        )
        report = Report(None, "Are you here?", text)
        _commit(game, ROLL_CALL, None, None, [report], now, columns={"due": now + seconds}, records=records)
        self.await_roll(game)
        time_notices.tell_time(game, WARNING, now)
        return True

    def await_roll(self, game: Game) -> None:
        """At the end of a roll call, open the seats of players who have not confirmed to be present."""
        self.disarm(game)
        if game.roll_is_called() and game.row.due is not None:
            wait = max(0.0, game.row.due - self._now())
            self._ends[game.row.id] = self._timers.callLater(wait, self._end_roll, game)

    def disarm(self, game: Game) -> None:
        """Cancel the timer of a game's roll call, if any."""
        timer = self._ends.pop(game.row.id, None)
        if timer is not None and timer.active():
            timer.cancel()

    def _is_here(self, game: Game, seat: Seat) -> None:
        record = replace(game.players[seat].record, here=True)
        _commit(game, BACK, seat, None, [], self._now(), records={seat: record})
        if self.is_ready(game):
            self.start(game, seat)
        else:
            time_notices.tell_time(game, WARNING, self._now())

    def _end_roll(self, game: Game) -> None:
        self._ends.pop(game.row.id, None)
        if game.saving.stale or not game.roll_is_called() or game.row.due is None or self._clocks.stopped:
            return
        if game.row.due - self._now() > 0.01:
            self.await_roll(game)
            return
        gone = [player.seat for player in game.players if player.is_person and not player.record.here]
        for seat in gone:
            text = f"{plain(game.players[seat].name)} has not said to be here; the seat is open."
            if game.hides_seats:  # else the next player to join would have it
                text = "A player has not said to be here; a seat is open."
            self._give(
                game, seat, None, "", False, NO_RECORD, [Report(None, "A player is gone", text)], "", kicked=False
            )
        time_notices.tell_time(game, WARNING, self._now())

    async def set_autopilot(self, game: Game, seat: Seat, turns: int) -> None:
        """Leave a seat to the bot of the rules for some turns, and notify all.

        The change is durable then. ``turns`` include the current one; 0 ends it. Raises GameError, NotNow.
        """
        check_open(game)
        if not 0 <= turns <= MOST_AUTOPILOT:
            raise GameError(f"the bot plays 1 to {MOST_AUTOPILOT} turns for you, or with 0 none, not {turns}")
        if not has_bot(game.rules):
            raise GameError("these rules have no bot of their own that could play for you")
        if not game.started:
            raise NotNow(f"the game {game.name!r} has not started")
        if turns == game.players[seat].record.autopilot:
            return
        if not turns:
            self.back(game, seat)
            await durable(game)
            return
        if game.counts.autopilots[seat] >= MOST_AUTOPILOTS:
            raise NotNow(f"you have changed this {MOST_AUTOPILOTS} times in this turn, the maximum")
        game.counts.autopilots[seat] += 1
        count = "a turn" if turns == 1 else f"{turns} turns"
        report = Report(None, "Autopilot", f"{player(seat)} leaves {count} to the bot of the rules.")
        record = replace(game.players[seat].record, missed=0, autopilot=turns)
        _commit(game, AUTOPILOT, seat, {"turns": turns}, [report], self._now(), records={seat: record})
        await durable(game)
        self._turns.waits_anew(game)

    async def set_policy(
        self, game: Game, policy: SeatPolicy, who: str, *, maker: bool = False, cause: Initiator = OPERATOR
    ) -> None:
        """Give a game another seat policy, durably, and notify all, with the author's name.

        ``maker``: the author is the owner, who may do so only a few times in a turn. Raises GameError, NotNow.
        """
        check_open(game)
        try:
            policy.check(has_bot(game.rules))
        except BadPolicy as error:
            raise GameError(str(error)) from None
        if maker and game.counts.policy_changes >= MOST_POLICY_CHANGES:
            raise NotNow(f"this was changed {MOST_POLICY_CHANGES} times in this turn, the maximum")
        if policy == game.policy and not cause.proposals:
            return
        game.policy = policy
        game.counts.policy_changes += maker
        report = Report(None, "Absent players", f"{plain(who)} has decided: {policy.words(game.clock.is_endless())}.")
        body = {**cause.body, **stored(policy), "by": who, "maker": maker}
        columns = {"policy": stored(policy)}
        _commit(game, SEAT_POLICY, None, body, [report], self._now(), columns=columns, proposals=cause.proposals)
        await durable(game)
        self._turns.waits_anew(game)

    async def remove_player(
        self, game: Game, seat: Seat, who: str, *, maker: bool = False, cause: Initiator = OPERATOR
    ) -> None:
        """Remove a player from a seat, durably, and notify all, with the author's name.

        A bot's seat is offered to people. Before the start the seat is open again. After the start the seat policy
        gives it to the bot of the rules, or leaves it empty. It then seeks another player. If the removed player owns
        the game, the first person present gets it, or else the operator. ``maker``: the author is the owner, not the
        operator. Raises GameError, NotNow.
        """
        check_open(game)
        player_there = game.player(seat + 1)
        if player_there is None or player_there.record.seeks:
            what = "seeks a player already" if player_there is not None else "is open, or not there"
            raise GameError(f"seat {seat + 1} of the game {game.name!r} {what}")
        if maker and game.hides_seats:
            raise GameError(
                f"seats of the anonymous game {game.name!r} stay hidden until it starts; ask the operator to remove a "
                "player"
            )
        by, name = plain(who), player_there.account_name
        called = plain(player_there.name)
        if not game.started:
            text = "a player; a seat is open" if game.hides_seats else f"{called}; the seat is open"
            report = Report(None, "A player is gone", f"{by} has removed {text}.")
            self._give(game, seat, None, "", False, NO_RECORD, [report], who, cause=cause)
        elif player_there.bot:
            report = Report(None, "A player is sought", f"{by} seeks a player for the seat of {player(seat)}.")
            record = replace(player_there.record, seeks=True)
            self._give(game, seat, None, name, True, record, [report], who, cause=cause)
        else:
            is_bot = game.policy.absent == BOT
            record = SeatRecord(vacant=not is_bot, seeks=True)
            plays = "A bot plays it" if is_bot else "The rules give its orders"
            text = f"{by} has removed {called} from seat {seat + 1}. {plays} until somebody takes it."
            label = free_bot_name(game, self._store) if is_bot else seat_name(seat)
            report = Report(None, "A player is sought", text)
            self._give(game, seat, None, label, is_bot, record, [report], who, cause=cause)
        await durable(game)
        self._turns.waits_anew(game)
        self._bus.publish(PlayerChanged(game))

    async def take_over(self, game: Game, seat: Seat, account: int, name: str) -> None:
        """Give a seat that seeks a player to an account, and notify all.

        The game is running, and the change is durable then. The orders and all knowledge of the seat go to the new
        player, its messages do not. Raises GameError, NotNow.
        """
        check_open(game)
        if game.seat_of(account) is not None:
            raise GameError(f"you already have a seat in the game {game.name!r}")
        before = game.player(seat + 1)
        if before is None or not attendance.seeks_player(game, seat):
            raise GameError(f"seat {seat + 1} of the game {game.name!r} seeks no player")
        text = f"{plain(name)} has taken seat {seat + 1}, which {plain(before.name)} had."
        if game.hides_players:
            text = f"Somebody else has seat {seat + 1} from now on."
        self._give(game, seat, account, name, False, NO_RECORD, [Report(None, "Another player", text)], name)
        self._presence.end_spectator(game, account)
        await durable(game)
        EVENTS.seat_taken(game.name, seat, name)
        self._turns.waits_anew(game)
        self._bus.publish(PlayerChanged(game))

    async def hand_over(self, game: Game, account: int | None, name: str) -> None:
        """Give a game to a new owner, an account, or the operator with None; notify all."""
        text = f"{plain(name)} decides about the game from now on."
        if game.hides_players:
            text = ANOTHER_OWNER
        _commit(
            game, PLAYER, None, {"owner": name}, [Report(None, "Another owner", text)], self._now(), owner=(account,)
        )
        await durable(game)
        self._bus.publish(SpectatorsLimited(game))

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
        cause: Initiator = OPERATOR,
    ) -> None:
        """Commit that a seat has another player.

        The messages on its board are removed, unless the account stays the same. ``reports`` are for all, so that all
        boards are listed again, with the new names of the players.
        """
        there, now = game.players[seat], self._now()
        old, was_person = there.account, there.is_person
        owner: tuple[int | None] | None = None
        if old is not None and self._store.read(stored_ownership.creator_of, game.row.id) == old:
            heir = next(
                (
                    one
                    for one in game.players
                    if one.is_person and one.seat != seat and not attendance.is_absent(game, one.seat)
                ),
                None,
            )
            owner = (None if heir is None else heir.account,)
            text = f"{'The operator' if heir is None else player(heir.seat)} decides about the game from now on."
            reports.append(Report(None, "Another owner", ANOTHER_OWNER if game.hides_players else text))
        if old is not None and was_person:
            # Before the seat's new state is shown.
            self._presence.end_player(game, old, no_seat_any_more(game.name))
        board = game.boards[seat + 1]
        letters = [board.take(slot) for slot in reversed(board.letters())] if old != account else []
        there.name, there.account_name = game.called(seat, name), name
        there.account, there.bot, there.since, there.look = account, bot, game.next_player_time(seat, now), NEVER
        there.vacations = vacations_of(self._store, account)
        game.forget_player(seat)
        if game.started:
            record = replace(record, since=there.since, fresh=account is not None)
        proposals = [one for one in _without_player(game, seat) if one.number not in _numbers(cause)]
        reports += [Report(None, "A proposal is over", _OVER) for one in proposals if one.state == LAPSED]
        body = {**cause.body, "name": name, "account": account, "bot": bot, "by": who}
        # An open seat ends a roll call. The next one begins when all seats are taken again.
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
            banks={} if game.clock.bank is None else {seat: None},
            proposals=[*proposals, *cause.proposals],
            letters={seat + 1: letters} if letters else {},
        )

    def _now(self) -> float:
        return self._clocks.now()


def vacations_of(store: Store, account: int | None) -> Sequence[Vacation]:
    """Return the vacations of the account that takes a seat, or none without an account."""
    return [] if account is None else store.read(stored_vacations.of_accounts, [account])


def _without_player(game: Game, seat: Seat) -> list[Proposal]:
    """Return the open proposals that change as a seat gets another player.

    Those by the seat and about it lapse. Its vote is removed from the others.
    """
    changed = []
    for one in game.proposals:
        if one.state != OPEN:
            continue
        if seat in (one.seat, (one.arguments or {}).get("seat")):
            changed.append(replace(one, state=LAPSED))
        elif any(voter == seat for voter, _ in one.votes):
            changed.append(replace(one, votes=[vote for vote in one.votes if vote[0] != seat]))
    return changed


def _numbers(cause: Initiator) -> list[int]:
    return [one.number for one in cause.proposals]


def no_seat_any_more(game: str) -> str:
    """Return the text for a player who has lost a seat in a game of this name."""
    return f"you no longer have a seat in the game {game!r}"


def check_open(game: Game) -> None:
    """Raise GameError or NotNow unless the players of a game can change now."""
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
    banks: Mapping[int, float | None] | None = None,
    proposals: Sequence[Proposal] = (),
    letters: Mapping[int, list[int]] | None = None,
) -> None:
    """Commit a journal entry with its changes, and reports to the players."""
    for number, record in (records or {}).items():
        game.players[number].record = record
    delivered = delivery(game, written(game, reports), game.row.turn, now)
    kept = {number: stored(record) for number, record in (records or {}).items()}
    entry = game.entry(kind, seat, body, now)
    game.known_time = None
    changes = GameChanges(
        entry=entry,
        columns=columns or {},
        player=player_row,
        removed_account=removed_account,
        owner=owner,
        banks=banks or {},
        proposals=proposals,
        records=kept,
        delivery=delivered,
        removed=letters or {},
    )
    game.commit(changes, now)


def free_bot_name(game: Game, store: Store) -> str:
    """Return the first bot name that neither a player of the game nor a person's account has."""
    taken = {player.account_name.casefold() for player in game.players}
    for name in map(bot_name, count(1)):
        if name not in taken:
            account = store.read(stored_accounts.by_name, name)
            if account is None or account.bot:
                return name
    raise AssertionError("there is always another number")

"""Agreements of the players of a game: proposals, votes and effects.

A proposal takes effect as soon as all present players agree. One refusal ends it. Absent players are not awaited
(`attendance.is_asked`), but their votes count. The owner may do some of it alone (`check_consent`). This requires that
no other person plays in the game, or that the owner has no seat.

Every step is a journal entry with the new state of the proposal, and a message to all players, in one transaction. The
agreement itself is saved together with its effect.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.api import Outcome, Report, Seat, player
from tprules.api.advance import RulesFault, concluded, taken_back
from tprules.api.endings import shared
from tprules.api.types import canonical
from tprules.printable import quoted
from tpserver.concurrency import Timer, Timers
from tpserver.games.core import attendance, rules_calls, time_notices
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.game import RESIGN, Game, durable
from tpserver.games.core.next_turn import outcome_data
from tpserver.games.core.saving import NotSaved
from tpserver.games.core.time_left import WARNING
from tpserver.games.core.turn_reports import delivery, written
from tpserver.games.seats.seat_service import SeatChanges
from tpserver.games.terms.anonymity import MAKER
from tpserver.games.terms.clock import duration, known_clock, parse_clock
from tpserver.games.terms.initiator import Initiator, PlayersStep
from tpserver.games.terms.seat_policy import policy_from
from tpserver.games.turns import turn_time
from tpserver.games.turns.clock_changes import ClockChanges
from tpserver.games.turns.game_control import GameControl
from tpserver.games.turns.turn_service import TurnService
from tpserver.store import Store
from tpserver.store.games import ownership as stored_ownership
from tpserver.store.games import snapshots as stored_snapshots
from tpserver.store.games.changes import GameChanges
from tpserver.store.games.journal import LAPSED as LAPSED_ENTRY
from tpserver.store.games.journal import NUDGED, RESIGNED
from tpserver.store.games.journal import PROPOSAL as PROPOSAL_ENTRY
from tpserver.store.games.journal import VOTE as VOTE_ENTRY
from tpserver.store.games.proposals import AGREED, LAPSED, OPEN, REFUSED, WITHDRAWN, Proposal
from tpserver.store.people.accounts import Account

log = Logger()

PAUSE, RESUME, EXTENSION, DRAW, NUDGE = "pause", "resume", "extension", "draw", "nudge"
TAKE_BACK, CLOCK, SEATS, REMOVE, ABORT = "take-back", "clock", "seats", "remove", "abort"

HELP: Mapping[str, str] = {
    PAUSE: "stop the clock; orders are still taken",
    RESUME: "let the clock run again",
    EXTENSION: "give this turn more time",
    TAKE_BACK: "play the last turn again",
    CLOCK: "give the game another clock",
    SEATS: "change what the game does about absent players",
    REMOVE: "take a seat from its player, for somebody else",
    ABORT: "end the game without a result",
    DRAW: "end the game in a draw",
    NUDGE: "remind those whose turn it is, once a day",
    RESIGN: "give the game up; it goes on without you as long as others play",
}
"""By kind of proposal, in the order of clients' lists: its effect, for people."""

ASKS: Mapping[str, str] = {CLOCK: "clock", SEATS: "policy", REMOVE: "player", ABORT: "reason"}
"""By kind: the field of Propose that it needs."""
BEFORE_START = frozenset({CLOCK, SEATS, REMOVE, ABORT})
"""The kinds that can be proposed before the game has begun."""
OF_MAKER = frozenset({PAUSE, RESUME, TAKE_BACK})
"""The kinds that the owner of a game carries out alone. Requests exist for the others."""
OF_PLAYER = frozenset({NUDGE, RESIGN})
"""The kinds that every player carries out alone."""

DAY = 86_400.0
OPEN_SECONDS = 3 * DAY
"""Seconds in which a proposal is open for votes."""
MOST_A_DAY = 10
"""Maximum proposals of a seat in a day. Each proposal, and each vote on it, is a message to all."""
MOST_EXTENSIONS = 5
"""Maximum extensions of a game by its players."""
LONGEST_EXTENSION = 7 * 86_400
"""Maximum seconds of one extension."""
KEPT_SECONDS = 7 * DAY
"""Seconds for which an ended proposal without further effect is kept."""

AGREEMENT = "An agreement of the players"

VOTES = ("agree", "refuse", "withdraw")


class NoSay(GameError):
    """An account may not propose or vote here. The message is one sentence."""


class NeedsConsent(GameError):
    """The owner plays in the game, so other players must agree. The message is one sentence."""


class NoSuchProposal(GameError):
    """The game has no proposal with this number. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A proposal that an account can make.

    With ``alone`` it takes effect at once. ``problem`` is the reason why it cannot be proposed now; empty: it can be.
    ``most`` is the maximum number of seconds, 0 for kinds without seconds. ``final``: it cannot be undone. ``asks`` is
    the field of Propose that it also needs, empty for none.
    """

    kind: str
    help: str
    alone: bool
    problem: str
    most: int = 0
    final: bool = False
    asks: str = ""


def needs_consent(game: Game, account: int) -> bool:
    """Return whether the owner, an ``account``, needs the consent of other players.

    In an anonymous game no vote is possible before the start, as it would link a player to a seat.
    """
    seat = game.seat_of(account)
    if seat is None or game.over or game.hides_seats:
        return False
    return any(one.is_person and one.seat != seat and one.seat not in game.resigned for one in game.players)


def check_consent(game: Game, account: int, kind: str) -> None:
    """Raise NeedsConsent if the owner, an account, has to propose a change of this kind."""
    if needs_consent(game, account):
        raise NeedsConsent(f"the other players of {game.name!r} have to agree; propose {kind!r}")


class Agreements:
    """The proposals of all games of a server. Used on the reactor's thread.

    ``games`` are those in memory, by id. ``now`` returns unix seconds.
    """

    def __init__(
        self,
        store: Store,
        games: Mapping[int, Game],
        turns: TurnService,
        control: GameControl,
        clock_changes: ClockChanges,
        seat_changes: SeatChanges,
        timers: Timers,
        now: Callable[[], float],
    ) -> None:
        self._store = store
        self._games = games
        self._turns = turns
        self._control = control
        self._clock_changes = clock_changes
        self._seat_changes = seat_changes
        self._timers = timers
        self._now = now
        self._ringing: dict[int, Timer] = {}
        """The timer of the next proposal to lapse, by game."""
        self._stopped = False

    def stop(self) -> None:
        """Stop all timers. The store has the end of each vote for the next server."""
        self._stopped = True
        for timer in self._ringing.values():
            if timer.active():
                timer.cancel()
        self._ringing.clear()

    # --- reading --------------------------------------------------------------------------------------------------

    def offers(self, game: Game, account: Account) -> list[Offer]:
        """Return the proposals that an account can make in a game; nothing if it may not take part."""
        seat, decides = game.seat_of(account.id), self._decides(game, account)
        found = []
        if seat in game.resigned:
            return []
        for kind, words in HELP.items():
            alone = kind in OF_PLAYER or (decides and kind in OF_MAKER)
            if seat is None and not (decides and kind in OF_MAKER):
                continue
            problem = self._problem(game, kind, seat)
            most = LONGEST_EXTENSION if kind == EXTENSION else 0
            found.append(Offer(kind, words, alone, "" if problem is None else str(problem), most, kind == RESIGN))
            found[-1] = replace(found[-1], asks=ASKS.get(kind, ""))
        return found

    def _decides(self, game: Game, account: Account) -> bool:
        """Return whether an account owns a game, and needs no consent."""
        has_made = self._store.read(stored_ownership.creator_of, game.row.id) == account.id
        return has_made and not needs_consent(game, account.id)

    def awaited(self, game: Game, proposal: Proposal) -> list[Seat]:
        """Return the seats whose votes an open proposal waits for."""
        if proposal.state != OPEN:
            return []
        voted = {seat for seat, _ in proposal.votes}
        return [seat for seat in present(game, self._now()) if seat not in voted]

    # --- proposing ------------------------------------------------------------------------------------------------

    async def propose(
        self, game: Game, kind: str, seconds: int, account: Account, arguments: Mapping[str, Any] | None = None
    ) -> str:
        """Propose something to the players of a game, durably.

        Return the result as a sentence. ``seconds`` are those of an extension, else 0. ``arguments`` are those of the
        kinds in ASKS, and already checked. Raises GameError, NotNow, and NoSay.
        """
        if kind not in HELP:
            raise GameError(f"{quoted(kind)} is not a kind of proposal; use {', '.join(HELP)}")
        seat, by_maker = game.seat_of(account.id), kind in OF_MAKER and self._decides(game, account)
        alone = by_maker or kind in OF_PLAYER
        _check_say(game, seat)
        if seat is None and not by_maker:
            raise NoSay(f"only players of the game {game.name!r} can make proposals there")
        if by_maker and game.hides_players:
            seat = None  # else the owner's seat would be revealed
        self.look(game)
        problem = self._problem(game, kind, seat)
        if problem is not None:
            raise problem
        if kind == EXTENSION and not 1 <= seconds <= LONGEST_EXTENSION:
            raise GameError(f"an extension is 1 to {LONGEST_EXTENSION} seconds, not {seconds}")
        now = self._now()
        number = 1 + max((one.number for one in game.proposals), default=0)
        votes = () if seat is None else ((seat, True),)
        until, wanted = now + OPEN_SECONDS, seconds if kind == EXTENSION else 0
        proposal = Proposal(
            game.row.id, number, kind, seat, game.state.turn, wanted, now, until, votes=votes, arguments=arguments
        )
        if kind == RESIGN:
            assert seat is not None
            return await self._resign(game, replace(proposal, state=AGREED), seat)
        if kind == NUDGE:
            assert seat is not None
            return await self._nudge(game, replace(proposal, state=AGREED), seat)
        if alone:
            who = MAKER if game.hides_players else account.name
            return await self._bring_about(game, replace(proposal, state=AGREED), who)
        if seat is not None and self._is_agreed(game, proposal, [seat]):
            return await self._bring_about(game, replace(proposal, state=AGREED), AGREEMENT)
        assert seat is not None
        when = game.clock.time_words(proposal.until)
        text = f"{player(seat)} proposes {words_of(proposal)}. All present players must agree until {when}."
        body = {"number": number, "kind": kind, "seconds": proposal.seconds, "until": proposal.until}
        if arguments is not None:
            body["arguments"] = arguments
        self._record(game, PROPOSAL_ENTRY, seat, body, proposal, Report(None, "A proposal", text, by=seat))
        self._arm(game)
        await durable(game)
        words = game.text(words_of(proposal))
        return f"You have proposed {words}, and all players are notified; all present players must agree"

    def _problem(self, game: Game, kind: str, seat: Seat | None) -> GameError | NotNow | None:
        """Return the reason why a proposal is not possible now, or None."""
        if problem := self._unfit(game, kind):
            return problem
        if any(one.kind == kind and one.state == OPEN for one in game.proposals):
            return NotNow("this is already proposed; vote on that proposal")
        if kind == EXTENSION:
            agreed = sum(one.kind == EXTENSION and one.state == AGREED for one in game.proposals)
            if agreed >= MOST_EXTENSIONS:
                return GameError(f"the players have agreed on {MOST_EXTENSIONS} extensions, the maximum of a game")
        since = self._now() - DAY
        if kind == NUDGE:
            if any(one.kind == NUDGE and one.made > since for one in game.proposals):
                return NotNow("a reminder was already sent within a day; try again later")
            if not _to_remind(game, seat):
                return NotNow("there is nobody to remind")
        if seat is not None:  # those of the seat's earlier players do not count
            since = max(since, game.players[seat].record.since)
        if kind not in OF_PLAYER and sum(one.seat == seat and one.made > since for one in game.proposals) >= MOST_A_DAY:
            return NotNow(f"you have made {MOST_A_DAY} proposals within a day, the maximum; try again later")
        return None

    def _unfit(self, game: Game, kind: str, turn: int | None = None) -> GameError | NotNow | None:
        """Return why a proposal of a turn (None: now) is no longer possible; None if it is."""
        state = game.row.state
        if game.over:
            return GameError(f"the game {game.name!r} is over")
        if not game.started and (kind not in BEFORE_START or game.hides_seats):
            return NotNow(f"the game {game.name!r} has not started")
        if game.closing:
            return NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")
        if state == "held" and kind != ABORT:
            return NotNow(f"the game {game.name!r} is held: its rules failed. The operator has been notified")
        if kind == NUDGE and state != "running":
            return NotNow(f"the game {game.name!r} is paused; nobody has to play now")
        if kind == PAUSE and state != "running":
            return NotNow(f"the game {game.name!r} is already paused")
        if kind == RESUME and state != "paused":
            return NotNow(f"the game {game.name!r} is not paused")
        if kind == RESUME and not game.paused_by_players:
            return NotNow(f"the operator has paused the game {game.name!r}; only the operator can resume it")
        if kind == EXTENSION and (game.row.due is None or turn not in (None, game.state.turn)):
            return NotNow(f"this turn of {game.name!r} has no deadline")
        if kind == TAKE_BACK and (not game.can_go_back or turn not in (None, game.state.turn)):
            return NotNow("the last turn cannot be taken back: there is none, or it revealed hidden things")
        return None

    # --- voting ---------------------------------------------------------------------------------------------------

    async def vote(self, game: Game, number: int, vote: str, account: Account) -> str:
        """Agree to a proposal, refuse it, or withdraw an own one, durably.

        Return the result as a sentence. Raises GameError, NotNow, and NoSay.
        """
        seat = game.seat_of(account.id)
        if seat is None:
            raise NoSay(f"only players of the game {game.name!r} can vote there")
        _check_say(game, seat)
        if vote not in VOTES:
            raise GameError(f"{quoted(vote)} is not a vote; use {', '.join(VOTES)}")
        if game.closing:
            raise NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")
        self.look(game)
        proposal = next((one for one in game.proposals if one.number == number), None)
        if proposal is None:
            raise NoSuchProposal(f"there is no proposal {number} in the game {game.name!r}")
        if proposal.state != OPEN:
            raise GameError(f"proposal {number} is already {_STATE_WORDS[proposal.state]}")
        if vote == "withdraw":
            if proposal.seat != seat:
                raise NoSay(f"only the player who made proposal {number} can withdraw it")
            return await self._end(game, replace(proposal, state=WITHDRAWN), seat)
        if any(voter == seat for voter, _ in proposal.votes):
            raise GameError(f"you have already voted on proposal {number}")
        voted = replace(proposal, votes=(*proposal.votes, (seat, vote == "agree")))
        if vote == "refuse":
            return await self._end(game, replace(voted, state=REFUSED), seat)
        if self._is_agreed(game, voted, [seat]):
            return await self._bring_about(game, replace(voted, state=AGREED), AGREEMENT)
        text = f"{player(seat)} agrees to the proposal of {_by(proposal)}: {words_of(proposal)}."
        body = {"number": number, "agrees": True}
        self._record(game, VOTE_ENTRY, seat, body, voted, Report(None, "A vote", text, by=seat))
        await durable(game)
        return f"You agree {game.text(words_of(proposal))}; other players have not voted yet"

    async def _end(self, game: Game, proposal: Proposal, seat: Seat) -> str:
        """Record that a seat has refused or withdrawn a proposal."""
        is_refusal = proposal.state == REFUSED
        did, whose = ("refuses", f"the proposal of {_by(proposal)}") if is_refusal else ("withdraws", "the proposal")
        text = f"{player(seat)} {did} {whose}: {words_of(proposal)}."
        body = {"number": proposal.number, "agrees": False, "state": proposal.state}
        subject = f"A proposal is {_STATE_WORDS[proposal.state]}"
        self._record(game, VOTE_ENTRY, seat, body, proposal, Report(None, subject, text, by=seat))
        await durable(game)
        words, state = game.text(words_of(proposal)), _STATE_WORDS[proposal.state]
        return f"The proposal {words} is {state}, and all players are notified"

    def _is_agreed(self, game: Game, proposal: Proposal, here: Sequence[Seat]) -> bool:
        """Return whether all present players agree, and at least one of them. ``here`` are their seats."""
        agreeing = set(proposal.agreeing) - game.resigned
        if proposal.kind == DRAW and len(agreeing) < 2:
            return False  # a draw needs the votes of present players
        return not self.awaited(game, proposal) and not agreeing.isdisjoint(here)

    async def _bring_about(self, game: Game, agreed: Proposal, who: str) -> str:
        """Carry out an agreement in one transaction with its proposal; return the result as a sentence."""
        cause = Initiator(who, True, agreed)
        if agreed.kind == PAUSE:
            await self._control.pause(game, cause)
        elif agreed.kind == RESUME:
            await self._control.resume(game, cause)
        elif agreed.kind == EXTENSION:
            await self._clock_changes.give_time(game, agreed.seconds, who, cause=cause)
        elif agreed.kind == DRAW:
            world, seats = game.state.world, len(game.players)
            outcome = self._asked(game, lambda: game.rules.early_outcome(world, seats, game.resigned, True))
            if outcome is None:
                raise GameError(f"the rules of {game.name!r} do not allow an agreed draw")
            news = Report(None, "A draw", f"{who} ends the game in a draw.")
            await self._turns.go(game, _ending(game, outcome, news, cause))
            if not game.over:
                raise GameError(f"the game {game.name!r} could not be ended: its rules failed")
        elif agreed.kind == TAKE_BACK:
            await self._take_back(game, cause)
        elif agreed.kind == CLOCK:
            await self._clock_changes.set_clock(game, parse_clock(_arguments(agreed)["clock"]), who, cause=cause)
        elif agreed.kind == SEATS:
            await self._seat_changes.set_policy(game, policy_from(_arguments(agreed)["policy"]), who, cause=cause)
        elif agreed.kind == REMOVE:
            await self._seat_changes.remove_player(game, _arguments(agreed)["seat"], who, cause=cause)
        elif agreed.kind == ABORT:
            await self._control.abort(game, _arguments(agreed)["reason"], who, cause)
        self._forget(game)
        return _DONE[agreed.kind]

    async def _take_back(self, game: Game, cause: Initiator) -> None:
        """Repeat the turn before the present one, as a new turn."""
        turn = game.state.turn
        before = self._store.read(stored_snapshots.by_turn, game.row.id, turn - 1)
        if before is None:
            raise GameError(f"turn {turn - 1} of {game.name!r} is no longer stored")
        text = f"{_plain(cause.who)} has taken back turn {turn - 1}; it is played again as turn {turn + 1}."
        news = [Report(None, "A turn is taken back", text)]
        state, rules, data = game.state, game.rules, before.state
        step = PlayersStep(lambda: taken_back(rules, data, state), news, cause, {"back": turn - 1})
        await self._turns.go(game, step)
        if game.row.state == "held":
            raise GameError(f"the turn of {game.name!r} could not be taken back: its rules failed")

    # --- reminding ------------------------------------------------------------------------------------------------

    async def _nudge(self, game: Game, nudge: Proposal, seat: Seat) -> str:
        """Remind the awaited players by a message to each, and by notifications if they chose them."""
        seats = _to_remind(game, seat)
        text = f"{player(seat)} reminds you that your turn awaits you."
        reports = [Report(to, "A reminder", text, by=seat) for to in seats]
        body = {"number": nudge.number, "seats": seats}
        self._record(game, NUDGED, seat, body, nudge, *reports, reminded=seats)
        self._forget(game)
        await durable(game)
        names = " and ".join(game.name_of(to) for to in seats)
        return f"{names} {'is' if len(seats) == 1 else 'are'} reminded"

    # --- resigning ------------------------------------------------------------------------------------------------

    async def _resign(self, game: Game, resignation: Proposal, seat: Seat) -> str:
        """Let a player resign, and end the game if the rules do not continue it without that player."""
        text = f"{player(seat)} has resigned. The game no longer waits for {player(seat)}."
        report = Report(None, "A player has resigned", text, by=seat)
        self._record(game, RESIGNED, seat, {"number": resignation.number}, resignation, report)
        await durable(game)
        if not game.saving.stale:
            self.look(game)
            self._turns.all_may_be_done(game)
        return "You have resigned, and all players are notified"

    def _end_without(self, game: Game) -> None:
        """End a game that does not continue without the players who have resigned."""
        if not game.started or game.over or game.fault is not None or game.row.state == "held":
            return

        async def end() -> None:
            outcome = self._outcome_without(game)
            if outcome is not None:
                news = Report(None, "Nobody is left to play with", outcome.why)
                await self._turns.go(game, _ending(game, outcome, news, Initiator(RESIGN, True)))

        def failed(failure: Failure) -> None:
            if not isinstance(failure.value, GameError | NotNow | NotSaved):
                log.failure("{game}: the end after a resignation failed", failure, game=game.name)

        Deferred.fromCoroutine(end()).addErrback(failed)

    def _outcome_without(self, game: Game) -> Outcome | None:
        seats = len(game.players)
        world = game.state.world
        found = self._asked(game, lambda: game.rules.early_outcome(world, seats, game.resigned, False))
        if found is not None or any(not one.bot and one.seat not in game.resigned for one in game.players):
            return found
        return shared(seats, game.resigned, "All people have resigned.")

    def _asked(self, game: Game, work: Callable[[], Outcome | None]) -> Outcome | None:
        """Return the rules' result for an end. Raises GameError if the rules fail; that is logged."""
        try:
            outcome = rules_calls.ask(game, work, "end the game")
            if outcome is not None:
                seats, places = range(len(game.players)), outcome.places
                if set(places) != set(seats) or min(places.values()) != 1:
                    raise RulesFault(f"{game.rules.name}: the game ends with the places {places}")
                canonical(outcome_data(outcome))
            return outcome
        except Exception as error:
            log.failure("{game}: ruleset {rules} cannot say how it ends", game=game.name, rules=game.rules.name)
            text = f"the rules of {game.name!r} failed to end the game. The operator has been notified"
            raise GameError(text) from error

    # --- timers ---------------------------------------------------------------------------------------------------

    def look(self, game: Game) -> None:
        """Let outdated proposals lapse, and carry out those that all present players agree to."""
        if self._stopped or game.saving.stale or game.closing:
            return
        if game.resigned:
            self._end_without(game)
        if not any(one.state == OPEN for one in game.proposals):
            return
        now = self._now()
        for proposal in list(game.proposals):
            if proposal.state != OPEN:
                continue
            if proposal.until <= now and game.started:
                self._lapse(game, proposal, "not all have agreed in time")
            elif proposal.seat in game.resigned:
                self._lapse(game, proposal, "the player who proposed it has resigned")
            elif game.row.state != "held" and (unfit := self._unfit(game, proposal.kind, proposal.turn)) is not None:
                self._lapse(game, proposal, str(unfit))
            elif proposal.until <= now or self._is_agreed(game, proposal, present(game, now)):
                # Before the start a player without a vote in time agrees. Otherwise one absent player would block the
                # others.
                self._settle(game, proposal)
        self._arm(game)

    def _settle(self, game: Game, proposal: Proposal) -> None:
        def failed(failure: Failure) -> None:
            if isinstance(failure.value, GameError | NotNow):
                self._lapse(game, proposal, str(failure.value))
            elif not isinstance(failure.value, NotSaved):
                log.failure("{game}: what is agreed on cannot be done", failure, game=game.name)

        work: Coroutine[Any, Any, str] = self._bring_about(game, replace(proposal, state=AGREED), AGREEMENT)
        Deferred.fromCoroutine(work).addErrback(failed)

    def _lapse(self, game: Game, proposal: Proposal, why: str) -> None:
        text = f"The proposal of {_by(proposal)}, {words_of(proposal)}, is over: {_plain(why)}."
        report = Report(None, "A proposal is over", text)
        body = {"number": proposal.number}
        self._record(game, LAPSED_ENTRY, None, body, replace(proposal, state=LAPSED), report)

    def _arm(self, game: Game) -> None:
        """Set the timer for the next proposal to lapse."""
        self.disarm(game)
        times = [one.until for one in game.proposals if one.state == OPEN]
        if times and not self._stopped:
            wait = max(0.0, min(times) - self._now())
            self._ringing[game.row.id] = self._timers.callLater(wait, self._rung, game.row.id)

    def disarm(self, game: Game) -> None:
        """Cancel the timer of a game's proposals, if any."""
        timer = self._ringing.pop(game.row.id, None)
        if timer is not None and timer.active():
            timer.cancel()

    def _rung(self, number: int) -> None:
        self._ringing.pop(number, None)
        if (game := self._games.get(number)) is not None:
            self.look(game)

    def _forget(self, game: Game) -> None:
        """Remove proposals that ended long ago and have no further effect."""
        before = self._now() - KEPT_SECONDS
        gone = [one.number for one in game.proposals if one.made < before and not _counts(one)]
        if gone:
            game.propose([one for one in game.proposals if one.number not in gone])
            game.commit(GameChanges(forgotten=gone), self._now())

    def _record(
        self,
        game: Game,
        kind: str,
        seat: Seat | None,
        body: Any,
        proposal: Proposal,
        *reports: Report,
        reminded: Sequence[Seat] = (),
    ) -> None:
        """Commit a journal entry with the new state of a proposal, and messages.

        The seats ``reminded`` get another notification of their turn.
        """
        now = self._now()
        delivered = delivery(game, written(game, reports), game.row.turn, now)
        entry = game.entry(kind, seat, body, now)
        changes = GameChanges(entry=entry, proposals=(proposal,), delivery=delivered, reminded=reminded)
        game.commit(changes, now)
        time_notices.tell_time(game, WARNING, now)


def _to_remind(game: Game, but: Seat | None) -> list[Seat]:
    """Return the awaited seats of people, except one."""
    return [seat for seat in attendance.awaited(game) if seat != but and not game.players[seat].bot]


def _ending(game: Game, outcome: Outcome, news: Report, cause: Initiator) -> PlayersStep:
    """Return the step that ends a game with an outcome on which its players agree."""
    state, rules, outcome = game.state, game.rules, outcome.without(game.resigned)
    return PlayersStep(lambda: concluded(rules, state, outcome), [news], cause, {"outcome": outcome_data(outcome)})


def _check_say(game: Game, seat: Seat | None) -> None:
    if seat in game.resigned:
        raise NoSay(f"you have resigned from the game {game.name!r}, so you cannot propose or vote there")


def present(game: Game, now: float) -> list[Seat]:
    """Return the seats whose players must agree."""
    seats = [one.seat for one in game.players if attendance.is_asked(game, one.seat)]
    return [seat for seat in seats if turn_time.on_vacation(game, seat, now) is None]


def words_of(proposal: Proposal) -> str:
    """Return the text of a proposal, to complete "proposes"."""
    if proposal.kind == EXTENSION:
        return f"to give this turn {duration(proposal.seconds)} more"
    arguments = _arguments(proposal)
    if proposal.kind == CLOCK:
        clock = known_clock(arguments["clock"])
        return f"to give the game another clock: {arguments['clock'] if clock is None else clock.words()}"
    if proposal.kind == SEATS:
        return f"another rule about absent players: {policy_from(arguments['policy']).words(True)}"
    if proposal.kind == REMOVE:
        return f"to remove {player(arguments['seat'])} from seat {arguments['seat'] + 1}"
    if proposal.kind == ABORT:
        return f"to end the game without a result: {_plain(arguments['reason'])}"
    return _WORDS.get(proposal.kind, proposal.kind)


_WORDS = {
    PAUSE: "to stop the clock",
    RESUME: "to let the clock run again",
    DRAW: "a draw",
    TAKE_BACK: "to take back the last turn",
    RESIGN: "to give the game up",
    NUDGE: "to remind those whose turn it is",
}
_DONE = {
    PAUSE: "The clock is stopped, and all players are notified",
    RESUME: "The clock runs again, and all players are notified",
    EXTENSION: "This turn has more time, and all players are notified",
    DRAW: "The game has ended in a draw, and all players are notified",
    TAKE_BACK: "The last turn is taken back, and all players are notified",
    CLOCK: "The game has a new clock, and all players are notified",
    SEATS: "The game has a new rule about absent players, and all players are notified",
    REMOVE: "The player is removed, and all players are notified",
    ABORT: "The game is over without a result, and all players are notified",
}
_STATE_WORDS = {AGREED: "agreed on", REFUSED: "refused", WITHDRAWN: "withdrawn", LAPSED: "over"}


def _by(proposal: Proposal) -> str:
    return "the owner of the game" if proposal.seat is None else player(proposal.seat)


def _arguments(proposal: Proposal) -> Mapping[str, Any]:
    """Return the arguments of a proposal. A file from another server may lack some."""
    return {"clock": "", "policy": None, "seat": 0, "reason": "", **(proposal.arguments or {})}


def _counts(proposal: Proposal) -> bool:
    return proposal.state == OPEN or (proposal.kind in (EXTENSION, RESIGN) and proposal.state == AGREED)


def _plain(text: str) -> str:
    """Return a text without placeholders for names of players."""
    return text.replace("{", "(").replace("}", ")")


def newest_first(proposals: Sequence[Proposal], most: int) -> list[Proposal]:
    """Return the open proposals, the newest first, and then at most ``most`` of the ended ones."""
    ordered = sorted(proposals, key=lambda one: -one.number)
    ended = [one for one in ordered if one.state != OPEN]
    return [*(one for one in ordered if one.state == OPEN), *ended[:most]]

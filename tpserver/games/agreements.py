"""Agreements of the players of a game: who proposes what, who votes, and what comes into force.

A proposal comes into force as soon as all who are present agree; one refusal ends it.  Absent players
(`Game.is_asked`) are not waited for, but their votes count.  Whoever has made a game does some of it alone.

Every step is an entry of the journal, the proposal as it is then, and a message to all, in one transaction; what is
agreed is in that of its effect.
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
from tpserver.games.anonymity import MAKER
from tpserver.games.clock import duration
from tpserver.games.game import RESIGN, WARNING, Game, GameError, NotNow, NotSaved, durable
from tpserver.games.lifecycle import Cause, PlayersStep, TurnLifecycle
from tpserver.games.reports import delivery, written
from tpserver.games.turn_result import outcome_data
from tpserver.store import Store
from tpserver.store import creations as stored_creations
from tpserver.store import snapshots as stored_snapshots
from tpserver.store.accounts import Account
from tpserver.store.game_changes import GameChanges
from tpserver.store.journal import LAPSED as LAPSED_ENTRY
from tpserver.store.journal import NUDGED, RESIGNED
from tpserver.store.journal import PROPOSAL as PROPOSAL_ENTRY
from tpserver.store.journal import VOTE as VOTE_ENTRY
from tpserver.store.proposals import AGREED, LAPSED, OPEN, REFUSED, WITHDRAWN, Proposal

log = Logger()

PAUSE, RESUME, EXTENSION, DRAW, NUDGE = "pause", "resume", "extension", "draw", "nudge"
TAKE_BACK = "take-back"

HELP: Mapping[str, str] = {
    PAUSE: "stop the clock; orders are still taken",
    RESUME: "let the clock run again",
    EXTENSION: "give this turn more time",
    TAKE_BACK: "play the last turn again, as if it had not been",
    DRAW: "end the game in a draw",
    NUDGE: "remind those whose turn it is, once a day",
    RESIGN: "give the game up; it goes on without you as long as others play",
}
"""By kind of proposal, in the order in which clients list them: what is so when it is agreed on, for people."""

OF_MAKER = frozenset({PAUSE, RESUME, TAKE_BACK})
"""The kinds that whoever has made a game brings about alone."""
OF_PLAYER = frozenset({NUDGE, RESIGN})
"""The kinds that every player brings about alone."""

DAY = 86_400.0
OPEN_SECONDS = 3 * DAY
"""Seconds for which can be voted on a proposal."""
MOST_A_DAY = 10
"""Maximum proposals of a seat in a day: each, and each vote on it, is a message to all."""
MOST_EXTENSIONS = 5
"""Maximum extensions of a game that its players agree on."""
LONGEST_EXTENSION = 7 * 86_400
"""Maximum seconds of one."""
KEPT_SECONDS = 7 * DAY
"""Seconds for which a proposal is kept that has come to an end and counts for nothing any more."""

AGREEMENT = "An agreement of the players"

VOTES = ("agree", "refuse", "withdraw")


class NoSay(GameError):
    """An account has no say in something; the message is one sentence."""


class NoSuchProposal(GameError):
    """A game has no proposal of a number; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What an account can propose.

    ``alone``: it comes into force at once.  ``problem`` says why it cannot be proposed now; empty: it can be.  ``most``
    is the largest number of seconds that can be asked for; 0 where none are.  ``final``: nothing takes it back.
    """

    kind: str
    help: str
    alone: bool
    problem: str
    most: int = 0
    final: bool = False


class Agreements:
    """The proposals of all games of a server.  Used on the reactor's thread.

    ``games`` are those in memory, by id; ``now`` gives unix seconds.
    """

    def __init__(
        self,
        store: Store,
        games: Mapping[int, Game],
        lifecycle: TurnLifecycle,
        timers: Timers,
        now: Callable[[], float],
    ) -> None:
        self._store = store
        self._games = games
        self._lifecycle = lifecycle
        self._timers = timers
        self._now = now
        self._ringing: dict[int, Timer] = {}
        """By game: the timer of the proposal that lapses first."""
        self._stopped = False
        lifecycle.began.append(self.look)

    def stop(self) -> None:
        """Stop all timers; until when can be voted is in the store for the next server."""
        self._stopped = True
        for timer in self._ringing.values():
            if timer.active():
                timer.cancel()
        self._ringing.clear()

    # --- what there is --------------------------------------------------------------------------------------------

    def offers(self, game: Game, account: Account) -> list[Offer]:
        """Return what an account can propose in a game; nothing if it has no say there."""
        seat, made = game.seat_of(account.id), self._has_made(game, account)
        found = []
        if seat in game.resigned:
            return []
        for kind, words in HELP.items():
            alone = kind in OF_PLAYER or (made and kind in OF_MAKER)
            if seat is None and not (made and kind in OF_MAKER):
                continue
            problem = self._problem(game, kind, seat)
            most = LONGEST_EXTENSION if kind == EXTENSION else 0
            found.append(Offer(kind, words, alone, "" if problem is None else str(problem), most, kind == RESIGN))
        return found

    def _has_made(self, game: Game, account: Account) -> bool:
        return self._store.read(stored_creations.creator_of, game.row.id) == account.id

    def awaited(self, game: Game, proposal: Proposal) -> list[Seat]:
        """Return the seats whose votes an open proposal waits for."""
        if proposal.state != OPEN:
            return []
        voted = {seat for seat, _ in proposal.votes}
        return [seat for seat in present(game, self._now()) if seat not in voted]

    # --- proposing ------------------------------------------------------------------------------------------------

    async def propose(self, game: Game, kind: str, seconds: int, account: Account) -> str:
        """Propose something to the players of a game, durably, and return what has come of it, for people.

        ``seconds`` are those of an extension, else nothing.  Raises GameError, NotNow, and NoSay.
        """
        if kind not in HELP:
            raise GameError(f"{quoted(kind)} is nothing to propose; say {', '.join(HELP)}")
        seat, by_maker = game.seat_of(account.id), kind in OF_MAKER and self._has_made(game, account)
        alone = by_maker or kind in OF_PLAYER
        _check_say(game, seat)
        if seat is None and not by_maker:
            raise NoSay(f"only who plays in the game {game.name!r} can propose something there")
        if by_maker and game.hides_players:
            seat = None  # else whoever knows who has made the game would know that seat
        self.look(game)
        problem = self._problem(game, kind, seat)
        if problem is not None:
            raise problem
        if kind == EXTENSION and not 1 <= seconds <= LONGEST_EXTENSION:
            raise GameError(f"a turn can be given 1 to {LONGEST_EXTENSION} seconds, not {seconds}")
        now = self._now()
        number = 1 + max((one.number for one in game.proposals), default=0)
        votes = () if seat is None else ((seat, True),)
        until, wanted = now + OPEN_SECONDS, seconds if kind == EXTENSION else 0
        proposal = Proposal(game.row.id, number, kind, seat, game.state.turn, wanted, now, until, votes=votes)
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
        text = f"{player(seat)} proposes {words_of(proposal)}. It is so when all who are here agree, until {when}."
        body = {"number": number, "kind": kind, "seconds": proposal.seconds, "until": proposal.until}
        self._record(game, PROPOSAL_ENTRY, seat, body, proposal, Report(None, "A proposal", text, by=seat))
        self._arm(game)
        await durable(game)
        return f"You have proposed {words_of(proposal)}, and all are told; it is so when all who are here agree"

    def _problem(self, game: Game, kind: str, seat: Seat | None) -> GameError | NotNow | None:
        """Return why something cannot be proposed in a game now; None if it can be."""
        if problem := self._unfit(game, kind):
            return problem
        if any(one.kind == kind and one.state == OPEN for one in game.proposals):
            return NotNow("this is proposed already; vote on that")
        if kind == EXTENSION:
            agreed = sum(one.kind == EXTENSION and one.state == AGREED for one in game.proposals)
            if agreed >= MOST_EXTENSIONS:
                return GameError(
                    f"{MOST_EXTENSIONS} extensions were agreed on in this game, which is all that there are"
                )
        since = self._now() - DAY
        if kind == NUDGE:
            if any(one.kind == NUDGE and one.made > since for one in game.proposals):
                return NotNow("those whose turn it is were reminded within a day already")
            if not _to_remind(game, seat):
                return NotNow("there is nobody to remind")
        if kind not in OF_PLAYER and sum(one.seat == seat and one.made > since for one in game.proposals) >= MOST_A_DAY:
            return NotNow(f"you have proposed {MOST_A_DAY} things within a day, which is enough; try again later")
        return None

    def _unfit(self, game: Game, kind: str, turn: int | None = None) -> GameError | NotNow | None:
        """Return why something that was proposed in a turn (None: now) makes no sense any more; None if it does."""
        state = game.row.state
        if game.over:
            return GameError(f"the game {game.name!r} is over")
        if not game.started:
            return NotNow(f"the game {game.name!r} has not started")
        if game.closing:
            return NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")
        if state == "held":
            return NotNow(f"the game {game.name!r} is held: its rules failed, and the operator has been told")
        if kind == NUDGE and state != "running":
            return NotNow(f"the game {game.name!r} is paused, so nobody is awaited")
        if kind == PAUSE and state != "running":
            return NotNow(f"the game {game.name!r} is paused already")
        if kind == RESUME and state != "paused":
            return NotNow(f"the game {game.name!r} is not paused")
        if kind == RESUME and not game.paused_by_players:
            return NotNow(f"the operator has paused the game {game.name!r}, and lets it go on")
        if kind == EXTENSION and (game.row.due is None or turn not in (None, game.state.turn)):
            return NotNow(f"this turn of {game.name!r} has no deadline")
        if kind == TAKE_BACK and (not game.can_go_back or turn not in (None, game.state.turn)):
            return NotNow("the last turn cannot be taken back: there is none, or it has shown what was hidden before")
        return None

    # --- voting ---------------------------------------------------------------------------------------------------

    async def vote(self, game: Game, number: int, vote: str, account: Account) -> str:
        """Agree to a proposal, refuse it, or withdraw one's own, durably; return what has come of it, for people.

        Raises GameError, NotNow, and NoSay.
        """
        seat = game.seat_of(account.id)
        if seat is None:
            raise NoSay(f"only who plays in the game {game.name!r} can vote there")
        _check_say(game, seat)
        if vote not in VOTES:
            raise GameError(f"{quoted(vote)} is no vote; say {', '.join(VOTES)}")
        if game.closing:
            raise NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")
        self.look(game)
        proposal = next((one for one in game.proposals if one.number == number), None)
        if proposal is None:
            raise NoSuchProposal(f"there is no proposal {number} in the game {game.name!r}")
        if proposal.state != OPEN:
            raise GameError(f"proposal {number} is {_STATE_WORDS[proposal.state]} already")
        if vote == "withdraw":
            if proposal.seat != seat:
                raise NoSay(f"only who has made proposal {number} can withdraw it")
            return await self._end(game, replace(proposal, state=WITHDRAWN), seat)
        if any(voter == seat for voter, _ in proposal.votes):
            raise GameError(f"you have voted on proposal {number} already")
        voted = replace(proposal, votes=(*proposal.votes, (seat, vote == "agree")))
        if vote == "refuse":
            return await self._end(game, replace(voted, state=REFUSED), seat)
        if self._is_agreed(game, voted, [seat]):
            return await self._bring_about(game, replace(voted, state=AGREED), AGREEMENT)
        text = f"{player(seat)} agrees to what {_by(proposal)} has proposed: {words_of(proposal)}."
        body = {"number": number, "agrees": True}
        self._record(game, VOTE_ENTRY, seat, body, voted, Report(None, "A vote", text, by=seat))
        await durable(game)
        return f"You agree {words_of(proposal)}; others are still asked"

    async def _end(self, game: Game, proposal: Proposal, seat: Seat) -> str:
        """Record that a seat has refused or withdrawn a proposal."""
        is_refusal = proposal.state == REFUSED
        did, whose = ("refuses", f"what {_by(proposal)} has proposed") if is_refusal else ("withdraws", "the proposal")
        text = f"{player(seat)} {did} {whose}: {words_of(proposal)}."
        body = {"number": proposal.number, "agrees": False, "state": proposal.state}
        subject = f"A proposal is {_STATE_WORDS[proposal.state]}"
        self._record(game, VOTE_ENTRY, seat, body, proposal, Report(None, subject, text, by=seat))
        await durable(game)
        return f"The proposal {words_of(proposal)} is {_STATE_WORDS[proposal.state]}, and all are told"

    def _is_agreed(self, game: Game, proposal: Proposal, here: Sequence[Seat]) -> bool:
        """Return whether all who are present agree; ``here`` are those of whom one must."""
        agreeing = set(proposal.agreeing) - game.resigned
        if proposal.kind == DRAW and len(agreeing) < 2:
            return False  # nobody agrees on a draw with those who are not there
        return not self.awaited(game, proposal) and not agreeing.isdisjoint(here)

    async def _bring_about(self, game: Game, agreed: Proposal, who: str) -> str:
        """Let what is agreed on come into force, in one transaction with that, and return it for people."""
        cause = Cause(who, True, agreed)
        lifecycle = self._lifecycle
        if agreed.kind == PAUSE:
            await lifecycle.pause(game, cause)
        elif agreed.kind == RESUME:
            await lifecycle.resume(game, cause)
        elif agreed.kind == EXTENSION:
            await lifecycle.give_time(game, agreed.seconds, who, cause=cause)
        elif agreed.kind == DRAW:
            world, seats = game.state.world, len(game.players)
            outcome = self._asked(game, lambda: game.rules.agreed_draw(world, seats, game.resigned))
            if outcome is None:
                raise GameError(f"the rules of {game.name!r} know no draw")
            news = Report(None, "A draw", f"{who} ends the game in a draw.")
            await lifecycle.go(game, _ending(game, outcome, news, cause))
            if not game.over:
                raise GameError(f"the game {game.name!r} could not be ended: its rules failed")
        elif agreed.kind == TAKE_BACK:
            await self._take_back(game, cause)
        self._forget(game)
        return _DONE[agreed.kind]

    async def _take_back(self, game: Game, cause: Cause) -> None:
        """Have the turn before the present one begin again, as a new turn."""
        turn = game.state.turn
        before = self._store.read(stored_snapshots.by_turn, game.row.id, turn - 1)
        if before is None:
            raise GameError(f"turn {turn - 1} of {game.name!r} is not there any more")
        text = f"{_plain(cause.who)} has taken back turn {turn - 1}; it is played again as turn {turn + 1}."
        news = [Report(None, "A turn is taken back", text)]
        state, rules, data = game.state, game.rules, before.state
        step = PlayersStep(lambda: taken_back(rules, data, state), news, cause, {"back": turn - 1})
        await self._lifecycle.go(game, step)
        if game.row.state == "held":
            raise GameError(f"the turn of {game.name!r} could not be taken back: its rules failed")

    # --- reminding ------------------------------------------------------------------------------------------------

    async def _nudge(self, game: Game, nudge: Proposal, seat: Seat) -> str:
        """Remind those who are awaited by a message to each, and where they want to be told of their turns."""
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
        """Have a player resign, and end the game if it does not go on without that player."""
        text = f"{player(seat)} has resigned. Nobody waits for {player(seat)} any more."
        report = Report(None, "A player has resigned", text, by=seat)
        self._record(game, RESIGNED, seat, {"number": resignation.number}, resignation, report)
        await durable(game)
        if not game.stale:
            self.look(game)
            self._lifecycle.all_may_be_done(game)
        return "You have resigned, and all are told"

    def _end_without(self, game: Game) -> None:
        """End a game that does not go on without those who have resigned."""
        if not game.started or game.over or game.fault is not None or game.row.state == "held":
            return

        async def end() -> None:
            outcome = self._outcome_without(game)
            if outcome is not None:
                news = Report(None, "Nobody is left to play with", outcome.why)
                await self._lifecycle.go(game, _ending(game, outcome, news, Cause(RESIGN, True)))

        def failed(failure: Failure) -> None:
            if not isinstance(failure.value, GameError | NotNow | NotSaved):
                log.failure("{game}: the end after a resignation failed", failure, game=game.name)

        Deferred.fromCoroutine(end()).addErrback(failed)

    def _outcome_without(self, game: Game) -> Outcome | None:
        seats = len(game.players)
        found = self._asked(game, lambda: game.rules.after_resignation(game.state.world, seats, game.resigned))
        if found is not None or any(not one.bot and one.seat not in game.resigned for one in game.players):
            return found
        return shared(seats, game.resigned, "All people have resigned.")

    def _asked(self, game: Game, work: Callable[[], Outcome | None]) -> Outcome | None:
        """Return what the rules say of an end.  Raises GameError if they fail, which is logged."""
        try:
            outcome = game.ask(work, "end the game")
            if outcome is not None:
                seats, places = range(len(game.players)), outcome.places
                if set(places) != set(seats) or min(places.values()) != 1:
                    raise RulesFault(f"{game.rules.name}: the game ends with the places {places}")
                canonical(outcome_data(outcome))
            return outcome
        except Exception as error:
            log.failure("{game}: ruleset {rules} cannot say how it ends", game=game.name, rules=game.rules.name)
            text = f"the rules of {game.name!r} failed to say how it ends; the operator has been told"
            raise GameError(text) from error

    # --- what time brings -----------------------------------------------------------------------------------------

    def look(self, game: Game) -> None:
        """Let proposals lapse whose time is up or that make no sense any more, and come into force what nobody who is
        present has still to agree to."""
        if self._stopped or game.stale or game.closing:
            return
        if game.resigned:
            self._end_without(game)
        if not any(one.state == OPEN for one in game.proposals):
            return
        now = self._now()
        for proposal in list(game.proposals):
            if proposal.state != OPEN:
                continue
            if proposal.until <= now:
                self._lapse(game, proposal, "not all have agreed in time")
            elif proposal.seat in game.resigned:
                self._lapse(game, proposal, "who proposed it has resigned")
            elif game.row.state != "held" and (unfit := self._unfit(game, proposal.kind, proposal.turn)) is not None:
                self._lapse(game, proposal, str(unfit))
            elif self._is_agreed(game, proposal, present(game, now)):
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
        text = f"Nothing has come of what {_by(proposal)} has proposed, {words_of(proposal)}: {_plain(why)}."
        report = Report(None, "A proposal is over", text)
        body = {"number": proposal.number}
        self._record(game, LAPSED_ENTRY, None, body, replace(proposal, state=LAPSED), report)

    def _arm(self, game: Game) -> None:
        """Set the timer for the proposal that lapses first."""
        self.disarm(game)
        times = [one.until for one in game.proposals if one.state == OPEN]
        if times and not self._stopped:
            wait = max(0.0, min(times) - self._now())
            self._ringing[game.row.id] = self._timers.callLater(wait, self._rung, game.row.id)

    def disarm(self, game: Game) -> None:
        """Cancel the timer of a game's proposals, if there is one."""
        timer = self._ringing.pop(game.row.id, None)
        if timer is not None and timer.active():
            timer.cancel()

    def _rung(self, number: int) -> None:
        self._ringing.pop(number, None)
        if (game := self._games.get(number)) is not None:
            self.look(game)

    def _forget(self, game: Game) -> None:
        """Remove proposals that have ended long ago and count for nothing any more."""
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
        """Commit an entry of the journal with the proposal as it is then, and what is told; ``reminded`` are told of
        their turn once more."""
        now = self._now()
        delivered = delivery(game, written(game, reports), game.row.turn, now)
        entry = game.entry(kind, seat, body, now)
        changes = GameChanges(entry=entry, proposals=(proposal,), delivery=delivered, reminded=reminded)
        game.commit(changes, now)
        game.tell_time(WARNING, now)


def _to_remind(game: Game, but: Seat | None) -> list[Seat]:
    """Return the seats of people who are awaited, but one."""
    return [seat for seat in game.awaited() if seat != but and not game.players[seat].bot]


def _ending(game: Game, outcome: Outcome, news: Report, cause: Cause) -> PlayersStep:
    """Return the step with which a game ends with an outcome that its players have brought about."""
    state, rules, outcome = game.state, game.rules, outcome.without(game.resigned)
    return PlayersStep(lambda: concluded(rules, state, outcome), [news], cause, {"outcome": outcome_data(outcome)})


def _check_say(game: Game, seat: Seat | None) -> None:
    if seat in game.resigned:
        raise NoSay(f"you have resigned from the game {game.name!r}, and have no say in it any more")


def present(game: Game, now: float) -> list[Seat]:
    """Return the seats whose players are asked."""
    seats = [one.seat for one in game.players if game.is_asked(one.seat)]
    return [seat for seat in seats if game.on_vacation(seat, now) is None]


def words_of(proposal: Proposal) -> str:
    """Return what a proposal is about, to complete "proposes"."""
    if proposal.kind == EXTENSION:
        return f"to give this turn {duration(proposal.seconds)} more"
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
    PAUSE: "The clock stands, and all are told",
    RESUME: "The clock runs again, and all are told",
    EXTENSION: "This turn has more time, and all are told",
    DRAW: "The game is over, a draw, and all are told",
    TAKE_BACK: "The last turn is taken back, and all are told",
}
_STATE_WORDS = {AGREED: "agreed on", REFUSED: "refused", WITHDRAWN: "withdrawn", LAPSED: "over"}


def _by(proposal: Proposal) -> str:
    return "whoever has made the game" if proposal.seat is None else player(proposal.seat)


def _counts(proposal: Proposal) -> bool:
    return proposal.state == OPEN or (proposal.kind in (EXTENSION, RESIGN) and proposal.state == AGREED)


def _plain(text: str) -> str:
    """Return a text in which nothing stands for the name of a player."""
    return text.replace("{", "(").replace("}", ")")


def newest_first(proposals: Sequence[Proposal], most: int) -> list[Proposal]:
    """Return the open proposals, the newest first, and after them at most ``most`` of those that have ended."""
    ordered = sorted(proposals, key=lambda one: -one.number)
    ended = [one for one in ordered if one.state != OPEN]
    return [*(one for one in ordered if one.state == OPEN), *ended[:most]]

"""Delivers what the outbox has: takes what is due, looks whether it is still wanted, and has a channel send it.

Nothing lives here that the next server would need: a notice is taken, sent, and then noted as delivered, so that one
whose server is killed in between is sent again, under the same id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from twisted.internet import defer
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.api import Report
from tpserver.concurrency import Timer
from tpserver.day_times import DayTimes
from tpserver.events import EVENTS
from tpserver.games.game import Game, GameError, NotNow
from tpserver.games.registry import GameRegistry
from tpserver.games.reports import delivery, written
from tpserver.games.resting import GameOutline
from tpserver.notices import letters
from tpserver.notices.channels import NotDelivered, NoticeChannel
from tpserver.notices.letters import Letter
from tpserver.notices.stopping import stop_link
from tpserver.store import StoreError, outbox
from tpserver.store import accounts as stored_accounts
from tpserver.store import notices as stored_notices
from tpserver.store.game_changes import GameChanges
from tpserver.store.outbox import CODE, DEADLINE, DIGEST, OVER, Notice

log = Logger()

AT_ONCE = 8
"""Maximum notices on their way at once; of an address there is one."""
SEND_SECONDS = 60.0
"""Maximum seconds that a channel may take for a notice; channels have limits of their own below that."""
LEASE = 2 * SEND_SECONDS
"""Seconds after which a notice is tried again that a process has taken which is not there any more."""
SPACING = 5.0
"""Seconds for which an address rests after a notice."""
FIRST_PAUSE, LONGEST_PAUSE = 15.0, 3600.0
"""Seconds between the first two tries, doubled with each, and at most."""
GIVE_UP = 3 * 24 * 3600.0
"""Seconds after which a notice that could not be delivered is given up, and its address with it, unless the channel as
a whole delivers nothing."""
ONLINE_SECONDS = 300.0
"""Seconds after which it is looked again whether a player is still online."""
HELD_SECONDS = 600.0
"""Seconds after which it is looked again whether a game that is held goes on."""
SETTLING_SECONDS = 60.0
"""Maximum seconds for which a digest waits for games of which something is being computed or saved."""
LONGEST_WAIT = 30.0
"""Seconds after which the outbox is looked at whatever it said: deadlines may have been moved, the clock set."""
CHANNEL_PAUSE = 60.0
"""Seconds for which a channel rests that can deliver nothing."""

GIVEN_UP = "Notices could not be delivered"
"""Subject of the message to a player whose address has been given up."""


@dataclass(frozen=True, slots=True)
class _Wait:
    """The notice is not to be sent before this time."""

    until: float


class NoticeDelivery:
    """Delivers notices.  Used on the reactor's thread.

    ``is_online`` tells whether an account has a connection. ``channels`` are by the kind of address. ``server`` is what
    the server is called, ``site`` the address of its page, empty if nobody knows.
    """

    def __init__(
        self,
        registry: GameRegistry,
        is_online: Callable[[int], bool],
        channels: Mapping[str, NoticeChannel],
        server: str = "tpserver",
        site: str = "",
    ) -> None:
        self._registry = registry
        self._store = registry.store
        self._now = registry.now
        self._clock: Any = registry.timers  # a reactor, whose interface is zope's, which mypy does not understand
        self._is_online = is_online
        self._channels = channels
        self._server = server
        self._site = site
        self._down: dict[str, float] = {}
        """Until when channels rest that could deliver nothing when they were tried last."""
        self._sending = 0
        self._looking = False
        self._again = False
        self._timer: Timer | None = None
        self._stopped = False

    def start(self) -> None:
        """Begin to deliver, with what an earlier server had taken and not delivered.

        In a cluster others may be delivering that; it is due again when their lease of it has ended.
        """
        self._registry.lifecycle.began.append(self._began)
        if self._registry.holder is not None:
            self.look()
            return
        self._store.write(outbox.release, self._now()).addCallbacks(lambda _: self.look(), lambda _: self._look_in(1.0))

    def stop(self) -> None:
        """Take no more notices; what is on its way is tried again by the next server, unless it arrives before."""
        self._stopped = True
        self._cancel()

    def down(self) -> dict[str, bool]:
        """Return of each channel whether it could deliver nothing, to nobody, when it was tried last."""
        return {name: name in self._down for name in self._channels}

    def _began(self, game: Game) -> None:
        self.look()

    def look(self) -> None:
        """Look for notices that are due; to be called when there may be some."""
        self._again = True
        if self._looking or self._stopped:
            return
        self._looking = True
        Deferred.fromCoroutine(self._look()).addErrback(self._failed_to_look)

    async def _look(self) -> None:
        when: float | None = None
        try:
            while self._again and not self._stopped:
                self._again = False
                now = self._now()
                ready = [name for name in self._channels if self._down.get(name, 0.0) <= now]
                free = AT_ONCE - self._sending
                if free <= 0:
                    return  # the end of one that is on its way looks again
                when = await self._store.read_later(outbox.next_try, ready, self._registry.holder)
                if when is None or when > self._now() or self._stopped:
                    continue
                taken = await self._store.write(outbox.take, ready, free, LEASE, self._now(), self._registry.holder)
                for notice in taken:
                    self._sending += 1
                    handling = Deferred.fromCoroutine(self._handle(notice))
                    handling.addErrback(self._failed_to_handle, notice).addBoth(self._handled)
                when = None
                if len(taken) == free:
                    self._again = True  # which `look` may have said meanwhile
        finally:
            self._looking = False
        wait = LONGEST_WAIT if when is None else max(0.05, min(LONGEST_WAIT, when - self._now()))
        self._look_in(wait)

    def _look_in(self, seconds: float) -> None:
        self._cancel()
        if not self._stopped:
            self._timer = self._registry.timers.callLater(seconds, self.look)

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _failed_to_look(self, failure: Failure) -> None:
        if not isinstance(failure.value, StoreError):  # which the store has logged
            log.failure("the outbox could not be looked at", failure)
        self._look_in(LONGEST_WAIT)

    def _failed_to_handle(self, failure: Failure, notice: Notice) -> None:
        """It is due again when its lease ends."""
        if not self._stopped and not isinstance(failure.value, StoreError):
            log.failure("notice {id} could not be handled", failure, id=notice.id)

    def _handled(self, result: object) -> None:
        self._sending -= 1
        self.look()

    # --- one notice ---------------------------------------------------------------------------------------------------

    async def _handle(self, notice: Notice) -> None:
        now, write = self._now(), self._store.write
        found = self._judged(notice)
        if isinstance(found, _Wait):
            if found.until - notice.created > GIVE_UP and notice.kind != DIGEST:
                await write(outbox.drop, notice, now)
            else:
                await write(outbox.put_off, notice, found.until, now)
            return
        if found is None:
            await self._pass_over(notice, now)
            return
        try:
            sending = self._channels[notice.channel].send(notice, found)
            sending.addTimeout(SEND_SECONDS, self._clock)
            message = await sending
        except NotDelivered as problem:
            await self._not_delivered(notice, problem)
            return
        except defer.TimeoutError:
            await self._not_delivered(notice, NotDelivered("it took too long to send it"))
            return
        except Exception as error:
            log.failure("notice {id} could not be sent by {channel}", id=notice.id, channel=notice.channel)
            await self._not_delivered(notice, NotDelivered(f"the server failed to send it ({type(error).__name__})"))
            return
        now = self._now()
        EVENTS.delivered[notice.channel] += 1
        self._down.pop(notice.channel, None)
        if notice.kind == DIGEST:
            await write(outbox.again, notice, self._times(notice).next_digest(now), now + SPACING)
        else:
            await write(outbox.delivered, notice, message, now + SPACING)

    async def _pass_over(self, notice: Notice, now: float) -> None:
        """Note that a notice is not sent any more; a digest is due again the next day as long as games wait.

        Or may: a turn that is being saved counts on the digest that waited as it was written.
        """
        if notice.kind == DIGEST and any(
            known.awaits(notice.account) or not known.is_settled for known in self._told_daily(notice)
        ):
            await self._store.write(outbox.again, notice, self._times(notice).next_digest(now), now)
        else:
            await self._store.write(outbox.drop, notice, now)

    async def _not_delivered(self, notice: Notice, problem: NotDelivered) -> None:
        now = self._now()
        EVENTS.undelivered[notice.channel] += 1
        if problem.channel:
            self._down[notice.channel] = now + CHANNEL_PAUSE
        else:
            self._down.pop(notice.channel, None)
        pause = max(problem.wait, FIRST_PAUSE * 2 ** min(notice.tries - 1, 20))
        until = now + min(LONGEST_PAUSE, pause)
        if not problem.final and until - notice.created <= GIVE_UP:
            await self._store.write(outbox.put_off, notice, until, now, problem=str(problem))
            return
        if problem.channel and not problem.final:
            # No address is at fault: they all are as good as before once the operator has mended the channel.
            await self._pass_over(notice, now)
            return
        if problem.gone:
            log.info("address {address} is removed: {why}", address=notice.address, why=str(problem))
            await self._store.write(stored_notices.remove, notice.account, notice.address)
            return
        log.warn("address {address} is given up: {why}", address=notice.address, why=str(problem))
        if await self._store.write(outbox.give_up, notice, str(problem), now) and notice.kind != CODE:
            self._tell(notice, str(problem))

    def _tell(self, notice: Notice, problem: str) -> None:
        """Tell a player in a game that an address gets no notices any more; its list of addresses says so, too."""
        mine = [row for row in self._registry.rows_of(notice.account) if row.started is not None]
        mine.sort(key=lambda row: (row.id != notice.game, row.state in ("held", "over")))
        if not mine:
            return
        try:
            game = self._registry.with_id(mine[0].id)
        except (GameError, NotNow) as error:
            log.error("account {account} cannot be told that an address is given up: {error}",
                      account=notice.account, error=error)  # fmt: skip
            return
        seat, now = game.seat_of(notice.account), self._now()
        if seat is None or game.stale:
            return
        body = (
            f"Notices to {letters.line(notice.target)} could not be delivered, the last time because {problem}. None "
            "go there any more until you show again that it is yours: ask for another code where you see your notices."
        )
        messages = written(game, [Report(seat, GIVEN_UP, body)])
        game.commit(GameChanges(delivery=delivery(game, messages, game.row.turn, now)), now)

    # --- what it says -------------------------------------------------------------------------------------------------

    def _judged(self, notice: Notice) -> Letter | _Wait | None:
        """Return what to send; when to look again; or None if it need not be sent any more."""
        now = self._now()
        if notice.kind == CODE:
            account = self._store.read(stored_accounts.by_id, notice.account)
            name = "somebody" if account is None else account.name
            return letters.of_code(notice.code, name, self._server, self._site) if notice.code else None
        times = self._times(notice)
        letter: Letter | _Wait | None
        if notice.kind == DIGEST:
            letter = self._of_day(notice, times, now)
        elif notice.kind == OVER:
            letter = self._of_end(notice)
        else:
            letter = self._of_turn(notice, now)
        if not isinstance(letter, Letter):
            return letter
        if self._is_online(notice.account):
            return None if notice.kind in (OVER, DIGEST) else _Wait(now + ONLINE_SECONDS)
        if times.is_quiet(now) and notice.kind != DIGEST:
            return _Wait(times.loud(now))
        return _stoppable(letter, stop_link(self._site, notice.address, notice.secret))

    def _of_turn(self, notice: Notice, now: float) -> Letter | _Wait | None:
        known = self._registry.outline(notice.game)
        if known is None or known.row.turn != notice.turn or known.row.state == "over":
            return None
        if known.row.state == "held" or not known.is_settled:
            return _Wait(now + (HELD_SECONDS if known.row.state == "held" else 1.0))
        if not known.awaits(notice.account):
            return None
        turn = self._turn_of(known, now)
        if notice.kind != DEADLINE:
            return letters.of_turn(turn, self._times(notice), self._site)
        if turn.deadline is None:
            return None
        return letters.of_deadline(turn, now, self._times(notice), self._site)

    def _of_day(self, notice: Notice, times: DayTimes, now: float) -> Letter | _Wait | None:
        daily = self._told_daily(notice)
        # Turns end at times of the day, too: who is told at that time is told of what begins then.
        if not all(known.is_settled for known in daily) and now - notice.created < SETTLING_SECONDS:
            return _Wait(now + 1.0)
        turns = [self._turn_of(known, now) for known in daily if known.is_settled and known.awaits(notice.account)]
        return letters.of_day(turns, times, self._site) if turns else None

    def _of_end(self, notice: Notice) -> Letter | None:
        known = self._registry.outline(notice.game)
        if known is None:
            return None
        row, title = known.row, known.title or "the game is over"
        ruleset = self._registry.rulesets.title_of(row.ruleset)
        return letters.of_end(letters.Turn(row.name, ruleset, row.turn, title, None), self._site)

    def _told_daily(self, notice: Notice) -> list[GameOutline]:
        """Return the games in which an account plays, and of which it is told once a day."""
        said = self._store.read(stored_notices.wishes, notice.account)
        numbers = [
            row.id
            for row in self._registry.rows_of(notice.account)
            if row.state == "running" and stored_notices.wish_for(said, row.id).mode == DIGEST
        ]
        games = map(self._registry.outline, numbers)
        return [known for known in games if known is not None and notice.account in known.seats]

    def _turn_of(self, known: GameOutline, now: float) -> letters.Turn:
        row = known.row
        deadline, ends = row.next_end(now), row.deadline
        late = ends if deadline is not None and ends is not None and ends > deadline else None
        ruleset = self._registry.rulesets.title_of(row.ruleset)
        return letters.Turn(row.name, ruleset, known.turn, known.title, deadline, late)

    def _times(self, notice: Notice) -> DayTimes:
        return self._store.read(stored_notices.times, notice.account)


def _stoppable(letter: Letter, stop: str) -> Letter:
    return Letter(letter.kind, letter.subject, letter.lines, letter.data, letter.link, stop)

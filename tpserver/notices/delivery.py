"""Delivery of notifications from the outbox.

It takes the due notifications, checks whether they are still wanted, and passes them to a channel. The next server
needs none of its state. A notification is taken, sent, and then marked as delivered. If the server is killed in
between, the next server sends it again with the same id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from twisted.internet import defer
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.api import Report
from tpserver.concurrency import Timer
from tpserver.day_times import DayTimes
from tpserver.events import EVENTS
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.turn_reports import delivery, written
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.hall.summary import GameOutline
from tpserver.notices import content
from tpserver.notices.channels import NotDelivered, NoticeChannel
from tpserver.notices.content import Letter
from tpserver.notices.lanes import Lane, all_lanes
from tpserver.notices.unsubscribe import stop_link
from tpserver.store import StoreError
from tpserver.store.games import outbox
from tpserver.store.games.changes import GameChanges
from tpserver.store.games.outbox import CODE, DEADLINE, DIGEST, OVER, Notice
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import notices as stored_notices

T = TypeVar("T")
log = Logger()

SEND_SECONDS = 60.0
"""Maximum seconds of a channel for a notification; channels have lower limits."""
LEASE = 2 * SEND_SECONDS
"""Seconds after which a notification is tried again, if the process that took it no longer exists."""
SPACING = 5.0
"""Seconds for which a contact rests after a notification."""
FIRST_PAUSE, LONGEST_PAUSE = 15.0, 3600.0
"""Seconds between the first two tries, doubled with each, and their maximum."""
GIVE_UP = 3 * 24 * 3600.0
"""Seconds after which an undelivered notification and its contact are given up.

This does not apply while the channel delivers nothing at all.
"""
ONLINE_SECONDS = 300.0
"""Seconds between checks whether a player is still online."""
HELD_SECONDS = 600.0
"""Seconds between checks whether a suspended game was resumed."""
SETTLING_SECONDS = 60.0
"""Maximum seconds for which a digest waits for games that are being computed or saved."""
LONGEST_WAIT = 30.0
"""Maximum seconds between two reads of the outbox. Deadlines or the clock may have changed since."""
CHANNEL_PAUSE = 60.0
"""Seconds for which a channel rests that delivers nothing."""

GIVEN_UP = "Notices could not be delivered"
"""Subject of the message to a player whose contact was given up."""


@dataclass(frozen=True, slots=True)
class _Wait:
    """The notification must not be sent before this time."""

    until: float


class NoticeDelivery:
    """Delivers notifications. Used on the reactor's thread.

    ``is_online`` returns whether an account has a connection. ``channels`` are by the kind of contact. ``server`` is
    the name of the server. ``site`` is the address of its page, empty if unknown.
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
        self._clock: Any = registry.timers  # a reactor, whose zope interface mypy does not understand
        self._is_online = is_online
        self.channels = channels
        """The ways to send notifications, by name."""
        self._server = server
        self._site = site
        self._down: dict[str, float] = {}
        """The times until which channels rest that delivered nothing at the last try."""
        self._lanes = all_lanes()
        self._lane_of = {channel: lane for lane in self._lanes for channel in lane.channels}
        self._looking = False
        self._again = False
        self._timer: Timer | None = None
        self._stopped = False

    def start(self) -> None:
        """Begin to deliver, first the notifications that an earlier server left.

        In a cluster other nodes may be delivering those. They are due again when the lease of such a node has ended.
        """
        if self._registry.node is not None:
            self.look()
            return
        self._store.write(outbox.release, self._now()).addCallbacks(lambda _: self.look(), lambda _: self._look_in(1.0))

    def stop(self) -> None:
        """Take no more notifications; the next server tries undelivered ones again."""
        self._stopped = True
        self._cancel()

    def down(self) -> dict[str, bool]:
        """Return for each channel whether it delivered nothing at the last try."""
        return {name: name in self._down for name in self.channels}

    def look(self) -> None:
        """Read the due notifications; to be called when there may be some."""
        self._again = True
        if self._looking or self._stopped:
            return
        self._looking = True
        Deferred.fromCoroutine(self._look()).addErrback(self._failed_to_look)

    async def _look(self) -> None:
        wait = LONGEST_WAIT
        try:
            while self._again and not self._stopped:
                self._again = False
                waits = [await self._look_at(lane) for lane in self._lanes]
                wait = min([LONGEST_WAIT, *waits])
        finally:
            self._looking = False
        self._look_in(max(0.05, wait))

    async def _look_at(self, lane: Lane) -> float:
        """Take the due notifications of a lane, and return the seconds until the next read."""
        now, node = self._now(), self._registry.node
        holder = None if node is None else node.id
        ready = [name for name in lane.channels if name in self.channels and self._down.get(name, 0.0) <= now]
        if not ready:
            return LONGEST_WAIT
        when = await self._store.read_later(outbox.next_try, ready, holder)
        if when is None or self._stopped:
            return LONGEST_WAIT
        if when > self._now():
            return when - self._now()
        if lane.choice(now).is_full:
            return LONGEST_WAIT  # the end of a delivery reads again
        now = self._now()
        taken, choice = await self._store.write(outbox.take, ready, partial(lane.choice, now), LEASE, now, holder)
        lane.note_slow(choice.passed, now)
        for notice in taken:
            lane.begin(notice)
            handling = Deferred.fromCoroutine(self._handle(notice))
            handling.addErrback(self._failed_to_handle, notice).addBoth(self._handled, notice)
        return LONGEST_WAIT

    def _look_in(self, seconds: float) -> None:
        self._cancel()
        if not self._stopped:
            self._timer = self._registry.timers.callLater(seconds, self.look)

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _failed_to_look(self, failure: Failure) -> None:
        if not isinstance(failure.value, StoreError):  # the store has logged that
            log.failure("the outbox could not be looked at", failure)
        self._look_in(LONGEST_WAIT)

    def _failed_to_handle(self, failure: Failure, notice: Notice) -> None:
        """It is due again when its lease ends."""
        if not self._stopped and not isinstance(failure.value, StoreError):
            log.failure("notice {id} could not be handled", failure, id=notice.id)

    def _handled(self, result: object, notice: Notice) -> None:
        self._lane_of[notice.channel].end(notice)
        self.look()

    # --- one notification ---------------------------------------------------------------------------------------------

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
        begun = self._registry.steady()
        try:
            sending = self.channels[notice.channel].send(notice, found)
            sending.addTimeout(SEND_SECONDS, self._clock)
            sending.addBoth(self._note_time, notice, begun)
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

    def _note_time(self, result: T, notice: Notice, begun: float) -> T:
        steady = self._registry.steady()
        self._lane_of[notice.channel].note_time(notice, steady - begun, self._now())
        return result

    async def _pass_over(self, notice: Notice, now: float) -> None:
        """Drop a notification, or put off a digest to the next day while a game waits or may wait.

        A turn that is being saved relies on the pending digest.
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
            # No contact is at fault. All of them work again once the operator has fixed the channel.
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
        """Notify a player in a game that a contact gets no more notifications. The list of contacts shows it, too."""
        mine = [row for row in self._registry.directory.rows_of(notice.account) if row.started is not None]
        mine.sort(key=lambda row: (row.id != notice.game, row.state in ("held", "over")))
        if not mine:
            return
        try:
            game = self._registry.with_id(mine[0].id)
        except (GameError, NotNow) as error:
            log.error("account {account} cannot be notified that an address is given up: {error}",
                      account=notice.account, error=error)  # fmt: skip
            return
        seat, now = game.seat_of(notice.account), self._now()
        if seat is None or game.saving.stale:
            return
        body = (
            f"Notices to {content.line(notice.target)} could not be delivered, the last time because {problem}. No "
            "more go there until you confirm the address again: ask for another code where you see your notices."
        )
        messages = written(game, [Report(seat, GIVEN_UP, body)])
        game.commit(GameChanges(delivery=delivery(game, messages, game.row.turn, now)), now)

    # --- content ------------------------------------------------------------------------------------------------------

    def _judged(self, notice: Notice) -> Letter | _Wait | None:
        """Return the content to send, the time of the next check, or None if it is no longer needed."""
        now = self._now()
        if notice.kind == CODE:
            account = self._store.read(stored_accounts.by_id, notice.account)
            name = "somebody" if account is None else account.name
            return content.of_code(notice.code, name, self._server, self._site) if notice.code else None
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
        known = self._registry.directory.outline(notice.game)
        if known is None or known.row.turn != notice.turn or known.row.state == "over":
            return None
        if known.row.state == "held" or not known.is_settled:
            return _Wait(now + (HELD_SECONDS if known.row.state == "held" else 1.0))
        if not known.awaits(notice.account):
            return None
        turn = self._turn_of(known, now)
        if notice.kind != DEADLINE:
            return content.of_turn(turn, self._times(notice), self._site)
        if turn.deadline is None:
            return None
        return content.of_deadline(turn, now, self._times(notice), self._site)

    def _of_day(self, notice: Notice, times: DayTimes, now: float) -> Letter | _Wait | None:
        daily = self._told_daily(notice)
        # Turns may end at the time of a digest. Such a digest waits for the turns that begin then.
        if not all(known.is_settled for known in daily) and now - notice.created < SETTLING_SECONDS:
            return _Wait(now + 1.0)
        turns = [self._turn_of(known, now) for known in daily if known.is_settled and known.awaits(notice.account)]
        return content.of_day(turns, times, self._site) if turns else None

    def _of_end(self, notice: Notice) -> Letter | None:
        known = self._registry.directory.outline(notice.game)
        if known is None:
            return None
        row, title = known.row, known.title or "the game is over"
        ruleset = self._registry.rulesets.title_of(row.ruleset)
        return content.of_end(content.AwaitedTurn(row.name, ruleset, row.turn, title, None), self._site)

    def _told_daily(self, notice: Notice) -> list[GameOutline]:
        """Return the games of an account that belong in its daily digest."""
        said = self._store.read(stored_notices.wishes, notice.account)
        numbers = [
            row.id
            for row in self._registry.directory.rows_of(notice.account)
            if row.state == "running" and stored_notices.wish_for(said, row.id).mode == DIGEST
        ]
        games = map(self._registry.directory.outline, numbers)
        return [known for known in games if known is not None and notice.account in known.seats]

    def _turn_of(self, known: GameOutline, now: float) -> content.AwaitedTurn:
        row = known.row
        deadline, ends = row.next_end(now), row.deadline
        late = ends if deadline is not None and ends is not None and ends > deadline else None
        ruleset = self._registry.rulesets.title_of(row.ruleset)
        return content.AwaitedTurn(row.name, ruleset, known.turn, known.title, deadline, late)

    def _times(self, notice: Notice) -> DayTimes:
        return self._store.read(stored_notices.times, notice.account)


def _stoppable(letter: Letter, stop: str) -> Letter:
    return Letter(letter.kind, letter.subject, letter.lines, letter.data, letter.link, stop)

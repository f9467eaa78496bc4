"""Check of a history against the database and an undisturbed game.

A history is a list of events. Each event is a tuple whose first member is its kind. `Checker.see` takes the events one
by one and raises `Wrong` at the first impossible one. For each game there is a second, undisturbed game. It gets the
orders of the journal through the full checks of the rules, and the pure `advance` closes its turns.

    ("game", number, name, ruleset, seats, seed, clock, options)
    ("asked", step, time, request, client, connection, seat, game, kind, body)
    ("answered", step, time, request, whether it was done, response)
    ("told", step, time, connection, client, game, turn)                  a TimeRemaining frame
    ("looked", step, time, step of the question, client, game, turn)      the response with the present turn
    ("heard", connection, client, seat, game, bytes)                      all that a connection received, at its end
    ("entry", step, time, game, number, turn, at, seat, kind, body)       of the journal, in a commit that has returned
    ("turn", step, time, game, turn, digest, journal number)              a snapshot, likewise
    ("clock", time, seconds)                                              error of the wall clock from now on
    ("well", time, since)                                                 no fault has hampered the server since then
    ("server", step, time, what)
    ("rules", step, game, how they fail)
    ("letters", game, [(board, sender, body)])                            at the end
    ("journal", game, [(number, kind)])                                   at the end
    ("row", game, turn, state)                                            at the end
    ("left", what, how many)                                              at the end, when all clients have gone
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.server_in_memory import rulesets
from tprules.api import Refusal, order_checks, parse_options
from tprules.api.advance import Advanced, advance, named_seats, opening
from tprules.api.order_checks import State
from tprules.api.ruleset import find_phase, to_stored_order
from tpserver.games.core.time_left import ALL_FINISHED, END_OF_TURN

Event = tuple[Any, ...]

TOLERANCE = 1.2
"""Seconds by which a turn may end early: the system's clock may differ by one from that which nobody sets, and timers
are set in hundredths."""

LOOK_SECONDS, LEAST_LOST = 45.0, 60.0
"""A clock that was set in the last seconds of a server, in which it may have been frozen, is noticed by the next one as
time in which there was none, if it is that much."""

LATE_SECONDS = 30.0
"""Seconds after which a turn is closed late, if nothing hampers the server: what could not be saved before is tried
again, and games that nobody is in are looked for, each ten seconds at most."""

TOKEN = re.compile(rb"zq[0-9a-f]{8}")
"""A secret text in orders and messages of a player, which all others must not see."""

OF_PLAYERS = ("insert", "remove", "finished", "unfinished")
OF_OPERATOR = ("pause", "resume", "close")


class Wrong(Exception):
    """The server has not kept a promise."""


def canonical(value: Any) -> str:
    """Return JSON that is the same for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@dataclass
class Request:
    """Something that somebody has asked for, to which no answer has come yet."""

    number: int
    step: int
    connection: int
    seat: int | None
    game: int
    kind: str
    body: Any
    told: int
    """The newest turn of which its client knew."""


@dataclass
class Asked:
    """All that was asked for in the same words by the same seat, and the entries of the journal that may answer it."""

    open: list[Request] = field(default_factory=list)
    unclaimed: list[tuple[int, int]] = field(default_factory=list)
    """Step and number of entries of which no request is known to be answered by them."""
    is_mixed: bool = False
    """True if it is unknown which of these entries answers which of these requests."""


def words_of(kind: str, body: Any) -> str:
    """Return what makes two requests the same in the journal: not the slot, which may be that of the end."""
    return canonical([kind, body[:3] if kind == "insert" else body if kind == "remove" else None])


class GameMirror:
    """One game that nothing disturbs, beside what the database has of it."""

    def __init__(self, number: int, name: str, ruleset: str, seats: int, seed: str, clock: str, options: Any) -> None:
        self.number, self.name, self.seats, self.seed, self.clock = number, name, seats, seed.encode(), clock
        self.rules = rulesets().named(ruleset)
        opened = opening(self.rules, parse_options(self.rules.options, options), seats, self.seed)
        self.state: State[Any] = opened.state
        self.digests = {0: opened.digest}
        self.turns_seen = -1
        self.last = 0
        self.entries: list[tuple[Any, ...]] = []
        self.kept: dict[int, str] = {}
        """The entries that must be in the journal, by number, with their kinds."""
        self.finished: set[int] = set()
        self.marks: set[tuple[int, int]] = set()
        self.taken: dict[int, str] = {}
        self.started = False
        self.paused = False
        self.held = False
        self.may_hold = 0
        self.start_step = -1
        self.began = self.began_at_latest = 0.0
        self.stood = 0.0
        self.slack = 0.0
        self.stands_since: float | None = None
        self.outages: list[tuple[float, float]] = []
        """Times without a server in this turn, and their seconds, which have to be given back."""
        self.mark_times: list[float] = []
        self.mark_log: list[tuple[int, int | None, bool]] = []
        """Step, seat (None: all) and whether it has finished from then on."""
        self.asked: defaultdict[tuple[int | None, str], Asked] = defaultdict(Asked)
        self.shown: dict[int, list[tuple[int, str]]] = defaultdict(list)
        """By object: from which step on its queue is which."""
        self.close_numbers: dict[int, int] = {}
        self.told: list[tuple[int, int]] = []
        """Steps from which a client knew a turn, with that turn, the newest last."""

    def fail(self, what: str) -> None:
        raise Wrong(f"game {self.name}, turn {self.state.turn}: {what}")

    @property
    def over(self) -> bool:
        return self.state.over

    def active(self) -> list[int]:
        if not self.started or self.over:
            return []
        return named_seats(find_phase(self.rules, self.state.phase).active(self.state.world))

    def had_not_finished(self, seat: int | None, since: int) -> bool:
        """Return whether there was a moment since a step at which a seat had not finished its turn."""
        log = [(step, has) for step, one, has in self.mark_log if one in (None, seat)]
        before = [has for step, has in log if step < since]
        return not (before and before[-1]) or any(not has for step, has in log if step >= since)

    def queue_of(self, on: int) -> list[Any]:
        return [[order.type, dict(order.args)] for order in self.state.queues.get(on, ())]

    def note_queue(self, on: int, step: int) -> None:
        self.shown[on].append((step, canonical(self.queue_of(on))))

    def may_be_shown(self, on: int, first: int, last: int) -> set[str]:
        """Return what a queue may have been shown as between two steps."""
        found = {canonical([])} if not self.shown[on] or self.shown[on][0][0] > first else set()
        known = self.shown[on]
        for (since, queue), until in zip(known, [*(step for step, _ in known[1:]), 10**9], strict=True):
            if since <= last and until >= first:
                found.add(queue)
        return found


class Checker:
    """See the module."""

    def __init__(self) -> None:
        self.games: dict[int, GameMirror] = {}
        self.requests: dict[int, Request] = {}
        self.order_of: dict[int, int] = {}
        """By connection: the number of the last entry that a response on it has certainly shown."""
        self.turn_of: dict[int, int] = {}
        self.clocks: list[tuple[float, float]] = [(0.0, 0.0)]
        self.secrets: dict[str, set[str]] = {}
        """By token: the names of the clients that may read it."""
        self.letters: dict[str, tuple[int, int, int, bool]] = {}
        """By token of an acknowledged message: game, sender's seat, board, and whether the sender keeps a copy."""
        self.written: dict[str, tuple[int, int]] = {}
        """By token: game and board of every message that may have arrived."""
        self.tolerance = TOLERANCE
        self.began = 0.0
        """The start of the present server."""
        self.ended: float | None = None
        """The time at which the last server was killed, if its clock is known to have been right."""
        self.frozen_since: float | None = None
        self.tally: Counter[str] = Counter()
        self.answers: set[int] = set()

    def follow(self, other: Checker) -> None:
        """Go on after another one, whose database was replaced by the backup up to which this one has seen all.

        What is secret stays so, and what was set while there was a newer database is not noticed with certainty.
        """
        self.secrets = {**other.secrets, **self.secrets}
        self.clocks, self.tally = other.clocks, other.tally
        for mirror in self.games.values():
            mirror.slack = LEAST_LOST
            mirror.may_hold = other.games[mirror.number].may_hold

    def see_all(self, history: Iterable[Event]) -> None:
        """Take all events of a history. Raises Wrong."""
        for event in history:
            self.see(event)

    def see(self, event: Event) -> None:
        """Take one event. Raises Wrong."""
        getattr(self, f"_{event[0]}")(*event[1:])

    # --- what clients ask and are told

    def _game(self, number: int, *words: Any) -> None:
        self.games[number] = GameMirror(number, *words)

    def _asked(
        self, step: int, time: float, number: int, client: str, connection: int, seat: int | None, game: int,
        kind: str, body: Any,
    ) -> None:  # fmt: skip
        told = self.turn_of.get(connection, 0)
        request = Request(number, step, connection, seat, game, kind, body, told)
        self.requests[number] = request
        mirror = self.games[game]
        if kind in OF_PLAYERS or kind in OF_OPERATOR:
            mirror.asked[seat, words_of(kind, body)].open.append(request)
        for token in TOKEN.findall(canonical(body).encode()):
            self.secrets[token.decode()] = {client}
        if kind == "post":
            board, token, _ = body
            if 0 < board <= mirror.seats and (word := TOKEN.match(token.encode())):
                self.secrets[word[0].decode()].add(mirror.taken.get(board - 1, ""))
            self.written[token] = (game, board)

    def _answered(self, step: int, time: float, number: int, done: bool, said: Any) -> None:
        if number in self.answers:
            raise Wrong(f"request {number} was answered twice")
        self.answers.add(number)
        request = self.requests[number]
        mirror = self.games[request.game]
        if request.kind == "post":
            board, token, copy = request.body
            if done:
                assert request.seat is not None
                self.letters[token] = (request.game, request.seat, board, copy)
                self.tally["letters"] += 1
            else:
                self.written.pop(token, None)
        elif request.kind == "read":
            if done:
                self._read(mirror, request, step, said)
        elif request.kind in OF_PLAYERS or request.kind in OF_OPERATOR:
            self._claim(mirror, request, done, said)

    def _claim(self, mirror: GameMirror, request: Request, done: bool, said: Any) -> None:
        same = mirror.asked[request.seat, words_of(request.kind, request.body)]
        same.open = [one for one in same.open if one.number != request.number]
        if not done:
            self.tally["refused"] += 1
            if len(same.unclaimed) > len(same.open):
                mirror.fail(
                    f"request {request.number} ({request.kind} of seat {request.seat}) was refused, and done: {said}"
                )
            return
        self.tally[f"acknowledged: {request.kind}"] += 1
        mine = next((one for one in same.unclaimed if one[0] >= request.step), None)
        if mine is None:
            if request.kind == "finished" and self._was_marked(mirror, request):
                return
            if request.kind == "close":  # the operator is told of a turn that was held, too
                return
            if request.kind == "resume" and (mirror.held or mirror.start_step >= request.step or not mirror.started):
                return  # it was held before its start, and is started now, or the rules have failed again
            if request.kind == "unfinished" and mirror.had_not_finished(request.seat, request.step):
                return
            mirror.fail(
                f"request {request.number} ({request.kind} {request.body} of seat {request.seat}) was acknowledged and "
                "is not in the journal"
            )
            return
        is_certain = not same.open and same.unclaimed == [mine] and not same.is_mixed
        same.unclaimed.remove(mine)
        same.is_mixed = not is_certain and bool(same.open or same.unclaimed)
        if is_certain and request.kind in OF_PLAYERS:
            before = self.order_of.get(request.connection, 0)
            if mine[1] <= before:
                mirror.fail(f"entry {mine[1]} was asked for after entry {before}, on the same connection")
            self.order_of[request.connection] = mine[1]

    @staticmethod
    def _was_marked(mirror: GameMirror, request: Request) -> bool:
        """Return True if the seat had finished already, or if there is no turn to end.

        The turn at the request and later ones count. A new turn may be saved and not shown yet: then the client means
        the last one, as the server does.
        """
        if mirror.over or not mirror.started or mirror.start_step >= request.step:
            return True
        first = min(request.told, mirror_turn_at(mirror, request.step))
        return any(seat == request.seat and turn >= first for turn, seat in mirror.marks)

    def _read(self, mirror: GameMirror, request: Request, step: int, said: Any) -> None:
        on, queue = said
        shown = canonical(queue)
        since = request.body[1]
        may_be = mirror.may_be_shown(on, request.step if since < 0 else since, step)
        self.tally["queues read"] += 1
        # Slots that the client was told of are those of then, once; what it reads beyond them is there now.
        states = [json.loads(one) for one in may_be]
        if not any(shown == canonical(told + now[len(told) :]) for told in states for now in states):
            mirror.fail(f"request {request.number} read the queue {shown} of object {on}, which was {sorted(may_be)}")

    def _told(self, step: int, time: float, connection: int, client: str, game: int, turn: int) -> None:
        mirror = self.games[game]
        if turn > mirror.state.turn:
            mirror.fail(f"{client} was told of turn {turn}, which is not saved")
        if turn < self.turn_of.get(connection, 0):
            mirror.fail(f"{client} was told of turn {turn} after turn {self.turn_of[connection]}")
        self.turn_of[connection] = turn
        if not mirror.told or turn > mirror.told[-1][1]:
            mirror.told.append((step, turn))

    def _looked(self, step: int, time: float, asked: int, client: str, game: int, turn: int) -> None:
        mirror = self.games[game]
        known = next((told for since, told in reversed(mirror.told) if since < asked), 0)
        if turn < known:
            mirror.fail(f"{client} was told that it is turn {turn}, when turn {known} was known to somebody already")
        self.tally["turns asked for"] += 1

    def _heard(self, connection: int, client: str, seat: int | None, game: int, data: bytes) -> None:
        for token in set(TOKEN.findall(data)):
            readers = self.secrets.get(token.decode())
            if readers is not None and client not in readers and not self._is_written_to(client, token.decode()):
                raise Wrong(f"{client} has got {token.decode()}, which is a secret of {sorted(readers)}")

    def _is_written_to(self, client: str, token: str) -> bool:
        """Return True if a message with this token is on the board of a client, who may have taken its seat later."""
        boards = [place for text, place in self.written.items() if text.startswith(token)]
        return any(self.games[game].taken.get(board - 1) == client for game, board in boards)

    # --- what the database has

    def _entry(
        self, step: int, time: float, game: int, number: int, turn: int, at: float, seat: int | None, kind: str,
        body: Any,
    ) -> None:  # fmt: skip
        mirror = self.games[game]
        if number != mirror.last + 1:
            mirror.fail(f"entry {mirror.last + 1} of the journal is missing, or comes again; {number} is there")
        mirror.last = number
        mirror.kept[number] = kind
        mirror.entries.append((step, time, game, number, turn, at, seat, kind, body))
        if turn != mirror.state.turn and kind in ("insert", "remove", "close"):
            mirror.fail(f"entry {number} ({kind}) is of turn {turn}")
        known = {
            "insert": self._order, "remove": self._order, "finished": self._finished, "unfinished": self._unfinished,
            "close": self._close, "queues": self._queues, "seat": self._seat, "start": self._start,
            "hold": self._hold, "pause": self._pause, "resume": self._resume,
        }.get(kind)  # fmt: skip
        if known is not None:
            known(mirror, step, time, number, at, seat, kind, body)
        elif kind not in ("late", "more time"):
            mirror.fail(f"entry {number} is of the kind {kind}, for which nobody asked")

    def _asked_for(self, mirror: GameMirror, step: int, number: int, seat: int | None, kind: str, body: Any) -> Request:
        same = mirror.asked[seat, words_of(kind, body)]
        if len(same.unclaimed) >= len(same.open):
            mirror.fail(f"nobody asked for entry {number} of the journal ({kind} {body} of seat {seat})")
        same.unclaimed.append((step, number))
        return same.open[len(same.unclaimed) - 1]

    def _order(
        self, mirror: GameMirror, step: int, time: float, number: int, at: float, seat: int, kind: str, body: Any
    ) -> None:
        same = mirror.asked[seat, words_of(kind, body)].open
        slots = [one.body[3] for one in same] if kind == "insert" else []
        self._asked_for(mirror, step, number, seat, kind, body)
        try:
            if kind == "insert":
                on, name, arguments, _, slot = body
                at_the_end = all(asked == -1 for asked in slots)
                change = order_checks.insertion(
                    mirror.rules, mirror.state, seat, on, name, dict(arguments), -1 if at_the_end else slot
                )
                stored = to_stored_order(mirror.rules, change.order)
                written = [on, name, dict(stored.args), stored.draft, change.slot]
            else:
                on, slot = body
                change = order_checks.removal(mirror.rules, mirror.state, seat, on, slot)
                written = [on, slot]
        except Refusal as refusal:
            mirror.fail(f"the undisturbed game refuses entry {number} ({kind} {body}): {refusal.text}")
            raise
        if canonical(body) != canonical(written):
            mirror.fail(f"entry {number} has {body}, not {written}")
        order_checks.apply(mirror.state, change)
        mirror.note_queue(on, step)
        self.tally["orders in the journal"] += 1

    def _finished(
        self, mirror: GameMirror, step: int, time: float, number: int, at: float, seat: int, kind: str, body: Any
    ) -> None:
        self._asked_for(mirror, step, number, seat, kind, body)
        turn = mirror.entries[-1][4]
        mirror.marks.add((turn, seat))
        if turn == mirror.state.turn:
            if seat in mirror.finished:
                mirror.fail(f"entry {number} marks seat {seat} a second time")
            mirror.finished.add(seat)
            mirror.mark_log.append((step, seat, True))
            mirror.mark_times.append(self._true(at, time))

    def _unfinished(
        self, mirror: GameMirror, step: int, time: float, number: int, at: float, seat: int, kind: str, body: Any
    ) -> None:
        self._asked_for(mirror, step, number, seat, kind, body)
        mirror.finished.discard(seat)
        mirror.mark_log.append((step, seat, False))

    def _seat(
        self, mirror: GameMirror, step: int, time: float, number: int, at: float, seat: int, kind: str, body: Any
    ) -> None:
        if seat in mirror.taken:
            mirror.fail(f"seat {seat} was taken twice")
        mirror.taken[seat] = body["name"]

    def _start(self, mirror: GameMirror, step: int, time: float, number: int, at: float, *_: Any) -> None:
        if mirror.started or len(mirror.taken) != mirror.seats:
            mirror.fail("it was started twice, or without all its players")
        mirror.started, mirror.held, mirror.start_step = True, False, step
        self._begins(mirror, self._true(at, time), time)

    def _begins(self, mirror: GameMirror, now: float, latest: float) -> None:
        mirror.began_at_latest = latest
        mirror.began, mirror.stood, mirror.mark_times, mirror.slack = now, 0.0, [], 0.0
        mirror.stands_since = now if mirror.paused or mirror.held else None

    def _hold(self, mirror: GameMirror, step: int, time: float, number: int, at: float, *_: Any) -> None:
        if not mirror.may_hold:
            mirror.fail(f"entry {number} holds the game, whose rules have not failed")
        mirror.held = True

    def _pause(
        self, mirror: GameMirror, step: int, time: float, number: int, at: float, seat: Any, kind: str, body: Any
    ) -> None:
        self._asked_for(mirror, step, number, seat, kind, body)
        mirror.paused, mirror.stands_since = True, self._true(at, time)

    def _resume(
        self, mirror: GameMirror, step: int, time: float, number: int, at: float, seat: Any, kind: str, body: Any
    ) -> None:
        self._asked_for(mirror, step, number, seat, kind, body)
        now = self._true(at, time)
        if mirror.held:
            self._begins(mirror, now, time)
            mirror.mark_times = [now] * len(mirror.finished)
        elif mirror.stands_since is not None:
            mirror.stood += now - mirror.stands_since
        mirror.paused, mirror.held, mirror.stands_since = False, False, None

    def _queues(
        self, mirror: GameMirror, step: int, time: float, number: int, at: float, seat: Any, kind: str, body: Any
    ) -> None:
        shown = [[on, [order.dump() for order in queue]] for on, queue in sorted(mirror.state.queues.items())]
        if (body["stamp"], canonical(body["queues"])) != (mirror.state.stamp, canonical(shown)):
            mirror.fail(f"entry {number} has the queues {body}, not {shown} and {mirror.state.stamp}")
        after = max(mirror.close_numbers.values(), default=0)
        for one in [one for one in mirror.kept if after < one < number]:
            if mirror.kept[one] in ("insert", "remove", "queues"):
                del mirror.kept[one]
        self.tally["journals made shorter"] += 1

    def _close(
        self, mirror: GameMirror, step: int, time: float, number: int, at: float, seat: Any, kind: str, body: Any
    ) -> None:
        now = self._true(at, time)
        awaited = [one for one in mirror.active() if one not in mirror.finished]
        by_operator = body.get("operator", False)
        if not mirror.started or mirror.held:
            mirror.fail(f"entry {number} closes a turn of a game that does not run")
        if by_operator:
            self._asked_for(mirror, step, number, None, "close", None)
        elif body["reason"] == ALL_FINISHED and awaited:
            mirror.fail(f"entry {number} closes the turn as if all had finished; {awaited} have not")
        elif body["reason"] == END_OF_TURN:
            due = self._due(mirror)
            if due is None or time < due - self.tolerance - mirror.slack:
                mirror.fail(
                    f"entry {number} closes the turn at {time:.2f}, which is not due before "
                    f"{'it is closed by hand' if due is None else f'{due:.2f}'}"
                )
            self.tally["turns closed by the clock"] += 1
        advanced: Advanced[Any] = advance(mirror.rules, mirror.state, mirror.seed)
        before = list(mirror.state.queues)
        mirror.state = advanced.state
        mirror.digests[advanced.state.turn] = advanced.digest
        mirror.close_numbers[advanced.state.turn] = number
        mirror.finished = set()
        mirror.mark_log.append((step, None, False))
        for on in {*before, *mirror.state.queues}:
            mirror.note_queue(on, step)
        self._begins(mirror, now, time)
        self.tally["turns closed"] += 1

    @staticmethod
    def _due(mirror: GameMirror) -> float | None:
        """Return when a turn is due, at the earliest; None if that is not known, or nobody has begun its time."""
        kind, *words = mirror.clock.split(":")
        if kind == "interval":
            runs_since = mirror.began
            due = mirror.began + mirror.stood + float(words[0])
        elif kind == "threshold":
            wanted = max(1, -(-int(words[0]) * len(mirror.active()) // 100))
            if len(mirror.mark_times) < wanted:
                return None
            runs_since = mirror.mark_times[wanted - 1]
            due = runs_since + float(words[1])
        else:
            return None
        return due + sum(lost for when, lost in mirror.outages if when > runs_since + 0.01)

    def _turn(self, step: int, time: float, game: int, turn: int, digest: str, number: int) -> None:
        mirror = self.games[game]
        if turn != mirror.turns_seen + 1:
            mirror.fail(f"turn {turn} is saved after turn {mirror.turns_seen}")
        mirror.turns_seen = turn
        if turn not in mirror.digests:
            mirror.fail(f"turn {turn} is saved, and no entry of the journal closes the one before it")
        if digest != mirror.digests[turn]:
            mirror.fail(f"turn {turn} has the digest {digest}, undisturbed {mirror.digests[turn]}")
        if number != mirror.close_numbers.get(turn, 0):
            mirror.fail(f"the snapshot of turn {turn} says that it holds the journal to {number}")

    # --- times, lives, and the end

    def _clock(self, time: float, seconds: float) -> None:
        self.clocks.append((time, seconds))

    def _true(self, at: float, latest: float) -> float:
        """Return when, at the earliest, the system's clock has said ``at``, and not later than ``latest``."""
        ends = [*(begin for begin, _ in self.clocks[1:]), latest]
        for (begin, wrong), end in zip(self.clocks, ends, strict=True):
            if begin - 0.001 <= at - wrong <= end + 0.001:
                return at - wrong
        return latest

    def _server(self, step: int, time: float, what: str) -> None:
        if what == "killed":
            self._killed(time)
        elif what == "started":
            self._started(time)
        elif what == "frozen" or what.startswith("freeze at"):
            self.frozen_since = time
        elif what == "thawed":
            self.frozen_since = None

    def _killed(self, time: float) -> None:
        looked = time if self.frozen_since is None else self.frozen_since
        is_certain = looked - self.clocks[-1][0] >= LOOK_SECONDS or len(self.clocks) == 1
        if not is_certain:
            for mirror in self.games.values():
                mirror.slack = LEAST_LOST
        self.frozen_since = None
        self.ended = time if is_certain else None

    def _started(self, time: float) -> None:
        """The next server gives the time back in which there was none, if that was LEAST_LOST or more."""
        self.began = time
        ended, self.ended = self.ended, None
        if ended is None or time - ended < LEAST_LOST:
            return
        for mirror in self.games.values():
            if mirror.started and not (mirror.over or mirror.held or mirror.paused):
                mirror.outages.append((ended, time - ended))
                self.tally["outages in a turn"] += 1

    def _well(self, time: float, since: float) -> None:
        """See that no turn is late. What a server before this one has done with it may be another matter."""
        for mirror in self.games.values():
            if not mirror.clock.startswith("interval") or not mirror.started or mirror.over:
                continue
            if mirror.held or mirror.paused or mirror.stood or mirror.slack or mirror.began_at_latest < self.began:
                continue
            due = mirror.began_at_latest + float(mirror.clock.partition(":")[2])
            self.tally["looks for turns that are late"] += 1
            if time > max(due, since) + LATE_SECONDS:
                mirror.fail(f"it is {time:.2f}, and the turn, which was due at {due:.2f}, is not closed")

    def _rules(self, step: int, game: int, how: str) -> None:
        self.games[game].may_hold += 1

    def _letters(self, game: int, letters: Sequence[tuple[int, int | None, str]]) -> None:
        found = Counter((board, body) for board, sender, body in letters if sender is not None)
        mirror = self.games[game]
        for token, (of, seat, board, copy) in self.letters.items():
            if of != game:
                continue
            for where in {board, *([seat + 1] if copy else [])}:
                if found[where, token] != 1:
                    mirror.fail(
                        f"the letter {token} was acknowledged, and is {found[where, token]} times on board {where}"
                    )
        for board, sender, body in letters:
            if sender is not None and body not in self.written:
                mirror.fail(f"a letter is on board {board} that nobody wrote, or that was refused: {body}")

    def _journal(self, game: int, there: Sequence[tuple[int, str]]) -> None:
        mirror = self.games[game]
        if dict(there) != mirror.kept:
            gone = sorted(set(mirror.kept.items()) ^ set(dict(there).items()))
            mirror.fail(f"the journal is not what was saved, but for the entries {gone[:5]}")

    def _row(self, game: int, turn: int, state: str) -> None:
        mirror = self.games[game]
        held = "held" if mirror.held else "paused" if mirror.paused else "running" if mirror.started else "waiting"
        wanted = "over" if mirror.over else held
        if (turn, state) != (mirror.state.turn, wanted):
            mirror.fail(f"the database has it in turn {turn}, {state}, and it is {wanted}")

    def _left(self, what: str, count: int) -> None:
        if count:
            raise Wrong(f"when nobody was there any more, {count} {what} were left")


def mirror_turn_at(mirror: GameMirror, step: int) -> int:
    """Return which turn it was at a step."""
    closed = [entry for entry in mirror.entries if entry[7] == "close" and entry[0] <= step]
    return 0 if not closed else int(closed[-1][4]) + 1

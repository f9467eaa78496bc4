"""Clients that change orders, messages and turns as fast as they can.

They insert and remove orders, write messages, clear their boards, and finish turns. A player knows the rules and reads
the state of its game from the server's database, so that many of its orders are accepted. The ledger records what the
server acknowledges.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from tests.durability.ledger import Database, GameLedger, Promise, Violation
from tests.support.orders import argument, written
from tests.support.wire import Gone, Line, everything
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, Dialect
from tprules.api import Order, Refusal, order_checks
from tprules.api.advance import load_state
from tprules.api.order_checks import State
from tprules.api.ruleset import find_phase
from tpserver.requests.session.decode_limits import CLASSIC
from tpserver.store.games import snapshots as stored_snapshots

TIDY_ABOVE, TIDY_TO = 24, 12
"""A board with more messages than the former is tidied until it has the latter."""

APPEND = -1

Answered = asyncio.Future[list[Message]]


class Player:
    """One seat of one game, over any number of connections, one after the other."""

    def __init__(
        self, name: str, game: GameLedger, dialect: Dialect, chance: random.Random, tally: Counter[str]
    ) -> None:
        self.name = name
        self.game = game
        self.dialect = dialect
        self.chance = chance
        self.tally = tally
        self.line: Line
        self.seat = -1
        self.turn = 0
        self.computing: Callable[[], None] = lambda: None
        """Called when the server says that it computes a turn."""
        self._written = 0
        self._times: dict[tuple[str, int], int] = {}
        self._state: State[Any] | None = None
        self._finished = -1

    # --- coming in ------------------------------------------------------------------------------------------------

    async def enter(self, port: int) -> None:
        """Connect and log in, to the same seat as ever."""
        seen = self.turn  # pushes of this connection raise self.turn, perhaps before the answer below is looked at
        self.line = await self._open(port)
        await self.line.enter(self.name, game=self.game.setting.name)
        seat = await self.line.me() - 1
        if self.seat not in (-1, seat):
            raise Violation(f"{self.name} sat on seat {self.seat} of {self.game.setting.name} and now sits on {seat}")
        self.seat = seat
        await self.line.learn_orders()
        self._state = None
        clock = await self.line.time()
        self._hears(clock)
        if self.dialect is not TP03 and clock.turn < seen:
            raise Violation(f"{self.name} had seen turn {seen} of {self.game.setting.name}; now it is {clock.turn}")
        self._finished = clock.turn if clock.waiting and seat + 1 not in clock.waiting else -1

    async def _open(self, port: int) -> Line:
        return await Line.open(port, self.dialect, self._pushed)

    def _hears(self, clock: tp.TimeRemaining) -> None:
        """Note the number of the turn, which TP03 does not have."""
        self.turn = max(self.turn, clock.turn)

    def _pushed(self, clock: tp.TimeRemaining) -> None:
        self._hears(clock)
        if not clock.time:
            self.computing()

    # --- looking --------------------------------------------------------------------------------------------------

    async def look(self) -> bool:
        """Compare all that the server shows to this player with the ledger; False if the turn changed meanwhile.

        Nobody else may ask for anything meanwhile, and the ledger must have been audited just before.
        """
        clock = await self.line.time()
        expected = self._expected_waiting()
        orders = await self._shown_orders()
        messages = await self.line.messages()
        await self._check_times()
        after = await self.line.time()
        if not self.game.over and (not clock.time or not after.time):
            return False
        if {clock.turn, after.turn} != {self.game.state.turn}:
            return False
        if list(clock.waiting) != expected:
            self.game.fail(f"the server awaits the players {list(clock.waiting)}, it should await {expected}")
        promised = {on: queue for on, queue in self.game.state.queues.items() if queue and queue[0].seat == self.seat}
        for on in sorted({*orders, *promised}):
            shown = [(order.type, dict(order.args), order.draft) for order in orders.get(on, [])]
            owed = [(order.type, dict(order.args), order.draft) for order in promised.get(on, [])]
            if shown != owed:
                self.game.fail(f"object {on} shows {self.name} the orders {shown}, not {owed}")
        known = self.game.boards[self.seat + 1].known
        shown_messages = [(message.turn, message.subject, message.body) for message in messages]
        if shown_messages != [(known[n].turn, known[n].subject, known[n].body) for n in sorted(known)]:
            self.game.fail(f"the board of {self.name} shows other messages than the database has")
        return True

    def _expected_waiting(self) -> list[int]:
        state = self.game.state
        if state.over or not self.game.started:
            return []
        active = find_phase(self.game.rules, state.phase).active(state.world)
        return [seat + 1 for seat in active if seat not in self.game.finished]

    async def _shown_orders(self) -> dict[int, list[Order]]:
        ids = await self.line.one("get_order_queue_ids", everything(), tp.IDSequence)
        numbers = [item.id for item in ids.ids]
        if not numbers:
            return {}
        queues = await self.line.ask("get_order_queue", tp.GetWithID(ids=numbers))
        shown = {}
        for queue in queues:
            assert isinstance(queue, tp.OrderQueue), queue
            if queue.num_orders:
                slots = range(queue.num_orders)
                frames = await self.line.ask("get_order", tp.GetWithIDSlot(id=queue.id, slots=slots))
                shown[queue.id] = [self._order_of(frame) for frame in frames]
        return shown

    async def _check_times(self) -> None:
        """Modification times never go back, whatever happened to the server."""
        for kind in ("get_object_ids", "get_order_queue_ids", "get_board_ids"):
            listed = await self.line.one(kind, everything(), tp.IDSequence)
            for item in listed.ids:
                before = self._times.get((kind, item.id), 0)
                if item.modtime < before:
                    self.game.fail(f"{kind}: the modification time of {item.id} has gone back by "
                                   f"{before - item.modtime} seconds for {self.name}")  # fmt: skip
                self._times[kind, item.id] = item.modtime

    def _order_of(self, frame: Message) -> Order:
        assert isinstance(frame, tp.Order), frame
        kind = next(kind for kind in self.game.rules.orders if kind.number == frame.otype)
        arguments = {
            name: argument(param, value)
            for (name, param), value in zip(kind.params.items(), frame.parameters, strict=True)
        }
        kinds = self.game.rules.kinds
        draft = any(
            param.is_default(arguments[name]) and param.allows_default(kinds) is False
            for name, param in kind.params.items()
        )
        return Order(self.seat, frame.id, kind.name, arguments, 0, draft)

    # --- playing --------------------------------------------------------------------------------------------------

    async def play(self, database: Database) -> None:
        """Do one thing after the other until the connection ends."""
        try:
            while not self.game.over:
                await self._attend(database)
        except Gone:
            return
        finally:
            if self.line.strange:
                self.game.fail(f"{self.name} was answered by no good server: {self.line.strange}")

    async def _attend(self, database: Database) -> None:
        await self.line.wait_for(lambda clock: clock.time > 0)
        with database.connect() as connection:
            snapshot = stored_snapshots.newest(connection, self.game.id)
        assert snapshot is not None
        if self._state is None or self._state.turn != snapshot.turn:
            self._state = load_state(self.game.rules, snapshot.state)
        state = self._state
        if state.over:
            await self._watch_the_end()
            return
        for _ in range(self.chance.randint(1, 6)):
            await asyncio.gather(*[self._something(state) for _ in range(self.chance.choice((1, 1, 1, 2, 4)))])
            if self.turn != state.turn:
                return
        await self._tidy()
        if self.chance.random() < 0.9 and self._finished != state.turn:
            self._finished = state.turn
            await self._promise("finished", (), "finished_turn", tp.FinishedTurn())
            if self.chance.random() < 0.2:
                await self._something(state)  # races with the closing
            await self._await_turn(state.turn)

    async def _await_turn(self, turn: int) -> None:
        """Wait until a turn is over, in which there is no more to be done."""
        await self.line.wait_for(lambda clock: clock.turn != turn and clock.time > 0, 600)

    async def _watch_the_end(self) -> None:
        """Stay, as the game is over."""
        await self.line.wait_for(lambda clock: False, 600)

    def _something(self, state: State[Any]) -> Answered:
        queues = {on: queue for on, queue in state.queues.items() if queue and queue[0].seat == self.seat}
        dice = self.chance.random()
        if dice < 0.15:
            return self._post()
        if dice < 0.4 and queues:
            on = self.chance.choice(sorted(queues))
            return self._remove(state, on, self.chance.randrange(len(queues[on])))
        order = self._choose(state)
        if order is None:
            return self._post()
        slot = APPEND
        if self.chance.random() < 0.3:
            slot = self.chance.randint(0, len(state.queues.get(order.on, ())))
        return self._insert(state, order, slot)

    def _choose(self, state: State[Any]) -> Order | None:
        rules = self.game.rules
        if rules.name == "synthetic":
            rows = (state.world.objects - 2) // 3
            mine = [4 + 3 * row for row in range(rows) if row % state.world.seats == self.seat]
            return Order(self.seat, self.chance.choice(mine), "Work", {"effort": self.chance.randint(1, 100)})
        moves = list(rules.legal_orders(state.plan(self.seat)))
        if rules.name == "auction" and self.chance.random() < 0.4:
            gift = {"to": 2 + self.chance.randrange(len(state.world.gold)), "coins": self.chance.choice(([], [[1, 1]]))}
            return Order(self.seat, 2 + self.seat, "Gift", gift)
        if not moves:
            return None
        order = self.chance.choice(moves)
        if "words" in order.args:
            words = {**order.args, "words": f"{self.name} {self.chance.getrandbits(32)}"[:20]}
            return Order(self.seat, order.on, order.type, words)
        return order

    def _insert(self, state: State[Any], order: Order, slot: int) -> Answered:
        kind = next(kind for kind in self.game.rules.orders if kind.name == order.type)
        parameters = [written(param, order.args[name]) for name, param in kind.params.items()]
        message = tp.Order(id=order.on, slot=slot, otype=kind.number, parameters=parameters)

        def accepted(answer: Message) -> None:
            if self.dialect is not TP03 and not self._is_shown(answer, order):
                self.game.fail(f"{self.name} inserted {order} and was answered {answer}")
            self._mirror(state, lambda: order_checks.insertion(
                self.game.rules, state, self.seat, order.on, order.type, order.args, slot))  # fmt: skip

        return self._promise(
            "insert", (order.on, order.type, dict(order.args), slot), "order_insert", message, accepted
        )

    def _is_shown(self, answer: Message, order: Order) -> bool:
        """Return True if the response to an insertion shows the order. That of TP03 shows none."""
        return isinstance(answer, tp.Order) and _fits(self._order_of(answer), order)

    def _remove(self, state: State[Any], on: int, slot: int) -> Answered:
        def accepted(answer: Message) -> None:
            self._mirror(state, lambda: order_checks.removal(self.game.rules, state, self.seat, on, slot))

        return self._promise("remove", (on, slot), "remove_order", tp.GetWithIDSlot(id=on, slots=[slot]), accepted)

    def _mirror(self, state: State[Any], change: Callable[[], order_checks.Change]) -> None:
        """Keep the player's own idea of its plan. It is useless if a turn has closed in between."""
        try:
            order_checks.apply(state, change())
        except Refusal:
            self._state = None

    def _post(self) -> Answered:
        board = 1 + self.chance.randrange(self.game.setting.seats)
        self._written += 1
        subject, body = f"{self.name} {self._written}", f"{self.chance.getrandbits(64):x} äöü"
        message = tp.Message(id=board, slot=APPEND, subject=subject, body=body)
        has_copy = self.dialect not in CLASSIC and board != self.seat + 1
        return self._promise("post", (board, subject, body, has_copy), "post_message", message)

    async def _tidy(self) -> None:
        """Remove the oldest messages, one request each."""
        board = await self.line.one("get_boards", tp.GetWithID(ids=[0]), tp.Board)
        if board.messages > TIDY_ABOVE:
            request = tp.GetWithIDSlot(id=0, slots=[0])
            too_many = range(board.messages - TIDY_TO)
            await asyncio.gather(*[self._promise("tidy", (), "remove_message", request) for _ in too_many])

    def _latest_turn(self) -> int:
        """The latest turn that there may be when an answer has come."""
        return self.turn

    def _promise(
        self,
        kind: str,
        body: tuple[Any, ...],
        frame: str,
        message: Message,
        accepted: Callable[[Message], None] = lambda answer: None,
    ) -> Answered:
        """Ask for something that must not be forgotten once it is acknowledged.

        It is sent at once. The answer to come fails with Gone if the connection ends before.
        """
        promise = Promise(kind, body, self.turn)
        owed = self.game.desks[self.seat]
        answered = self.line.send(frame, message)
        owed.take(promise)

        def put_down(answered: Answered) -> None:
            if answered.cancelled() or answered.exception() is not None:
                return
            (answer,) = answered.result()
            if isinstance(answer, tp.Fail):
                owed.refuse(promise)
                self.tally["refused"] += 1
            else:
                promise.ended = self._latest_turn()
                accepted(answer)

        # Put down when the answer comes, before anything else is read: a kill must find the ledger complete.
        answered.add_done_callback(put_down)
        return answered


def _fits(shown: Order, asked: Order) -> bool:
    return (shown.on, shown.type, dict(shown.args)) == (asked.on, asked.type, dict(asked.args))

"""A followed game: its events, and every loss and renewal of a connection."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from tests.support.memory_client import Frames, MemoryServer, Request, fail, listing, write
from tests.support.server_in_memory import BEGINNING, text
from tests.support.workshop import ALL, PLACE, YARD, Wish
from tpclient.connection import TURN_BEGINS, Connection, Login
from tpclient.errors import (
    ClientError,
    ConnectionClosed,
    GameSuspended,
    NoAnswer,
    OrderUnconfirmed,
    RequestFailed,
    ServerAway,
    TurnPassed,
    UnexpectedAnswer,
)
from tpclient.events import (
    ConnectionBack,
    ConnectionLost,
    Fate,
    GameEnded,
    GameReplaced,
    MessagesCame,
    OrderSettled,
    PendingOrder,
    ThingsChanged,
    TimeTold,
    TurnEnded,
    TurnStarted,
)
from tpclient.following import Game, settle
from tpclient.reconnect import Persistence, growing_pauses
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect
from tpserver.games.core import time_notices

DIALECTS = pytest.mark.parametrize("dialect", [TP03, PB], ids=lambda dialect: dialect.name)
TUNE = {"Level": 1, "Turns": 1}


class Line:
    """The network between a game and a server: it can be cut, and the server be away for some attempts."""

    def __init__(self, server: MemoryServer, dialect: Dialect = TP04, timeout: float = 5.0) -> None:
        self.server = server
        self.dialect = dialect
        self.timeout = timeout
        self.connections: list[Connection] = []
        self.refused_attempts = 0
        self.slept: list[float] = []

    async def dial(self) -> Connection:
        if self.refused_attempts:
            self.refused_attempts -= 1
            raise ServerAway("Cannot connect: nobody listens there.")
        self.connections.append(self.server.link(self.dialect, self.timeout))
        return self.connections[-1]

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)

    def cut(self) -> None:
        """Lose the bytes that are on their way."""
        self.server.hang_up()

    def cut_at(self, kind: str, deed: Callable[[], None] = lambda: None, *, is_heard: bool = False) -> None:
        """Cut when the next request of a kind comes to the server, which hears it first or not at all."""

        def cut(request: Request) -> Frames:
            if is_heard:
                request.answered()
            self.cut()
            deed()
            return []

        self.server.next_time(kind, cut)


def whole_pauses() -> Iterator[float]:
    """The pauses as they are where chance cuts nothing."""
    return growing_pauses(lambda: 1.0)


async def follow(
    line: Line, *, game: str = "", pauses: Callable[[], Iterator[float]] = whole_pauses, **more: Any
) -> Game:
    persistence = Persistence(pauses, line.sleep, more.pop("patience", 5.0))
    followed = Game(Login(line.dial, "ann", "ann's word", game), persistence=persistence, **more)
    await followed.start()
    return followed


def played(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 240))


async def next_event(game: Game) -> Any:
    async for event in game.events():
        return event
    return None


async def events_until(game: Game, kind: type) -> list[Any]:
    found: list[Any] = []
    async for event in game.events():
        found.append(event)
        if isinstance(event, kind):
            break
    return found


# --- looking and playing ----------------------------------------------------------------------------------------------


@DIALECTS
def test_the_game_is_downloaded_and_nothing_is_told_of_it(server: MemoryServer, dialect: Dialect) -> None:
    """Universe, orders and messages are there; the progress rises to its end."""

    async def run() -> None:
        (ann,) = server.begin("ann")
        write(ann, 0, "Hello")
        ann.insert(YARD, Wish.number, text("a hat"))
        told: list[tuple[int, int]] = []
        game = await follow(Line(server, dialect), progress=lambda done, total: told.append((done, total)))
        assert (game.me, game.is_awaited, game.is_connected) == (1, True, True)
        assert [one.parameters[0].string.string for one in game.orders[YARD]] == ["a hat"]
        assert [one.subject for one in game.mail][-1] == "Hello"
        assert told == sorted(told)
        assert told[-1][0] == told[-1][1] >= len(game.universe.objects)
        assert game.pending == []
        assert not game.unread
        await game.close()

    played(run())


@DIALECTS
def test_a_turn_that_begins_is_downloaded_before_it_is_told(server: MemoryServer, dialect: Dialect) -> None:
    """The end of the old turn, the new turn, what changed, the messages; at the turn the copy is new already."""

    async def run() -> None:
        (ann,) = server.begin("ann")
        ann.insert(YARD, Wish.number, text(f"name {PLACE} Renamed"))
        ann.insert(YARD, Wish.number, text("News"))
        game = await follow(Line(server, dialect))
        await game.finish_turn()
        ended, started, changed, came = [await next_event(game) for _ in range(4)]
        assert (type(ended), type(started)) == (TurnEnded, TurnStarted)
        assert (ended.number, started.number, game.turn) == (0, 1, 1)
        assert game.universe.objects[PLACE].name == "Renamed"
        assert isinstance(changed, ThingsChanged)
        assert set(changed.changes.fetched["objects"]) == {ALL, PLACE, YARD}
        assert isinstance(came, MessagesCame)
        assert "News" in [one.subject for one in came.messages]
        await game.close()

    played(run())


def test_time_is_told_and_waiting_for_a_turn_ends_with_it(server: MemoryServer) -> None:
    """A finished player is news of the clock. The next turn comes with the last one."""

    async def run() -> None:
        _, ben = server.begin("ann", "ben")
        game = await follow(Line(server))
        await game.finish_turn()
        told = await next_event(game)
        assert isinstance(told, TimeTold)
        assert list(told.clock.waiting) == [2]
        assert not game.is_awaited
        with pytest.raises(NoAnswer, match=r"No turn after 0 began within 0\.01 seconds"):
            await game.wait_for_turn(timeout=0.01)
        ben.ask("finished_turn")
        server.settle()
        assert await game.wait_for_turn() == 1
        await game.close()

    played(run())


def test_the_first_turn_may_have_the_number_of_the_wait_for_players(server: MemoryServer) -> None:
    """A game that starts announces a turn, though its number stays. A player who is not awaited does not rush."""

    async def run() -> None:
        server.create("first", "workshop", 2)
        game = await follow(Line(server))
        assert not game.is_awaited
        waiting = asyncio.create_task(game.wait_for_turn())
        for _ in range(10):
            await asyncio.sleep(0)
        assert not waiting.done()
        server.player("ben")
        server.settle()
        assert await waiting == 0
        assert game.is_awaited
        await game.close()

    played(run())


def test_a_turn_that_passed_meanwhile_is_not_finished_unseen(server: MemoryServer) -> None:
    """A finish of turn 0 does not count for turn 1, which the player has not seen."""

    async def run() -> None:
        server.begin("ann")
        game = await follow(Line(server))
        server.close_turn()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        with pytest.raises(TurnPassed, match="Turn 0 has ended"):
            await game.finish_turn()
        assert (0, "finished_turn") not in server.asked
        assert await game.wait_for_turn() == 1
        await game.close()

    played(run())


@DIALECTS
@pytest.mark.parametrize("download", ["first", "second"])
def test_news_of_the_turn_that_is_downloaded_do_not_make_it_stale(
    server: MemoryServer, dialect: Dialect, download: str
) -> None:
    """The clock is pushed while a turn is downloaded; that turn can be finished, and the next one comes."""

    async def run() -> None:
        server.begin("ann", "ben")
        server.close_turn()
        first = 1

        def push(request: Request) -> Frames:
            time_notices.tell_time(server.game(), 2, BEGINNING)
            return request.answered()

        if download == "first":
            server.next_time("get_object_ids", push)
        game = await follow(Line(server, dialect))
        if download == "second":
            server.next_time("get_object_ids", push)
            server.close_turn()
            first = await game.wait_for_turn()
        server.asked.clear()
        await game.finish_turn()
        assert (0, "finished_turn") in server.asked
        server.close_turn()
        assert await game.wait_for_turn(timeout=200) > first
        await game.close()

    played(run())


def test_what_changes_something_names_the_turn_that_is_seen(server: MemoryServer) -> None:
    """So the server refuses it if that turn has ended meanwhile."""

    async def run() -> None:
        server.begin("ann", "ben")
        server.close_turn()
        named: dict[str, int | None] = {}

        def note(request: Request) -> None:
            named[request.kind] = request.message.turn if request.message.HasField("turn") else None

        game = await follow(Line(server, PB))
        kinds = ("order_insert", "remove_order", "finished_turn", "unfinish_turn")
        for kind in kinds:
            server.next_time(kind, note)
        await game.order(YARD, "Tune", TUNE)
        await game.remove_order(YARD, 0)
        await game.finish_turn()
        await game.unfinish_turn()
        assert named == dict.fromkeys(kinds, 1)
        await game.close()

    played(run())


@pytest.mark.parametrize("dialect", [TP04, PB], ids=lambda dialect: dialect.name)
def test_a_suspended_game_waits_for_nobody(server: MemoryServer, dialect: Dialect) -> None:
    """The rules fail while a player waits: waiting ends with a sentence, and goes on after the operator resumes."""

    async def run() -> None:
        server.begin("ann", "ben")
        game = await follow(Line(server, dialect))
        await game.finish_turn()
        waiting = asyncio.create_task(game.wait_for_turn())
        await asyncio.sleep(0)
        server.registry.suspensions.broke(server.game(), ValueError("a fault"), "close the turn")
        server.settle()
        with pytest.raises(GameSuspended, match="until its operator resumes it"):
            await waiting
        assert (game.is_suspended, game.is_awaited, game.clock.turn_name[:10]) == (True, False, "suspended:")
        await server.registry.control.resume(server.game())
        server.settle()
        server.close_turn()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert await game.wait_for_turn() == 1
        assert (game.is_suspended, game.is_awaited) == (False, True)
        await game.close()

    played(run())


def test_orders_are_noted_without_asking_again(server: MemoryServer) -> None:
    """Given, probed and removed; a refusal leaves nothing behind."""

    async def run() -> None:
        server.begin("ann")
        game = await follow(Line(server))
        server.asked.clear()
        order = await game.order(YARD, "Tune", TUNE)
        assert (order.slot, game.orders[YARD]) == (0, (order,))
        with pytest.raises(RequestFailed, match="in steps of 2, not 2"):
            await game.order(YARD, "Tune", {"Level": 2, "Turns": 1})
        assert (game.pending, len(game.orders[YARD])) == ([], 1)
        assert {kind for _, kind in server.asked} == {"order_insert"}
        assert (await game.probe(YARD, "Tune", TUNE)).otype == 3
        await game.remove_order(YARD, 0)
        assert game.orders[YARD] == ()
        await game.post(1, "Hello", "you")
        await game.close()

    played(run())


def test_an_object_that_vanishes(server: MemoryServer) -> None:
    """It is refused as gone, and gone from the copy after the next look, with its orders if its queue is listed."""

    async def run() -> None:
        _, ben = server.begin("ann", "ben")
        game = await follow(Line(server))
        await game.order(YARD, "Tune", TUNE)
        server.carry_out(ben, f"hide {YARD}")
        with pytest.raises(RequestFailed) as caught:
            await game.order(YARD, "Tune", TUNE)
        assert caught.value.is_gone
        server.scripts["get_order_queue_ids"] = listing(YARD)
        changes = await game.refresh()
        assert changes.gone["objects"] == (YARD,)
        assert YARD not in game.universe.objects
        assert not game.orders.get(YARD)
        await game.close()

    played(run())


def test_a_game_that_ends_while_we_look(server: MemoryServer) -> None:
    """The end is reported once and ends all waiting. The game can still be viewed."""

    async def run() -> None:
        server.begin("ann")
        game = await follow(Line(server))
        await game.order(YARD, "Wish", {"Words": "end"})
        await game.finish_turn()
        found = await events_until(game, GameEnded)
        assert found[-1] == GameEnded(game.clock.turn_name)
        assert game.clock.turn_name.startswith("Game over")
        assert game.is_over
        assert await game.wait_for_turn() == 1
        await game.refresh()
        assert not any(isinstance(event, GameEnded) for event in game.unread)
        await game.close()

    played(run())


def test_letters_are_found_without_notice(server: MemoryServer) -> None:
    """After a while without news the board is read."""

    async def run() -> None:
        _, ben = server.begin("ann", "ben")
        game = await follow(Line(server), glance=0.01)
        write(ben, 1, "Psst")
        found = await events_until(game, MessagesCame)
        assert [one.subject for one in found[-1].messages] == ["Psst"]
        await game.close()

    played(run())


def test_a_turn_that_is_being_computed_is_waited_for(server: MemoryServer) -> None:
    """A look that is refused for the moment is made again when the turn begins."""

    async def run() -> None:
        server.begin("ann")
        game = await follow(Line(server))
        server.next_time("get_object_ids", fail(3, "The turn is being computed."))
        await game.finish_turn()
        await asyncio.sleep(0)
        first = await next_event(game)
        assert isinstance(first, TurnEnded)
        waiting = asyncio.create_task(game.wait_for_turn())
        for _ in range(20):
            await asyncio.sleep(0)
        assert not waiting.done()
        time_notices.tell_time(server.game(), TURN_BEGINS, server.now())
        assert await waiting == 1
        await game.close()

    played(run())


def test_closing_ends_the_events(server: MemoryServer) -> None:
    """The iteration over events ends. Later requests get a sentence."""

    async def run() -> None:
        server.begin("ann")
        game = await follow(Line(server))
        reading = asyncio.create_task(events_until(game, GameEnded))
        await asyncio.sleep(0)
        await game.close()
        assert await reading == []
        with pytest.raises(ConnectionClosed, match="closed here"):
            await game.refresh()

    played(run())


# --- lost and back ----------------------------------------------------------------------------------------------------


def test_pauses_grow_up_to_a_bound() -> None:
    pauses = whole_pauses()
    assert [next(pauses) for _ in range(9)] == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_clients_do_not_all_come_back_at_once() -> None:
    """Each pause is between its half and its whole, by chance."""
    chances = iter([0.0, 0.999, 0.5])

    def first(pauses: Iterator[float]) -> list[float]:
        return [next(pauses) for _ in range(3)]

    full = first(whole_pauses())
    assert first(growing_pauses(lambda: next(chances))) == [full[0] / 2, full[1] * 0.9995, full[2] * 0.75]
    assert first(growing_pauses()) != first(growing_pauses())


@DIALECTS
def test_the_connection_comes_back_and_asks_only_for_what_changed(server: MemoryServer, dialect: Dialect) -> None:
    """Three attempts fail, the fourth logs in again; of all objects the one that changed is fetched, no description."""

    async def run() -> None:
        (ann,) = server.begin("ann")
        line = Line(server, dialect)
        game = await follow(line)
        universe = game.universe
        ann.insert(YARD, Wish.number, text("a hat"))
        line.refused_attempts = 3
        server.asked.clear()
        line.cut()
        assert not game.is_connected
        found = await events_until(game, ThingsChanged)
        losses, (back, changed) = found[:4], found[4:]
        assert [(one.attempt, one.pause) for one in losses] == [(1, 0.5), (2, 1), (3, 2), (4, 4)]
        assert str(losses[0].error) == "The server closed the connection."
        assert str(losses[1].error) == "Cannot connect: nobody listens there."
        assert line.slept == [0.5, 1, 2, 4]
        assert back == ConnectionBack(4)
        assert game.universe is universe
        assert changed.changes.fetched["objects"] == (YARD,)
        assert len(game.orders[YARD]) == 1
        kinds = [kind for _, kind in server.asked]
        assert kinds.count("get_objects_by_id") == 1
        assert not {"get_object_desc", "get_order_desc", "get_design", "get_resource"} & set(kinds)
        assert game.is_connected
        await game.close()

    played(run())


def test_turns_that_passed_while_away_are_told(server: MemoryServer) -> None:
    """After the return comes the turn that it is now, with what came in between."""

    async def run() -> None:
        (ann,) = server.begin("ann")
        line = Line(server)
        game = await follow(line)
        line.cut()
        for _ in range(4):
            server.carry_out(ann)
        write(ann, 0, "Long ago")
        found = await events_until(game, MessagesCame)
        assert [type(event) for event in found] == [
            ConnectionLost,
            ConnectionBack,
            TurnStarted,
            ThingsChanged,
            MessagesCame,
        ]
        assert (game.turn, found[2].name) == (4, "Round 5")
        await game.close()

    played(run())


def test_what_can_be_asked_twice_is_asked_again(server: MemoryServer) -> None:
    """A probe that was cut off is answered on the next connection; nobody has to read events for that."""

    async def run() -> None:
        server.begin("ann")
        line = Line(server)
        game = await follow(line)
        line.cut_at("order_probe")
        assert (await game.probe(YARD, "Tune", TUNE)).otype == 3
        line.cut_at("finished_turn")
        await game.finish_turn()
        assert await game.wait_for_turn() == 1
        assert len(line.connections) == 3
        await game.close()

    played(run())


def test_what_must_not_be_said_twice_is_left_to_the_caller(server: MemoryServer) -> None:
    """An interrupted message or removal is not repeated. The sentence says so, and the queue is read again."""

    async def run() -> None:
        server.begin("ann")
        line = Line(server)
        game = await follow(line)
        line.cut_at("post_message", is_heard=True)
        with pytest.raises(ConnectionClosed, match="whether the message was posted has to be looked up"):
            await game.post(1, "Hello", "")
        assert [one.subject for one in game.mail].count("Hello") == 1
        await game.order(YARD, "Tune", TUNE)
        line.cut_at("remove_order", is_heard=True)
        with pytest.raises(ConnectionClosed, match="whether the orders were removed has to be looked up"):
            await game.remove_order(YARD, 0)
        assert not game.orders.get(YARD)
        await game.close()

    played(run())


def test_a_queue_in_doubt_that_has_vanished(server: MemoryServer) -> None:
    """The removal of its orders can no longer be checked. The queue is gone, and that is no error."""

    async def run() -> None:
        _, ben = server.begin("ann", "ben")
        line = Line(server)
        game = await follow(line)
        await game.order(YARD, "Tune", TUNE)
        line.cut_at("remove_order", lambda: server.carry_out(ben, f"hide {YARD}"))
        with pytest.raises(ConnectionClosed, match="whether the orders were removed has to be looked up"):
            await game.remove_order(YARD, 0)
        assert YARD not in game.universe.objects
        assert YARD not in game.orders
        await game.close()

    played(run())


@DIALECTS
def test_an_order_that_was_not_answered_is_confirmed_if_it_is_there(server: MemoryServer, dialect: Dialect) -> None:
    """The server took it, the answer was lost: the caller gets the order, it was given once, and an event says so."""

    async def run() -> None:
        (ann,) = server.begin("ann")
        line = Line(server, dialect)
        game = await follow(line)
        line.cut_at("order_insert", is_heard=True)
        giving = asyncio.create_task(game.order(YARD, "Wish", {"Words": "a hat"}))
        await asyncio.sleep(0)
        assert [one.fate for one in game.pending] == [Fate.SENT]
        order = await giving
        assert order.parameters[0].string.string == "a hat"
        assert len(ann.queue(YARD)) == 1
        assert [one.slot for one in game.orders[YARD]] == [0]
        assert game.pending == []
        settled = (await events_until(game, OrderSettled))[-1]
        assert (settled.pending.fate, settled.pending.kind) == (Fate.CONFIRMED, "Wish")
        await game.close()

    played(run())


def test_an_order_that_never_came_is_lost_though_an_equal_one_is_there(server: MemoryServer) -> None:
    """One such order was in the queue before; there is still one, so the second has not come."""

    async def run() -> None:
        server.begin("ann")
        line = Line(server)
        game = await follow(line)
        await game.order(YARD, "Tune", TUNE)
        line.cut_at("order_insert")
        with pytest.raises(OrderUnconfirmed, match="Tune has not reached the server; give it again") as caught:
            await game.order(YARD, "Tune", TUNE)
        assert caught.value.is_lost
        assert len(game.orders[YARD]) == 1
        await game.order(YARD, "Tune", TUNE)
        assert len(game.orders[YARD]) == 2
        await game.close()

    played(run())


def test_two_equal_orders_of_which_one_came() -> None:
    """One was there before, two were sent, two are there: the first that was sent is confirmed, the other lost.

    What the server adds, as the possible selections, makes no difference; another queue does.
    """

    def made(slot: int, *offered: int, queue: int = 9) -> tp.Order:
        chosen = tp.OrderList(
            possible_selections=[tp.PossibleSelection(id=number) for number in offered],
            selection=[tp.Selection(id=5, number=1)],
        )
        return tp.Order(id=queue, slot=slot, otype=2, parameters=[tp.OrderParameter(list=chosen)])

    waiting = [PendingOrder("Move", made(-1), 3), PendingOrder("Move", made(-1), 3), PendingOrder("Move", made(-1), 2)]
    elsewhere = PendingOrder("Move", made(-1, queue=8), 3)
    settle([*waiting, elsewhere], {9: [made(0, 5)]}, {9: [made(0, 5, 6), made(1, 5, 6)]}, 3)
    assert [one.fate for one in waiting] == [Fate.CONFIRMED, Fate.LOST, Fate.UNKNOWN]
    assert elsewhere.fate is Fate.LOST
    assert waiting[0].order.slot == 1


def test_an_order_whose_turn_has_passed_is_unknown(server: MemoryServer) -> None:
    """It may have been carried out or never come; nobody says that it is lost."""

    async def run() -> None:
        server.begin("ann")
        line = Line(server)
        game = await follow(line)
        line.cut_at("order_insert", server.close_turn)
        with pytest.raises(OrderUnconfirmed, match="the turn has passed; nobody can tell") as caught:
            await game.order(YARD, "Tune", TUNE)
        assert not caught.value.is_lost
        assert game.turn == 1
        await game.close()

    played(run())


def test_a_silent_server_is_taken_for_away(server: MemoryServer) -> None:
    """Without a response in time: hang up, reconnect, look for the order."""

    async def run() -> None:
        server.begin("ann")
        line = Line(server, timeout=0.05)
        game = await follow(line)
        server.next_time("order_insert", lambda request: [])
        with pytest.raises(OrderUnconfirmed):
            await game.order(YARD, "Tune", TUNE)
        assert len(line.connections) == 2
        await game.close()

    played(run())


def test_another_game_in_its_place(make_server: Callable[..., MemoryServer]) -> None:
    """The server is replaced: the copy is read again, and an order in flight is lost. The sentence gives the reason."""

    async def run() -> None:
        old, new = make_server(), make_server()
        ann, _ = old.begin("ann", "ben")
        new.begin("ann")
        line = Line(old)
        game = await follow(line)
        before, objects = game.universe, len(game.universe.objects)
        for _ in range(7):
            old.close_turn()
        write(ann, 0, "Of the old game")
        await game.order(YARD, "Tune", TUNE)
        await game.refresh()
        line.cut_at("order_insert", lambda: setattr(line, "server", new))
        with pytest.raises(OrderUnconfirmed, match="went back from turn 7 to turn 0") as caught:
            await game.order(YARD, "Tune", TUNE)
        assert caught.value.is_lost
        found = await events_until(game, OrderSettled)
        assert found[-2:] == [GameReplaced("The game went back from turn 7 to turn 0."), found[-1]]
        assert [type(event) for event in await events_until(game, TurnStarted)] == [ConnectionBack, TurnStarted]
        assert game.universe is not before
        assert 0 < len(game.universe.objects) < objects
        assert "Of the old game" not in [message.subject for message in game.mail]
        assert (game.turn, game.orders) == (0, {})
        await game.close()

    played(run())


@pytest.mark.parametrize(
    ("now", "why"),
    [
        ({"later": 1}, "The game first was created again."),
        ({"ruleset": "auction"}, "The game is now first (auction), not first (workshop)."),
        ({"game": "second"}, "The game first no longer exists."),
    ],
)
def test_the_game_s_name_rules_and_birth_tell_it_from_another(
    make_server: Callable[..., MemoryServer], now: dict[str, Any], why: str
) -> None:
    async def run() -> None:
        old, new = make_server(), make_server(now=BEGINNING + now.pop("later", 0))
        old.begin("ann")
        new.begin("ann", **now)
        line = Line(old)
        game = await follow(line)
        line.cut()
        line.server = new
        found = await events_until(game, TurnStarted)
        assert [type(event) for event in found] == [ConnectionLost, GameReplaced, ConnectionBack, TurnStarted]
        assert found[1].why == why
        await game.close()

    played(run())


def test_another_player_in_our_place(make_server: Callable[..., MemoryServer]) -> None:
    """TP03 cannot ask for the game; another id or name of ours shows it as well."""

    async def run() -> None:
        old, new = make_server(), make_server()
        old.begin("ann")
        new.begin("ben", "ann")
        line = Line(old, TP03)
        game = await follow(line)
        line.cut()
        line.server = new
        found = await events_until(game, GameReplaced)
        assert found[-1].why == "We are now player 2, ann, not player 1, ann."
        await game.close()

    played(run())


def test_a_refused_login_ends_it(make_server: Callable[..., MemoryServer]) -> None:
    """The password is no longer right: the events end with the refusal, and every later call raises it."""

    async def run() -> None:
        old, new = make_server(), make_server(policy="closed")
        old.begin("ann")
        line = Line(old)
        game = await follow(line)
        line.cut()
        line.server = new
        with pytest.raises(RequestFailed, match="Wrong user name or password"):
            await events_until(game, GameEnded)
        with pytest.raises(RequestFailed, match="Wrong user name or password"):
            await game.refresh()
        await game.close()

    played(run())


def test_a_wrong_password_at_the_start(make_server: Callable[..., MemoryServer]) -> None:
    """No attempt is repeated; with `register` the account is made."""

    async def run() -> None:
        server = make_server(policy="register")
        server.create("first", "workshop", 1)
        line = Line(server)
        with pytest.raises(RequestFailed, match="Wrong user name"):
            await follow(line)
        assert (len(line.connections), line.connections[0].is_open) == (1, False)
        game = Game(Login(line.dial, "ann", "ann's word", register=True))
        await game.start()
        assert game.welcome == "Welcome to first, ann; you are player 1"
        await game.close()

    played(run())


def test_an_account_is_not_made_where_a_game_is_to_be_named(make_server: Callable[..., MemoryServer]) -> None:
    """The password is right, so the refusal is the server's about the games, and not that the name is taken."""

    async def run() -> None:
        server = make_server(policy="register")
        line = Line(server)
        for name in ("first", "second"):
            server.create(name, "workshop", 1)
            game = Game(Login(line.dial, f"ann@{name}", "ann's word", register=True))
            await game.start()
            await game.close()
        with pytest.raises(RequestFailed, match=r"There are several games \(first, second\); log in as ann@game"):
            await Game(Login(line.dial, "ann", "ann's word", register=True)).start()

    played(run())


def test_giving_up(server: MemoryServer) -> None:
    """After the last pause everything ends: the last reason is raised in the event loop and in every call."""

    async def run() -> None:
        server.begin("ann")
        line = Line(server)
        game = await follow(line, pauses=lambda: iter([1.0, 2.0]))
        line.refused_attempts = 99
        line.cut()
        with pytest.raises(ServerAway, match="nobody listens"):
            await events_until(game, GameEnded)
        assert line.slept == [1.0, 2.0]
        with pytest.raises(ServerAway, match="nobody listens"):
            await game.time_remaining()
        await game.close()

    played(run())


def test_a_request_does_not_wait_for_ever(server: MemoryServer) -> None:
    """After its patience a request gets a sentence; the attempts go on."""

    async def run() -> None:
        server.begin("ann")
        line = Line(server)

        async def never(seconds: float) -> None:
            await asyncio.Event().wait()

        line.sleep = never
        game = await follow(line, patience=0.01)
        line.cut()
        with pytest.raises(ConnectionClosed, match=r"The server has been away for more than 0\.01 seconds"):
            await game.refresh()
        await game.close()

    played(run())


def test_an_answer_that_makes_no_sense_is_not_asked_for_again(server: MemoryServer) -> None:
    """A wrong kind of frame is an error of the server, not of the connection."""

    async def run() -> None:
        server.begin("ann")
        line = Line(server)
        game = await follow(line)
        server.scripts["get_object_ids"] = lambda request: [("okay", tp.Okay(result="What?"))]
        with pytest.raises(UnexpectedAnswer):
            await game.refresh()
        assert len(line.connections) == 1
        await game.close()

    played(run())


def test_a_connection_that_always_breaks_at_one_question(server: MemoryServer) -> None:
    """After a few repetitions the error is the answer."""

    async def run() -> None:
        server.begin("ann")
        line = Line(server)
        game = await follow(line)

        async def deadly(connection: Connection) -> None:
            line.cut()
            await connection.ping()

        with pytest.raises(ClientError):
            await game.ask(deadly)
        assert len(line.connections) == 3
        await game.close()

    played(run())

"""A game that is followed: its events, and every way in which a connection is lost and comes back."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from tpclient.connection import Connection
from tpclient.errors import (
    ClientError,
    ConnectionClosed,
    NoAnswer,
    OrderUnconfirmed,
    RequestFailed,
    ServerAway,
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
from tpclient.following import Game
from tpclient.login import Login
from tpclient.reconnect import Persistence
from tpclient.resuming import growing_pauses, settle
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect

DIALECTS = pytest.mark.parametrize("dialect", [TP03, TP04, PB], ids=lambda dialect: dialect.name)
ROWS = "0S s . / # m* x"


class Line:
    """The network between a game and a fake server: it can be cut, and the server be away for some attempts."""

    def __init__(self, server: Any, dialect: Dialect = TP04) -> None:
        self.server = server
        self.dialect = dialect
        self.connections: list[Connection] = []
        self.refused_attempts = 0
        self.slept: list[float] = []
        self.timeout = 5.0

    async def dial(self) -> Connection:
        if self.refused_attempts:
            self.refused_attempts -= 1
            raise ServerAway("Cannot connect: nobody listens there.")
        connection: Connection = self.server.link(self.dialect, self.timeout)
        self.connections.append(connection)
        return connection

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)

    def cut(self) -> None:
        """What is on its way does not arrive."""
        self.server.wires[-1].is_open = False
        self.connections[-1].ended(None)

    def cut_at(self, kind: str, deed: Callable[[], None] = lambda: None, *, is_heard: bool = False) -> None:
        """Cut when the next request of a kind comes to the server, which hears it first or not at all."""
        answer = self.server.answer

        def answer_or_cut(wire: Any, asked: str, message: Any) -> Any:
            if asked != kind:
                return answer(wire, asked, message)
            self.server.answer = answer
            said = answer(wire, asked, message) if is_heard else []
            self.cut()
            deed()
            return said

        self.server.answer = answer_or_cut


async def follow(
    line: Line, *, game: str = "", pauses: Callable[[], Iterator[float]] = growing_pauses, **more: Any
) -> Game:
    persistence = Persistence(pauses, line.sleep, more.pop("patience", 5.0))
    followed = Game(Login(line.dial, "player0", "secret", game), persistence=persistence, **more)
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
def test_the_game_is_downloaded_and_nothing_is_told_of_it(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """Universe, orders and messages are there; the progress rises to its end."""

    async def run() -> None:
        server = fake_server(tae_game(ROWS, "mr"))
        server.game.write(1, "Hello", "")
        ship, target = server.game.hands[0][0], server.game.systems[2, 1]
        before = await server.connect("player0")
        await before.refresh(before.universe())
        await before.insert_order(ship, "Colonize", {"Star System": target})
        told: list[tuple[int, int]] = []
        game = await follow(Line(server, dialect), progress=lambda done, total: told.append((done, total)))
        assert (game.me, game.is_awaited, game.is_connected) == (1, True, True)
        assert [one.parameters[0].object.object_id for one in game.orders[ship]] == [target]
        assert [one.subject for one in game.mail] == ["Hello"]
        assert told == sorted(told)
        assert told[-1][0] == told[-1][1] >= len(game.universe.objects)
        assert game.pending == []
        assert not game._events
        await game.close()

    played(run())


@DIALECTS
def test_a_turn_that_begins_is_downloaded_before_it_is_told(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """The end of the old turn, the new turn, what changed, the messages; at the turn the copy is new already."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        system = fake.systems[2, 1]

        def closed() -> None:
            fake.turn += 1
            root = fake.tables["objects"][0]
            root.parameters[2].integer.value = fake.turn
            fake.put("objects", root)
            fake.tables["objects"][system].name = "Renamed"
            fake.put("objects", fake.tables["objects"][system])
            fake.write(1, "News", "")

        fake.closed = closed
        game = await follow(Line(fake_server(fake), dialect))
        await game.finish_turn()
        ended, started, changed, came = [await next_event(game) for _ in range(4)]
        assert (type(ended), type(started)) == (TurnEnded, TurnStarted)
        assert (ended.number, started.number, game.turn) == (1, 2, 2)
        assert game.universe.objects[system].name == "Renamed"
        assert isinstance(changed, ThingsChanged)
        assert set(changed.changes.fetched["objects"]) == {0, system}
        assert isinstance(came, MessagesCame)
        assert [one.subject for one in came.messages] == ["News"]
        await game.close()

    played(run())


def test_time_is_told_and_waiting_for_a_turn_ends_with_it(fake_server: Any, fake_game: Any) -> None:
    """Somebody who finishes is news of the clock; the next turn comes with the last."""

    async def run() -> None:
        server = fake_server(fake_game("player0", "player1"))
        game = await follow(Line(server))
        other = await server.connect("player1")
        await game.finish_turn()
        told = await next_event(game)
        assert isinstance(told, TimeTold)
        assert list(told.clock.waiting) == [2]
        assert not game.is_awaited
        with pytest.raises(NoAnswer, match=r"No turn after 1 began within 0\.01 seconds"):
            await game.wait_for_turn(timeout=0.01)
        await other.finish_turn()
        assert await game.wait_for_turn() == 2
        await game.close()

    played(run())


def test_the_first_turn_may_have_the_number_of_the_wait_for_players(fake_server: Any, fake_game: Any) -> None:
    """A game that starts tells of a turn, though its number stays; one that is not awaited waits without a rush."""

    async def run() -> None:
        server = fake_server(fake_game("player0"))
        server.game.seats.clear()
        game = await follow(Line(server))
        assert not game.is_awaited
        waiting = asyncio.create_task(game.wait_for_turn())
        for _ in range(10):
            await asyncio.sleep(0)
        assert not waiting.done()
        server.game.seats.append(1)
        server.push(1)
        assert await waiting == 1
        assert game.is_awaited
        await game.close()

    played(run())


def test_a_turn_that_passed_meanwhile_is_not_finished_unseen(fake_server: Any, fake_game: Any) -> None:
    """Who is done with turn 1 is not done with turn 2, which he has not seen."""

    async def run() -> None:
        server = fake_server(fake_game("player0"))
        game = await follow(Line(server))
        server.game.turn = 2
        server.push(1)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await game.finish_turn()
        assert (1, "finished_turn") not in server.asked
        assert await game.wait_for_turn() == 2
        await game.close()

    played(run())


def test_orders_are_noted_without_asking_again(fake_server: Any, tae_game: Any) -> None:
    """Given, probed and removed; a refusal leaves nothing behind."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        fake.actions = 1
        game = await follow(Line(fake_server(fake)))
        ship, target = fake.hands[0][0], fake.systems[2, 1]
        order = await game.order(ship, "Colonize", {"Star System": target})
        assert (order.slot, game.orders[ship]) == (0, (order,))
        with pytest.raises(RequestFailed, match="all orders of this turn"):
            await game.order(ship, "Colonize", {"Star System": target})
        assert (game.pending, len(game.orders[ship])) == ([], 1)
        fake.actions = 9
        assert (await game.probe(ship, "Colonize", {"Star System": target})).otype == 1
        await game.remove_order(ship, 0)
        assert game.orders[ship] == ()
        await game.post(2 if 2 in game.universe.boards else 1, "Hello", "you")
        await game.close()

    played(run())


def test_an_object_that_vanishes(fake_server: Any, tae_game: Any) -> None:
    """It is refused as gone, and gone from the copy after the next look, with its orders."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        game = await follow(Line(fake_server(fake)))
        ship, target = fake.hands[0][0], fake.systems[2, 1]
        await game.order(ship, "Colonize", {"Star System": target})
        fake.drop("objects", ship)
        fake.drop("queues", ship)
        with pytest.raises(RequestFailed) as caught:
            await game.order(ship, "Colonize", {"Star System": target})
        assert caught.value.is_gone
        changes = await game.refresh()
        assert changes.gone["objects"] == (ship,)
        assert ship not in game.universe.objects
        assert ship not in game.orders
        await game.close()

    played(run())


def test_a_game_that_ends_while_we_look(fake_server: Any, fake_game: Any) -> None:
    """The end is told once, waiting ends with it, and looking goes on."""

    async def run() -> None:
        server = fake_server(fake_game("player0"))

        def closed() -> None:
            server.game.turn += 1
            server.game.over, server.game.turn_name = True, "Game over: player0 has won"

        server.game.closed = closed
        game = await follow(Line(server))
        await game.finish_turn()
        found = await events_until(game, GameEnded)
        assert found[-1] == GameEnded("Game over: player0 has won")
        assert game.is_over
        assert await game.wait_for_turn() == 2
        await game.refresh()
        assert not any(isinstance(event, GameEnded) for event in game._events)
        with pytest.raises(RequestFailed, match="The game is over"):
            await game.finish_turn()
        await game.close()

    played(run())


def test_letters_are_found_without_notice(fake_server: Any, fake_game: Any) -> None:
    """After a while without news the board is read."""

    async def run() -> None:
        server = fake_server(fake_game("player0", "player1"))
        game = await follow(Line(server), glance=0.01)
        server.game.write(1, "Psst", "", 2)
        found = await events_until(game, MessagesCame)
        assert [one.subject for one in found[-1].messages] == ["Psst"]
        await game.close()

    played(run())


def test_a_turn_that_is_being_computed_is_waited_for(fake_server: Any, fake_game: Any) -> None:
    """A look that is refused for the moment is made again when the turn begins."""

    async def run() -> None:
        server = fake_server(fake_game("player0"))
        game = await follow(Line(server))
        answer = server.answer

        def busy(wire: Any, kind: str, message: Any) -> Any:
            if kind == "get_object_ids":
                server.answer = answer
                return [("fail", tp.Fail(code=3, result="The turn is being computed."))]
            return answer(wire, kind, message)

        server.answer = busy
        await game.finish_turn()
        await asyncio.sleep(0)
        first = await next_event(game)
        assert isinstance(first, TurnEnded)
        waiting = asyncio.create_task(game.wait_for_turn())
        for _ in range(20):
            await asyncio.sleep(0)
        assert not waiting.done()
        server.push(1)
        assert await waiting == 2
        await game.close()

    played(run())


def test_closing_ends_the_events(fake_server: Any, fake_game: Any) -> None:
    """Whoever reads the events is done; whoever asks gets a sentence."""

    async def run() -> None:
        game = await follow(Line(fake_server(fake_game("player0"))))
        reading = asyncio.create_task(events_until(game, GameEnded))
        await asyncio.sleep(0)
        await game.close()
        assert await reading == []
        with pytest.raises(ConnectionClosed, match="closed here"):
            await game.refresh()

    played(run())


# --- lost and back ----------------------------------------------------------------------------------------------------


def test_pauses_grow_up_to_a_bound() -> None:
    pauses = growing_pauses()
    assert [next(pauses) for _ in range(9)] == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


@DIALECTS
def test_the_connection_comes_back_and_asks_only_for_what_changed(
    fake_server: Any, tae_game: Any, dialect: Dialect
) -> None:
    """Three attempts fail, the fourth logs in again; of all objects the one that changed is fetched, no description."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        server = fake_server(fake)
        line = Line(server, dialect)
        game = await follow(line)
        universe = game.universe
        system = fake.systems[2, 1]
        fake.tables["objects"][system].name = "Renamed"
        fake.put("objects", fake.tables["objects"][system])
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
        assert changed.changes.fetched["objects"] == (system,)
        assert game.universe.objects[system].name == "Renamed"
        kinds = [kind for _, kind in server.asked]
        assert kinds.count("get_objects_by_id") == 1
        assert not {"get_object_desc", "get_order_desc", "get_design", "get_resource"} & set(kinds)
        assert game.is_connected
        await game.close()

    played(run())


def test_turns_that_passed_while_away_are_told(fake_server: Any, fake_game: Any) -> None:
    """After the return comes the turn that it is now, with what came in between."""

    async def run() -> None:
        server = fake_server(fake_game("player0"))
        line = Line(server)
        game = await follow(line)
        line.cut()
        server.game.turn, server.game.turn_name = 5, "Turn 5"
        server.game.write(1, "Long ago", "")
        found = await events_until(game, MessagesCame)
        assert [type(event) for event in found] == [
            ConnectionLost,
            ConnectionBack,
            TurnStarted,
            ThingsChanged,
            MessagesCame,
        ]
        assert (game.turn, found[2].name) == (5, "Turn 5")
        await game.close()

    played(run())


def test_what_can_be_asked_twice_is_asked_again(fake_server: Any, tae_game: Any) -> None:
    """A probe that was cut off is answered on the next connection; nobody has to read events for that."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        line = Line(fake_server(fake))
        game = await follow(line)
        line.cut_at("order_probe")
        assert (await game.probe(fake.hands[0][0], "Colonize", {"Star System": fake.systems[2, 1]})).otype == 1
        line.cut_at("finished_turn")
        await game.finish_turn()
        assert await game.wait_for_turn() == 2
        assert len(line.connections) == 3
        await game.close()

    played(run())


def test_what_must_not_be_said_twice_is_left_to_the_caller(fake_server: Any, tae_game: Any) -> None:
    """A letter and a removal that were cut off are not repeated; the sentence says so, and the queue is read anew."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        line = Line(fake_server(fake))
        game = await follow(line)
        ship, target = fake.hands[0][0], fake.systems[2, 1]
        line.cut_at("post_message", is_heard=True)
        with pytest.raises(ConnectionClosed, match="whether the message was posted has to be looked up"):
            await game.post(1, "Hello", "")
        assert [one.subject for one in game.mail] == ["Hello"]
        await game.order(ship, "Colonize", {"Star System": target})
        line.cut_at("remove_order", is_heard=True)
        with pytest.raises(ConnectionClosed, match="whether the orders were removed has to be looked up"):
            await game.remove_order(ship, 0)
        assert not game.orders.get(ship)
        await game.close()

    played(run())


@DIALECTS
def test_an_order_that_was_not_answered_is_confirmed_if_it_is_there(
    fake_server: Any, tae_game: Any, dialect: Dialect
) -> None:
    """The server took it, the answer was lost: the caller gets the order, it was given once, and an event says so."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        line = Line(fake_server(fake), dialect)
        game = await follow(line)
        ship, target = fake.hands[0][0], fake.systems[2, 1]
        line.cut_at("order_insert", lambda: fake.put("objects", fake.tables["objects"][ship]), is_heard=True)
        giving = asyncio.create_task(game.order(ship, "Colonize", {"Star System": target}))
        await asyncio.sleep(0)
        assert [one.fate for one in game.pending] == [Fate.SENT]
        order = await giving
        assert order.parameters[0].object.object_id == target
        assert len(fake.given) == 1
        assert [one.slot for one in game.orders[ship]] == [0]
        assert game.pending == []
        settled = (await events_until(game, OrderSettled))[-1]
        assert (settled.pending.fate, settled.pending.kind) == (Fate.CONFIRMED, "Colonize")
        await game.close()

    played(run())


def test_an_order_that_never_came_is_lost_though_an_equal_one_is_there(fake_server: Any, tae_game: Any) -> None:
    """One such order was in the queue before; there is still one, so the second has not come."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        line = Line(fake_server(fake))
        game = await follow(line)
        ship, target = fake.hands[0][0], fake.systems[2, 1]
        await game.order(ship, "Colonize", {"Star System": target})
        line.cut_at("order_insert")
        with pytest.raises(OrderUnconfirmed, match="Colonize has not reached the server; give it again") as caught:
            await game.order(ship, "Colonize", {"Star System": target})
        assert caught.value.is_lost
        assert len(game.orders[ship]) == 1
        await game.order(ship, "Colonize", {"Star System": target})
        assert len(game.orders[ship]) == 2
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


def test_an_order_whose_turn_has_passed_is_unknown(fake_server: Any, tae_game: Any) -> None:
    """It may have been carried out or never come; nobody says that it is lost."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        line = Line(fake_server(fake))
        game = await follow(line)

        def pass_turn() -> None:
            fake.turn += 1

        line.cut_at("order_insert", pass_turn)
        with pytest.raises(OrderUnconfirmed, match="the turn has passed; nobody can tell") as caught:
            await game.order(fake.hands[0][0], "Colonize", {"Star System": fake.systems[2, 1]})
        assert not caught.value.is_lost
        assert game.turn == 2
        await game.close()

    played(run())


def test_a_silent_server_is_taken_for_away(fake_server: Any, tae_game: Any) -> None:
    """No answer in time: hang up, come back, look for the order."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        line = Line(fake_server(fake))
        line.timeout = 0.05
        game = await follow(line)
        ship = fake.hands[0][0]
        line.server.wires[-1].is_open = False
        with pytest.raises(OrderUnconfirmed):
            await game.order(ship, "Colonize", {"Star System": fake.systems[2, 1]})
        assert len(line.connections) == 2
        await game.close()

    played(run())


def replace(server: Any, game: Any) -> None:
    server.game = game
    game.tell = server.push


def test_another_game_in_its_place(fake_server: Any, tae_game: Any) -> None:
    """The server is replaced: the copy is dropped and read anew, an order in flight is lost; the sentence says why."""

    async def run() -> None:
        old = tae_game(ROWS, "mr")
        server = fake_server(old)
        line = Line(server)
        game = await follow(line)
        before, objects = game.universe, len(game.universe.objects)
        old.turn = 7
        old.write(1, "Of the old game", "")
        await game.order(old.hands[0][0], "Colonize", {"Star System": old.systems[2, 1]})
        await game.refresh()
        line.cut_at("order_insert", lambda: replace(server, tae_game(". x", "s")))
        with pytest.raises(OrderUnconfirmed, match="went back from turn 7 to turn 1") as caught:
            await game.order(old.hands[0][0], "Colonize", {"Star System": old.systems[2, 1]})
        assert caught.value.is_lost
        found = await events_until(game, OrderSettled)
        assert found[-2:] == [GameReplaced("The game went back from turn 7 to turn 1."), found[-1]]
        assert [type(event) for event in await events_until(game, TurnStarted)] == [ConnectionBack, TurnStarted]
        assert game.universe is not before
        assert 0 < len(game.universe.objects) < objects
        assert (game.turn, game.mail, game.orders) == (1, [], {})
        await game.close()

    played(run())


@pytest.mark.parametrize(
    ("now", "why"),
    [
        (tp.Game(name="one", rule="tae", created=8), "The game one was made anew."),
        (tp.Game(name="one", rule="ants", created=7), "The game is now one (ants), not one (tae)."),
        (tp.Game(name="two", rule="tae", created=7), "The game one is not there any more."),
    ],
)
def test_the_game_s_name_rules_and_birth_tell_it_from_another(
    fake_server: Any, fake_game: Any, now: tp.Game, why: str
) -> None:
    async def run() -> None:
        server = fake_server(fake_game("player0"))
        answer = server.answer
        games = [tp.Game(name="one", rule="tae", created=7)]

        def with_games(wire: Any, kind: str, message: Any) -> Any:
            if kind == "get_games":
                return [("game", one) for one in games]
            return answer(wire, kind, message)

        server.answer = with_games
        line = Line(server)
        game = await follow(line)
        line.cut()
        games[:] = [now]
        found = await events_until(game, TurnStarted)
        assert [type(event) for event in found] == [ConnectionLost, GameReplaced, ConnectionBack, TurnStarted]
        assert found[1].why == why
        await game.close()

    played(run())


def test_another_player_in_our_place(fake_server: Any, fake_game: Any) -> None:
    """TP03 cannot ask for the game; another id or name of ours shows it as well."""

    async def run() -> None:
        server = fake_server(fake_game("player0"))
        line = Line(server, TP03)
        game = await follow(line)
        line.cut()
        replace(server, fake_game("ann", "player0"))
        found = await events_until(game, GameReplaced)
        assert found[-1].why == "We are now player 2, player0, not player 1, player0."
        await game.close()

    played(run())


def test_a_refused_login_ends_it(fake_server: Any, fake_game: Any) -> None:
    """The password is not right any more: the events end with the refusal, and every later call raises it."""

    async def run() -> None:
        server = fake_server(fake_game("player0"))
        line = Line(server)
        game = await follow(line)
        server.accounts = set()
        line.cut()
        with pytest.raises(RequestFailed, match="Wrong user name or password"):
            await events_until(game, GameEnded)
        with pytest.raises(RequestFailed, match="Wrong user name or password"):
            await game.refresh()
        await game.close()

    played(run())


def test_a_wrong_password_at_the_start(fake_server: Any, fake_game: Any) -> None:
    """No attempt is repeated; with `register` the account is made."""

    async def run() -> None:
        server = fake_server(fake_game("player0"))
        server.accounts = set()
        line = Line(server)
        with pytest.raises(RequestFailed, match="Wrong user name"):
            await follow(line)
        assert not line.connections[0].is_open
        game = Game(Login(line.dial, "player0", "secret", register=True))
        await game.start()
        assert game.welcome == "Welcome, player0"
        await game.close()

    played(run())


def test_giving_up(fake_server: Any, fake_game: Any) -> None:
    """When the pauses end, so does all: the last reason is raised, to the reader of events and to every caller."""

    async def run() -> None:
        line = Line(fake_server(fake_game("player0")))
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


def test_a_request_does_not_wait_for_ever(fake_server: Any, fake_game: Any) -> None:
    """After its patience a request gets a sentence; the attempts go on."""

    async def run() -> None:
        line = Line(fake_server(fake_game("player0")))
        game = await follow(line, patience=0.01)

        async def never(seconds: float) -> None:
            await asyncio.Event().wait()

        line.cut()
        game._reconnector._persistence = Persistence(growing_pauses, never, 0.01)
        with pytest.raises(ConnectionClosed, match=r"The server has been away for more than 0\.01 seconds"):
            await game.refresh()
        await game.close()

    played(run())


def test_an_answer_that_makes_no_sense_is_not_asked_for_again(fake_server: Any, fake_game: Any) -> None:
    """A wrong kind of frame is an error of the server, not of the connection."""

    async def run() -> None:
        server = fake_server(fake_game("player0"))
        line = Line(server)
        game = await follow(line)
        server.answer = lambda wire, kind, message: [("okay", tp.Okay(result="What?"))]
        with pytest.raises(UnexpectedAnswer):
            await game.refresh()
        assert len(line.connections) == 1
        await game.close()

    played(run())


def test_a_connection_that_always_breaks_at_one_question(fake_server: Any, fake_game: Any) -> None:
    """After a few repetitions the error is the answer."""

    async def run() -> None:
        server = fake_server(fake_game("player0"))
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

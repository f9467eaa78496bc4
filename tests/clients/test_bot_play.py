"""The life of a bot: when it acts, when it waits, how it ends, and that it never hangs or acts in the wrong turn."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tpclient.bots.play import Ending, Policy, Turn, TurnPassed, play
from tpclient.bots.random import MOST_QUESTIONS, RandomPolicy
from tpclient.bots.tae import TaePolicy
from tpclient.errors import BadArgument, ConnectionClosed, RequestFailed
from tpclient.parameters import Kind
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04

LIMIT = 240.0
"""Seconds after which a test gives up; everything takes a few milliseconds."""

BOARD = ". . . . . . / . s . . s . / . . . # . . / # . s . . . / . . . . # ."


class Recorder:
    """A policy that gives one order in each turn and remembers the turns."""

    def __init__(self, then: Callable[[Turn], None] = lambda turn: None) -> None:
        self.turns: list[int] = []
        self.heard: list[list[str]] = []
        self.then = then

    async def give_orders(self, turn: Turn) -> None:
        self.turns.append(turn.number)
        self.heard.append([message.subject for message in turn.news])
        ship = turn.universe.own()[0]
        await turn.order(ship.queue, turn.universe.offers(ship)[0].name)
        self.then(turn)


def end_after(game: Any, turns: int, tell: str = "name") -> None:
    """Let the game be over after so many turns, told by the turn's name or by a message."""
    started = game.turn

    def closed() -> None:
        game.turn += 1
        if game.turn == started + turns:
            game.over = True
            game.turn_name = "Game over: player0 wins" if tell == "name" else ""
            for player in game.mail:
                game.write(player, "GAME OVER!" if tell == "message" else "Bye", "player0 wins")

    game.closed = closed


async def played(server: Any, policy: Policy, user: str = "player0") -> Ending:
    return await asyncio.wait_for(play(await server.connect(user), policy, "seed"), LIMIT)


async def settled() -> None:
    """Let everything that is on its way in memory arrive."""
    for _ in range(50):
        await asyncio.sleep(0)


@pytest.mark.parametrize("tell", ["name", "message"])
def test_it_takes_every_turn_until_the_game_is_over(fake_server: Any, tae_game: Any, tell: str) -> None:
    """One visit a turn; the end is known from the turn's name or from the message."""
    game = tae_game(BOARD, "mm")
    end_after(game, 3, tell)
    policy = Recorder()
    ending = asyncio.run(played(fake_server(game), policy))
    assert policy.turns == [1, 2, 3]
    assert (ending.turns, ending.accepted, ending.last_turn) == (3, 2, 4)


def test_a_player_cannot_end_the_game_by_saying_so(fake_server: Any, tae_game: Any) -> None:
    """A message "GAME OVER!", a turn named after a player called Game over: talk, while somebody is awaited."""
    game = tae_game(BOARD, "mm")
    game.write(1, "GAME OVER!", "haha")
    game.turn_name = "Game over is first"
    end_after(game, 2, "message")
    assert asyncio.run(played(fake_server(game), Recorder())).turns == 2


def test_a_letter_between_turns_does_not_end_the_game(fake_server: Any, tae_game: Any) -> None:
    """Not even while nobody is awaited."""

    async def run() -> None:
        game = tae_game(BOARD, "mm")
        game.seats = []
        game.write(1, "GAME OVER!", "haha", writer=2)
        bot = asyncio.create_task(played(fake_server(game), Recorder()))
        await settled()
        assert not bot.done()
        game.write(1, "GAME OVER!", "player0 wins")
        game.turn += 1
        game.tell(1)
        assert (await bot).turns == 0

    asyncio.run(run())


def test_the_end_may_be_told_by_a_refusal_only(fake_server: Any, tae_game: Any, refused: Any) -> None:
    """FinishedTurn answered with Fail UnavailablePermanently."""
    game = tae_game(BOARD, "mm")

    def finish(player: int) -> None:
        raise refused(2, "The game is over.")

    game.finish = finish
    assert asyncio.run(played(fake_server(game), Recorder())).turns == 1


def test_other_refusals_to_finish_are_errors(fake_server: Any, tae_game: Any, refused: Any) -> None:
    game = tae_game(BOARD, "mm")

    def finish(player: int) -> None:
        raise refused(5, "Not you.")

    game.finish = finish
    with pytest.raises(RequestFailed, match="Not you"):
        asyncio.run(played(fake_server(game), Recorder()))


def test_a_turn_that_is_being_computed_is_waited_for(fake_server: Any, tae_game: Any, refused: Any) -> None:
    """FinishedTurn comes too late (Fail UnavailableTemporarily): the next turn is played as ever."""
    game = tae_game(BOARD, "mm")
    end_after(game, 3)
    finish = game.finish
    late = iter([True])

    def once_late(player: int) -> None:
        if next(late, False):
            game.closed()
            asyncio.get_running_loop().call_soon(game.tell, 1)
            raise refused(3, "The turn is being computed.")
        finish(player)

    game.finish = once_late
    policy = Recorder()
    asyncio.run(played(fake_server(game), policy))
    assert policy.turns == [1, 2, 3]


def test_it_waits_for_the_players_of_a_game(fake_server: Any, fake_game: Any, tae_game: Any) -> None:
    """Before the start there is only the root object and nobody is awaited: no order, no FinishedTurn, no asking."""

    async def run() -> None:
        game = fake_game("player0")
        game.put("object_descs", tp.ObjectDesc(id=0, name="Universe"))
        game.put("objects", tp.Object(id=0, otype=0, name="The Universe"))
        game.turn, game.seats, game.turn_name = 0, [], "Waiting for players (1 of 2)"
        server = fake_server(game)
        policy = Recorder()
        bot = asyncio.create_task(played(server, policy))
        await settled()
        asked = len(server.asked)
        game.tell(2)
        await settled()
        assert policy.turns == []
        assert len(server.asked) == asked
        real = tae_game(BOARD, "mm")
        for table in ("object_descs", "order_descs", "designs", "objects", "queues"):
            for thing in real.tables[table].values():
                game.put(table, thing)
        game.seats, game.turn_name = [1], ""
        end_after(game, 1)
        game.tell(1)
        await bot
        assert policy.turns == [0]

    asyncio.run(run())


def test_a_game_of_nothing_but_a_root_has_not_begun(fake_server: Any, fake_game: Any) -> None:
    """Even if we are awaited: without objects there is nothing to finish."""

    async def run() -> None:
        game = fake_game("player0")
        game.put("object_descs", tp.ObjectDesc(id=0, name="Universe"))
        game.put("objects", tp.Object(id=0, otype=0, name="The Universe"))
        server = fake_server(game)
        policy = Recorder()
        bot = asyncio.create_task(played(server, policy))
        await settled()
        assert (policy.turns, game.finished) == ([], set())
        assert not bot.done()
        bot.cancel()

    asyncio.run(run())


def test_a_turn_is_finished_once(fake_server: Any, tae_game: Any) -> None:
    """A server may go on listing us among the awaited, as the old one did: we have finished this turn all the same."""

    async def run() -> None:
        game = tae_game(BOARD, "mm", "ss")
        server = fake_server(game)
        plain = game.clock

        def clock(reason: int) -> tp.TimeRemaining:
            told = plain(reason)
            told.waiting[:] = [1, 2]
            return told

        game.clock = clock
        policy = Recorder()
        bot = asyncio.create_task(played(server, policy))
        await settled()
        game.tell(2)
        await settled()
        assert policy.turns == [1]
        bot.cancel()

    asyncio.run(run())


def test_it_acts_only_when_awaited(fake_server: Any, tae_game: Any) -> None:
    """While others move it looks at the clock and its board, nothing more; then it moves once."""

    async def run() -> None:
        game = tae_game(BOARD, "mm", "ss")
        game.seats = [2]
        server = fake_server(game)
        policy = Recorder()
        bot = asyncio.create_task(played(server, policy))
        other = await server.connect("player1")
        await settled()
        assert policy.turns == []
        turns = game.closed

        def closed() -> None:
            turns()
            game.seats = [1, 2]

        game.closed = closed
        await other.finish_turn()
        await settled()
        assert policy.turns == [2]
        game.over, game.turn_name = True, "Game over"
        game.tell(1)
        await bot

    asyncio.run(run())


def test_a_turn_that_begins_while_it_thinks_is_noticed(fake_server: Any, tae_game: Any) -> None:
    """The order given to the wrong turn raises TurnPassed in the policy; the new turn is not finished by mistake."""

    async def run() -> None:
        game = tae_game(BOARD, "mm")
        end_after(game, 4)
        server = fake_server(game)
        finished: list[int] = []
        finish = game.finish

        def note(player: int) -> None:
            finished.append(game.turn)
            finish(player)

        def push(player: int, order: tp.Order) -> tp.Order:
            if game.turn == 2:
                game.closed()
                game.tell(1)  # the turn is over before the answer leaves
            return order

        game.finish, game.accept = note, push
        passed: list[int] = []

        class Policy(Recorder):
            async def give_orders(self, turn: Turn) -> None:
                try:
                    await super().give_orders(turn)
                except TurnPassed:
                    passed.append(turn.number)
                    raise

        policy = Policy()
        await played(server, policy)
        assert policy.turns == [1, 2, 3, 4]
        assert passed == [2]
        assert finished == [1, 3, 4]

    asyncio.run(run())


def test_a_bot_that_comes_back_in_the_same_turn_goes_on(fake_server: Any, tae_game: Any) -> None:
    """A new connection after a crash: its player has finished already, so nothing is ordered twice."""

    async def run() -> None:
        game = tae_game(BOARD, "mm", "ss")
        server = fake_server(game)
        first = asyncio.create_task(played(server, Recorder()))
        await settled()
        first.cancel()
        policy = Recorder()
        second = asyncio.create_task(played(server, policy))
        await settled()
        assert policy.turns == []
        assert not second.done()
        second.cancel()

    asyncio.run(run())


def test_messages_are_told_once(fake_server: Any, tae_game: Any) -> None:
    """`news` are those since the turn before, also those of turns in between."""
    game = tae_game(BOARD, "mm")
    game.write(1, "Welcome", "")
    end_after(game, 3)
    closed = game.closed

    def writing() -> None:
        closed()
        game.write(1, f"Turn {game.turn}", "")

    game.closed = writing
    policy = Recorder()
    asyncio.run(played(fake_server(game), policy))
    assert policy.heard == [["Welcome"], ["Turn 2"], ["Turn 3"]]


def test_messages_that_somebody_removes_hide_no_news(fake_server: Any, tae_game: Any) -> None:
    """Another client of the same player empties the board; what comes after that is news all the same."""
    game = tae_game(BOARD, "mm")
    for number in range(3):
        game.write(1, f"Welcome {number}", "")
    end_after(game, 3)
    closed = game.closed

    def writing() -> None:
        closed()
        game.remove_letters(1, *[0] * len(game.mail[1]))
        game.write(1, f"Turn {game.turn}", "")

    game.closed = writing
    policy = Recorder()
    asyncio.run(played(fake_server(game), policy))
    assert policy.heard == [["Welcome 0", "Welcome 1", "Welcome 2"], ["Turn 2"], ["Turn 3"]]


def test_the_server_hangs_up(fake_server: Any, tae_game: Any) -> None:
    """The bot ends with ConnectionClosed, whatever it was doing."""

    async def run() -> None:
        server = fake_server(tae_game(BOARD, "mm", "ss"))
        connection = await server.connect("player0")
        bot = asyncio.create_task(play(connection, Recorder(), "seed"))
        await settled()
        connection.ended(None)
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(bot, LIMIT)

    asyncio.run(run())


def test_tp03_has_no_turn_numbers(fake_server: Any, tae_game: Any) -> None:
    async def run() -> None:
        connection = await fake_server(tae_game(BOARD, "mm")).connect("player0", TP03)
        with pytest.raises(BadArgument, match="Bots need TP04 or Protocol Buffers"):
            await play(connection, Recorder(), "seed")

    asyncio.run(run())


def game_of_three(fake_server: Any, tae_game: Any, delays: tuple[int, int, int], seed: str, dialect: Any = TP04) -> Any:
    """What three bots order in four turns, by player, when answers and pushes take that many rounds of the loop."""

    async def run() -> Any:
        game = tae_game(BOARD, "mmsspr", "mssppr", "msprrr")
        game.actions = 1000
        end_after(game, 4)
        server = fake_server(game)
        tasks = []
        for seat, (policy, delay) in enumerate(zip((TaePolicy(), RandomPolicy(), TaePolicy()), delays, strict=True)):
            connection = await server.connect(f"player{seat}", dialect)
            server.wires[-1].delay = delay
            tasks.append(asyncio.wait_for(play(connection, policy, seed), LIMIT))
        await asyncio.gather(*tasks)
        return {player: [given for given in game.given if given[0] == player] for player in (1, 2, 3)}

    return asyncio.run(run())


def test_the_same_seed_plays_the_same_game(fake_server: Any, tae_game: Any) -> None:
    """Whoever is faster, and in another dialect: the same orders in the same sequence; another seed, other orders."""
    first = game_of_three(fake_server, tae_game, (0, 0, 0), "one")
    assert all(first.values())
    assert game_of_three(fake_server, tae_game, (0, 3, 7), "one") == first
    assert game_of_three(fake_server, tae_game, (9, 1, 0), "one") == first
    assert game_of_three(fake_server, tae_game, (2, 0, 5), "one", PB) == first
    assert game_of_three(fake_server, tae_game, (0, 0, 0), "two") != first


# --- the random bot ---------------------------------------------------------------------------------------------------


def test_random_orders_are_those_that_objects_offer(fake_server: Any, tae_game: Any) -> None:
    """Only own objects, only types that their queues offer, with bounded questions in a turn."""
    game = tae_game(BOARD, "mmsspr", "ss")
    game.seats, game.actions = [1], 1000
    end_after(game, 12)
    server = fake_server(game)
    asyncio.run(played(server, RandomPolicy()))
    offered = {"Colonize": "msp", "ColonizeMining": "r", "Move": "MSPR"}
    orders = [(name, piece[1:]) for name, piece, _ in game.read() if name in offered]
    assert {name for name, _ in orders} == offered.keys()
    assert all(piece in offered[name] for name, piece in orders)
    assert {game.owner(carrier) for _, _, carrier, _ in game.given} == {1}
    assert sum(kind in ("order_insert", "order_probe") for _, kind in server.asked) <= 12 * MOST_QUESTIONS


def test_random_play_ends_its_turn_when_all_is_refused(fake_server: Any, tae_game: Any, refused: Any) -> None:
    game = tae_game(BOARD, "mmsspr")
    end_after(game, 1)

    def refuse(player: int, order: tp.Order) -> tp.Order:
        raise refused(3, "No.")

    game.accept = refuse
    server = fake_server(game)
    ending = asyncio.run(played(server, RandomPolicy()))
    questions = [kind for _, kind in server.asked if kind in ("order_insert", "order_probe")]
    assert (ending.accepted, ending.turns) == (0, 1)
    assert MOST_QUESTIONS - 1 <= len(questions) <= MOST_QUESTIONS


def test_random_play_learns_what_targets_are_accepted(fake_server: Any, tae_game: Any, refused: Any) -> None:
    """Only planets will do, and nobody says so: after the first success most targets are planets."""
    game = tae_game(BOARD, "mmmmmm")
    end_after(game, 6)
    planets = [number for number, thing in game.tables["objects"].items() if thing.otype == 3]
    tried: list[bool] = []

    def accept(player: int, order: tp.Order) -> tp.Order:
        is_planet = all(value.object.object_id in planets for value in order.parameters)
        tried.append(is_planet)
        if not is_planet:
            raise refused(1, "Not there.")
        return order

    for queue, offer in list(game.tables["queues"].items()):
        kept = [1] if 1 in offer.order_types else []
        game.put("queues", tp.OrderQueue(id=queue, max_slots=100, order_types=kept))
    game.accept = accept
    asyncio.run(played(fake_server(game), RandomPolicy()))
    later = tried[tried.index(True) + 1 :]
    assert len(later) > 10
    assert sum(later) > 0.6 * len(later)  # by chance alone it would be less than half


def test_random_play_without_anything_to_do(fake_server: Any, tae_game: Any) -> None:
    game = tae_game(BOARD, "")
    end_after(game, 2)
    for queue in list(game.tables["queues"]):
        game.put("queues", tp.OrderQueue(id=queue))
    ending = asyncio.run(played(fake_server(game), RandomPolicy()))
    assert (ending.turns, ending.accepted, ending.refused) == (2, 0, 0)


def test_orders_with_parameters_of_unknown_types_are_left_alone(fake_server: Any, tae_game: Any) -> None:
    """A later version of the protocol may have types that nobody has defined yet."""
    game = tae_game(BOARD, "mm")
    strange = tp.ParameterDesc(name="Mood", type=99)
    game.put("order_descs", tp.OrderDesc(id=9, name="Feel", parameters=[strange]))
    for queue in list(game.tables["queues"]):
        game.put("queues", tp.OrderQueue(id=queue, max_slots=100, order_types=[9]))
    end_after(game, 1)
    ending = asyncio.run(played(fake_server(game), RandomPolicy()))
    assert (ending.turns, ending.accepted, ending.refused) == (1, 0, 0)


def test_lists_and_numbers_are_chosen_from_what_a_probe_offers(fake_server: Any, tae_game: Any) -> None:
    """Every kind of parameter in one order: the server fills in the limits, the bot keeps to them."""
    game = tae_game(BOARD, "")
    for queue in list(game.tables["queues"]):
        game.put("queues", tp.OrderQueue(id=queue, max_slots=100, order_types=[9]))
    names = [kind.name for kind in Kind]
    parameters = [tp.ParameterDesc(name=kind.name, type=kind) for kind in Kind]
    game.put("order_descs", tp.OrderDesc(id=9, name="Everything", parameters=parameters))
    end_after(game, 10)
    seen: list[tp.Order] = []

    def accept(player: int, order: tp.Order) -> tp.Order:
        values = dict(zip(names, order.parameters, strict=True))
        values["RANGE"].range.MergeFrom(tp.OrderRange(min_value=10, max_value=30, increment=10))
        values["TIME"].time.max_time = 2
        values["OBJECT"].object.valid_types[:] = [3]
        values["LIST"].list.possible_selections.add(id=5, name="five", max_number=2)
        values["LIST"].list.possible_selections.add(id=6, name="six", max_number=0)
        values["RESOURCE_LIST"].resource_list.allowed.add(resource_id=4, maximum=3)
        values["QUANTITY_LIST"].quantity_list.possibles.add(id=7, name="seven", maximum=-1)
        seen.append(order)
        return order

    game.accept = accept
    inserted: list[tp.Order] = []
    insert = game.insert

    def note(player: int, order: tp.Order) -> tp.Order:
        inserted.append(insert(player, order))
        return inserted[-1]

    game.insert = note
    server = fake_server(game)
    asyncio.run(played(server, RandomPolicy()))
    assert len(inserted) > 10
    planets = 0
    for order in inserted:
        values = dict(zip(names, order.parameters, strict=True))
        assert values["RANGE"].range.value in (10, 20, 30)
        assert 0 <= values["TIME"].time.turns <= 2
        assert [(one.id, one.number in (1, 2)) for one in values["LIST"].list.selection] == [(5, True)]
        assert [one.resource_id for one in values["RESOURCE_LIST"].resource_list.selected] == [4]
        assert all(1 <= one.quantity <= 3 for one in values["RESOURCE_LIST"].resource_list.selected)
        assert [(one.id, one.number) for one in values["QUANTITY_LIST"].quantity_list.selection] == [(7, 1)]
        assert values["PLAYER"].player.player_id == 1
        planets += game.tables["objects"][values["OBJECT"].object.object_id].otype == 3
    assert planets >= len(inserted) - 1  # the first one could not know

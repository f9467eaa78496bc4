"""The turn history shows a seat exactly what the seat saw in that turn.

Whole games are played. Each seat and a spectator records what it gets of each turn while that is new, in alternating
dialects. Then each logs in to every turn and gets the same. One connection that goes from turn to turn gets the same as
separate logins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.support.server_in_memory import DIALECTS, SMALL_BOARD, Client, Server
from tpproto import tp_pb2 as tp
from tprules.api import Dice, Oid, Seat
from tprules.api.bots import bot_orders, random_bot
from tpserver.games.core import phases
from tpserver.games.turns import order_intake

NAMES = ("ann", "ben", "cem")
Things = dict[Oid, Any]
"""Object frames by id, without their modification times."""

GAMES: dict[str, tuple[str, int, dict[str, Any], int]] = {
    # colonists in the hand that only their owner knows
    "tae": ("tae", 2, {"board": SMALL_BOARD, "pool": "6,8,6,6"}, 60),
    # units and squares below ground that only some seats see, and behaviour that only its owner sees
    "taller_ants": ("taller_ants", 2, {"underground": "own", "max_rounds": "5"}, 40),
    # a world that all see, and plans that nobody sees before all are revealed
    "antshouse": ("antshouse", 2, {"max_rounds": "10"}, 80),
    # the kinds of items that lie about, and of broods
    "colony_battle": (
        "colony_battle",
        2,
        {
            "width": "13",
            "height": "9",
            "max_rounds": "10",
            "starts": "0:1,4 0:11,4",
            "entrance1": "0:6,4",
            "entrance2": "1:6,7",
            "throne": "2:6,1",
            "items": "0:3,2 0:9,2",
            "item_kinds": "1,1",
            "worms": "1:6,3 right 4",
            "spiders": "2:6,4",
        },
        120,
    ),
    # gold that only its owner sees, and bids that stand in queues
    "auction": ("auction", 3, {}, 20),
}


QUICK = {"tae", "auction"}
"""Games that take less than a second or two; the others are tested thoroughly only."""

HIDDEN = {"tae", "taller_ants", "auction"}
"""Games in which a seat sees what others do not."""

PLAYER = 7
"""The type of references to players."""


@dataclass
class Watched:
    """A viewer of the game, in a seat or None for the spectator, and the views of each turn."""

    name: str
    seat: Seat | None
    things: list[Things] = field(default_factory=list)
    """Of each turn, with the orders that were given in it."""
    clocks: list[tuple[int, str]] = field(default_factory=list)
    mail: list[list[str]] = field(default_factory=list)
    orders: list[dict[Oid, list[str]]] = field(default_factory=list)
    standings: list[Any] = field(default_factory=list)


def dialect_of(turn: int) -> str:
    """The dialects take turns; in one turn all have the same, so that what they see can be compared."""
    return list(DIALECTS)[turn % len(DIALECTS)]


def things_of(client: Client) -> Things:
    """All objects that a connection sees, downloaded as a client does."""
    ids = list(client.ids())
    things = {thing.id: thing for thing in client.ask("get_objects_by_id", ids=ids).things}
    assert list(things) == ids
    for thing in things.values():
        thing.modtime = 0
    return things


def orders_of(client: Client) -> dict[Oid, list[str]]:
    """The orders in all queues of the player: their types and the chosen values, not the possible ones."""
    found = {}
    view = client.session.game.views[client.session.seat]  # type: ignore[union-attr] # it is in a game
    for oid, seen in view.objects.items():
        if seen.orders:
            orders = client.queue(oid)
            assert len(orders) == seen.orders
            for order in orders:
                order.turns = 0
                for parameter in order.parameters:
                    parameter.list.ClearField("possible_selections") if parameter.HasField("list") else None
            found[oid] = [str(order) for order in orders]
    return found


def clock_of(client: Client) -> tuple[int, str]:
    """The number and the title of the turn, which TP03 does not have."""
    told = client.ask("get_time_remaining").message
    return (0, "") if client.classic else (told.turn, told.turn_name)


def standing_of(client: Client) -> Any:
    """Scores, regions and the number of the turn, which the older dialects cannot ask for."""
    if not client.knows("get_standing"):
        return None
    told = client.ask("get_standing").message
    told.counts_actions, told.actions_used, told.actions = (
        False,
        0,
        0,
    )  # what could still be done is told of the present
    return told


@contextmanager
def logged_in(server: Server, who: Watched, turn: int, where: str) -> Iterator[Client]:
    """Give a connection of a viewer of the game, to the present or to an old turn."""
    client = server.connect(dialect_of(turn))
    answer = client.ask("login", username=f"{who.name}@{where}", password=f"{who.name}'s word")
    assert answer.name == "okay", answer
    yield client
    client.hang_up()


def give_orders(server: Server, name: str, number: int) -> None:
    """Have each seat give random orders, as connections would, without their frames."""
    game = server.game(name)
    for seat in phases.active(game):
        for order in bot_orders(game.rules, game.state, seat, Dice.named(b"past", name, number, seat), random_bot):
            change = order_intake.insertion(game, seat, order.on, order.type, order.args, -1, server.now())
            order_intake.make(game, change, server.now())


def write_down(server: Server, name: str, all_who: list[Watched], turn: int) -> None:
    """Have the orders of one turn given, and the turn recorded by each viewer."""
    give_orders(server, name, turn)
    for who in all_who:
        with logged_in(server, who, turn, name if who.seat is not None else f"{name}/watch") as client:
            who.things.append(things_of(client))
            who.clocks.append(clock_of(client))
            who.mail.append([str(message) for message in client.messages()])
            who.orders.append(orders_of(client))
            who.standings.append(standing_of(client))


def own_things_are_as_then(client: Client, who: Watched, turn: int) -> None:
    """The clock, the player's messages and the player's orders are as they were, whatever else is shown."""
    assert clock_of(client) == who.clocks[turn]
    assert [str(message) for message in client.messages()] == who.mail[turn]
    assert orders_of(client) == who.orders[turn]


def look_back(server: Server, name: str, all_who: list[Watched]) -> None:
    """Look at each turn while the game goes on: all is as it was, to the last byte."""
    for who in all_who:
        for turn, then in enumerate(who.things):
            with logged_in(server, who, turn, f"{name}/turn/{turn}") as client:
                assert things_of(client) == then, f"{who.name}, turn {turn}, {client.title}"
                assert standing_of(client) == who.standings[turn], f"{who.name}, turn {turn}"
                own_things_are_as_then(client, who, turn)
    last = len(all_who[0].things) - 1
    if last > 2:
        go_from_turn_to_turn(server, name, all_who[0], "json", [last, 0, last // 2, last // 2 + 1])


@dataclass
class Copy:
    """A client's copy of the turn that its connection shows, updated only with changes."""

    client: Client
    things: Things = field(default_factory=dict)
    times: dict[Oid, int] = field(default_factory=dict)
    since: int = -1
    orders: dict[Oid, list[str]] = field(default_factory=dict)

    def refresh(self) -> None:
        listed = self.client.ask("get_object_ids", key=-1, start=0, amount=-1, fromtime=self.since).message
        newer = [one.id for one in listed.ids if self.times.get(one.id, -1) < one.modtime]
        self.times.update((one.id, one.modtime) for one in listed.ids)
        self.since = listed.fromtime
        answers = self.client.ask("get_objects_by_id", ids=newer).things
        for oid, thing in zip(newer, answers, strict=True):
            if thing.DESCRIPTOR.name == "Fail":
                assert self.things.pop(oid, None) is not None, "what has gone was there"
                assert self.times.pop(oid)
                self.orders.pop(oid, None)
            else:
                assert thing.modtime == self.times[oid]
                thing.modtime = 0
                self.things[oid] = thing
        queues = self.client.ids("get_order_queue_ids")
        for oid in set(queues) & set(newer):
            self.orders[oid] = [str(order) for order in self.client.queue(oid)]
        self.orders = {oid: orders for oid, orders in self.orders.items() if orders and oid in queues}


def go_from_turn_to_turn(server: Server, name: str, who: Watched, dialect: str, turns: Sequence[int]) -> None:
    """Look at turns on one connection and keep one copy up to date; of each it is what a login to that turn gives."""

    def look(turn: int) -> Client:
        client = server.connect(dialect)
        answer = client.ask("login", username=f"{who.name}@{name}/turn/{turn}", password=f"{who.name}'s word")
        assert answer.name == "okay", answer
        return client

    one = look(turns[-1])
    copy = Copy(one)
    for turn in turns:
        told = one.ask("show_turn", turn=turn).message
        copy.refresh()
        about = f"{who.name}, turn {turn}, {dialect}"
        other = look(turn)
        assert (told.turn, told.turn_name) == clock_of(one) == clock_of(other), about
        assert copy.things == things_of(other), about
        queues = {oid: [str(order) for order in other.queue(oid)] for oid in other.ids("get_order_queue_ids")}
        assert copy.orders == {oid: orders for oid, orders in queues.items() if orders}, about
        assert [str(message) for message in one.messages()] == [str(message) for message in other.messages()], about
        assert str(one.ask("get_standing").message) == str(other.ask("get_standing").message), about
        other.hang_up()
    one.hang_up()


def owner_of(thing: Any) -> int:
    """The number of the player who owns an object, 0 or less for nobody."""
    if type(thing) is tp.ClassicObject:
        return int(
            thing.planet.owner if thing.HasField("planet") else thing.fleet.owner if thing.HasField("fleet") else 0
        )
    references = [one.reference for one in thing.parameters if one.HasField("reference")]
    return next((one.id for one in references if one.type == PLAYER), 0)


def bare(thing: Any) -> Any:
    """Return an object without its content, and without the orders that only its owner may see."""
    copy = type(thing)()
    copy.CopyFrom(thing)
    for name in ("contains", "order_types", "orders"):
        if name in copy.DESCRIPTOR.fields_by_name:
            copy.ClearField(name)
    for parameter in getattr(copy, "parameters", ()):
        if parameter.HasField("order_queue"):
            parameter.order_queue.queue_id = 0
    return copy


def is_the_same_but_for_marks(one: Any, owners: Any) -> bool:
    """Return True if two are the same except for the resources at the end that show owners their orders."""
    lists = []
    for thing in (one, owners):
        holders = (
            [thing.planet] if type(thing) is tp.ClassicObject else [part.resource_list for part in thing.parameters]
        )
        lists.append([str(amount) for holder in holders for amount in holder.resources])
        for holder in holders:
            holder.ClearField("resources")
    return one == owners and lists[0] == lists[1][: len(lists[0])]


def look_back_at_all(server: Server, name: str, all_who: list[Watched]) -> int:
    """Check each turn after the end, and return the number of news.

    All must see everything that any seat saw, each object as its owner saw it, or else as the seat that saw most of it.
    News are objects that a seat sees now, and that were hidden or different then.
    """
    news = 0
    for turn in range(len(all_who[0].things)):
        seen = [{oid: bare(thing) for oid, thing in who.things[turn].items()} for who in all_who]
        everything = set().union(*seen)
        most_told = {oid: max(len(str(one[oid])) for one in seen if oid in one) for oid in everything}
        for who, then in zip(all_who, seen, strict=True):
            with logged_in(server, who, turn, f"{name}/turn/{turn}") as client:
                things = things_of(client)
                own_things_are_as_then(client, who, turn)
            assert set(things) == everything, f"{who.name}, turn {turn}"
            for oid, thing in things.items():
                about = f"object {oid}, {who.name}, turn {turn}, {dialect_of(turn)}"
                look = bare(thing)
                owner = owner_of(thing) - 1
                if owner >= 0:
                    theirs = all_who[owner].things[turn][oid]
                    assert is_the_same_but_for_marks(bare(thing), bare(theirs)), about
                else:
                    assert any(one.get(oid) == look for one in seen), about
                    assert len(str(look)) == most_told[oid], about
                if oid not in then:
                    news += 1
                    continue
                news += look != then[oid]
                before = who.things[turn][oid].contains
                assert set(before) <= set(thing.contains), about
                if owner == who.seat:
                    assert [*thing.contains] == [*before] or len(thing.contains) > len(before)
    return news


def played(server: Server, name: str, look: Callable[[list[Watched]], None]) -> list[Watched]:
    """Play a game to its end, with a check of the history in two of its turns; return the views of all."""
    ruleset, seats, options, most_turns = GAMES[name]
    server.create(name, ruleset, seats, options=options, clock="manual")
    all_who = [Watched(one, seat) for seat, one in enumerate(NAMES[:seats])]
    for who in all_who:
        server.player(who.name, game=name).hang_up()
    all_who.append(Watched("eve", None))
    turn = 0
    while not server.game(name).over:
        assert turn < most_turns, "the game is to end"
        write_down(server, name, all_who, turn)
        if turn in (2, 9):
            look(all_who)
        server.close_turn(name)
        server.pass_time(1)
        turn += 1
    assert turn > 4, "each dialect is to have a turn"
    write_down(server, name, all_who, turn)
    return all_who


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.thorough) for name in GAMES]
)
def test_the_past_is_what_was_seen_then_and_after_the_end_what_anybody_saw(server: Server, name: str):
    """During the game each seat finds each turn as it saw it; after the end all seats find everything.

    Where nothing is hidden, both are the same.
    """
    all_who = played(server, name, lambda all_who: look_back(server, name, all_who))
    news = look_back_at_all(server, name, all_who)
    assert bool(news) == (name in HIDDEN)
    last = len(all_who[0].things) - 1
    go_from_turn_to_turn(server, name, all_who[1], "pb", [last // 2, last])


Figures = dict[tuple[int, str], int]
"""Numbers by player and name."""


def scores_of(client: Client) -> list[Figures]:
    """Return the response of GetScores for each turn."""
    found = client.ask("get_scores").message
    rows: list[Figures] = [{} for _ in found.turns]
    assert list(found.turns) == list(range(len(rows)))
    for line in found.lines:
        for at, number in enumerate(line.numbers, line.start):
            assert (line.id, line.name) not in rows[at], "it is told twice"
            rows[at][line.id, line.name] = number
    return rows


@pytest.mark.parametrize("name", ["tae", pytest.param("taller_ants", marks=pytest.mark.thorough)])
def test_scores_by_turn_are_what_was_told_then_and_after_the_end_what_anybody_was_told(server: Server, name: str):
    """Each seat, and a spectator, gets the figures that it got of each turn while that was new, and not one more."""
    ruleset, seats, options, most_turns = GAMES[name]
    server.create(name, ruleset, seats, options=options, clock="manual")
    clients = [server.player(one, "pb", name) for one in NAMES[:seats]]
    clients.append(server.player("eve", "pb", f"{name}/watch"))
    told: list[list[Figures]] = [[] for _ in clients]

    def write_down_scores() -> None:
        for client, rows in zip(clients, told, strict=True):
            standing = client.ask("get_standing").message.scores
            rows.append({(one.id, figure.name): figure.number for one in standing for figure in one.figures})

    turn = 0
    write_down_scores()
    while not server.game(name).over:
        assert turn < most_turns, "the game is to end"
        if turn % 5 == 0:
            assert [scores_of(client) for client in clients] == told
        give_orders(server, name, turn)
        server.close_turn(name)
        write_down_scores()
        turn += 1
    everything = [{key: number for rows in told for key, number in rows[at].items()} for at in range(turn + 1)]
    assert (everything[0] != told[-1][0]) == (name == "tae"), "own points are secret there"
    for client in clients:
        assert scores_of(client) == everything


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(QUICK))
def test_one_connection_shows_every_turn_as_a_login_to_it_does(server: Server, name: str):
    """Each seat and spectators see the same, in far and near turns, during the game and after its end.

    Two games suffice for all; the test above visits some turns of each game.
    """

    def look(all_who: list[Watched]) -> None:
        last = len(all_who[0].things) - 1
        turns = [last, 0, *range(last // 2, last + 1), *range(last // 2, -1, -1)]
        for number, who in enumerate(all_who):
            go_from_turn_to_turn(server, name, who, ("pb", "json")[number % 2], turns)

    look(played(server, name, look))

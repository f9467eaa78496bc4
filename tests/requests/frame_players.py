"""Players who know only what frames tell them, in TP03 or TP04."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.support.server_in_memory import Client, Reply, Server
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions


def players(server: Server, dialect: str) -> list[Client]:
    """Let ann and ben take the seats and learn what orders and objects look like."""
    made = server.players(2, dialect)
    for player in made:
        player.learnt = Descriptions()
        for order in player.ask("get_order_desc", ids=player.ids("get_order_desc_ids")).things:
            player.learnt.learn_order(order)
        if not player.classic:
            for kind in player.ask("get_object_desc", ids=player.ids("get_object_desc_ids")).things:
                player.learnt.learn_object(kind)
    return made


def order_type(player: Client, name: str) -> int:
    assert player.learnt is not None
    return next(number for number, order in player.learnt.orders.items() if order.name == name)


def insert(player: Client, queue: int, name: str, *parameters: tp.OrderParameter) -> Reply:
    """Give an order by its name."""
    return player.insert(queue, order_type(player, name), *parameters)


def end_turn(players: Sequence[Client], turn: int) -> None:
    """Finish the turn for all awaited players, and check that each is notified.

    Each gets unasked frames: the turn is computed, and the next one begins. TP03 has only seconds: 0 while the turn is
    computed, and more when the next one has begun.
    """
    for player in players:
        player.pushed.clear()
    for player in players:
        if not any(message.time == 0 for _, message in players[0].pushed):
            assert player.ask("finished_turn").name == "okay"
            player.server.settle()
    for player in players:
        computed, begun = (message for _, message in player.pushed[-2:])
        assert computed.time == 0 < begun.time
        assert player.classic or (begun.reason, begun.turn) == (1, turn)


def told(player: Client, subject: str) -> str:
    """Return the newest message on the player's board with this subject."""
    found = [message.body for message in player.messages() if message.subject == subject]
    assert found, f"the player was told nothing of {subject!r}"
    return str(found[-1])


class View:
    """The view of one player, from frames alone."""

    def __init__(self, player: Client) -> None:
        self.player = player
        self.resources = {one.id: one.singular_name for one in self.described("resource")}
        self.designs = {one.id: one.name for one in self.described("design")}
        self.objects = {one.id: one for one in player.objects(*player.ids())}

    def described(self, what: str) -> list[Any]:
        return self.player.ask(f"get_{what}", ids=self.player.ids(f"get_{what}_ids")).things

    def owner(self, thing: Any) -> int:
        """Return the number of the player who owns an object; 0 for nobody."""
        if isinstance(thing, tp.ClassicObject):
            return int(max(thing.fleet.owner, thing.planet.owner, 0))
        return next((p.reference.id for p in thing.parameters if p.WhichOneof("value") == "reference"), 0)

    def ships(self, thing: Any) -> list[str]:
        if isinstance(thing, tp.ClassicObject):
            return [self.designs[ship.type] for ship in thing.fleet.ships]
        return [self.designs[s.id] for p in thing.parameters for s in p.reference_quantity_list.references]

    def on_planet(self, thing: Any) -> list[str]:
        if isinstance(thing, tp.ClassicObject):
            return [self.resources[row.id] for row in thing.planet.resources]
        return [self.resources[row.id] for p in thing.parameters for row in p.resource_list.resources]

    def named(self, name: str) -> Any:
        return next(one for one in self.objects.values() if one.name == name)

    def below(self, thing: Any) -> Iterator[int]:
        for number in thing.contains:
            yield number
            yield from self.below(self.objects[number])

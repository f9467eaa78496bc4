"""Games of one ruleset share descriptions and equal objects, nothing else."""

from __future__ import annotations

from collections.abc import Callable

from test_games.auction import Auction, World

from tests.requests.odd_rulesets import ODD
from tests.support.server_in_memory import SMALL_BOARD, Server
from tprules.api import Oid, Shown
from tpserver.rules.discovery import Rulesets

LISTED = ("resource", "order_desc", "design", "component", "property", "category", "object_desc")


class Listing(Auction):
    """Gives lists where tuples are due, and changes them afterwards."""

    name = "listing"
    version = 1

    def show(self, world: World, oid: Oid, level: str) -> Shown:
        shown = super().show(world, oid, level)
        return shown._replace(numbers=list(shown.numbers), resources=list(shown.resources))  # type: ignore[arg-type]


def test_each_game_tells_when_it_was_created(server: Server, dialect: str):
    server.create("early", "tae", options={"board": SMALL_BOARD}, clock="manual")
    server.pass_time(100)
    server.create("late", "tae", options={"board": SMALL_BOARD}, clock="manual")
    for name in ("early", "late", "early"):
        ann = server.players(2, dialect, name)[0]
        for what in LISTED:
            if ann.knows(f"get_{what}"):
                things = ann.ask(f"get_{what}", ids=ann.ids(f"get_{what}_ids")).things
                assert things
                assert {thing.modtime for thing in things} == {server.game(name).modtime}
    assert server.game("late").modtime == server.game("early").modtime + 100


def test_objects_that_look_the_same_are_kept_once_and_a_turn_of_one_game_is_not_seen_in_the_other(server: Server):
    games = [server.create(name, "tae", options={"board": SMALL_BOARD}, clock="manual", seed="x") for name in "ab"]
    clients = [server.players(2, game=game.name)[0] for game in games]
    objects = [server.game(name).views[0].objects for name in "ab"]
    alike = [oid for oid, seen in objects[0].items() if objects[1].get(oid) is seen]
    assert len(alike) > len(objects[0]) / 2
    before = clients[1].objects(*clients[1].ids())
    server.close_turn("a")
    assert clients[1].objects(*clients[1].ids()) == before
    assert clients[0].object(0) != before[0]


def test_a_ruleset_that_gives_lists_is_served_like_any_other(make_server: Callable[..., Server]):
    server = make_server(found=Rulesets({**ODD.usable, "listing": Listing()}, {}))
    for name in "ab":
        server.create(name, "listing", seed="x")
    ann, *_ = server.players(2, game="a")
    assert ann.objects(*ann.ids()) == server.players(2, game="b")[0].objects(*ann.ids())


def test_what_two_seats_see_alike_has_the_time_of_each(server: Server, dialect: str):
    """An object that one seat has seen for longer: encoded once only where the times are the same, too."""
    game = server.create("seats", "tae", options={"board": SMALL_BOARD}, clock="manual")
    ann, ben = server.players(2, dialect, "seats")
    early, late = game.views[0], game.views[1]
    ids = [oid for oid, seen in early.objects.items() if late.objects.get(oid) is seen]
    assert len(ids) > 10
    late.changed[ids[0]] = late.time(ids[0]) + 100
    for client, view in ((ann, early), (ben, late)):
        assert [seen.modtime for seen in client.objects(*ids)] == [view.time(oid) for oid in ids]
    encoded = [view.encoded[ann.session.dialect.name] for view in (early, late)]
    assert [oid for oid in ids if encoded[0][oid] is not encoded[1][oid]] == ids[:1]

"""GetAppearance and GetStanding: the style of a game, and its scores.

Only Protocol Buffers and JSON have them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from test_games.auction import RULESET, Auction, Bid, Gift
from twisted.logger import LogEvent

from tests.requests.odd_rulesets import ODD
from tests.support.server_in_memory import Client, Server
from tprules import api
from tpserver.rules.discovery import Rulesets

NO_SUCH_THING, TEMPORARILY = 4, 3
SYMBOL = '<svg viewBox="0 0 24 24"><circle cx="12" cy="12" r="9"/></svg>'


class Painted(Auction):
    """An auction with a style and scores: the seat with most gold is public, a purse is not."""

    name = "painted"
    appearance = api.Appearance(
        ("#a00000", "#0000a0"), "hexagon", api.Places("{board} {row}", {"The Hall": "Hall"}), "purse"
    )
    kinds = {**RULESET.kinds, "home": replace(RULESET.kinds["home"], look=api.Look(SYMBOL, "#123456"), in_hand=True)}

    def scores(self, world: Any, seat: api.Seat | None) -> Mapping[api.Seat, Mapping[str, int]]:
        return {
            one: {"Won": won, **({"Gold": world.gold[one]} if one == seat else {})} for one, won in enumerate(world.won)
        }

    def actions(self, plan: api.Plan[Any]) -> tuple[int, int]:
        return len(plan.before), 1

    def regions(self, world: Any, seat: api.Seat | None) -> list[api.Region]:
        return [api.Region((2, 4000), 0, f"Home of {api.player(0)}"), api.Region((4001,))]


def played(make_server: Callable[..., Server], rules: Auction, dialect: str = "pb") -> tuple[Server, list[Client]]:
    server = make_server(found=Rulesets({**ODD.usable, rules.name: rules}, {}))
    server.create("game", rules.name, 2, clock="all-done")
    return server, [server.player(name, dialect, "game") for name in ("ann", "ben")]


@pytest.mark.parametrize("dialect", ["pb", "json"])
def test_what_a_game_looks_like_is_told_before_login_and_in_the_game(make_server: Callable[..., Server], dialect: str):
    server, (ann, _) = played(make_server, Painted(), dialect)
    told = server.connect(dialect).ask("get_appearance", ruleset="painted").message
    assert (told.ruleset, list(told.players), told.cells) == ("painted", ["#a00000", "#0000a0"], 1)
    assert (told.places, [(one.name, one.words) for one in told.boards]) == ("{board} {row}", [("The Hall", "Hall")])
    (home,) = told.object_types
    assert (home.symbol, home.colour, home.in_hand) == (SYMBOL, "#123456", True)
    assert home.id == ann.session.game.description.type_of["home"]
    assert ann.ask("get_appearance").message == told


class Offer(Bid):
    words = api.OrderWords("Offer", "Offer {gold|coin|coins}: {words}", {"gold": "coins"}, stays=True)


class Worded(Auction):
    """An auction in words for people: of a kind, a resource and one of its two orders."""

    name = "worded"
    orders = (Offer, Gift)
    phases = tuple(replace(phase, orders=(Offer, Gift)) for phase in RULESET.phases)
    kinds = {**RULESET.kinds, "home": replace(RULESET.kinds["home"], look=api.Look(words="purse"), nameless=True)}
    resources = tuple(
        replace(one, look=api.Look(words="coin", each="coins")) if one.id == 1 else one for one in RULESET.resources
    )


@pytest.mark.parametrize("dialect", ["pb", "json"])
def test_the_words_for_people_are_told_beside_the_names(make_server: Callable[..., Server], dialect: str):
    """Of orders by number, their parameters in order; what has no words is left out, and the names stay as they are."""
    _, (ann, _) = played(make_server, Worded(), dialect)
    told = ann.ask("get_appearance").message
    (order,) = told.orders
    assert (order.otype, order.name, order.stays) == (Bid.number, "Offer", True)
    assert (order.sentence, list(order.parameters)) == ("Offer {gold|coin|coins}: {words}", ["coins", ""])
    assert [(one.words, one.each, one.nameless) for one in told.object_types] == [("purse", "", True)]
    assert [(one.id, one.words, one.each) for one in told.resources] == [(1, "coin", "coins")]
    described = ann.ask("get_order_desc", ids=[Bid.number]).message
    assert (described.name, [one.name for one in described.parameters]) == ("Bid", ["gold", "words"])


@pytest.mark.parametrize("words", ["Offer", api.OrderWords("\x1b[2J"), api.OrderWords("Offer", "Offer {silver}")])
def test_words_of_an_order_that_cannot_be_shown_are_left_out(
    make_server: Callable[..., Server], logged: list[LogEvent], words: Any
):
    odd = type("Odd", (Offer,), {"words": words})
    phases = tuple(replace(phase, orders=(odd, Gift)) for phase in RULESET.phases)
    _, (ann, _) = played(make_server, type("Odd", (Worded,), {"orders": (odd, Gift), "phases": phases})())
    assert not ann.ask("get_appearance").message.orders
    (line,) = [event for event in logged if "looks like cannot be shown" in (event["log_format"] or "")]
    assert line["why"].startswith("the order Bid: ")


def test_a_ruleset_or_game_that_is_not_there_is_refused(server: Server):
    client = server.connect("pb")
    for name, code, words in (("", TEMPORARILY, "Name a ruleset"), ("nothing", NO_SUCH_THING, "There is no")):
        refused = client.ask("get_appearance", ruleset=name)
        assert (refused.name, refused.message.code) == ("fail", code)
        assert words in refused.message.result
    assert client.ask("get_standing").message.code == TEMPORARILY


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"appearance": "red"}, "appearance is str"),
        ({"appearance": property(lambda self: 1 // 0)}, "ZeroDivisionError"),
        ({"kinds": {**RULESET.kinds, "home": replace(RULESET.kinds["home"], look=api.Look("<script>"))}}, "home"),
    ],
)
def test_what_cannot_be_shown_is_left_out_and_logged_once(
    make_server: Callable[..., Server], logged: list[LogEvent], declared: dict[str, Any], words: str
):
    """A script, another type, and what raises: the game is played with the looks of the client."""
    _, (ann, _) = played(make_server, type("Odd", (Auction,), {"name": "painted", **declared})())
    for _ in range(2):
        told = ann.ask("get_appearance").message
        assert (told.ruleset, list(told.players), list(told.object_types)) == ("painted", [], [])
    (line,) = [event for event in logged if "looks like cannot be shown" in (event["log_format"] or "")]
    assert words in line["why"]


def test_how_all_stand_is_told_as_each_may_know_it(make_server: Callable[..., Server]):
    """A seat sees its own figures, its own orders count as actions, and unseen places are left out."""
    server, (ann, ben) = played(make_server, Painted())
    eve = server.player("eve", "pb", "game/watch")

    def figures(client: Client) -> dict[int, list[str]]:
        return {one.id: [row.name for row in one.figures] for one in client.ask("get_standing").message.scores}

    assert figures(ann) == {1: ["Won", "Gold"], 2: ["Won"]}
    assert figures(ben) == {1: ["Won"], 2: ["Won", "Gold"]}
    assert figures(eve) == {1: ["Won"], 2: ["Won"]}
    (region,) = ann.ask("get_standing").message.regions
    assert (list(region.ids), region.owner, region.name) == ([2], 1, "Home of ann")
    ann.bid(3)
    assert [client.ask("get_standing").message.actions_used for client in (ann, ben)] == [1, 0]
    assert not eve.ask("get_standing").message.counts_actions


def test_who_asked_in_the_waiting_room_is_told_when_the_game_has_started(make_server: Callable[..., Server]):
    """The earlier response is empty, and is not reused for the turn in which the game starts."""
    server = make_server(found=Rulesets({**ODD.usable, "painted": Painted()}, {}))
    server.create("game", "painted", 2, clock="all-done")
    ann = server.player("ann", "pb", "game")
    assert not ann.ask("get_standing").message.scores
    server.player("ben", "pb", "game")
    assert [one.id for one in ann.ask("get_standing").message.scores] == [1, 2]


def test_a_past_turn_is_told_as_it_was(make_server: Callable[..., Server]):
    server, (ann, ben) = played(make_server, Painted())
    before = ann.ask("get_standing").message.scores
    ann.bid(3)
    for client in (ann, ben):
        client.ask("finished_turn")
    now = ann.ask("get_standing").message
    assert now.turn == 1
    assert now.scores != before
    past = server.connect("pb")
    past.ask("login", username="ann@game/turn/0", password="ann's word")
    told = past.ask("get_standing").message
    assert (told.turn, told.scores, told.counts_actions) == (0, before, False)


class Counting(Painted):
    """Counts its calls, and fails when the test says so."""

    asked = 0
    fault = ""

    def scores(self, world: Any, seat: api.Seat | None) -> Mapping[api.Seat, Mapping[str, int]]:
        type(self).asked += 1
        while self.fault == "loops":
            pass
        return {0: {"\x1b": 1}} if self.fault == "odd" else {0: {"Won": 1 // (self.fault != "raises")}}


def test_it_is_asked_once_a_turn_for_each_seat(make_server: Callable[..., Server]):
    _, (ann, ben) = played(make_server, type("Counting", (Counting,), {})())
    rules: Any = type(ann.session.game.rules)
    kept = 3  # for two seats and spectators, as a turn begins
    for _ in range(3):
        ann.ask("get_standing")
        ben.ask("get_standing")
    assert rules.asked == kept + 2
    for client in (ann, ben):
        client.ask("finished_turn")
    ann.ask("get_standing")
    assert rules.asked == kept + 2 + kept + 1


@pytest.mark.parametrize("fault", ["raises", "odd", "loops"])
def test_rules_that_fail_tell_nothing_and_the_game_goes_on(
    make_server: Callable[..., Server], logged: list[LogEvent], fault: str
):
    """An exception, figures that cannot be shown, an endless loop: logged once, and not asked again."""
    _, (ann, ben) = played(make_server, type("Counting", (Counting,), {"fault": fault})())
    for client in (ann, ben):
        told = client.ask("get_standing").message
        assert (list(told.scores), list(told.regions), told.counts_actions) == ([], [], False)
        assert client.ask("finished_turn").name == "okay"
    assert ann.session.game.state.turn == 1
    assert ann.session.game.rules.asked == 1
    assert len([event for event in logged if "cannot tell how all stand" in (event["log_format"] or "")]) == 1

"""Secrets of a player change no byte that any other connection receives.

Each test plays the same game twice with different secrets. It compares everything that every other connection receives,
asked and unasked, until the phase closes.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.server_in_memory import (
    BEGINNING,
    GIFT,
    SMALL_BOARD,
    Client,
    Server,
    chosen,
    everything,
    making_servers,
    number,
    target,
    text,
)
from tpproto import tp_pb2 as tp
from tprules.api.ruleset import find_order_type

FROMTIMES = (0, BEGINNING, BEGINNING + 1, BEGINNING + 2, BEGINNING + 50)
ORDERS = ("tp03", "tp04", "padded", "pb", "json")
DIALECTS = ["tp03", "json"]


def learnt(clients: list[Client], objects: range) -> list[tuple[str, str, Any]]:
    """Return all that these connections can get: connection, subject, bytes."""
    found: list[tuple[str, str, Any]] = []
    for client in clients:
        found += [(client.title, "unasked", data) for data in client.pushed_data]
        found += [(client.title, what, answer.data) for what, answer in everything(client, objects, FROMTIMES)]
    return found


def same(one: list[tuple[str, str, Any]], other: list[tuple[str, str, Any]], what: str) -> None:
    """Make sure that two runs gave the same bytes."""
    assert len(one) == len(other)
    for (title, about, first), (_, _, second) in zip(one, other, strict=True):
        assert first == second, f"{what}: {title} learns something by {about}"


# --- the auction ----------------------------------------------------------------------------------------------------

SECRETS = st.lists(
    st.one_of(
        st.tuples(st.just("bid"), st.integers(0, 9), st.text("abc", max_size=3)),
        st.tuples(st.just("gift"), st.integers(0, 3), st.just("")),
        st.tuples(st.just("remove"), st.integers(0, 1), st.just("")),
        st.tuples(st.just("bad bid"), st.integers(10, 99), st.just("")),
        st.tuples(st.just("probe"), st.integers(0, 9), st.just("")),
        st.tuples(st.just("note"), st.integers(0, 9), st.text("abc", max_size=3)),
        st.tuples(st.just("tidy"), st.integers(0, 2), st.just("")),
        st.tuples(st.just("read"), st.just(0), st.just("")),
    ),
    max_size=6,
)


def keep_secret(client: Client, steps: list[tuple[str, int, str]]) -> None:
    for what, value, words in steps:
        if what in ("bid", "bad bid"):
            client.bid(value, words)
        elif what == "gift":
            client.insert(client.home, GIFT, target(3), chosen((1, value)) if value else chosen())
        elif what == "remove":
            client.ask("remove_order", id=client.home, slots=[value])
        elif what == "probe":
            client.probe(client.home, 1, number(value), text(""))
        elif what == "note":
            client.ask("post_message", id=0, slot=-1, subject=words, body=str(value))
        elif what == "tidy":
            client.ask("remove_message", id=0, slots=[value])
        else:
            client.ids()
            client.messages()


def auction(secret: list[tuple[str, int, str]], dialect: str) -> list[tuple[str, str, Any]]:
    """Play a round in which the first player does secret things; return what all others can learn before its end."""
    with making_servers() as make:
        server = make()
        server.create("first", seats=3, clock="manual", seed="same")
        ann = server.player("ann")
        others = [server.player("ben", dialect), server.player("cem", "tp04")]
        stranger = server.connect("tp04")
        for client in others:
            client.pushed_data.clear()
        keep_secret(ann, secret)
        return learnt([*others, stranger], range(7))


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(secret=SECRETS, dialect=st.sampled_from(ORDERS))
def test_what_a_player_does_with_its_own_is_nobody_elses_business(secret: list[tuple[str, int, str]], dialect: str):
    """Orders, drafts, removals, refusals, probes and notes against doing nothing at all."""
    same(auction([], dialect), auction(secret, dialect), f"{secret}")


def test_the_comparison_sees_what_is_public():
    """A blind comparison would prove nothing: a message to Ben and a finished turn are seen."""
    with making_servers() as make:
        server = make()
        server.create("first", seats=2, clock="manual")
        ann, ben = server.players(2)
        quiet = learnt([ben], range(6))
        ann.ask("post_message", id=2, slot=-1, subject="s", body="b")
        written = learnt([ben], range(6))
        ann.ask("finished_turn")
        finished = learnt([ben], range(6))
    assert differences(quiet, written) >= {"get_boards", "get_message", "get_board_ids"}
    assert "get_time_remaining" in differences(written[-len(quiet) :], finished[-len(quiet) :])
    assert len(finished) > len(written), "an unasked frame came"


def differences(one: list[tuple[str, str, Any]], other: list[tuple[str, str, Any]]) -> set[str]:
    return {what.split()[0] for (_, what, data), (_, _, changed) in zip(one, other, strict=True) if data != changed}


@pytest.mark.parametrize("dialect", ORDERS)
def test_secrets_that_come_out_with_the_turn_stay_in_until_then(dialect: str):
    """After the turn the winner is known, and the losers' bids still are not."""
    runs = []
    for losing in (1, 7):
        with making_servers() as make:
            server = make()
            server.create("first", seats=3, clock="manual", seed="same")
            ann = server.player("ann")
            others = [server.player("ben", dialect), server.player("cem", dialect)]
            ann.bid(losing)
            others[0].bid(9)
            server.close_turn()
            runs.append(learnt(others, range(7)))
    same(runs[0], runs[1], "a losing bid")


# --- TaE ------------------------------------------------------------------------------------------------------------


def tae(server: Server, dialect: str, board: str = SMALL_BOARD, seed: str = "same") -> tuple[Client, list[Client]]:
    """Return Ann, who has secrets, and all others: Ben in a dialect, Ben again, and a stranger."""
    server.create("game", "tae", 2, options={"board": board}, clock="manual", seed=seed)
    ann = server.player("ann")
    others = [server.player("ben", dialect), server.player("ben", "tp04" if dialect == "tp03" else "tp03")]
    for client in others:
        client.pushed_data.clear()
    return ann, [*others, server.connect("tp04")]


def legal_orders(client: Client) -> list[tp.Order]:
    """Return the orders that the ruleset would take from the client now."""
    game = client.session.game
    orders = []
    for move in game.rules.legal_orders(game.state.plan(client.seat)):
        kind = find_order_type(game.rules, move.type)
        parameters = [
            target(value) if kind.params[name].wire_type == 2 else chosen(*[(one, count) for one, count in value])
            for name, value in move.args.items()
        ]
        orders.append(client.order(move.on, kind.number, *parameters))
    return orders


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_frame_of_tae_tells_what_another_has_ordered(dialect: str):
    """Each kind of order that is possible at the beginning, against none; up to the closing of the turn."""
    with making_servers() as make:
        server = make()
        ann, others = tae(server, dialect)
        quiet = learnt(others, range(56))
        one_of_each = {order.otype: order for order in legal_orders(ann)}
        assert len(one_of_each) >= 3
        for order in one_of_each.values():
            assert ann.say("order_insert", order).name == "order", order
            same(quiet, learnt(others, range(56)), f"order type {order.otype}")
            assert ann.ask("remove_order", id=order.id, slots=[0]).name == "okay"
        same(quiet, learnt(others, range(56)), "the removal of orders")


def dealt_otherwise(server: Server, seat: int) -> None:
    """Give a seat another hand, and the pool what it had: only its owner may notice."""
    game = server.game("game")
    world = game.state.world
    hand = world.players[seat].colonists
    pieces = dict(hand)
    for fleet, kind in pieces.items():
        other = (kind + 1) % 4
        if world.pool[other]:
            world.pool[other] -= 1
            world.pool[kind] += 1
            hand[fleet] = other
    assert hand != pieces


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_frame_of_tae_tells_what_another_has_in_its_hand(dialect: str):
    """The same game with other colonists in Ann's hand: no byte is different for Ben, also of refusals and probes."""
    runs = []
    for otherwise in (False, True):
        with making_servers() as make:
            server = make()
            server.create("game", "tae", 2, options={"board": SMALL_BOARD}, clock="manual", seed="same")
            if otherwise:
                dealt_otherwise(server, 0)
            ann = server.player("ann")
            others = [server.player("ben", dialect), server.connect("tp04")]
            runs.append((learnt([ann], range(56)), learnt(others, range(56))))
    (own, theirs), (own_otherwise, theirs_otherwise) = runs
    assert differences(own, own_otherwise) >= {"get_objects_by_id", "get_order_queue"}
    same(theirs, theirs_otherwise, "another hand")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_frame_of_tae_tells_what_a_side_of_a_combat_does(dialect: str):
    """Reinforcements are secret until the combat ends; nor can the other side see whether there could be any."""
    with making_servers() as make:
        server = make()
        ann, others = tae(server, dialect, board="AAA/...", seed="combat")
        ben = others[0]
        game = server.game("game")
        move = game.description.order_number["Move"]
        for client, system in ((ann, 2), (ben, 6)):
            leader = next(
                oid
                for oid, seen in game.views[client.seat].objects.items()
                if seen.has_queue and seen.shown.name == "Settler Leader"
            )
            assert client.insert(leader, move, target(system)).name in ("okay", "order")
        server.close_turn("game")
        moves = [order for order in game.rules.legal_orders(game.state.plan(ann.seat)) if order.type == "Reinforce"]
        assert moves
        quiet = learnt(others, range(56))
        for order in moves:
            assert ann.insert(order.on, game.description.order_number["Reinforce"]).name == "order"
            same(quiet, learnt(others, range(56)), "a Reinforce order")
        strength = len(moves)
        server.close_turn("game")
        told = [message.body for message in ben.messages() if message.subject == "Combat Complete!"]
        assert told
        assert str(strength + 1) in told[0] or str(strength + 2) in told[0]


@pytest.mark.thorough
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(picks=st.lists(st.integers(0, 10**6), min_size=1, max_size=4), dialect=st.sampled_from(ORDERS))
def test_any_plan_of_a_player_is_secret(picks: list[int], dialect: str):
    """Two orders one after the other, with drafts and refused ones among them, whatever they are."""
    with making_servers() as make:
        server = make()
        ann, others = tae(server, dialect)
        quiet = learnt(others, range(56))
        home = 27
        exchange = ann.session.game.description.order_number["Exchange"]
        for pick in picks:
            orders = legal_orders(ann)
            if orders:
                ann.say("order_insert", orders[pick % len(orders)])
            ann.insert(home, exchange, chosen())
            ann.insert(home, exchange, chosen((pick, 1)))
            ann.insert(29, ann.session.game.description.order_number["Move"], target(pick))
        same(quiet, learnt(others, range(56)), f"{picks}")

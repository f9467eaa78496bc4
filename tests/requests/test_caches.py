"""Cached responses equal computed ones, over random sequences of changes."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.server_in_memory import (
    BY_ID,
    LISTS,
    SMALL_BOARD,
    Client,
    Server,
    everything,
    making_servers,
)
from tpproto import tp_pb2 as tp
from tpproto.codegen.packers import Packer
from tpserver.games.core import phases
from tpserver.games.core.game import Game
from tpserver.games.core.views import Projector
from tpserver.games.turns import order_intake
from tpserver.requests.play.objects import compile_encoders
from tpserver.requests.session.responses import okay

STEPS = (
    *["order"] * 8, *["remove"] * 3, "finish", "finish", "close", "close", "write", "second", "pause", "resume",
    "resume", "hold", "watch", "reload",
)  # fmt: skip


def reads(client: Client) -> Iterator[tuple[str, Message]]:
    """Everything that can be read of a game, with few requests."""
    yield "get_games", tp.GetGames()
    yield "get_time_remaining", tp.GetTimeRemaining()
    for name in LISTS:
        yield name, tp.GetIDSequence(key=-1, start=0, amount=-1, fromtime=-1)
    view = client.session.game.views[client.session.seat]
    for name in BY_ID:
        yield name, tp.GetWithID(ids=view.objects if name in ("get_objects_by_id", "get_order_queue") else range(12))
    for oid, seen in view.objects.items():
        if seen.has_queue:
            yield "get_order", tp.GetWithIDSlot(id=oid, slots=[0, 1])
    for board in range(3):
        yield "get_message", tp.GetWithIDSlot(id=board, slots=range(4))


def forget(server: Server) -> None:
    """Empty every cache on the way of a read."""
    okay.cache_clear()
    server.host.game_payloads.clear()
    game = server.game()
    game.known_time = game.known_phase = None
    game.descriptions.clear()
    for view in game.views.values():
        view.encoded.clear()
    for cache in (game.state.seen, game.state.planned, game.state.looks, game.state.found):
        cache.clear()


def answers(client: Client, asked: list[tuple[str, Message]]) -> list[tuple[str, bytes]]:
    return [(about, waiting.data) for about, waiting in everything(client, asked=asked)]


def check_view(game: Game, seat: int) -> None:
    """A view that was made from the one before is the one that is made of the world alone."""
    if game.started:
        fresh = Projector(game.rules, game.description, game.state).view(seat, None, 0)
        assert game.views[seat].objects == fresh.objects
        assert {on: queue.orders for on, queue in game.views[seat].queues.items()} == {
            on: queue.orders for on, queue in fresh.queues.items()
        }


def give(server: Server, chosen: Random) -> None:
    """Give a random legal order of a random seat that may move."""
    game, now = server.game(), server.now()
    state = game.state
    if game.row.state == "held" or not phases.active(game):
        return
    seat = chosen.choice(phases.active(game))
    legal = list(game.rules.legal_orders(state.plan(seat)))
    if legal:
        order = chosen.choice(legal)
        change = order_intake.insertion(game, seat, order.on, order.type, order.args, -1, now)
        order_intake.make(game, change, now)
        server.registry.turns.ordered(game, change.order)


def take_back(server: Server, client: Client, chosen: Random) -> None:
    queues = [on for on, queue in server.game().state.queues.items() if queue[0].seat == client.session.seat]
    if queues:
        client.ask("remove_order", id=chosen.choice(queues), slots=[0])


@pytest.mark.parametrize("ruleset", ["auction", "tae"])
@settings(max_examples=1)
@given(steps=st.lists(st.sampled_from(STEPS), min_size=12, max_size=18), chosen=st.randoms(use_true_random=False))
def test_what_is_kept_is_what_is_worked_out_afresh(ruleset: str, steps: list[str], chosen: Random):
    with making_servers() as make:
        server = make()
        # Every answer is compared after every step, and one of the empty places of a large board is like another.
        options = {"board": SMALL_BOARD, "pool": "6,8,6,6"} if ruleset == "tae" else {}
        server.create(ruleset=ruleset, options=options, clock="interval:5")
        clients = [server.player("ann", "tp03")]
        for step in ["join", *steps]:
            client = chosen.choice(clients)
            if step == "join" and len(clients) < 2:
                clients.append(server.player("ben", "tp04"))
            elif step == "order":
                give(server, chosen)
            elif step == "remove":
                take_back(server, client, chosen)
            elif step == "finish":
                client.ask("finished_turn")
            elif step == "write":
                client.ask("post_message", id=1 + chosen.randrange(2), slot=-1, subject="a word", body="or two")
            elif step == "watch" and len(clients) == 2:
                server.player("eve", "json", "first/watch").hang_up()
            elif step == "reload":
                server = server.restarted()
                dialects = [client.title for client in clients]
                clients = [server.player(name, d, "first") for name, d in zip(("ann", "ben"), dialects, strict=False)]
            else:
                server.undergo(step)
            asked = [list(reads(client)) for client in clients]
            for client, questions in zip(clients, asked, strict=True):
                answers(client, questions)  # what was told may count
            kept = [answers(client, questions) for client, questions in zip(clients, asked, strict=True)]
            forget(server)
            for client, questions, before in zip(clients, asked, kept, strict=True):
                assert answers(client, questions) == before, step
                check_view(server.game(), client.session.seat)


@pytest.mark.parametrize("ruleset", ["tae", "antshouse", "colony_battle", "swarm", "taller_ants"])
@pytest.mark.parametrize("dialect", ["tp03", "tp04"])
def test_nothing_is_compiled_for_the_first_download_of_a_game_that_was_there_at_the_start(
    ruleset: str, dialect: str, server: Server, monkeypatch: pytest.MonkeyPatch
):
    game = server.create(ruleset=ruleset)
    clients = server.players(len(game.players), dialect)
    ids = clients[0].ids()
    clients[0].ask("get_objects_by_id", ids=[])  # the request and the head of its answer
    compile_encoders(game.description)
    monkeypatch.setattr(Packer, "function", None)
    assert len(clients[0].objects(*ids)) == len(game.views[0].objects) > 20

"""Refused orders change nothing. Accepted orders are exactly as sent."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.server_in_memory import (
    SMALL_BOARD,
    Client,
    chosen,
    making_servers,
    number,
    state_of,
    target,
    text,
    view_of,
)
from tpproto import tp_pb2 as tp

IDS = st.one_of(st.integers(0, 60), st.sampled_from([2**31, 2**32 - 1]))
SLOTS = st.one_of(st.integers(-1, 4), st.sampled_from([2**31, 2**32 - 2]))
SELECTIONS = st.lists(st.tuples(IDS, st.integers(0, 12)), max_size=4)
WORDS = st.text(max_size=25)


def orders(rules: Any) -> st.SearchStrategy[tp.Order]:
    """Return any orders of a ruleset's types, for any object, in any slot, with any arguments."""

    def parameter(param: Any) -> st.SearchStrategy[tp.OrderParameter]:
        return {
            2: IDS.map(target),
            5: st.integers(-(2**31), 2**31 - 1).map(number) | st.integers(0, 9).map(number),
            6: SELECTIONS.map(lambda selection: chosen(*selection)),
            7: WORDS.map(text),
        }[param.wire_type]

    def of(kind: Any) -> st.SearchStrategy[tp.Order]:
        return st.builds(
            lambda on, slot, parameters: tp.Order(id=on, slot=slot, otype=kind.number, parameters=parameters),
            IDS,
            SLOTS,
            st.tuples(*[parameter(param) for param in kind.params.values()]),
        )

    return st.one_of([of(kind) for kind in rules.orders])


@lru_cache(maxsize=1)
def tables() -> tuple[Any, dict[str, list[Client]]]:
    """Return one server with a game of each ruleset, whose state is put back after each example."""
    context = making_servers()
    server = context.__enter__()()
    server.create("auction", "auction", clock="manual")
    server.create("tae", "tae", clock="manual", options={"board": SMALL_BOARD})
    return context, {name: server.players(2, "tp04", game=name) for name in ("auction", "tae")}


def everything_of(game: Any) -> tuple[Any, ...]:
    return (state_of(game), view_of(game))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    data=st.data(), name=st.sampled_from(["auction", "tae"]), request=st.sampled_from(["order_insert", "order_probe"])
)
def test_a_refused_order_changes_nothing(data: Any, name: str, request: str):
    """State, digest, journal, boards, and every seat's view with its times are as before; so are they after a probe."""
    _, players = tables()
    client = players[name][data.draw(st.integers(0, 1))]
    game = client.session.game
    order = data.draw(orders(game.rules))
    before = everything_of(game)
    queue = list(game.state.queues.get(order.id, ()))
    answer = client.say(request, order)
    if request == "order_probe" or answer.name == "fail":
        assert everything_of(game) == before
        if answer.name == "fail":
            assert answer.code in range(9)
        return
    made = answer.message
    place = len(queue) if order.slot == -1 else order.slot
    assert (made.id, made.slot, made.otype) == (order.id, place, order.otype)
    after = game.state.queues[order.id]
    assert [one.args for one in after[:place] + after[place + 1 :]] == [one.args for one in queue]
    assert client.ask("get_order", id=order.id, slots=[place]).message == made
    assert client.ask("remove_order", id=order.id, slots=[place]).name == "okay"
    assert [one.args for one in game.state.queues.get(order.id, [])] == [one.args for one in queue]
    other = players[name][1 - client.seat]
    assert view_of(game)[other.seat] == before[1][other.seat], "the other seat sees nothing of it"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(["auction", "tae"]),
    request=st.sampled_from(["remove_order", "remove_message", "get_order", "get_message"]),
    on=IDS,
    slots=st.lists(st.one_of(st.integers(0, 3), st.just(2**32 - 1)), max_size=3),
)
def test_slots_that_are_not_there_change_nothing(name: str, request: str, on: int, slots: list[int]):
    """On any object or board, own or another's."""
    _, players = tables()
    client = players[name][0]
    game = client.session.game
    if request == "remove_message" and on in (0, client.seat + 1):
        slots = [slot + 1000 for slot in slots if slot < 2**31]
    before = everything_of(game)
    client.ask(request, id=on, slots=slots)
    assert everything_of(game) == before

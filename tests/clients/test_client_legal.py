"""Legal orders, scores, and taking back a finished turn."""

import asyncio
from typing import Any

import pytest

from tests.support.memory_client import Frames, MemoryServer, Request, Served
from tests.support.workshop import YARD
from tpclient import connection as connections
from tpclient.errors import BadArgument, RequestFailed, UnexpectedAnswer
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04
from tpserver.requests.play import legal


def test_which_orders_can_be_given_and_what_they_take(server: MemoryServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that sends many parts works, too. Every listed order is accepted."""

    async def run() -> None:
        server.begin("ann", "ben", ruleset="tae", options={"board": "..A.MM./.....M./A...A.."})
        connection = await server.join("ann", PB)
        await connection.refresh(connection.universe())
        names = {number: kind.name for number, kind in connection.session.descriptions.orders.items()}
        whole = await connection.legal_orders()
        assert {"Colonize", "Exchange"} <= {names[one.otype] for one in whole}
        colonize = next(one for one in whole if names[one.otype] == "Colonize")
        values = await connection.legal_values(colonize.id, "Colonize")
        assert values.ids and values.left_out
        assert await connection.legal_values(colonize.id, colonize) == values
        assert await connection.legal_orders(colonize.id) == [one for one in whole if one.id == colonize.id]
        monkeypatch.setattr(legal, "MOST_TRIED", 30)
        assert await connection.legal_orders() == whole
        assert await connection.legal_values(colonize.id, "Colonize") == values
        chosen = tp.OrderParameter(object=tp.OrderObject(object_id=values.ids[0]))
        assert (await connection.legal_values(colonize.id, "Colonize", [chosen])).refusal == ""
        await connection.insert_order(colonize.id, "Colonize", {"Star System": values.ids[0]})
        assert not (await connection.legal_values(99_999, "Colonize")).ids
        with pytest.raises(RequestFailed, match="not possible in this phase"):
            await connection.legal_values(colonize.id, "Reinforce")

    monkeypatch.setattr(legal, "perf_counter", lambda: 0.0)
    asyncio.run(run())


def test_an_answer_without_end(server: MemoryServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client reads a limited number of parts."""
    monkeypatch.setattr(connections, "MOST_PARTS", 5)
    parts = iter(range(1, 100))

    def more(request: Request) -> Frames:
        name, answer = {
            "get_legal_orders": ("legal_orders", tp.LegalOrders(following=next(parts))),
            "get_legal_values": ("legal_values", tp.LegalValues(following=next(parts))),
        }[request.kind]
        return [(name, answer)]

    async def run() -> None:
        server.begin("ann", "ben")
        connection = await server.join("ann", PB)
        await connection.refresh(connection.universe())
        server.scripts |= {"get_legal_orders": more, "get_legal_values": more}
        for ask in (connection.legal_orders, lambda: connection.legal_values(YARD, "Tune")):
            with pytest.raises(UnexpectedAnswer, match="in more than 5 parts"):
                await ask()

    asyncio.run(run())


@pytest.mark.parametrize("dialect", [TP03, TP04], ids=lambda one: one.name)
def test_older_dialects_cannot_ask(server: MemoryServer, dialect: Any) -> None:
    async def run() -> None:
        server.begin("ann", "ben")
        connection = await server.join("ann", dialect)
        asked = len(server.asked)
        for ask in (
            connection.unfinish_turn,
            connection.appearance,
            connection.standing,
            connection.legal_orders,
            lambda: connection.legal_values(YARD, "Wish"),
        ):
            with pytest.raises(BadArgument, match=rf"{dialect.name} cannot .*; Protocol Buffers can \(dialect pb\)"):
                await ask()
        assert len(server.asked) == asked, "nothing is sent"

    asyncio.run(run())


def test_a_finished_turn_is_taken_back_at_the_shell(workshop: Served, shell: Any) -> None:
    """The player is awaited again. A player who had not finished gets a sentence.

    A dialect that cannot do it names one that can. That one is spoken by default.
    """
    assert shell(workshop, "finish", dialect="pb")[0] == 0
    code, out, _ = shell(workshop, "finish", "--undo", dialect=None)
    assert (code, out) == (0, "You are not done with this turn.\n")
    assert shell(workshop, "finish", "--undo", dialect="pb")[1] == "You were not done with this turn.\n"
    assert workshop.server.game().finished == frozenset()
    code, _, err = shell(workshop, "finish", "--undo", dialect="tp04")
    assert (code, "Protocol Buffers can" in err) == (2, True)
    assert shell(workshop, "finish", "--undo", "--wait", dialect="pb")[0] == 2


def test_what_a_game_looks_like_and_how_all_stand(server: MemoryServer) -> None:
    """The hand has a name in TaE, and everybody's own points stand first."""

    async def run() -> None:
        server.begin("ann", "ben", ruleset="tae", options={"board": "..A.MM./.....M./A...A.."})
        connection = await server.join("ann", PB)
        assert (await connection.appearance()).hand == "hand"
        assert await connection.appearance("tae") == await connection.appearance()
        standing = await connection.standing()
        assert [row.figures[0].name for row in standing.scores] == ["Score", "Leaders on the board"]
        assert (standing.actions_used, standing.actions) == (0, 2)

    asyncio.run(run())

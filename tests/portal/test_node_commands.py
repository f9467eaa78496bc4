"""Operators' commands about a game, performed by its lease holder.

Any node may receive the command.
"""

from __future__ import annotations

from typing import Any

import pytest
from twisted.internet.defer import Deferred

from tests.portal.nodes_in_memory import ClusterInMemory, NodeInMemory
from tpserver.admin.context import AdminContext
from tpserver.admin.operations import perform
from tpserver.admin.socket_protocol import Fault, OperationError
from tpserver.concurrency import result_now
from tpserver.portal.node_commands import OtherNodes, operation_call


class Operator:
    """Gives commands to a node of a cluster."""

    def __init__(self, node: NodeInMemory) -> None:
        self.node = node
        self.context = AdminContext(node.server.registry, node.server.accounts)
        self.context.ask_node = OtherNodes(node.links).ask
        node.links.calls = {**node.links.calls, **operation_call(self.context)}
        node.links.serve()

    def begin(self, operation: str, **arguments: Any) -> Deferred[list[str]]:
        doing = Deferred.fromCoroutine(perform(self.context, operation, arguments, "ada"))
        self.node.pump()
        return doing

    def do(self, operation: str, **arguments: Any) -> list[str]:
        """Return what it says. Raises OperationError and Fault."""
        return result_now(self.begin(operation, **arguments))


@pytest.fixture
def one(cluster: ClusterInMemory) -> Operator:
    """The node that holds "first", a game of ann and ben which has begun."""
    node = cluster.add("one")
    node.server.create()
    for player in node.server.players(2, "pb", "first"):
        player.hang_up()
    node.server.settle()
    return Operator(node)


@pytest.fixture
def two(cluster: ClusterInMemory, one: Operator) -> Operator:
    return Operator(cluster.add("two"))


def test_commands_about_a_game_of_another_node_are_performed_there(one: Operator, two: Operator) -> None:
    """It is shown, paused, resumed and closed, once, in the name of the operator. Refusals return the same way."""
    assert two.do("game show", name="first") == one.do("game show", name="first")
    assert two.do("game pause", name="first")
    assert "paused" in "\n".join(one.do("game show", name="first"))
    with pytest.raises(OperationError, match="paused"):
        two.do("game pause", name="first")
    two.do("game resume", name="first")
    turn = one.node.server.game().row.turn
    two.do("game close-turn", name="first")
    assert one.node.server.game().row.turn == turn + 1
    assert [game.name for game in two.node.server.registry.games.values()] == []
    audit = "\n".join(one.do("audit"))
    assert (audit.count("game pause"), audit.count("game close-turn")) == (1, 1)
    assert "ada" in audit


def test_the_list_of_games_says_where_each_is(one: Operator, two: Operator) -> None:
    two.node.server.create("second")
    two.node.pump()
    head, *lines = two.do("game list")
    assert head.split()[-1] == "NODE"
    assert {line.split()[0]: line.split()[-1] for line in lines} == {
        "first": one.node.links.address,
        "second": two.node.links.address,
    }
    assert one.do("game list") == [head, *lines]


@pytest.mark.thorough
def test_the_seat_of_an_account_that_is_removed_at_another_node_is_taken_at_once(one: Operator, two: Operator) -> None:
    said = "\n".join(two.do("account remove", name="ben"))
    assert "stays taken" not in said
    assert [player.account is None for player in one.node.server.game().players] == [False, True]


def test_a_node_that_does_not_answer(one: Operator, two: Operator, cluster: ClusterInMemory) -> None:
    """It is said that the outcome is unknown when the node dies meanwhile."""
    waiting: Deferred[list[str]] = Deferred()
    one.node.links.calls = {"operation": lambda argument: waiting}
    one.node.links.serve()
    asked = two.begin("game pause", name="first")
    cluster.pass_time(1.0)
    assert not asked.called
    cluster.kill(one.node)
    with pytest.raises(Fault, match="did not answer; whether it has performed game pause is unknown"):
        result_now(asked)


def test_a_node_of_an_older_release_takes_no_commands(one: Operator, two: Operator) -> None:
    one.node.links.calls = {}
    one.node.links.serve()
    with pytest.raises(OperationError, match="takes no commands from others yet"):
        two.do("game show", name="first")


def test_what_was_passed_on_is_not_passed_on_again(one: Operator, two: Operator) -> None:
    """Two nodes that each take the other for the holder would ask each other for ever."""
    doing = Deferred.fromCoroutine(perform(two.context, "game show", {"name": "first"}, "ada", passed_on=True))
    with pytest.raises(OperationError, match="give the command to that server"):
        result_now(doing)

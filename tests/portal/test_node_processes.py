"""Node processes: links with certificates, a killed node, a drained one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from sqlalchemy import create_engine, update

from tests.support.certificates import certificate_pem, new_key, private_pem
from tests.support.cluster_node import Node, turn
from tests.support.process import TPSERVER, run
from tests.support.wire import Client
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04
from tpserver.store.tables import nodes

LEASE = 300
"""Seconds of the leases here, the longest: none ends on a slow machine unless a test ends it."""

Start = Callable[..., Node]


@pytest.fixture
def authority(tmp_path: Path) -> Callable[[str], list[str]]:
    """authority(name): a certificate of an authority of that name, as lines of the configuration."""
    signers = {}

    def sign(name: str) -> list[str]:
        if name not in signers:
            signers[name] = new_key()
            (tmp_path / f"{name}.pem").write_bytes(certificate_pem(signers[name]))
        key = new_key()
        own = tmp_path / f"{name}-{len(list(tmp_path.iterdir()))}.pem"
        own.write_bytes(certificate_pem(key, signer=signers[name]) + private_pem(key))
        return [f'certificate = "{own}"', f'authority = "{tmp_path / name}.pem"']

    return sign


@pytest.fixture
def start(cleared_postgres: str, make_node: Callable[..., Node]) -> Start:
    """start(name, lines): a node, with these lines in the section of its configuration."""

    def start(name: str, lines: Sequence[str] = ()) -> Node:
        node = make_node(name, cleared_postgres, LEASE, lines=lines, alone=True)
        node.start()
        return node

    return start


def node(server: Node, *words: str) -> tuple[int, str]:
    done = run(TPSERVER, "node", *words, "--config", server.config, "--data", server.data)
    return done.code, done.out + done.err


def end_lease(database: str, dead: Node) -> None:
    """Let the lease of a node that was killed be over, as it is after LEASE seconds."""
    engine = create_engine(database)
    with engine.begin() as connection:
        connection.execute(update(nodes).where(nodes.c.address == dead.address).values(until=0.0))
    engine.dispose()


@pytest.mark.thorough
def test_clients_of_a_node_go_on_when_the_node_with_their_game_is_killed(
    start: Start, authority: Callable[[str], list[str]], cleared_postgres: str
) -> None:
    """Their connections stay; what they have asked meanwhile is answered when the lease of the dead node is over."""
    one, two = start("one", authority("us")), start("two", authority("us"))
    one.create_game("first", "auction", 3)
    users = ("ann", "ben", "cem")
    players = [
        Client(two.port, dialect, f"{user}@first") for dialect, user in zip((TP03, TP04, PB), users, strict=True)
    ]
    assert [line.split()[-1] for line in node(two, "list")[1].splitlines()[1:]] == ["1", "0"]
    one.kill()
    for player in players:
        player.begin("finished_turn", tp.FinishedTurn())
    end_lease(cleared_postgres, one)
    for player in players:
        assert player.hear()[0][0].DESCRIPTOR.name == "Okay"
    two.wait_until(lambda: turn(players[1]) == 1, "closes no turn")


@pytest.mark.thorough
def test_a_drained_node_keeps_its_connections_and_no_game(start: Start) -> None:
    one, two = start("one"), start("two")
    one.create_game("first", "auction", 2)
    ann, ben = Client(one.port, user="ann@first"), Client(two.port, user="ben@first")
    assert node(one, "drain") == (
        0,
        "1 game was handed over; this node takes none until tpserver node undrain, or a restart.\n",
    )
    assert [line.split()[-2:] for line in node(one, "list")[1].splitlines()[1:]] == [["draining", "0"], ["lives", "1"]]
    for player in (ann, ben):
        assert player.ask("finished_turn", tp.FinishedTurn())[0].DESCRIPTOR.name == "Okay"
    two.wait_until(lambda: turn(ann) == 1, "closes no turn")
    code, said = node(two, "drain")
    assert code != 0 and "there is no other node that could take the games of this one" in said
    assert node(one, "undrain") == (0, "This node takes games again.\n")
    assert node(two, "drain")[0] == 0
    assert [turn(player) for player in (ann, ben)] == [1, 1]
    assert [line.split()[-2:] for line in node(one, "list")[1].splitlines()[1:]] == [["lives", "1"], ["draining", "0"]]
    place = ("--config", two.config, "--data", two.data)
    assert "tpserver node drain hands its games over, then" in run(TPSERVER, "restart", *place).err
    assert two.stop() == 0
    asked = run(TPSERVER, "game", "list", *place)
    assert (asked.code, "this node of the cluster does not run, and others do: start it" in asked.err) == (1, True)


@pytest.mark.thorough
def test_a_node_talks_only_to_those_whom_its_authority_has_signed(
    start: Start, authority: Callable[[str], list[str]]
) -> None:
    one, two = start("one", authority("us")), start("two", authority("them"))
    one.create_game("first", "auction", 2)
    stranger = Client(two.port)
    stranger.one("connect", tp.Connect(client="test"), tp.Okay)
    said = len(two.said)
    stranger.begin("login", tp.Login(username="ann@first", password="secret"))
    two.wait_for("certificate verify failed", said)
    assert Client(one.port, user="ann@first").one("get_time_remaining", tp.GetTimeRemaining(), tp.TimeRemaining)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (
            ['address = "10.0.0.5:6926"'],
            "which other machines reach, so that cluster.certificate and cluster.authority",
        ),
        (
            ['address = "127.0.0.1:6926"', 'certificate = "here.pem"'],
            "cluster.certificate and cluster.authority are set",
        ),
        (['address = "127.0.0.1:6926"', "[server]", "keep_connections = true"], "does not keep its connections"),
    ],
)
def test_a_configuration_with_which_nodes_cannot_talk_is_refused(tmp_path: Path, lines: list[str], why: str) -> None:
    config = tmp_path / "config.toml"
    store = 'store = "postgresql://nobody@127.0.0.1:1/none"'
    text = "\n".join(["[cluster]", *lines])
    config.write_text(f"{text}\n{store}\n" if "[server]" in lines else f"[server]\n{store}\n{text}\n")
    done = run(TPSERVER, "run", "--config", config, "--data", tmp_path / "data", "--web", "off")
    assert done.code != 0 and why in done.err and "Traceback" not in done.err

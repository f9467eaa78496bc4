"""The first turn of TaE on a real server, typed as plain commands."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.conftest import opened


@pytest.fixture(scope="module")
def table() -> Iterator[str]:
    """The address of a throw-away server with one game of TaE, a bot in one of two seats."""
    with opened("tae") as where:
        yield where


@pytest.mark.thorough
def test_the_first_turn_by_hand(table: str, shell: Any) -> None:
    """Look, try, order, take back, order again, finish, and see what became of it; all in one order of events."""

    def typed(*words: str, dialect: str = "tp04") -> tuple[int, str, str]:
        code, out, err = shell(table, *words, user="me", dialect=dialect)
        return code, out, err

    def data(*words: str) -> Any:
        code, out, _ = typed(*words, "--json")
        assert code == 0
        return json.loads(out)

    status = data("status")
    assert status["game"]["name"] == "tae"
    assert status["turn_name"].startswith("Turn 1: ")
    assert "me" in [one["name"] for one in status["awaited"]]
    settler = next(one["id"] for one in status["commands"] if one["takes"] == ["Colonize"])

    systems = {one["name"]: one for board in data("map") for one in board["systems"]}
    assert len(systems) == 16 * 11 + 2
    drawn = typed("map")[1].splitlines()
    assert drawn[2] == "10  .  .  .  .  U  U  U  U  U  . AT  .  U  .  .  ."
    assert typed("map", "--resources", dialect="tp03")[1].splitlines()[2].startswith("10  .  .  .  . U1 U1")

    code, _, err = typed("order", "add", str(settler), "Colonize", "4, 10")
    assert code == 3
    assert err.startswith("tpclient: refused: 4, 10 has the wrong ground; mining robots need an uninhabitable system")
    line = f"Colonist Fleet ({settler}), order 0: Colonize: Star System = 0, 5 ({systems['0, 5']['id']}) (takes 1 turn)"
    assert typed("order", "add", str(settler), "Colonize", "Star System=0, 5")[:2] == (0, f"{line}\n")
    assert typed("order", "remove", str(settler), "0", dialect="tp03")[0] == 0
    assert typed("orders")[:2] == (0, "No orders are queued.\n")
    assert typed("order", "add", str(settler), "colonize", "0, 5", dialect="tp03")[:2] == (0, f"{line}\n")

    code, _, err = typed("order", "add", "me's Home Planet", "Exchange")
    assert code == 2
    assert err.startswith("tpclient: Exchange needs Ships=VALUE (choose from: ")
    choices = data("order", "probe", "me's Home Planet", "Exchange")["parameters"][0]["choices"]
    assert len(choices) == 5  # the sixth colonist has an order
    assert typed("order", "add", "me's Home Planet", "Exchange", choices[0]["name"])[0] == 0

    assert typed("post", "bot-1", "Hello", "from the shell")[:2] == (0, "Posted on bot-1's board.\n")
    code, out, _ = typed("finish", "--wait", "--at-most", "10")
    assert code == 0
    assert out.startswith("[turn 1] Turn 2: ")
    assert "Your order Colonize to 0, 5 was carried out." in out
    assert "    Your order Colonize to 0, 5 was carried out.\n" in typed("messages", "--since", "1")[1]
    row = next(line for line in typed("map")[1].splitlines() if line.startswith(" 5 "))
    assert re.match(r" 5  [A-Z] ", row)  # the colony's resource
    assert settler not in {one["id"] for one in data("objects", "--mine")}


def test_somebody_else_s_secret(table: str, shell: Any) -> None:
    """Another player's piece shows no queue and takes no orders from us, in the server's words."""
    code, out, _ = shell(table, "objects", "--kind", "Fleet", "--json", user="me")
    other = next(one["id"] for one in json.loads(out) if one["owner"]["name"] == "bot-1")
    assert "Order Queue  none that is yours\n" in shell(table, "object", str(other), user="me")[1]
    code, out, err = shell(table, "orders", str(other), user="me")
    assert (code, out) == (3, "")
    assert err == f"tpclient: refused: Object {other} is not yours; its orders are its owner's secret.\n"


def test_games_of_the_server(table: str, shell: Any) -> None:
    assert shell(table, "games", user="")[1].splitlines()[1].split()[:3] == ["tae", "tae", "2"]

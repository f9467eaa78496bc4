"""Plain commands about whom one hears: the server's words, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

from tests.support.memory_client import Served


def test_an_account_is_blocked_and_a_game_muted(workshop: Served, shell: Any) -> None:
    game = workshop.server.game().name
    assert shell(workshop, "talk", "show", game)[1].splitlines() == [
        f"In {game} players write to each other and to everybody.",
        "You have blocked nobody.",
    ]
    assert shell(workshop, "talk", "block", "ben")[1] == (
        "You take no letters of ben any more, and can write none to it.\n"
    )
    assert shell(workshop, "talk", "mute", game)[1] == f"You hear no letters to everybody in {game}.\n"
    code, _, err = shell(workshop, "post", "ben", "Hello", "there")
    assert (code, "refused: You have blocked ben" in err) == (3, True)
    facts = json.loads(shell(workshop, "talk", "show", game, "--json")[1])
    assert (facts["game"], facts["press"], facts["muted"], facts["blocked"]) == (game, "private", True, ["ben"])
    assert "You have blocked ben." in shell(workshop, "talk", "show")[1]
    assert shell(workshop, "talk", "unmute", game)[0] == shell(workshop, "talk", "unblock", "ben")[0] == 0
    assert shell(workshop, "post", "ben", "Hello", "there")[0] == 0


def test_what_the_server_refuses_is_told(workshop: Served, shell: Any) -> None:
    code, _, err = shell(workshop, "talk", "silence", "ben", "3", "Insults")
    assert (code, "refused: This is for moderators" in err) == (3, True)
    assert "there is no account 'nobody'" in shell(workshop, "talk", "block", "nobody")[2].lower()
    assert "you have no seat in a game 'none'" in shell(workshop, "talk", "mute", "none")[2].lower()

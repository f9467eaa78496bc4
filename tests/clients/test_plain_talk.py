"""Plain commands for blocked players and muted games, and their refusals."""

from __future__ import annotations

import json
from typing import Any

from tests.support.memory_client import Served, write
from tests.support.server_in_memory import result_of
from tpserver.games.service import ownership


def test_an_account_is_blocked_and_a_game_muted(workshop: Served, shell: Any) -> None:
    game = workshop.server.game().name
    assert shell(workshop, "talk", "show", game)[1].splitlines() == [
        f"In {game} players write to each other and to everybody.",
        "You have blocked nobody.",
    ]
    assert shell(workshop, "talk", "block", "ben")[1] == (
        "You have blocked ben, and the two of you cannot write to each other.\n"
    )
    assert shell(workshop, "talk", "mute", game)[1] == f"You get no messages to everybody in {game}.\n"
    code, _, err = shell(workshop, "post", "ben", "Hello", "there")
    assert (code, "refused: You have blocked ben" in err) == (3, True)
    facts = json.loads(shell(workshop, "talk", "show", game, "--json")[1])
    assert (facts["game"], facts["press"], facts["muted"], facts["blocked"]) == (game, "private", True, ["ben"])
    assert "You have blocked ben." in shell(workshop, "talk", "show")[1]
    assert shell(workshop, "talk", "unmute", game)[0] == shell(workshop, "talk", "unblock", "ben")[0] == 0
    assert shell(workshop, "post", "ben", "Hello", "there")[0] == 0


def test_what_the_server_refuses_is_told(workshop: Served, shell: Any) -> None:
    code, _, err = shell(workshop, "talk", "silence", "ben", "3", "Insults")
    assert (code, "refused: Only moderators can do this" in err) == (3, True)
    assert "there is no account 'nobody'" in shell(workshop, "talk", "block", "nobody")[2].lower()
    assert "you have no seat in a game 'none'" in shell(workshop, "talk", "mute", "none")[2].lower()


def test_a_letter_is_reported_and_a_moderator_decides(workshop: Served, shell: Any) -> None:
    """The moderator sees it as it was stored. Then the reporter is notified."""
    workshop.do(write, workshop.server.seated["ben"], 1, "You fool", "and worse")
    slot = json.loads(shell(workshop, "messages", "--all", "--json")[1])[-1]["slot"]
    assert "There is no message 99" in shell(workshop, "talk", "report", "99", "x")[2]
    told = "The moderators will look at this message, and notify you of their decision.\n"
    assert shell(workshop, "talk", "report", str(slot), "An insult")[1] == told
    assert shell(workshop, "talk", "reports")[0] == 3
    server = workshop.server
    workshop.do(server.connect("tp04").ask, "create_account", username="mod", password="mod's word")
    account = server.accounts.named("mod")
    workshop.do(lambda: result_of(server.accounts.set_role(account, "moderator")))
    mod = ("--user", "mod", "--password", "mod's word")
    facts = json.loads(shell(workshop, "talk", "reports", *mod, "--json")[1])
    assert [(one["writer"], one["subject"], one["body"], one["reason"]) for one in facts] == [
        ("ben", "You fool", "and worse", "An insult")
    ]
    lines = shell(workshop, "talk", "reports", *mod)[1].splitlines()
    assert lines[0].startswith("1. ben to ann in first, turn ")
    assert lines[1] == "    and worse"
    assert shell(workshop, "talk", "close", "1", "warned", "Be kind", *mod)[0] == 0
    assert shell(workshop, "talk", "reports", *mod)[1] == "There are no such reports.\n"
    assert "warned by mod" in shell(workshop, "talk", "reports", "--closed", *mod)[1]
    assert "its writer is warned" in shell(workshop, "messages", "--all")[1]


def test_a_player_of_an_anonymous_game_is_blocked_there_by_number(workshop: Served, shell: Any) -> None:
    """The block is listed by game and number, as the name is unknown. The same words take it back."""
    server = workshop.server
    workshop.do(server.create, "hidden", "workshop", 2, anonymous=True, clock="manual")
    ann = workshop.do(server.player, "ann", game="hidden")
    workshop.do(server.player, "ben", game="hidden")
    number = str(2 - ann.seat)
    words = f"You have blocked Player {number}, and the two of you cannot write to each other in this game.\n"
    assert shell(workshop, "talk", "block", "--player", number, "--game", "hidden")[1] == words
    assert f"You have blocked Player {number} in hidden." in shell(workshop, "talk", "show")[1]
    facts = json.loads(shell(workshop, "talk", "show", "--json")[1])
    assert (facts["blocked"], facts["blocked_players"]) == ([], [{"game": "hidden", "player": int(number)}])
    assert shell(workshop, "talk", "unblock", "--player", number, "--game", "hidden")[0] == 0
    assert "You have blocked nobody." in shell(workshop, "talk", "show")[1]
    assert shell(workshop, "talk", "block")[0] == 3


def test_spectators_talk_and_players_read_it_when_the_game_is_over(workshop: Served, shell: Any) -> None:
    """Players write nothing there. A spectator's message is reported by its slot."""
    server = workshop.server
    eve = ("--user", "eve@first/watch", "--password", "eve's word")
    workshop.do(server.connect("tp04").ask, "create_account", username="eve", password="eve's word")
    assert shell(workshop, "talk", "spectators", *eve)[1] == "No spectator has written anything.\n"
    assert shell(workshop, "talk", "say", "Both of them", "--subject", "Well played", *eve)[1] == (
        "The spectators read it.\n"
    )
    turn = server.game().state.turn
    told = f"0. [turn {turn}] eve: Well played\n    Both of them\n"
    assert shell(workshop, "talk", "spectators", *eve)[1] == told
    assert json.loads(shell(workshop, "talk", "spectators", *eve, "--json")[1])[0]["writer"] == "eve"
    assert "[turn 0] Well played (from eve)" in shell(workshop, "messages", "--all", *eve, dialect="pb")[1]
    assert "[turn 0] eve: Well played" in shell(workshop, "messages", "--all", *eve)[1]
    ann = ("--user", "ann@first")
    code, _, err = shell(workshop, "talk", "say", "me, too", *ann)
    assert (code != 0, "Only spectators" in err) == (True, True)
    assert shell(workshop, "talk", "spectators", *ann)[0] == 3, "the game goes on"
    workshop.do(lambda: result_of(ownership.abort(server.registry, server.game(), "enough", "The operator")))
    assert shell(workshop, "talk", "spectators", *ann)[1] == told
    assert shell(workshop, "talk", "report", "0", "Rude", "--spectators", *ann)[0] == 0

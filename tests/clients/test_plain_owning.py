"""Plain commands of the owner of a game."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from tests.support.memory_client import Served
from tests.support.server_in_memory import result_of
from tpserver.store.games import ownership


def made(served: Served, name: str = "ann") -> str:
    """Let an account be the one that has made the game, and return what that is called."""
    server = served.server
    game = server.game()
    account = server.accounts.named(name)
    served.do(lambda: result_of(server.store.write(partial(ownership.hand_over, game=game.row.id, account=account.id))))
    return str(game.name)


def test_a_game_is_renamed_closed_and_ended(workshop: Served, shell: Any) -> None:
    game = made(workshop)
    assert shell(workshop, "game", "rename", game, "Friday")[1] == (
        f"The game {game} is called Friday now, and all players are notified.\n"
    )
    assert shell(workshop, "game", "close", "Friday")[1].startswith("The game Friday is for invited players only now")
    assert shell(workshop, "game", "open", "Friday")[1].startswith("The game Friday is open to everybody now")
    assert shell(workshop, "game", "hand-over", "Friday", "nobody")[0] == 3
    told = shell(workshop, "game", "abort", "Friday", "Too late")[1]
    assert told.startswith(
        "You have proposed to end the game without a result: Too late, and all players are notified;"
    )
    ben = workshop.do(workshop.server.player, "ben", "pb", "Friday")
    answer = workshop.do(lambda: ben.ask("vote", game="Friday", id=1, vote="agree"))
    assert answer.text == "The game is over without a result, and all players are notified"
    assert workshop.server.game("Friday").over
    assert "Too late" in shell(workshop, "messages", "--all", "--user", "ann@Friday")[1]


def test_who_has_not_made_it_is_refused(workshop: Served, shell: Any) -> None:
    game = made(workshop, "ben")
    code, _, err = shell(workshop, "game", "rename", game, "mine")
    assert (code, f"refused: Only the owner of the game '{game}' can do this." in err) == (3, True)


def test_an_anonymous_game_is_handed_over_by_number(workshop: Served, shell: Any) -> None:
    """Its setup says what it is; by the name of an account nothing is handed over."""
    server = workshop.server
    workshop.do(server.create, "hidden", "workshop", 2, anonymous=True, clock="manual")
    ben = [workshop.do(server.player, name, game="hidden") for name in ("ann", "ben")][1]
    account = server.accounts.named("ann").id
    number = server.game("hidden").row.id
    workshop.do(lambda: result_of(server.store.write(partial(ownership.hand_over, game=number, account=account))))
    assert "Players: anonymous until it is over" in shell(workshop, "setup", "hidden")[1]
    assert "give the number of the new owner" in shell(workshop, "game", "hand-over", "hidden", "ben")[2]
    assert shell(workshop, "game", "hand-over", "hidden", "--player", str(ben.seat + 1))[1] == (
        f"The game hidden now belongs to Player {ben.seat + 1}, and all players are notified.\n"
    )


def test_a_game_is_shown_later_and_whoever_watches_is_told(workshop: Served, shell: Any) -> None:
    game, server = made(workshop), workshop.server
    assert shell(workshop, "game", "watch-delay", game, "51")[0] == 2
    assert shell(workshop, "game", "watch-delay", game, "1")[1] == (
        f"In {game} now: spectators see this game 1 turn later; all players are notified.\n"
    )
    assert "refused: The game" in shell(workshop, "game", "watch-delay", game, "0")[2], "it has begun"
    assert "Watch:  spectators see it 1 turn later" in shell(workshop, "setup", game)[1]
    for _ in range(2):
        workshop.do(server.close_turn)
    workshop.do(server.connect("tp04").ask, "create_account", username="eve", password="eve's word")
    eve = ("--user", f"eve@{game}/watch", "--password", "eve's word")
    now = server.game().state.turn
    told = f"You watch turn {now - 1} of {now}: the game shows its turns 1 turn later"
    assert told in shell(workshop, "status", *eve, dialect="pb")[1]
    facts = json.loads(shell(workshop, "status", *eve, "--json", dialect="pb")[1])
    assert (facts["turn"], facts["watch_delay"], facts["present_turn"]) == (now - 1, 1, now)
    assert shell(workshop, "game", "watch-delay", game, "closed")[0] == 0
    assert "nobody watches before the end" in shell(workshop, "setup", game)[1]
    assert "Nobody watches the game" in shell(workshop, "status", *eve)[2]

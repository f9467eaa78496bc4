"""Messages, letters, finished turns and watching, against a game that goes on when all have finished."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

BOARD = ". s . / . # ."


@pytest.fixture
def served(serve: Any, tae_game: Any) -> Any:
    """Two seats, of which only the first is awaited; the game is over when turn 3 begins."""
    game = tae_game(BOARD, "ms", "p")
    game.seats = [1]
    game.turn_name = "Round 1"

    def closed() -> None:
        game.turn += 1
        game.turn_name = f"Round {game.turn}"
        game.write(1, f"Report {game.turn}", "What happened:\nnothing.")
        if game.turn == 3:
            game.over, game.turn_name = True, "Game over: player0 won"

    game.closed = closed
    return serve(game)


def test_messages_of_this_turn_and_others(served: Any, shell: Any) -> None:
    """Without an option those of this turn; --since from a turn on, --all everything."""
    assert shell(served, "messages")[:2] == (0, "No messages.\n")
    served.game.write(1, "Old", "one\ntwo")
    served.game.turn = 2
    assert shell(served, "messages")[:2] == (0, "No new messages; --all shows 1 older one.\n")
    served.game.write(1, "New", "")
    assert shell(served, "messages")[:2] == (0, "1 [turn 2] New\n")
    everything = "0 [turn 1] Old\n    one\n    two\n\n1 [turn 2] New\n"
    assert shell(served, "messages", "--all")[:2] == (0, everything)
    assert shell(served, "messages", "--since", "1", dialect="tp03")[:2] == (0, everything)
    rows = json.loads(shell(served, "messages", "--all", "--json")[1])
    assert [(one["slot"], one["turn"], one["subject"], one["from"]) for one in rows] == [
        (0, 1, "Old", None),
        (1, 2, "New", None),
    ]


def test_messages_are_removed_by_their_slots(served: Any, shell: Any) -> None:
    """Those that were meant as the board was, though each moves up the ones behind it; or none, with a sentence."""

    def left() -> list[str]:
        return [message.subject for message in served.game.mail[1]]

    for subject in ("one", "two", "three", "four"):
        served.game.write(1, subject, "")
    assert shell(served, "messages", "--remove", "1", "7", "9") == (
        2,
        "",
        "tpclient: There are no messages 7, 9; they have the slots 0 to 3. Nothing was removed.\n",
    )
    assert left() == ["one", "two", "three", "four"]
    assert shell(served, "messages", "--remove", "0", "2", "2") == (
        0,
        "Removed: [turn 1] one\nRemoved: [turn 1] three\n",
        "",
    )
    assert left() == ["two", "four"]
    assert json.loads(shell(served, "messages", "--remove", "1", "--json")[1])[0]["subject"] == "four"
    assert shell(served, "messages", "--remove", "0", dialect="tp03")[0] == 0
    assert shell(served, "messages", "--remove", "0")[::2] == (
        2,
        "tpclient: There is no message 0; the board is empty. Nothing was removed.\n",
    )
    assert shell(served, "messages", "--remove", "-1")[0] == 2


def test_post(served: Any, shell: Any) -> None:
    """To a player by name or id or to a board by name, the body as an argument or from standard input."""
    assert shell(served, "post", "player1", "Hello", "How are you?")[:2] == (0, "Posted on player1's board.\n")
    assert shell(served, "post", "2", "Again", typed="line\nnext\n")[0] == 0
    assert shell(served, "post", "player1's board", "Third", "", dialect="tp03")[0] == 0
    assert [(one.subject, one.body) for one in served.game.mail[2]] == [
        ("Hello", "How are you?"),
        ("Again", "line\nnext"),
        ("Third", ""),
    ]
    letters = shell(served, "messages", user="player1")[1]
    assert letters.startswith("0 [turn 1] Hello (from player0)\n    How are you?\n")


def test_post_what_cannot_be_posted(served: Any, shell: Any) -> None:
    assert shell(served, "post", "nobody", "x", "y")[::2] == (
        2,
        "tpclient: There is no player 'nobody'; there are: player0 (1), player1 (2).\n",
    )
    assert shell(served, "post", "player1", "", "")[::2] == (
        2,
        "tpclient: There is nothing to post: subject and body are empty.\n",
    )


def test_finish(served: Any, shell: Any) -> None:
    """Who is still awaited is said; the turn is not waited for."""
    served.game.seats = [1, 2]
    line = "You are done with this turn; awaited: player1.\n"
    assert shell(served, "finish") == (0, line, "")
    assert json.loads(shell(served, "finish", "--json")[1])["awaited"] == [{"id": 2, "name": "player1"}]


@pytest.mark.parametrize("dialect", ["tp03", "tp04", "pb"])
def test_finish_and_wait(served: Any, shell: Any, dialect: str) -> None:
    """The next turn and what happened are told; older messages are not."""
    served.game.write(1, "Old", "")
    code, out, err = shell(served, "finish", "--wait", dialect=dialect)
    heading = "[turn 1]" if dialect == "tp03" else "[turn 2] Round 2"
    assert (code, err) == (0, "")
    assert out.startswith(heading)
    assert out.splitlines()[1:] == ["  [turn 2] Report 2", "      What happened:", "      nothing."]


def test_finish_waits_no_longer_than_said(served: Any, shell: Any) -> None:
    served.game.seats = [1, 2]
    code, out, err = shell(served, "finish", "--wait", "--at-most", "0.05")
    assert (code, out) == (1, "")
    assert err == "tpclient: No new turn began within 0.05 seconds; awaited: player1.\n"
    served.game.comment = "paused; all-done"
    err = shell(served, "finish", "--wait", "--at-most", "0.05", user="player0@one")[2]
    assert err.endswith("; awaited: player1. The game is paused.\n")


def test_finish_of_a_game_that_is_over(served: Any, shell: Any) -> None:
    served.game.over, served.game.turn_name = True, "Game over"
    assert shell(served, "finish")[::2] == (3, "tpclient: refused: The game is over.\n")


@pytest.mark.parametrize("dialect", ["tp03", "tp04"])
def test_watch_until_the_game_is_over(served: Any, shell: Any, dialect: str) -> None:
    """Each new turn with its messages, and the end by itself; a letter that speaks of the end does not end it."""
    served.game.write(1, "GAME OVER", "I bluff", writer=2)
    turns = iter((2, 3))
    answer = served.server.answer

    def play_on(wire: Any, kind: str, message: Any) -> Any:
        """After each look at the messages the next turn comes."""
        if kind == "get_message" and next(turns, None) is not None:
            served.loop.call_soon(served.game.finish, 1)
            served.loop.call_soon(served.game.close_if_done)
        return answer(wire, kind, message)

    served.server.answer = play_on
    if dialect == "tp03":  # whose clock has no words: a report says it
        closed = served.game.closed

        def closed_and_told() -> None:
            closed()
            if served.game.over:
                served.game.write(1, "Game over!", "")

        served.game.closed = closed_and_told
    code, out, err = shell(served, "watch", dialect=dialect)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert "  [turn 1] GAME OVER (from player1)" in lines
    assert [line for line in lines if "Report" in line] == ["  [turn 2] Report 2", "  [turn 3] Report 3"]
    if dialect == "tp04":
        assert lines[0] == "[turn 1] Round 1 (no deadline; awaited: player0 (you))"
        assert "[turn 3] Game over: player0 won" in lines


def test_a_game_is_not_over_while_somebody_is_awaited(served: Any, shell: Any) -> None:
    """A report that speaks of the end before it has come ends nothing."""
    served.game.write(1, "Game over in ten turns", "")
    assert json.loads(shell(served, "status", "--json")[1])["over"] is False
    served.game.over = True
    assert json.loads(shell(served, "status", "--json")[1])["over"] is True


def test_watch_ends_with_the_server(served: Any, shell: Any) -> None:
    """One sentence when the server goes away."""
    answer = served.server.answer

    def leave(wire: Any, kind: str, message: Any) -> Any:
        if kind == "get_message" or kind == "get_boards":
            served.loop.call_soon(lambda: [writer.close() for writer in served.server.writers])
        return answer(wire, kind, message)

    served.server.answer = leave
    code, _, err = shell(served, "watch")
    assert (code, err) == (1, "tpclient: The server closed the connection.\n")


def test_nobody_reads_the_output(served: Any) -> None:
    """`tpclient objects | head -0`: no traceback."""
    reading, writing = os.pipe()
    os.close(reading)
    words = ["objects", "--address", served.address, "--user", "player0", "--password", "x"]
    command = [sys.executable, "-m", "tpclient", *words]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=240, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, b"")

"""Plain commands for messages, finished turns and watching.

The game goes on as soon as all players have finished.
"""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.support.memory_client import Request, Served, fail, write
from tests.support.server_in_memory import result_of
from tpserver.store.people import accounts as stored_accounts


@pytest.fixture
def alone(served: Served) -> Served:
    """A game with ann alone, which is over after three turns. Its welcome is no longer on her board."""
    (ann,) = served.do(served.server.begin, "ann", options={"rounds": 3})
    served.do(ann.ask, "remove_message", id=0, slots=[0])
    return served


def board(served: Served, name: str = "ann") -> list[tuple[str, str]]:
    return [(message.subject, message.body) for message in served.do(served.server.seated[name].messages)]


def put(served: Served, *subjects: str, by: str = "ann", body: str = "") -> None:
    """Put messages on ann's board."""
    for subject in subjects:
        served.do(write, served.server.seated[by], 1, subject, body)


def test_messages_of_this_turn_and_others(alone: Served, shell: Any) -> None:
    """Without an option those of this turn; --since from a turn on, --all everything."""

    def turn(*wishes: str) -> None:
        alone.do(alone.server.carry_out, alone.server.seated["ann"], *wishes)

    assert shell(alone, "messages")[:2] == (0, "No messages.\n")
    put(alone, "Old", body="one\ntwo")
    turn()
    assert shell(alone, "messages")[:2] == (0, "No new messages; --all shows 1 older one.\n")
    turn("New")
    assert shell(alone, "messages")[:2] == (0, "1 [turn 2] New\n    as you wished\n")
    everything = "0 [turn 0] Old (from ann)\n    one\n    two\n\n1 [turn 2] New\n    as you wished\n"
    assert shell(alone, "messages", "--all")[:2] == (0, everything)
    assert shell(alone, "messages", "--since", "0", dialect="tp03")[:2] == (0, everything)
    rows = json.loads(shell(alone, "messages", "--all", "--json")[1])
    assert [(one["slot"], one["turn"], one["subject"], one["from"]) for one in rows] == [
        (0, 0, "Old", "ann"),
        (1, 2, "New", None),
    ]


def test_messages_are_removed_by_their_slots(alone: Served, shell: Any) -> None:
    """Those that were meant as the board was, though each moves up the ones behind it; or none, with a sentence."""

    def left() -> list[str]:
        return [subject for subject, _ in board(alone)]

    put(alone, "one", "two", "three", "four")
    assert shell(alone, "messages", "--remove", "1", "7", "9") == (
        2,
        "",
        "tpclient: There are no messages 7, 9; they have the slots 0 to 3. Nothing was removed.\n",
    )
    assert left() == ["one", "two", "three", "four"]
    assert shell(alone, "messages", "--remove", "0", "2", "2") == (
        0,
        "Removed: [turn 0] one\nRemoved: [turn 0] three\n",
        "",
    )
    assert left() == ["two", "four"]
    assert json.loads(shell(alone, "messages", "--remove", "1", "--json")[1])[0]["subject"] == "four"
    assert shell(alone, "messages", "--remove", "0", dialect="tp03")[0] == 0
    assert shell(alone, "messages", "--remove", "0")[::2] == (
        2,
        "tpclient: There is no message 0; the board is empty. Nothing was removed.\n",
    )
    assert shell(alone, "messages", "--remove", "-1")[0] == 2


def test_post(workshop: Served, shell: Any) -> None:
    """To a player by name or id or to a board by name, the body as an argument or from standard input."""
    assert shell(workshop, "post", "ben", "Hello", "How are you?")[:2] == (0, "Posted on ben's board.\n")
    assert shell(workshop, "post", "2", "Again", typed="line\nnext\n")[0] == 0
    assert shell(workshop, "post", "ben's board", "Third", "", dialect="tp03")[0] == 0
    assert board(workshop, "ben")[1:] == [
        ("Hello", "How are you?"),
        ("Again", "line\nnext"),
        ("Third", ""),
    ]
    letters = shell(workshop, "messages", user="ben")[1]
    assert "1 [turn 0] Hello (from ann)\n    How are you?\n" in letters
    assert shell(workshop, "post", "everybody", "All", "hear", dialect="pb")[:2] == (
        0,
        "Posted on the boards of everybody.\n",
    )
    assert "[turn 0] All (from ann to everybody)\n    hear\n" in shell(workshop, "messages", user="ben")[1]
    assert shell(workshop, "post", "ben", "Copy", "kept", dialect="pb")[0] == 0
    mine = shell(workshop, "messages")[1]
    assert "[turn 0] All (to everybody)" in mine
    assert "[turn 0] Copy (to ben)" in mine
    told = [json.loads(line) for line in shell(workshop, "messages", "--json")[1].splitlines()]
    assert any(one["to"] == "ben" for part in told for one in (part if isinstance(part, list) else [part]))


@pytest.mark.parametrize("name", ["1", "Everybody", "Personal board"])
def test_post_asks_who_is_meant_where_a_word_could_mean_two(workshop: Served, shell: Any, name: str) -> None:
    """An account from before may be called like an id, everybody or a board: nothing goes to somebody else."""

    def rename() -> None:
        server = workshop.server
        ben = server.accounts.named("ben")
        server.store.write(stored_accounts.rename, ben.id, name)
        server.registry.labels.renamed(ben.id, name)

    workshop.do(rename)
    code, _, err = shell(workshop, "post", name, "Secret", "for one")
    assert (code, "could mean several" in err, "--player NAME a name" in err) == (2, True, True)
    assert shell(workshop, "post", "--player", name, "Secret", "for one")[:2] == (0, f"Posted on {name}'s board.\n")
    assert shell(workshop, "post", "#2", "Again", "")[0] == 0
    assert board(workshop, "ben")[1:] == [("Secret", "for one"), ("Again", "")]
    assert all(subject != "Secret" for subject, _ in board(workshop, "ann"))
    assert shell(workshop, "post", "ann", "--player", name, "Two", "names")[0] == 2
    assert shell(workshop, "post", "Nobody")[0] == 2


def test_post_what_cannot_be_posted(workshop: Served, shell: Any) -> None:
    assert shell(workshop, "post", "nobody", "x", "y")[::2] == (
        2,
        "tpclient: There is no player 'nobody'; there are: ann (1), ben (2).\n",
    )
    assert shell(workshop, "post", "ben", "", "")[::2] == (
        2,
        "tpclient: There is nothing to post: subject and body are empty.\n",
    )


def test_finish(workshop: Served, shell: Any) -> None:
    """The awaited players are printed. The command does not wait for the turn."""
    line = "You are done with this turn; awaited: ben.\n"
    assert shell(workshop, "finish") == (0, line, "")
    assert json.loads(shell(workshop, "finish", "--json")[1])["awaited"] == [{"id": 2, "name": "ben"}]


@pytest.mark.parametrize("dialect", ["tp03", "pb"])
def test_finish_and_wait(alone: Served, shell: Any, dialect: str) -> None:
    """The next turn and its events are printed, older messages are not."""
    put(alone, "Old")
    assert shell(alone, "order", "add", "Yard", "Wish", "A hat")[0] == 0
    code, out, err = shell(alone, "finish", "--wait", dialect=dialect)
    heading = "[turn 1]" if dialect == "tp03" else "[turn 1] Round 2"
    assert (code, err) == (0, "")
    assert out.startswith(heading)
    assert out.splitlines()[1:] == ["  [turn 1] A hat", "      as you wished"]


def test_finish_waits_no_longer_than_said(workshop: Served, shell: Any) -> None:
    code, out, err = shell(workshop, "finish", "--wait", "--at-most", "0.05")
    assert (code, out) == (1, "")
    assert err == "tpclient: No new turn began within 0.05 seconds; awaited: ben.\n"
    workshop.do(lambda: result_of(workshop.server.registry.control.pause(workshop.server.game())))
    err = shell(workshop, "finish", "--wait", "--at-most", "0.05", user="ann@first")[2]
    assert err.endswith("; awaited: ben. The game is paused.\n")


def test_a_suspended_game_is_not_waited_for(workshop: Served, shell: Any) -> None:
    """The rules fail while the next turn is waited for: that is said, and the status says it later."""
    registry = workshop.server.registry

    def fail(request: Request) -> None:
        registry.suspensions.broke(workshop.server.game(), ValueError("a fault"), "close the turn")

    workshop.do(workshop.server.next_time, "finished_turn", fail)
    code, out, err = shell(workshop, "finish", "--wait")
    assert (code, out) == (1, "")
    assert "It waits until its operator resumes it." in err
    out = shell(workshop, "status")[1]
    assert "[turn 0] suspended: " in out
    assert "awaited: ben" not in out


def test_finish_of_a_game_that_is_over(workshop: Served, shell: Any) -> None:
    """Our server says Okay to that; another may refuse, in its own words."""
    workshop.do(workshop.server.carry_out, workshop.server.seated["ann"], "end")
    assert shell(workshop, "finish")[:2] == (0, "[turn 1] Game over: ann won\n")
    workshop.server.scripts["finished_turn"] = fail(2, "The game is over.")
    assert shell(workshop, "finish")[::2] == (3, "tpclient: refused: The game is over.\n")


@pytest.mark.parametrize("dialect", ["tp03", "tp04"])
def test_watch_until_the_game_is_over(alone: Served, shell: Any, dialect: str) -> None:
    """Each new turn with its messages, and the end by itself. A message about the end does not end it."""
    put(alone, "GAME OVER", body="I bluff")
    reports = iter(("Report 1", "Report 2", "Report 3"))

    def play_on(request: Request) -> None:
        """After each look at the messages the next turn comes."""
        report = next(reports, None)
        if report is not None:
            alone.loop.call_soon(alone.server.carry_out, alone.server.seated["ann"], report)

    alone.server.scripts["get_message"] = play_on
    code, out, err = shell(alone, "watch", dialect=dialect)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert "  [turn 0] GAME OVER (from ann)" in lines
    assert [line for line in lines if "Report" in line] == [f"  [turn {n}] Report {n}" for n in (1, 2, 3)]
    if dialect == "tp04":
        assert lines[0] == "[turn 0] Round 1 (no deadline; awaited: ann (you))"
        assert "[turn 3] Game over: ann won" in lines


def test_a_game_is_not_over_while_somebody_is_awaited(workshop: Served, shell: Any) -> None:
    """An early message about the end ends nothing."""
    put(workshop, "Game over in ten turns", by="ben")
    assert json.loads(shell(workshop, "status", "--json")[1])["over"] is False
    workshop.do(workshop.server.carry_out, workshop.server.seated["ann"], "end")
    assert json.loads(shell(workshop, "status", "--json")[1])["over"] is True


def test_watch_ends_with_the_server(workshop: Served, shell: Any) -> None:
    """One sentence when the server goes away."""
    for kind in ("get_message", "get_boards"):
        workshop.server.scripts[kind] = lambda request: workshop.loop.call_soon(workshop.server.hang_up) and None
    code, _, err = shell(workshop, "watch")
    assert (code, err) == (1, "tpclient: The server closed the connection.\n")


def test_nobody_reads_the_output(workshop: Served) -> None:
    """`tpclient objects | head -0`: no traceback."""
    reading, writing = os.pipe()
    os.close(reading)
    words = ["objects", "--address", workshop.address, "--user", "ann", "--password", "ann's word"]
    command = [sys.executable, "-m", "tpclient", *words]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=240, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, b"")

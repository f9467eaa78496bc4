"""Messages in the terminal: read, write, remove."""

from dataclasses import replace
from typing import Any

import pytest
from textual.widgets import Input, OptionList, Select, TextArea

from tests.support.memory_client import Served, write
from tpclient.terminal.messages import Write
from tpproto.dialects import PB

pytestmark = pytest.mark.thorough


def subjects(served: Served, name: str = "ann") -> list[str]:
    return [message.subject for message in served.do(served.server.seated[name].messages)]


def put(served: Served, *letters: str) -> None:
    """Put messages on ann's board."""
    for subject in letters:
        served.do(write, served.server.seated["ann"], 0, subject, f"text of {subject}")


def remove(served: Served, *slots: int) -> None:
    served.do(served.server.seated["ann"].ask, "remove_message", id=0, slots=slots)


def test_letters(workshop: Served, play: Any) -> None:
    """A message is written to a player and read by its subject. An empty one is refused, and its text is kept."""

    async def scene(player: Any) -> None:
        await player.press("m")
        await player.press("w", "ctrl+s")
        await player.sees("There is nothing to post: subject and text are empty.")
        screen = player.app.screen
        screen.query_one(Input).value = "Hello"
        screen.query_one(TextArea).text = "How are\nyou?"
        await player.press("ctrl+s")
        await player.until(lambda: player.app.screen is not screen, "it was not posted")
        letter = workshop.do(workshop.server.seated["ben"].messages)[-1]
        assert (letter.subject, letter.body) == ("Hello", "How are\nyou?")
        await player.until(lambda: player.app.screen.query_one(OptionList).option_count == 1, "no message is listed")
        await player.sees("Welcome to first, a game of Workshop.")

    play(workshop.address, scene)


@pytest.mark.parametrize(
    ("press", "told", "to"),
    [
        ("none", "players write nothing to each other", ["ann"]),
        ("public", "players write to everybody at once only", ["Everybody", "ann"]),
    ],
)
def test_only_what_may_be_written_is_offered(workshop: Served, play: Any, press: str, told: str, to: list[str]) -> None:
    """Notes to oneself always may be."""
    game = workshop.server.game()
    game.row = replace(game.row, press=press)

    async def scene(player: Any) -> None:
        await player.press("m")
        await player.sees(told)
        await player.press("w")
        await player.until(lambda: isinstance(player.app.screen, Write) and player.app.screen.is_composed)
        choices = player.app.screen.query_one(Select).query_one(OptionList).options
        assert [str(choice.prompt) for choice in choices] == to

    play(workshop.address, scene, dialect=PB)


def test_messages_are_removed_after_a_question(workshop: Served, play: Any) -> None:
    """The key x removes the selected message after a question, X all; no and escape remove nothing."""
    remove(workshop, 0)
    put(workshop, "one", "two", "three", "four")

    def left() -> list[str]:
        return subjects(workshop)

    async def scene(player: Any) -> None:
        await player.press("m")
        screen = player.app.screen
        await player.press("down", "x")
        await player.sees("Remove this message for good? [turn 0] three")
        await player.press("escape")
        await player.press("x", "enter")  # no is what is chosen at first
        assert left() == ["one", "two", "three", "four"]
        await player.press("x", "y")
        await player.sees("1 message removed.")
        assert left() == ["one", "two", "four"]
        await player.sees("text of two")  # the next older one is in its place
        # Another client of the same player is quicker, and what it has removed is not confused with the next one.
        await player.press("delete")
        await player.sees("Remove this message for good? [turn 0] two")
        remove(workshop, 1, 0)
        assert left() == ["four"]
        await player.press("y")
        await player.sees("1 message was gone already.")
        assert left() == ["four"]
        put(workshop, "five")
        player.game_screen.reload()
        await player.until(lambda: len(screen.link.mail) == 2)
        screen.show()
        await player.press("X")
        await player.sees("Remove all 2 messages for good?")
        await player.press("y")
        await player.sees("No messages yet")
        await player.sees("2 messages removed.")
        assert left() == []
        await player.press("x")
        await player.sees("There is no message to remove.")

    play(workshop.address, scene)


def test_news_of_mail_keeps_the_chosen_letter(workshop: Served, play: Any) -> None:
    """A new message moves the list, not the choice."""
    remove(workshop, 0)
    put(workshop, "one", "two")

    async def scene(player: Any) -> None:
        await player.press("m", "down")
        await player.sees("text of one")
        put(workshop, "three")
        await player.game_screen.link.refresh()
        await player.sees("3 messages, the newest first")
        assert player.app.screen.query_one(OptionList).highlighted == 2
        await player.sees("text of one")

    play(workshop.address, scene)

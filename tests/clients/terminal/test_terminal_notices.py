"""The notifications screen: settings reach the server, errors are shown.

The errors are in the server's words.
"""

from typing import Any

import pytest

from tests.support.memory_client import Served
from tpclient.terminal.command_screen import ProofScreen
from tpclient.terminal.notices import NoticesScreen
from tpproto.dialects import PB, TP04
from tpserver.notices.contacts import Terms
from tpserver.store.people import notices as stored_notices

pytestmark = pytest.mark.thorough


def allow(served: Served) -> None:
    def terms() -> None:
        served.server.host.notices.terms = Terms(["mail", "json"], calendar=True, site="https://games.example")

    served.do(terms)


def code_of(served: Served) -> str:
    return str(served.do(lambda: served.server.store.read(stored_notices.by_id, 1).code))


async def typed(player: Any, words: str) -> None:
    player.app.screen.query_one("#typed").value = words
    await player.press("enter")


def test_an_address_is_added_and_verified(workshop: Served, play: Any) -> None:
    allow(workshop)

    async def scene(player: Any) -> None:
        await player.press("N")
        await player.sees("You have no address; add KIND ADDRESS adds one (mail, json).")
        await typed(player, "add mail ann@example.org")
        await player.sees("1. mail ann@example.org (unverified)")
        await typed(player, "verify 1 wrong")
        await player.sees("Refused: This is not the code that was sent last.")
        await typed(player, f"verify 1 {code_of(workshop)}")
        await player.sees("1. mail ann@example.org (verified)")
        await typed(player, "tell digest --hours 5")
        await player.sees("Told: once a day what awaits me, and 5 hours before its end")
        await player.press("escape")
        await player.until(lambda: not isinstance(player.app.screen, NoticesScreen))

    play(workshop.address, scene, dialect=PB)


def test_the_password_is_asked_for_where_the_server_wants_it(workshop: Served, play: Any) -> None:
    """The server requires it some time after the login. A user who goes back has changed nothing."""
    allow(workshop)

    def wait() -> None:
        for session in workshop.server.host.sessions:
            session.proven = 0.0

    async def scene(player: Any) -> None:
        await player.press("N")
        await player.sees("Quiet hours: none")
        workshop.do(wait)
        await typed(player, "calendar make")
        await player.sees("give your password with it")
        await player.press("escape")
        await player.sees("Refused: This changes who can log in")
        await player.press("enter")
        await player.until(lambda: isinstance(player.app.screen, ProofScreen))
        player.app.screen.query_one("#proof").value = "ann's word"
        await player.press("enter")
        await player.sees("https://games.example/calendar/")

    play(workshop.address, scene, dialect=PB)


def test_a_link_to_the_calendar_is_made(workshop: Served, play: Any) -> None:
    allow(workshop)

    async def scene(player: Any) -> None:
        await player.press("N")
        await player.sees("Quiet hours: none")
        await typed(player, "calendar make")
        await player.sees("https://games.example/calendar/")
        await typed(player, "calendar revoke")
        await player.sees("Calendar link revoked.")

    play(workshop.address, scene, dialect=PB)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("dance", "Argument COMMAND: invalid choice: 'dance'"),
        ("times UTC --quiet 99:00-1", "'99:00' is no time of the day"),
        ("add 'mail", 'Refused: Notices do not go by "\'mail" on this server'),
        ("remove 5", "Refused: You have no address with the number 5."),
        ("tell off --game nowhere", "Refused: You have no seat in a game 'nowhere'."),
    ],
)
def test_what_is_wrong_is_told(workshop: Served, play: Any, words: str, told: str) -> None:
    allow(workshop)

    async def scene(player: Any) -> None:
        await player.press("N")
        await player.sees("Quiet hours: none")
        await typed(player, words if words != "add 'mail" else "add 'mail x")
        await player.sees(told)

    play(workshop.address, scene, dialect=PB)


def test_an_old_dialect_has_no_notices_and_says_so(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("N")
        await player.until(lambda: str(player.app.screen.query_one("#came").content))
        assert "see your notification settings" in str(player.app.screen.query_one("#came").content)

    play(workshop.address, scene, dialect=TP04)

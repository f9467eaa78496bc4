"""The account screen: create and revoke tokens, change the password."""

from typing import Any

import pytest
from sqlalchemy import update
from twisted.internet.defer import Deferred, succeed

from tests.support.memory_client import Served
from tpclient.terminal.account import AccountScreen, PasswordScreen
from tpclient.terminal.forgotten import ForgottenScreen
from tpclient.terminal.login_screen import LoginScreen
from tpproto.dialects import PB, TP04
from tpserver.notices.contacts import Terms
from tpserver.notices.reset_mail import ResetMail
from tpserver.store.tables import accounts
from tpserver.subscriptions import subscribe_mail

pytestmark = pytest.mark.thorough


async def typed(player: Any, words: str, where: str = "#typed") -> None:
    await player.until(lambda: player.app.screen.query(where))  # a screen is there before what is on it
    player.app.screen.query_one(where).value = words
    await player.press("enter")


def test_a_token_is_made_and_revoked(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("P")
        await player.sees("You have no tokens; add LABEL makes one.")
        await typed(player, 'add "my bot" --days 3 --read-only')
        await player.sees("tpt_")
        await player.sees("1. my bot: all my games, to look only, until 20")
        await typed(player, "revoke 1")
        await player.sees("Token revoked.")
        await player.sees("You have no tokens; add LABEL makes one.")
        await player.press("escape")
        await player.until(lambda: not isinstance(player.app.screen, AccountScreen))

    play(workshop.address, scene, dialect=PB)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("dance", "Argument COMMAND: invalid choice: 'dance'"),
        ("add x --days 0", "Refused: A token can be valid for 1 to 366 days, not 0."),
        ("revoke 5", "Refused: You have no token with the number 5."),
        ("add x --game nowhere", "Refused: You have no seat in a game 'nowhere'."),
    ],
)
def test_what_is_wrong_is_told(workshop: Served, play: Any, words: str, told: str) -> None:
    async def scene(player: Any) -> None:
        await player.press("P")
        await player.sees("You have no tokens")
        await typed(player, words)
        await player.sees(told)

    play(workshop.address, scene, dialect=PB)


def test_the_password_is_changed_and_the_game_comes_back_with_it(workshop: Served, play: Any) -> None:
    """After the connection was lost the new one is used."""

    async def scene(player: Any) -> None:
        await player.press("P")
        await player.sees("You have no tokens")
        await typed(player, "password")
        await player.until(lambda: isinstance(player.app.screen, PasswordScreen))
        for name, words in (("#old", "wrong"), ("#new", "another"), ("#again", "other")):
            await typed(player, words, name)
        await player.sees("The two new passwords differ.")
        await typed(player, "another", "#again")
        await player.sees("Refused: The old password is wrong.")
        await typed(player, "ann's word", "#old")
        await player.sees("Your password is changed, and you are logged out everywhere else.")
        await player.press("escape")
        link = player.app.screen.link
        lost = link.reconnector.connection
        lost.close()
        await player.until(lambda: link.reconnector.connection is not lost and link.reconnector.is_up)

    play(workshop.address, scene, dialect=PB)


def test_addresses_providers_and_links_end_with_the_old_password(workshop: Served, play: Any) -> None:
    """The form drops what is ticked; the rest stays."""
    server = workshop.server

    def calendar() -> bool:
        ann = server.connect("pb")
        ann.ask("login_account", username="ann", password="ann's word")
        return bool(ann.ask("get_calendar").message.made)

    def prepare() -> None:
        server.host.notices.terms = Terms(calendar=True)
        ann = server.connect("pb")
        ann.ask("login_account", username="ann", password="ann's word")
        assert ann.ask("make_calendar").name == "calendar"

    workshop.do(prepare)

    async def scene(player: Any) -> None:
        for links in (False, True):
            await player.press("P")
            await player.sees("You have no tokens")
            await typed(player, "password")
            await player.until(lambda: isinstance(player.app.screen, PasswordScreen))
            await player.sees("Remove all addresses")
            await player.sees("Disconnect all providers")
            screen = player.app.screen
            for name in ("#old", "#new", "#again"):
                screen.query_one(name).value = "ann's word"
            screen.query_one("#drop_links").value = links
            box = screen.query_one("Vertical").content_region
            assert box.contains_region(screen.query_one("#change").region)
            screen.query_one("#change").press()
            await player.sees("Your password is changed, and you are logged out everywhere else.")
            await player.press("escape")
            assert workshop.do(calendar) is not links

    play(workshop.address, scene, dialect=PB)


def test_an_old_dialect_has_no_tokens_and_says_so(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("P")
        await player.until(lambda: str(player.app.screen.query_one("#came").content))
        assert "tokens" in str(player.app.screen.query_one("#came").content)

    play(workshop.address, scene, dialect=TP04)


def test_a_guest_comes_in_from_the_form_of_the_login(workshop: Served, play: Any) -> None:
    """The form then has the guest's login data, and shows them this once. All buttons are within the form."""

    async def scene(player: Any) -> None:
        await player.until(lambda: isinstance(player.app.screen, LoginScreen))
        screen = player.app.screen
        screen.query_one("#guest").press()
        await player.sees("Refused: This server takes no guests")
        workshop.server.host.guests.terms.allowed = True
        screen.query_one("#guest").press()
        await player.sees("You are Guest ")
        assert screen.query_one("#user").value.startswith("Guest ")
        assert screen.query_one("#password").value.startswith("tpt_")
        box = screen.query_one("Vertical").content_region
        assert all(box.contains_region(screen.query_one(name).region) for name in ("#login", "#guest", "#quit"))
        await player.press("escape")

    play(workshop.address, scene, dialect=PB, user="", at_table=False)


def test_a_forgotten_password_is_reset_from_the_form_of_the_login(workshop: Served, play: Any) -> None:
    """The code is that of the mail; the form has the new password then."""
    codes: list[str] = []

    class Mails:
        def send(self, notice: Any, letter: Any) -> Deferred[str]:
            codes.append(letter.data["code"])
            return succeed("")

    def allow() -> None:
        host = workshop.server.host
        host.resets.offered = True
        words = {"username": "eve", "password": "old", "email": "eve@example.org"}
        assert workshop.server.connect("pb").ask("create_account", **words).name == "okay"
        host.registry.store.write(lambda c: c.execute(update(accounts).values(email_resets=True)))  # as if verified
        subscribe_mail(host.registry.bus, ResetMail(host.registry, Mails(), "our server", ""))

    workshop.do(allow)

    async def scene(player: Any) -> None:
        await player.until(lambda: isinstance(player.app.screen, LoginScreen))
        player.app.screen.query_one("#user").value = "eve"
        player.app.screen.query_one("#forgotten").press()
        await player.until(lambda: isinstance(player.app.screen, ForgottenScreen))
        await typed(player, "eve@example.org", "#account")
        await player.sees("If there is such an account and its address is known, a mail is on its way there.")
        await player.until(lambda: bool(codes))
        await typed(player, "wrong", "#code")
        await typed(player, "new word", "#new")
        await player.sees("Refused: This code is wrong, was used already, or is older than an hour")
        player.app.screen.query_one("#code").value = codes[0]
        await typed(player, "new word", "#new")
        await player.until(lambda: isinstance(player.app.screen, LoginScreen))
        assert player.app.screen.query_one("#password").value == "new word"
        await player.press("escape")

    play(workshop.address, scene, dialect=PB, user="", at_table=False)

"""The notifications dialog: contacts, verification codes, kinds and times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from axe import assert_accessible
from page_objects import GamePage, begin_game, give_password
from playwright.sync_api import Page, expect

from tests.support.receivers import Receiver, receiver
from tests.support.server import ServerProcess

Servers = Callable[..., ServerProcess]


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


@pytest.fixture
def server(web_server: Servers, directory: Path) -> ServerProcess:
    """A server that sends to webhooks of this machine, with a game of ann and ben."""
    config = directory / "tpserver.toml"
    config.write_text('[notices]\nwebhooks = "on"\nown_network = "allowed"\n')
    made = web_server("--config", str(config))
    made.start()
    begin_game(made, "first", "tae")
    return made


@pytest.mark.thorough
def test_an_address_gets_a_code_and_then_notices(server: ServerProcess, page: Page, hook: Receiver) -> None:
    """In the game: a contact is added, a wrong code refused, the right one accepted, quiet hours kept.

    The next turn is announced when the player is gone.
    """
    GamePage(page, server).enter("ann")
    page.get_by_role("button", name="Notices").click()
    dialog = page.get_by_role("dialog", name="Notices")
    dialog.get_by_label("By", exact=True).select_option("json")
    dialog.get_by_label("Address", exact=True).fill("nowhere")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_role("alert")).to_contain_text("This is not an address such as https://example.org/path.")
    dialog.get_by_label("Address", exact=True).fill(hook.url)
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_role("status")).to_contain_text("signed with whsec_")
    code = hook.wait_for(1)[0].json["data"]["code"]
    field = dialog.get_by_label(f"Code for {hook.url}", exact=True)
    field.fill("1")
    dialog.get_by_role("button", name=f"Verify {hook.url}").click()
    expect(dialog.get_by_role("alert")).to_contain_text("This is not the code that was sent last.")
    field.fill(code)
    dialog.get_by_role("button", name=f"Verify {hook.url}").click()
    expect(dialog.locator("#notices-addresses li")).to_contain_text("gets notices")
    dialog.get_by_label("In first", exact=True).select_option("turn")
    dialog.get_by_label("Hours before a turn ends").fill("3")
    dialog.locator("#notices-wish").get_by_role("button", name="Keep").click()
    expect(dialog.get_by_role("status")).to_have_text("Your choice of notices is saved")
    dialog.get_by_label("Time zone").fill("Europe/Zurich")
    dialog.locator("#notices-times").get_by_role("button", name="Keep").click()
    expect(dialog.get_by_role("status")).to_have_text("Your times are saved")
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Log out", exact=True).click()
    server.command("game", "close-turn", "first")
    told = hook.wait_for(2)[1].json
    assert (told["type"], told["data"]["game"]) == ("game.turn", "first")


@pytest.mark.thorough
def test_at_home_what_was_set_is_shown_and_an_address_removed(
    server: ServerProcess, page: Page, hook: Receiver
) -> None:
    GamePage(page, server).enter("ann")
    page.get_by_role("button", name="My games").click()
    for _ in range(2):
        page.locator("#account-card").get_by_role("button", name="Notices").click()
        dialog = page.get_by_role("dialog", name="Notices")
        expect(dialog.get_by_label("In all games")).to_be_visible()
        expect(dialog.get_by_label("In first", exact=True)).to_be_hidden()
        if dialog.get_by_label("In all games").input_value() == "digest":
            break
        dialog.get_by_label("In all games").select_option("digest")
        dialog.locator("#notices-wish").get_by_role("button", name="Keep").click()
        expect(dialog.get_by_role("status")).not_to_be_empty()
        dialog.get_by_label("By", exact=True).select_option("json")
        dialog.get_by_label("Address", exact=True).fill(hook.url)
        dialog.get_by_role("button", name="Add").click()
        give_password(page)
        expect(dialog.locator("#notices-addresses li")).to_have_count(1)
        dialog.get_by_role("button", name="Close").click()
    expect(dialog.get_by_label("In all games")).to_have_value("digest")
    dialog.get_by_role("button", name=f"Remove {hook.url}").click()
    expect(dialog.locator("#notices-addresses li")).to_have_count(0)


@pytest.mark.thorough
def test_where_no_notices_are_sent_there_is_no_button(web_server: Servers, page: Page, directory: Path) -> None:
    """There is none in a game or in the lobby, if there are no calendars either."""
    config = directory / "tpserver.toml"
    config.write_text('[notices]\ncalendar = "off"\n')
    server = web_server("--config", str(config))
    server.start()
    begin_game(server, "first", "tae")
    game = GamePage(page, server).enter("ann")
    game.acting()
    expect(page.get_by_role("button", name="Notices")).to_have_count(0)
    page.get_by_role("button", name="My games").click()
    expect(page.get_by_role("button", name="Log out")).to_be_visible()
    expect(page.get_by_role("button", name="Notices")).to_have_count(0)


@pytest.mark.thorough
def test_a_link_to_the_calendar_is_made_read_and_revoked(web_server: Servers, page: Page) -> None:
    """Also where no notices are sent: the dialog has that alone then."""
    server = web_server()
    server.start()
    begin_game(server, "first", "tae")
    GamePage(page, server).enter("ann")
    page.get_by_role("button", name="Notices").click()
    dialog = page.get_by_role("dialog", name="Notices")
    expect(dialog.get_by_label("In all games")).to_be_hidden()
    dialog.get_by_role("button", name="Make a link").click()
    field = dialog.get_by_label("Link to the calendar")
    link = field.input_value()
    assert link.startswith(f"{server.url}calendar/")
    with urlopen(link, timeout=60) as answer:
        assert answer.read().startswith(b"BEGIN:VCALENDAR")
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Notices").click()
    expect(dialog).to_contain_text("There is a link since")
    expect(field).to_have_count(0)
    dialog.get_by_role("button", name="Revoke the link").click()
    expect(dialog.get_by_role("button", name="Revoke the link")).to_have_count(0)
    with pytest.raises(HTTPError, match="404"):
        urlopen(link, timeout=60)


@pytest.mark.thorough
def test_axe_finds_nothing_serious_in_the_dialog(server: ServerProcess, page: Page, hook: Receiver) -> None:
    GamePage(page, server).enter("ann")
    page.evaluate("document.getElementById('notices-game').click()")
    dialog = page.get_by_role("dialog", name="Notices")
    dialog.get_by_label("By", exact=True).select_option("json")
    dialog.get_by_label("Address", exact=True).fill(hook.url)
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.locator("#notices-addresses li")).to_have_count(1)
    assert_accessible(page, dialog, "notices")

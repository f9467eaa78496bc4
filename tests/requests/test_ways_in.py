"""New ways to log in need the password or a recent login.

A minute at an open session is not enough to take over an account.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.requests.test_my_games import at_home
from tests.support.server_in_memory import Client, Server, result_of
from tpserver.notices.change_mail import ChangeMail
from tpserver.notices.contacts import Terms
from tpserver.notices.reset_mail import ResetMail
from tpserver.notices.unsubscribe import stop, token_of
from tpserver.portal.session_state import resume, state_of
from tpserver.requests.session.session import FRESH_SECONDS
from tpserver.store.people import account_mails
from tpserver.store.people import notices as stored_notices
from tpserver.store.people import tokens as stored_tokens
from tpserver.store.people.account_mails import MOST_OF_TARGET
from tpserver.subscriptions import subscribe_mail

FRAME, NO_SUCH_THING, DENIED, PASSWORD_NEEDED = 1, 4, 5, 10
OWN, EVIL, WORD = "ann@example.org", "evil@example.org", "ann's word"

WAYS: dict[str, dict[str, Any]] = {
    "add_notice_address": {"kind": "mail", "target": EVIL},
    "make_calendar": {},
    "create_token": {"label": "bot", "days": 30},
    "keep_login": {"label": "a browser"},
    "connect_provider": {"provider": "ours"},
}
"""The requests that add a way into an account."""


class SignIns:
    """Other servers that log in, as far as these requests need them."""

    offered = [type("Offered", (), {"id": "ours", "name": "Ours", "makes_accounts": True, "issuer": "https://ours"})()]

    def ticket(self, account: object, provider: str) -> str:
        return "a ticket"

    def identities(self, account: int) -> list[object]:
        return []

    def forget(self, account: int) -> None: ...


class Box:
    """Keeps the mails that are sent."""

    def __init__(self) -> None:
        self.came: list[tuple[str, str, str]] = []

    def send(self, notice: Any, letter: Any) -> Any:
        from twisted.internet.defer import succeed

        self.came.append((notice.target, letter.kind, letter.text))
        return succeed("")

    def taken(self) -> list[tuple[str, str]]:
        """Return where mails about changes went since the last call, and what they say was changed."""
        found = [(to, text.splitlines()[1]) for to, kind, text in self.came if kind == "account.change"]
        self.came.clear()
        return found


@pytest.fixture
def box(server: Server) -> Box:
    """A server that sends mail, calendars and browsers to a provider."""
    made, host = Box(), server.host
    host.notices.terms = Terms(["mail", "json"], calendar=True)
    host.resets.offered = True
    host.sign_ins = SignIns()  # type: ignore[assignment]
    subscribe_mail(host.registry.bus, ResetMail(host.registry, made, "our server", ""))
    changes = ChangeMail(host.registry, server.accounts, made, "our server", "https://games.example/")
    subscribe_mail(host.registry.bus, changes)
    return made


@pytest.fixture
def ann(server: Server, box: Box) -> Client:
    """Ann, with a verified address that may reset her password."""
    client = server.connect("pb")
    client.ask("create_account", username="ann", password=WORD, email=OWN)
    ann = at_home(server)
    verify(server, ann, OWN)
    box.came.clear()
    return ann


def verify(server: Server, client: Client, target: str) -> int:
    """Bring the code of an address, and return its number."""
    (found,) = [one for one in client.ask("get_notices").message.addresses if one.target == target]
    stored = server.store.read(stored_notices.by_id, found.id)
    assert stored is not None
    assert client.ask("verify_notice_address", id=found.id, code=stored.code).name == "okay"
    return int(found.id)


def resets_of(server: Server, box: Box, asked: str) -> list[str]:
    """Return to where mails go if a forgotten password is to be reset."""
    box.came.clear()
    assert server.connect("pb", address="192.0.2.77").ask("request_reset", account=asked).name == "okay"
    for _ in range(3):
        server.pass_time(0.2)
    return [to for to, kind, _ in box.came if kind == "account.reset"]


@pytest.mark.parametrize("way", WAYS)
def test_each_way_back_in_asks_for_the_password_ten_minutes_after_the_login(
    server: Server, ann: Client, way: str
) -> None:
    """With a code of its own, so that programs know when to ask for it; the right one is good for ten minutes more."""
    assert ann.ask(way, **WAYS[way]).name != "fail"
    server.pass_time(FRESH_SECONDS)
    more = {**WAYS[way], **({"target": "more@example.org"} if way == "add_notice_address" else {})}
    refused = ann.ask(way, **more)
    assert (refused.code, "give your password" in refused.text) == (PASSWORD_NEEDED, True)
    assert ann.ask(way, **more, password="wrong").code == DENIED
    assert ann.ask(way, **more).code == PASSWORD_NEEDED
    assert ann.ask(way, **more, password=WORD).name != "fail"
    assert ann.ask("create_token", label="next", days=1).name == "token"


@pytest.mark.parametrize("way", WAYS)
def test_a_kept_login_a_resumed_session_and_a_clock_that_was_set_back_count_as_no_login(
    server: Server, ann: Client, way: str
) -> None:
    """However young. A session that a password began, and that another process serves since, goes on as before."""
    carried = server.connect("pb")
    result_of(resume(carried.session, state_of(ann.session)))
    assert carried.ask(way, **WAYS[way]).name != "fail"
    kept = result_of(server.host.logins.redeem(ann.ask("keep_login", label="b").message.ticket))
    browser = server.connect("pb", token=kept)
    assert browser.ask("login_account").name == "account"
    assert browser.ask(way, **WAYS[way]).code == PASSWORD_NEEDED
    resumed = server.connect("pb")
    result_of(resume(resumed.session, state_of(browser.session)))
    assert resumed.ask(way, **WAYS[way]).code == PASSWORD_NEEDED
    ann.session.proven += 2 * FRESH_SECONDS
    assert ann.ask(way, **WAYS[way]).code == PASSWORD_NEEDED


def test_a_browser_that_a_provider_has_just_let_in_needs_no_password(server: Server, ann: Client) -> None:
    """For ten minutes, whenever it connects; then an account without a password has to sign in again."""
    account = ann.session.account
    assert account is not None
    kept = result_of(server.host.logins.keep(account.id, "a browser"))
    server.store.write(lambda c: c.exec_driver_sql("UPDATE accounts SET password_hash = '' WHERE name = 'ann'"))
    browser = server.connect("pb", token=kept)
    browser.ask("login_account")
    assert browser.ask("make_calendar").name == "calendar"
    server.pass_time(FRESH_SECONDS)
    again = server.connect("pb", token=kept)
    again.ask("login_account")
    for client in (browser, again):
        refused = client.ask("change_password", old="", new="mine")
        assert (refused.code, "sign in again" in refused.text) == (PASSWORD_NEEDED, True)
        assert client.ask("make_calendar").code == PASSWORD_NEEDED
    fresh = server.connect("pb", token=result_of(server.host.logins.keep(account.id, "a browser")))
    fresh.ask("login_account")
    assert fresh.ask("change_password", old="", new="mine").name == "okay"


def test_wrong_passwords_with_a_request_are_counted_as_at_a_login(ann: Client) -> None:
    for _ in range(3):
        assert ann.ask("make_calendar", password="guess").code == DENIED
    assert "try again in" in ann.ask("make_calendar", password="guess").text


def test_a_guest_needs_no_password_that_it_has_not(server: Server, box: Box) -> None:
    server.host.guests.terms.allowed = True
    guest = server.connect("pb")
    guest.ask("play_as_guest")
    server.pass_time(2 * FRESH_SECONDS)
    assert guest.ask("keep_login", label="b").name == "ticket"
    became = guest.ask("become_account", username="zoe", password=WORD, email="zoe@example.org")
    assert became.name == "account"
    assert guest.ask("create_token", label="bot", days=1).name == "token", "the password was just chosen"
    assert [(one.target, one.resets) for one in guest.ask("get_notices").message.addresses] == [
        ("zoe@example.org", True)
    ]


def test_resets_go_to_verified_addresses_that_the_owner_has_marked(server: Server, ann: Client, box: Box) -> None:
    """Not to another one for notices, nor before it is verified; and no more when the mark is taken away."""
    ann.ask("add_notice_address", kind="mail", target="other@example.org")
    number = verify(server, ann, "other@example.org")
    assert resets_of(server, box, "ann") == [OWN]
    assert resets_of(server, box, "other@example.org") == []
    assert ann.ask("set_reset_address", id=number, resets=True).name == "okay"
    assert resets_of(server, box, "other@example.org") == ["other@example.org"]
    ann.ask("add_notice_address", kind="mail", target="late@example.org", resets=True)
    assert resets_of(server, box, "late@example.org") == []
    late = verify(server, ann, "late@example.org")
    assert resets_of(server, box, "late@example.org") == ["late@example.org"]
    server.pass_time(2 * FRESH_SECONDS)
    assert ann.ask("set_reset_address", id=number, resets=True).code == PASSWORD_NEEDED
    assert ann.ask("set_reset_address", id=late, resets=False).name == "okay", "to take one away adds no way in"
    assert resets_of(server, box, "late@example.org") == []


def test_what_is_no_verified_mail_address_is_not_marked(server: Server, ann: Client) -> None:
    hook = {"kind": "json", "target": "https://hooks.example.org/x"}
    assert ann.ask("add_notice_address", **hook, resets=True).code == FRAME
    for fields in (hook, {"kind": "mail", "target": EVIL}):
        number = ann.ask("add_notice_address", **fields).message.id
        assert ann.ask("set_reset_address", id=number, resets=True).code == FRAME
    assert ann.ask("set_reset_address", id=0, resets=True).code == FRAME, "it was never verified as such"
    assert ann.ask("set_reset_address", id=999, resets=True).code == NO_SUCH_THING


def test_the_address_of_an_account_from_before_is_shown_and_can_be_given_up(
    server: Server, ann: Client, box: Box
) -> None:
    server.store.write(
        lambda c: c.exec_driver_sql("UPDATE accounts SET email_resets = true, email = '\"old@example.org\"'")
    )
    own = ann.ask("get_own_account").message
    assert (own.email, own.email_resets) == ("old@example.org", True)
    assert resets_of(server, box, "ann") == ["old@example.org", OWN]
    assert ann.ask("set_reset_address", id=0, resets=False).name == "okay"
    assert resets_of(server, box, "old@example.org") == []
    assert not ann.ask("get_own_account").message.email_resets


def test_every_change_of_address_provider_and_password_is_mailed_to_all_known_addresses(
    server: Server, ann: Client, box: Box
) -> None:
    """Also to an address that was just removed, and never to one that nobody has verified."""
    ann.ask("add_notice_address", kind="mail", target=EVIL, resets=True)
    assert box.taken() == [(OWN, f"The address {EVIL} was added.")]
    number = verify(server, ann, EVIL)
    text = f"The address {EVIL} was verified and may reset the password."
    assert box.taken() == [(OWN, text), (EVIL, text)]
    ann.ask("set_reset_address", id=number, resets=False)
    assert [to for to, _ in box.taken()] == [OWN, EVIL]
    ann.ask("remove_notice_address", id=number)
    assert box.taken() == [(OWN, text := f"The address {EVIL} was removed."), (EVIL, text)]
    added = ann.ask("add_notice_address", kind="json", target="https://hooks.example.org/secret").message
    assert "secret" not in box.taken()[0][1]
    stored = server.store.read(stored_notices.by_id, added.id)
    assert stored is not None and result_of(stop(server.accounts, token_of(added.id, stored.secret)))
    assert [to for to, _ in box.taken()] == [OWN]
    ann.ask("change_password", old=WORD, new="other")
    assert box.taken() == [(OWN, "Its password was changed.")]
    result_of(server.accounts.set_password(server.accounts.named("ann"), "third"))
    assert box.taken() == [(OWN, "The operator has set another password.")]
    assert ann.ask("change_password", old="wrong", new="x").name == "fail"
    assert box.taken() == []


def test_nobody_fills_the_mailbox_of_a_stranger(server: Server, box: Box) -> None:
    """An account may name any address as its own, and change as often as it likes; others get their mails."""
    client = server.connect("pb")
    client.ask("create_account", username="evil", password="0", email="victim@example.org")
    evil = server.accounts.named("evil")
    for number in range(MOST_OF_TARGET + 5):
        result_of(server.accounts.set_password(evil, f"{number}"))
    assert len(box.taken()) == MOST_OF_TARGET
    server.pass_time(account_mails.DAY)
    result_of(server.accounts.set_password(evil, "again"))
    assert len(box.taken()) == 1


def test_a_mail_about_a_change_is_written_with_it_and_sent_by_the_next_server(
    make_server: Callable[..., Server],
) -> None:
    server, box = make_server(), Box()
    server.accounts.mails_changes = True
    result_of(server.accounts.add("ann", "word", email=OWN))
    result_of(server.accounts.set_password(server.accounts.named("ann"), "other"))
    server = server.restarted()
    mail = ChangeMail(server.host.registry, server.accounts, box, "our server", "")
    mail.look()
    assert box.taken() == [(OWN, "The operator has set another password.")]
    mail.look()
    assert box.taken() == []


def test_a_change_of_password_drops_what_is_asked_for(server: Server, ann: Client, box: Box) -> None:
    """All addresses, also the account's own, providers and the link to the calendar; tokens end in any case."""
    server.store.write(lambda c: c.exec_driver_sql("UPDATE accounts SET email_resets = true"))
    ann.ask("create_token", label="bot", days=30)
    ann.ask("make_calendar")
    assert ann.ask("change_password", old=WORD, new="second").name == "okay"
    assert server.store.read(stored_tokens.of_account, 1) == []
    assert ann.ask("get_calendar").message.made
    assert len(ann.ask("get_notices").message.addresses) == 1
    everything = {"drop_addresses": True, "drop_providers": True, "drop_links": True}
    assert ann.ask("change_password", old="wrong", new="third", **everything).code == DENIED
    assert ann.ask("get_calendar").message.made
    box.came.clear()
    assert ann.ask("change_password", old="second", new="third", **everything).name == "okay"
    assert box.taken() == [(OWN, "Its password was changed.")]
    assert not ann.ask("get_calendar").message.made
    assert list(ann.ask("get_notices").message.addresses) == []
    assert resets_of(server, box, "ann") == resets_of(server, box, OWN) == []

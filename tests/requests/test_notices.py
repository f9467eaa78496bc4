"""Contacts and notification settings of an account, set by frames.

They are bounded and private.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.requests.test_my_games import at_home
from tests.support.pasting import pasted
from tests.support.server_in_memory import Client, Server
from tpserver.notices.contacts import CODES, LONGEST_TARGET, MOST_ADDRESSES, MOST_HOURS, MOST_WRONG, Terms
from tpserver.notices.unsubscribe import stop, token_of
from tpserver.store.people import notices as stored_notices
from tpserver.store.people.notices import CODE_SECONDS

FRAME, TEMPORARILY, NO_SUCH_THING, DENIED = 1, 3, 4, 5
HOOK = "https://hooks.example.org/ann"


@pytest.fixture
def ann(server: Server) -> Client:
    """Ann, at home on a server that sends mail and webhooks."""
    server.host.notices.terms = Terms(["mail", "json", "discord", "slack", "matrix"])
    server.create("first")
    return at_home(server)


def code_of(server: Server, address: int) -> str:
    found = server.store.read(stored_notices.by_id, address)
    assert found is not None
    return found.code


def addresses(client: Client) -> list[tuple[str, str]]:
    return [(one.target, one.state) for one in client.ask("get_notices").message.addresses]


def test_an_address_is_added_and_verified_and_removed(server: Server, ann: Client) -> None:
    added = ann.ask("add_notice_address", kind="json", target=HOOK).message
    assert added.secret.startswith("whsec_")
    assert addresses(ann) == [(HOOK, "unverified")]
    assert ann.ask("get_notices").message.addresses[0].secret == "", "it is told once"
    wide = "\u3000".join(chr(ord(digit) + 0xFEE0) for digit in code_of(server, added.id))
    assert ann.ask("verify_notice_address", id=added.id, code=wide).name == "okay"
    assert addresses(ann) == [(HOOK, "verified")]
    assert ann.ask("remove_notice_address", id=added.id).name == "okay"
    assert addresses(ann) == []


def test_a_code_is_tried_a_few_times_only(server: Server, ann: Client) -> None:
    """Nor does the right one help then; another one does."""
    number = ann.ask("add_notice_address", kind="json", target=HOOK).message.id
    for _ in range(MOST_WRONG):
        assert ann.ask("verify_notice_address", id=number, code="1").code == DENIED
    assert ann.ask("verify_notice_address", id=number, code=code_of(server, number)).code == DENIED
    assert ann.ask("verify_notice_address", id=number).name == "okay"
    assert ann.ask("verify_notice_address", id=number, code=code_of(server, number)).name == "okay"


def test_a_used_code_is_good_for_nothing(server: Server, ann: Client) -> None:
    number = ann.ask("add_notice_address", kind="json", target=HOOK).message.id
    code = code_of(server, number)
    ann.ask("verify_notice_address", id=number, code=code)
    assert ann.ask("verify_notice_address", id=number, code=code).code == DENIED


def test_a_code_is_taken_as_it_is_pasted(server: Server, ann: Client) -> None:
    """In two parts, too; what has no digit is a wrong code, and has no other one sent."""
    number = ann.ask("add_notice_address", kind="json", target=HOOK).message.id
    code = code_of(server, number)
    assert ann.ask("verify_notice_address", id=number, code=" - ").code == DENIED
    assert ann.ask("verify_notice_address", id=number, code=pasted(f"{code[:4]}-{code[4:]}")).name == "okay"


def test_nobody_sees_or_touches_the_addresses_of_others(server: Server, ann: Client) -> None:
    number = ann.ask("add_notice_address", kind="json", target=HOOK).message.id
    ben = at_home(server, "ben")
    assert addresses(ben) == []
    assert ben.ask("verify_notice_address", id=number, code=code_of(server, number)).code == NO_SUCH_THING
    assert ben.ask("verify_notice_address", id=number).code == NO_SUCH_THING
    assert ben.ask("remove_notice_address", id=number).code == NO_SUCH_THING
    assert addresses(ann) == [(HOOK, "unverified")]


def test_addresses_of_an_account_are_bounded(ann: Client) -> None:
    for number in range(MOST_ADDRESSES):
        assert ann.ask("add_notice_address", kind="json", target=f"{HOOK}{number}").name == "notice_address"
    assert ann.ask("add_notice_address", kind="json", target=f"{HOOK}0").code == TEMPORARILY
    assert ann.ask("add_notice_address", kind="json", target=HOOK).code == TEMPORARILY


def test_nobody_lets_the_server_pester_somebody_with_codes(server: Server, ann: Client) -> None:
    """One address gets few codes a day, from any account and in any spelling, and so does one account."""
    target = "Victim@example.org"
    number = ann.ask("add_notice_address", kind="mail", target=target).message.id
    ann.ask("remove_notice_address", id=number)
    ben = at_home(server, "ben")
    for _ in range(CODES.target - 1):
        number = ben.ask("add_notice_address", kind="mail", target=target.lower()).message.id
        ben.ask("remove_notice_address", id=number)
    refused = ben.ask("add_notice_address", kind="mail", target=target)
    assert refused.code == TEMPORARILY
    assert "Too many codes were sent to this address today" in refused.text
    server.pass_time(CODE_SECONDS + 1)
    assert ben.ask("add_notice_address", kind="mail", target=target, password="ben's word").name == "notice_address"
    for turn in range(CODES.account):
        answer = ann.ask("add_notice_address", kind="json", target=f"{HOOK}{turn}", password="ann's word")
        assert answer.name == "notice_address", answer
        ann.ask("remove_notice_address", id=answer.message.id)
    assert ann.ask("add_notice_address", kind="json", target=HOOK, password="ann's word").code == TEMPORARILY


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        ("pigeon", "roof"),
        ("", HOOK),
        ("mail", "ann"),
        ("mail", "ann@example.org, ben@example.org"),
        ("mail", "ann@example.org\r\nBcc: all@example.org"),
        ("mail", f"{'a' * 65}@example.org"),
        ("mail", "@example.org"),
        ("json", "http://hooks.example.org/"),
        ("json", "ftp://hooks.example.org/"),
        ("json", "javascript:alert(1)"),
        ("json", "https://"),
        ("json", "https://ann:word@hooks.example.org/"),
        ("json", "https://hooks.example.org/#x"),
        ("json", "https://hooks.example.org:0/"),
        ("json", "https://hooks.example.org:99999/"),
        ("json", "https://[::1"),
        ("json", "https://hooks.example.org/a b"),
        ("json", "https://127.0.0.1/"),
        ("json", "https://[::ffff:10.0.0.1]/"),
        ("json", "https://169.254.169.254/latest/meta-data"),
        ("json", "https://hooks.example.org/\0"),
        ("json", "https://hooks.example.org/" + "x" * LONGEST_TARGET),
        ("matrix", "https://matrix.example.org/"),
    ],
)
def test_what_is_no_address_is_refused(ann: Client, kind: str, target: str) -> None:
    assert ann.ask("add_notice_address", kind=kind, target=target, token="x").code == FRAME
    assert addresses(ann) == []


def test_a_server_without_channels_says_so(server: Server) -> None:
    ann = at_home(server)
    assert list(ann.ask("get_notices").message.channels) == []
    refused = ann.ask("add_notice_address", kind="mail", target="ann@example.org")
    assert refused.code == FRAME
    assert "its channels: none" in refused.text


def test_wishes_are_of_own_games_or_of_all(server: Server, ann: Client) -> None:
    server.players(2, game="first")
    server.create("other")

    def wish(**fields: Any) -> Any:
        return ann.ask("set_notice_wish", wish=fields)

    told = ann.ask("get_notices").message
    assert (told.usual.mode, told.usual.hours) == ("turn", 0)
    assert wish(mode="digest", hours=5).name == "okay"
    assert wish(game="FIRST", mode="off").name == "okay"
    told = ann.ask("get_notices").message
    assert (told.usual.mode, told.usual.hours) == ("digest", 5)
    assert [(one.game, one.mode) for one in told.wishes] == [("first", "off")]
    assert wish(game="first").name == "okay"
    assert list(ann.ask("get_notices").message.wishes) == []
    assert wish(game="other", mode="off").code == NO_SUCH_THING
    assert wish(game="nowhere", mode="off").code == NO_SUCH_THING
    assert wish(mode="sometimes").code == FRAME
    assert wish(mode="turn", hours=MOST_HOURS + 1).code == FRAME
    assert wish(mode="turn", hours=2**32 - 1).code == FRAME


def test_times_are_of_a_zone_that_there_is(ann: Client) -> None:
    fields = {"quiet_from": 1320, "quiet_to": 420, "digest": 500}
    assert ann.ask("set_notice_times", zone="Europe/Zurich", **fields).name == "okay"
    told = ann.ask("get_notices").message
    assert (told.zone, told.quiet_from, told.quiet_to, told.digest) == ("Europe/Zurich", 1320, 420, 500)
    assert ann.ask("set_notice_times", zone="Nowhere").code == FRAME
    assert ann.ask("set_notice_times", zone="../../etc/passwd").code == FRAME
    assert ann.ask("set_notice_times", zone="UTC", quiet_from=1440).code == FRAME
    assert ann.ask("get_notices").message.zone == "Europe/Zurich"


def test_what_is_set_survives_a_restart(server: Server, ann: Client) -> None:
    ann.ask("add_notice_address", kind="json", target=HOOK)
    ann.ask("set_notice_wish", wish={"mode": "off"})
    again = server.restarted()
    told = at_home(again).ask("get_notices").message
    assert [one.target for one in told.addresses] == [HOOK]
    assert told.usual.mode == "off"


def test_whoever_gets_notices_stops_them_by_the_link_in_a_mail(server: Server, ann: Client) -> None:
    from tests.support.server_in_memory import result_of

    number = ann.ask("add_notice_address", kind="mail", target="ann@example.org").message.id
    found = server.store.read(stored_notices.by_id, number)
    assert found is not None
    token = token_of(number, found.secret)
    for wrong in ("", "x", f"{number}-", f"{number + 1}-{token.partition('-')[2]}", token[:-1], "9" * 5000, "٣-x"):
        assert result_of(stop(server.accounts, wrong)) is False
    assert result_of(stop(server.accounts, token)) is True
    assert addresses(ann) == []
    assert result_of(stop(server.accounts, token)) is False

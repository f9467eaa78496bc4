"""Plain commands for notifications: settings are listed, errors explained."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tpserver.notices.contacts import Terms
from tpserver.store.people import notices as stored_notices

HOOK = "https://hooks.example.org/ann"


@pytest.fixture
def sends(workshop: Any) -> Any:
    """A server that sends notices, with a game of ann and ben."""

    def allow() -> None:
        workshop.server.host.notices.terms = Terms(["mail", "json", "matrix"])

    workshop.do(allow)
    return workshop


def listed(shell: Any, server: Any, user: str = "ann") -> Any:
    code, out, err = shell(server, "notices", "list", "--json", user=user)
    assert (code, err) == (0, "")
    return json.loads(out)


def code_of(server: Any, number: int) -> str:
    return str(server.do(lambda: server.server.store.read(stored_notices.by_id, number).code))


def test_an_address_is_added_verified_and_removed(sends: Any, shell: Any) -> None:
    code, out, _ = shell(sends, "notices", "add", "json", HOOK)
    assert code == 0
    assert "verify 1 CODE" in out
    assert "whsec_" in out
    assert listed(shell, sends)["addresses"] == [
        {"id": 1, "kind": "json", "target": HOOK, "state": "unverified", "problem": None, "resets": False}
    ]
    assert shell(sends, "notices", "verify", "1", "nonsense")[0] == 3, "refused"
    assert shell(sends, "notices", "verify", "1", code_of(sends, 1))[0] == 0
    assert listed(shell, sends)["addresses"][0]["state"] == "verified"
    code, out, _ = shell(sends, "notices", "list")
    assert f"1. json {HOOK} (verified)" in out
    assert shell(sends, "notices", "remove", "1")[0] == 0
    assert listed(shell, sends)["addresses"] == []


def test_a_mail_address_may_reset_the_password_or_not(sends: Any, shell: Any) -> None:
    assert shell(sends, "notices", "add", "mail", "ann@example.org", "--resets")[0] == 0
    assert listed(shell, sends)["addresses"][0]["resets"]
    assert shell(sends, "notices", "verify", "1", code_of(sends, 1))[0] == 0
    assert "(verified, may reset the password)" in shell(sends, "notices", "list")[1]
    assert shell(sends, "notices", "resets", "1", "no")[0] == 0
    assert not listed(shell, sends)["addresses"][0]["resets"]
    assert shell(sends, "notices", "resets", "1", "yes")[0] == 0
    assert listed(shell, sends)["addresses"][0]["resets"]


def test_wishes_and_times_are_listed_as_they_were_set(sends: Any, shell: Any) -> None:
    assert shell(sends, "notices", "tell", "digest", "--hours", "5")[0] == 0
    assert shell(sends, "notices", "tell", "off", "--game", "first")[0] == 0
    times = ("Europe/Zurich", "--quiet", "22:00-07:30", "--digest", "09:15")
    assert shell(sends, "notices", "times", *times)[0] == 0
    told = listed(shell, sends)
    assert told["usual"] == {"game": None, "mode": "digest", "hours": 5}
    assert told["games"] == [{"game": "first", "mode": "off", "hours": 0}]
    assert (told["zone"], told["quiet"], told["digest"]) == ("Europe/Zurich", ["22:00", "07:30"], "09:15")
    assert listed(shell, sends, "ben")["games"] == []
    assert shell(sends, "notices", "tell", "usual", "--game", "first")[0] == 0
    assert listed(shell, sends)["games"] == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("add", "mail", "nobody"), 3),
        (("add", "pigeon", "roof"), 3),
        (("tell", "off", "--game", "nowhere"), 3),
        (("times", "Nowhere/At/All"), 3),
        (("times", "UTC", "--quiet", "25:00-07:00"), 2),
        (("times", "UTC", "--digest", "8"), 2),
        (("tell", "sometimes"), 2),
        (("remove", "7"), 3),
    ],
)
def test_what_is_wrong_is_told(sends: Any, shell: Any, words: tuple[str, ...], code: int) -> None:
    ended, out, err = shell(sends, "notices", *words)
    assert (ended, out) == (code, "")
    assert err


def test_a_link_to_the_calendar_is_made_and_revoked(sends: Any, shell: Any) -> None:
    assert "This server has no calendars." in shell(sends, "notices", "calendar")[1]
    assert shell(sends, "notices", "calendar", "make")[0] == 3, "refused"

    def offer(site: str) -> None:
        sends.server.host.notices.terms = Terms(calendar=True, site=site)

    sends.do(lambda: offer(""))
    assert "Your calendar has no link" in shell(sends, "notices", "calendar")[1]
    code, out, err = shell(sends, "notices", "calendar", "make")
    assert (code, err) == (0, "")
    assert "at the address of the server's page: /calendar/" in out
    sends.do(lambda: offer("https://games.example/"))
    made = json.loads(shell(sends, "notices", "calendar", "make", "--json")[1])
    assert made["url"] == f"https://games.example{made['path']}"
    assert made["path"] not in out, "another one"
    assert "Your calendar has a link since 20" in shell(sends, "notices", "calendar")[1]
    assert shell(sends, "notices", "calendar", "revoke")[0] == 0
    assert shell(sends, "notices", "calendar", "revoke")[0] == 3
    assert json.loads(shell(sends, "notices", "calendar", "--json")[1]) == {"offered": True, "made": None}


def test_a_server_without_notices_says_so(workshop: Any, shell: Any) -> None:
    assert "This server sends no notices." in shell(workshop, "notices", "list")[1]

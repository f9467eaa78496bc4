"""Password resets by a code in a mail.

A request does not reveal whether an account exists.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from told import Box

from tests.notices.postman import smtp_server
from tests.support.pasting import pasted
from tests.support.server import ServerProcess
from tests.support.server_in_memory import Client, Server, result_of
from tpclient.cli import main
from tpclient.connection import Connection
from tpproto.dialects import PB
from tpserver.accounts.resets import MOST_OF_ACCOUNT, MOST_OF_NETWORK
from tpserver.notices.channels import MAIL, NotDelivered
from tpserver.notices.contacts import Terms
from tpserver.notices.reset_mail import MOST_TRIES, PAUSE, ResetMail
from tpserver.store.people.resets import MOST_IDLE, MOST_OF_TARGET, SECONDS
from tpserver.subscriptions import subscribe_mail

TEMPORARILY, DENIED = 3, 5
WORD = "ann's word"


class Forgotten:
    """A server that sends mail, to a box; ann and ben have addresses, cem has none."""

    def __init__(self, make_server: Callable[..., Server]) -> None:
        self.box = Box()
        self.server = make_server()
        self.begin()
        for name, email in (("ann", "ann@example.org"), ("ben", "Ben@Example.org"), ("cem", "")):
            self.make(name, email)
            self.verify(name)

    def begin(self) -> None:
        host = self.server.host
        host.resets.offered = True
        host.notices.terms = Terms([MAIL])
        self.mail = ResetMail(host.registry, self.box, "our server", "https://games.example/")
        subscribe_mail(host.registry.bus, self.mail)
        self.mail.look()

    def make(self, name: str, email: str) -> None:
        """Make an account that names an address."""
        client = self.server.connect("pb")
        assert client.ask("create_account", username=name, password=f"{name}'s word", email=email).name == "okay"

    def verify(self, name: str) -> None:
        """Bring the code that has come to each address of an account."""
        host, account = self.server.host, self.server.accounts.named(name)
        for one in host.notices.addresses(account.id):
            result_of(host.notices.verify(account.id, one.id, one.code))

    def ask(self, account: str, address: str = "192.0.2.9") -> Any:
        answer = self.server.connect("pb", address=address).ask("request_reset", account=account)
        self.server.pass_time(0.2)
        return answer

    @property
    def codes(self) -> list[str]:
        return [letter.data["code"] for _, letter in self.box.came]

    def redeem(self, code: str, password: str = "new", client: Client | None = None) -> Any:
        return (client or self.server.connect("pb")).ask("reset_password", code=code, password=password)


@pytest.fixture
def forgotten(make_server: Callable[..., Server]) -> Iterator[Forgotten]:
    made = Forgotten(make_server)
    yield made
    made.mail.stop()


def test_a_code_that_came_by_mail_sets_another_password_once(forgotten: Forgotten) -> None:
    """It may be typed in small letters and without its lines; all logins with the old one end."""
    ann = forgotten.server.player("ann")
    assert forgotten.ask("Ann").name == "okay"
    ((notice, letter),) = forgotten.box.came
    assert notice.target == "ann@example.org"
    (code,) = forgotten.codes
    assert re.fullmatch(r"([A-Z2-9]{5}-){3}[A-Z2-9]{5}", code)
    assert code in letter.text
    assert letter.link == f"https://games.example/#reset={code}"
    assert letter.subject == "Another password for ann on our server"
    assert forgotten.redeem(code, "").code == DENIED
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in code.lower().replace("-", ""))
    assert forgotten.redeem(f"{wide[:5]}\u2014{wide[5:]}").name == "okay"
    assert ann.ask("ping").code == DENIED
    assert forgotten.redeem(code, "again").code == DENIED
    assert forgotten.server.connect().ask("login", username="ann", password=WORD).code == DENIED
    assert forgotten.server.connect().ask("login", username="ann", password="new").name == "okay"


def test_whoever_asks_is_answered_the_same_whether_there_is_an_account_or_not(forgotten: Forgotten) -> None:
    """Also one without an address, and one that is disabled; a row is written each time."""
    accounts = forgotten.server.accounts
    result_of(accounts.disable(accounts.named("ben"), ""))
    names = ["ann", "nobody", "cem", "ben", "ben@example.org", "x@example.org", "'; DROP TABLE accounts", "\0"]
    answers = {forgotten.ask(name, f"192.0.2.{number}").text for number, name in enumerate(names)}
    assert answers == {"If there is such an account and its address is known, a mail is on its way there"}
    assert [notice.target for notice, _ in forgotten.box.came] == ["ann@example.org"]
    with sqlite3.connect(forgotten.server.path) as connection:
        assert connection.execute("SELECT count(*) FROM resets").fetchone() == (len(names),)


@pytest.mark.parametrize("asked", ["ann@friday", "Ann@My Game", "ann@friday/watch", "ann@friday/turn/3"])
def test_a_name_with_its_game_finds_the_account(forgotten: Forgotten, asked: str) -> None:
    """As at login. A mail address is one still, also where a game has the name of its host."""
    for game in ("friday", "my game", "example.org"):
        forgotten.server.create(game, "auction", 2)
    for other in ("ben@example.org", "ben@elsewhere"):
        assert forgotten.ask(other).name == "okay"
    forgotten.box.came.clear()
    assert forgotten.ask(asked).name == "okay"
    assert [notice.target for notice, _ in forgotten.box.came] == ["ann@example.org"]


def test_a_code_is_taken_as_it_is_pasted(forgotten: Forgotten) -> None:
    forgotten.ask("ann")
    (code,) = forgotten.codes
    assert forgotten.redeem(pasted(code)).name == "okay"


def test_an_address_finds_its_accounts_however_it_is_written(forgotten: Forgotten) -> None:
    """Each gets a code of its own; one that has shown an address among its notices is found by that, too."""
    forgotten.make("ben two", "ben@EXAMPLE.org")
    forgotten.verify("ben two")
    forgotten.ask("BEN@example.ORG")
    assert [letter.subject.split(" on ")[0] for _, letter in forgotten.box.came] == [
        "Another password for ben",
        "Another password for ben two",
    ]
    forgotten.box.came.clear()
    host, cem = forgotten.server.host, forgotten.server.accounts.named("cem")
    added = result_of(host.notices.add(cem.id, MAIL, "cem@example.org", resets=True))
    forgotten.ask("cem@example.org")
    assert forgotten.box.came == [], "it has not shown yet that this is its address"
    result_of(host.notices.verify(cem.id, added.id, added.code))
    forgotten.ask("cem@example.org")
    forgotten.ask("cem")
    assert [notice.target for notice, _ in forgotten.box.came] == ["cem@example.org"] * 2


def test_the_code_is_in_the_mail_only(forgotten: Forgotten) -> None:
    forgotten.ask("ann")
    with sqlite3.connect(forgotten.server.path) as connection:
        stored = "\n".join(connection.iterdump())
    (code,) = forgotten.codes
    assert code not in stored
    assert code.replace("-", "") not in stored


def test_a_code_is_good_for_an_hour(forgotten: Forgotten) -> None:
    forgotten.ask("ann")
    forgotten.server.pass_time(SECONDS)
    assert forgotten.redeem(forgotten.codes[0]).code == DENIED
    assert forgotten.server.connect().ask("login", username="ann", password=WORD).name == "okay"


def test_a_code_ends_with_another_password_and_with_the_account(forgotten: Forgotten) -> None:
    accounts = forgotten.server.accounts
    forgotten.ask("ann")
    result_of(accounts.set_password(accounts.named("ann"), "by the operator"))
    assert forgotten.redeem(forgotten.codes[-1]).code == DENIED
    forgotten.ask("ben")
    result_of(accounts.disable(accounts.named("ben"), ""))
    assert forgotten.redeem(forgotten.codes[-1]).code == DENIED


def test_whoever_guesses_codes_is_hung_up_on(forgotten: Forgotten) -> None:
    client = forgotten.server.connect("pb")
    for number in range(10):
        assert forgotten.redeem(f"GUESS-{number}", client=client).code == DENIED
    assert client.session.closing


def test_an_account_gets_few_mails_an_hour_and_nobody_is_told(forgotten: Forgotten) -> None:
    texts = {forgotten.ask("ann", f"192.0.2.{number}").text for number in range(2 * MOST_OF_ACCOUNT)}
    assert len(texts) == 1
    assert len(forgotten.box.came) == MOST_OF_ACCOUNT
    forgotten.server.pass_time(SECONDS)
    forgotten.ask("ann")
    assert len(forgotten.box.came) == MOST_OF_ACCOUNT + 1


def test_an_address_gets_few_mails_an_hour_however_many_accounts_name_it(forgotten: Forgotten) -> None:
    """In a database of before, nobody had to show that an address was theirs: it may be a stranger's."""
    for number in range(4):
        forgotten.make(f"evil {number}", "Victim@example.org")
    for number in range(4):
        forgotten.ask(f"evil {number}", f"192.0.2.{number}")
    assert forgotten.box.came == [], "nobody has verified it"
    with sqlite3.connect(forgotten.server.path) as connection:
        connection.execute("UPDATE accounts SET email_resets = true WHERE name LIKE 'evil%'")
    for number in range(4):
        forgotten.ask(f"evil {number}", f"192.0.2.{number}")
        forgotten.ask("victim@example.org", f"198.51.100.{number}")
    for _ in range(20):
        forgotten.server.pass_time(0.2)
    assert len(forgotten.box.came) == MOST_OF_TARGET
    forgotten.ask("ann")
    assert forgotten.box.came[-1][0].target == "ann@example.org"


def test_a_network_asks_a_few_times_an_hour(forgotten: Forgotten) -> None:
    for number in range(MOST_OF_NETWORK):
        assert forgotten.ask(f"x{number}").name == "okay"
    refused = forgotten.ask("ann")
    assert refused.code == TEMPORARILY
    assert "try again in 3" in refused.text
    assert forgotten.ask("ann", "198.51.100.1").name == "okay"
    forgotten.server.pass_time(SECONDS)
    assert forgotten.ask("ann").name == "okay"


@pytest.mark.thorough
def test_ten_thousand_accounts_that_ask_for_a_reset_are_bounded_and_harm_nobody(forgotten: Forgotten) -> None:
    """Each request is from a different network, and gets the same response.

    Each account gets its few mails, two on their way at once. No login waits in that queue meanwhile. The next mail
    comes an hour later.
    """
    server = forgotten.server
    forgotten.box.is_slow = True
    most_waiting = 0
    for number in range(10_000):
        client = server.connect("pb", address=f"10.{number >> 8}.{number & 255}.1")
        answer = client.ask("request_reset", account=("ann", "ben", "cem", f"nobody {number}")[number % 4])
        assert answer.name == "okay", number
        client.session.connection_lost()
        waiting = [one for one in forgotten.box.waiting if not one.called]
        most_waiting = max(most_waiting, len(waiting))
        if number % 1000 == 999:
            assert server.connect().ask("login", username="cem", password="cem's word").name == "okay"
            assert server.player("dan").ask("ping").name == "okay"
            for one in waiting:
                one.callback("")
            server.pass_time(0.2)
    assert most_waiting <= 2
    for _ in range(10):
        for one in [one for one in forgotten.box.waiting if not one.called]:
            one.callback("")
        server.pass_time(0.2)
    assert len(forgotten.box.came) == 2 * MOST_OF_ACCOUNT, "ann's and ben's"
    with sqlite3.connect(server.path) as connection:
        assert connection.execute("SELECT count(*) FROM resets").fetchone() == (2 * MOST_OF_ACCOUNT + MOST_IDLE,)
    server.pass_time(SECONDS)
    forgotten.box.is_slow = False
    assert forgotten.ask("ann").name == "okay"
    with sqlite3.connect(server.path) as connection:
        assert connection.execute("SELECT count(*) FROM resets").fetchone() == (1,)


def test_a_mail_that_does_not_arrive_is_tried_again_with_another_code(forgotten: Forgotten) -> None:
    """After a pause, a few times; one that never will is given up at once."""
    forgotten.box.problem = NotDelivered("the mail server ends the conversation", channel=True)
    forgotten.ask("ann")
    forgotten.box.problem = None
    forgotten.server.pass_time(PAUSE - 1)
    assert forgotten.codes == []
    forgotten.server.pass_time(1)
    assert len(forgotten.codes) == 1
    assert forgotten.redeem(forgotten.codes[0]).name == "okay"
    forgotten.box.problem = NotDelivered("there is nobody", final=True)
    forgotten.ask("ben")
    forgotten.box.problem = None
    for _ in range(50):
        forgotten.server.pass_time(60)
    assert len(forgotten.codes) == 1


def test_a_mail_is_tried_a_few_times_only(forgotten: Forgotten) -> None:
    tries = 0

    def send(*words: object) -> Any:
        nonlocal tries
        tries += 1
        raise NotDelivered("no", channel=True)

    forgotten.box.send = send  # type: ignore[method-assign]
    forgotten.ask("ann")
    for _ in range(60):
        forgotten.server.pass_time(60)
    assert tries == MOST_TRIES


def test_what_was_asked_for_is_sent_by_the_next_server(forgotten: Forgotten) -> None:
    forgotten.mail.stop()
    forgotten.ask("ann")
    assert forgotten.box.came == []
    forgotten.server = forgotten.server.restarted()
    forgotten.begin()
    assert len(forgotten.box.came) == 1
    assert forgotten.redeem(forgotten.codes[0]).name == "okay"


def test_a_server_without_mail_says_who_can_help(server: Server) -> None:
    client = server.connect("pb")
    assert 1002 not in client.ask("get_features").message.features
    refused = client.ask("request_reset", account="ann")
    assert (refused.code, "its operator can give you another password" in refused.text) == (DENIED, True)
    server.host.resets.offered = True
    assert 1002 in client.ask("get_features").message.features
    assert 1002 not in server.connect("tp04").ask("get_features").message.features
    for account in ("", " ", "x" * 256):
        assert client.ask("request_reset", account=account).code == DENIED


@pytest.mark.thorough
def test_a_mail_comes_from_a_real_mail_server_of_a_server_as_its_operator_runs_it(directory: Path) -> None:
    """And the plain commands ask for it, and set the new password."""
    with smtp_server() as (man, port):
        config = directory / "tpserver.toml"
        config.write_text(
            f'[notices]\nmail_server = "127.0.0.1:{port}"\nmail_tls = "off"\nmail_from = "games@example.org"\n'
            'site = "https://games.example/"\n'
        )
        with ServerProcess(
            directory / "data", "--no-parent", "--web", "off", "--config", str(config), preloaded=True
        ) as server:
            server.start()

            async def register() -> None:
                async with await Connection.open(f"127.0.0.1:{server.port}", PB) as connection:
                    await connection.connect()
                    await connection.create_account("ann", WORD, "ann@example.org")

            asyncio.run(register())
            where = ["--address", f"127.0.0.1:{server.port}"]
            (first,) = man.wait_for(1)
            shown, ann = re.match(r"\d{8}", first["Subject"]), ["--user", "ann", "--password", WORD]
            assert shown is not None and main(["notices", "verify", "1", shown[0], *ann, *where]) == 0
            assert main(["account", "forgotten", "ann", *where]) == 0
            came = man.wait_until(lambda came: any("#reset=" in mail.get_content() for mail in came))
            mail = next(one for one in came if "#reset=" in one.get_content())
            assert {one["To"] for one in came} == {"ann@example.org"}
            code = re.search(r"#reset=(\S+)", mail.get_content())
            assert code is not None
            assert "Only accounts there with this address" in mail.get_content()
            assert main(["account", "reset", code[1], "--new-password", "new", *where]) == 0
            assert main(["account", "reset", code[1], "--new-password", "newer", *where]) == 3
            assert main(["games", "--mine", "--user", "ann", "--password", "new", *where]) == 0

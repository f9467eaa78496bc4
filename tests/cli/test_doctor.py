"""`tpserver doctor`: one line for each need of a server, with a remedy."""

from __future__ import annotations

import os
import re
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update
from twisted.internet.task import Clock

from tests.notices.postman import smtp_server
from tests.support.certificates import certificate_pem, new_key, private_pem
from tests.support.oidc_provider import oidc_provider
from tests.support.played import played
from tests.support.receivers import receiver
from tests.support.server import free_port
from tpserver.admin import doctor
from tpserver.admin.doctor import Finding, examine
from tpserver.config import load
from tpserver.rules.discovery import Rulesets, discover
from tpserver.store import Store, tables
from tpserver.wire.net import client_header
from tpserver.wire.net.client_header import WARN_SECONDS, MissingHeaders

Run = Callable[..., Any]


@pytest.fixture
def findings(data: Path, tmp_path: Path) -> Callable[..., dict[str, list[Finding]]]:
    """findings(text): what is found by subject with this configuration file, on free ports; nothing is changed."""

    def findings(text: str = "", rulesets: Rulesets | None = None, **more: bool) -> dict[str, list[Finding]]:
        file = tmp_path / "tp.toml"
        ports = f"[listen]\nport = {free_port()}\n[web]\nport = {free_port()}\n"
        file.write_text(text if "port" in text else ports + text)
        found: dict[str, list[Finding]] = {}
        loaded = discover if rulesets is None else lambda: rulesets
        for one in examine(load(file, {"server.data": data}), loaded, **more):
            found.setdefault(one.subject, []).append(one)
        return found

    return findings


def levels(found: dict[str, list[Finding]], subject: str) -> list[str]:
    return [one.level for one in found[subject]]


def test_a_server_that_is_well(data: Path, tpserver: Run, findings: Any) -> None:
    """Everything that the page says it looks at is looked at, and the database is as it was."""
    played(data)
    assert tpserver("backup", "--data", data).code == 0
    before = (data / "tpserver.sqlite").read_bytes()
    found = findings(rulesets=Rulesets({"auction": discover().named("auction")}))
    subjects = "python libraries rulesets data database migrations disk backups ports certificate notices files clock"
    assert list(found) == subjects.split()
    assert not [one for some in found.values() for one in some if one.level == "FAIL"]
    assert found["database"][0].sentence.endswith("tpserver.sqlite: 1 games, 2 accounts, whole")
    assert (data / "tpserver.sqlite").read_bytes() == before


def test_what_has_to_be_mended_is_code_1(data: Path, tpserver: Run) -> None:
    """The rulesets of these tests that fail to load are said with why."""
    said = tpserver("doctor", "--data", data)
    assert said.code == 1
    assert re.search(r"^FAIL  rulesets     missing cannot be used: loading .* ModuleNotFoundError", said.out, re.M)
    assert re.fullmatch(r"tpserver: \d+ of \d+ findings need fixing\n", said.err)
    assert not data.exists()


def test_a_library_that_is_missing_or_too_old(findings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"twisted": "26.4.0", "protobuf": "8.1"}
    true = metadata.version

    def version(name: str) -> str:
        if name == "alembic":
            raise metadata.PackageNotFoundError
        return versions.get(name) or true(name)

    monkeypatch.setattr("tpserver.admin.doctor.metadata.version", version)
    told = [f"{one.level} {one.sentence}" for one in findings()["libraries"]]
    assert any(line.startswith("warn twisted is 26.4.0, and this tpserver was made for") for line in told)
    assert any(line.startswith("warn protobuf is 8.1") for line in told)
    assert any(line.startswith("FAIL alembic is missing: pip install") for line in told)


def test_a_damaged_database_and_one_of_a_newer_server(data: Path, findings: Any) -> None:
    played(data, turns=1)
    file = data / "tpserver.sqlite"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    assert levels(findings(), "database") == ["FAIL"]
    file.write_bytes(whole)
    store = Store.open(f"sqlite:///{file}", reactor=None)
    store.write(lambda c: c.exec_driver_sql("UPDATE tpserver_version SET version_num = '9999'") and None)
    store.close()
    (finding,) = findings()["database"]
    assert finding.level == "FAIL"
    assert "made by a newer tpserver" in finding.sentence


def test_tables_of_an_older_version(data: Path, findings: Any) -> None:
    """They can be read as they are. A line says that they will be changed."""
    played(data, turns=1)
    store = Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)
    store.write(lambda c: c.exec_driver_sql("UPDATE tpserver_version SET version_num = '0001'") and None)
    store.close()
    (finding,) = findings()["migrations"]
    assert finding.level == "warn"
    assert "Tables of version 0001; the next start copies the database" in finding.sentence


def test_games_that_cannot_go_on(data: Path, findings: Any) -> None:
    """A held one, and one whose ruleset is not there."""
    played(data, turns=1)
    played(data, turns=1, name="other")
    store = Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)
    games = tables.games
    store.write(
        lambda c: c.execute(update(games).where(games.c.id == 1).values(state="held", held_reason="x")) and None
    )
    store.write(lambda c: c.execute(update(games).where(games.c.id == 2).values(ruleset="gone")) and None)
    store.close()
    held, without = findings()["games"]
    assert (held.level, without.level) == ("warn", "FAIL")
    assert held.sentence == "lots is held: x; to try again: tpserver game resume lots"
    assert "other needs the ruleset gone" in without.sentence


def test_a_disk_that_is_almost_full(findings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = doctor.FREE_BYTES - 1

    monkeypatch.setattr("tpserver.admin.doctor.shutil.disk_usage", lambda path: Usage)
    assert levels(findings(), "disk") == ["FAIL", "FAIL"]
    Usage.free += 1
    assert levels(findings(), "disk") == ["warn", "warn"]


def test_a_backup_and_stored_times_of_the_future(data: Path, findings: Any) -> None:
    """They are named; and the newest backup is one of the past, however old that is."""
    played(data, turns=1)
    (data / "backups").mkdir()
    for year in (2020, 2999):
        (data / "backups" / f"tpserver-{year}1231T000000Z.sqlite").touch()
    with closing(Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)) as store:
        store.write(lambda c: c.execute(update(tables.accounts).values(created=time.time() + 10**8)))
    found = findings("[backup]\nevery_hours = 24\n", rulesets=Rulesets({}))
    assert levels(found, "backups") == ["warn", "FAIL"]
    assert "29991231" in found["backups"][0].sentence
    assert "1 in" in found["backups"][1].sentence
    assert "accounts: 2" in found["clock"][0].sentence


def test_listeners_of_the_operator_that_others_reach(data: Path, findings: Any, tmp_path: Path) -> None:
    password = tmp_path / "admin.password"
    password.write_text("correct-horse-battery")
    password.chmod(0o600)
    admin = f'[admin]\nuser = "operator"\npassword = "{password}"\n'
    found = findings(f'{admin}address = "0.0.0.0"\n[metrics]\nport = 0\naddress = "::"\n')
    assert levels(found, "consoles") == levels(found, "metrics") == ["warn"]
    assert "0.0.0.0: others can try passwords" in found["consoles"][0].sentence
    found = findings(f"{admin}[metrics]\nport = 0\n")
    assert levels(found, "consoles") == ["ok"]
    assert "metrics" not in found


def test_backups_that_are_old(data: Path, findings: Any) -> None:
    (data / "backups").mkdir(parents=True)
    assert levels(findings(), "backups") == ["warn"]
    made = time.strftime("tpserver-%Y%m%dT%H%M%SZ.sqlite", time.gmtime(time.time() - 50 * 3600))
    (data / "backups" / made).touch()
    assert levels(findings(), "backups") == ["ok"]
    assert levels(findings("[backup]\nevery_hours = 24\n"), "backups") == ["FAIL"]
    assert levels(findings("[backup]\nevery_hours = 26\n"), "backups") == ["ok"]


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        yield door.getsockname()[1]


def test_a_port_that_is_taken(findings: Any, taken: int) -> None:
    found = findings(f"[listen]\nport = {taken}\n[web]\nport = {free_port()}\n")["ports"]
    assert [one.level for one in found] == ["FAIL", "ok"]
    assert found[0].sentence == f"[listen] 127.0.0.1 port {taken}: address already in use."


def test_ports_that_two_listeners_want(findings: Any) -> None:
    """Also while a server runs, which has them as they were: after a restart it would not start."""
    free = free_port()
    said = f"[listen]\nport = {free}\naddress = '0.0.0.0'\n[web]\nport = 0\n[metrics]\nport = {free}\n"
    found = findings(said)["ports"]
    assert [one.level for one in found] == ["FAIL", "ok", "ok", "ok"]
    assert found[0].sentence == f"[listen] and [metrics] both say port {free}: give one of them another."


def test_a_postgresql_database_without_tables(emptied_postgres: str, findings: Any) -> None:
    """It is as new as a directory without a file."""
    (found,) = findings(f'[server]\nstore = "{emptied_postgres}"\n')["database"]
    assert (found.level, found.sentence.endswith("is empty. The first start makes its tables.")) == ("ok", True)


def test_a_postgresql_database_without_its_driver(findings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    (found,) = findings('[server]\nstore = "postgresql+psycopg://host/games"\n')["database"]
    assert (found.level, "pip install 'tpserver[postgres]'" in found.sentence) == ("FAIL", True)


def test_ports_of_the_server_itself_are_no_fault(data: Path, tpserver: Run, serve: Any) -> None:
    serve()
    said = tpserver("doctor", "--data", data)
    assert "ok    ports        A server runs on this data and has its ports." in said.lines


@pytest.mark.parametrize(("days", "level"), [(90.0, "ok"), (20.0, "warn"), (-3.0, "FAIL")])
def test_a_certificate(findings: Any, tmp_path: Path, days: float, level: str) -> None:
    key = new_key()
    (tmp_path / "server.pem").write_bytes(certificate_pem(key, days) + private_pem(key))
    assert levels(findings('[tls]\ncertificate = "server.pem"\n'), "certificate") == [level]


def test_a_certificate_without_its_key(findings: Any, tmp_path: Path) -> None:
    (tmp_path / "server.pem").write_bytes(certificate_pem(new_key(), 90.0))
    (finding,) = findings('[tls]\ncertificate = "server.pem"\n')["certificate"]
    assert finding.level == "FAIL"
    assert "there is no private key in this file" in finding.sentence


MAIL = """[notices]
mail_server = "127.0.0.1:{port}"
mail_tls = "off"
mail_from = "games@example.org"
site = "https://games.example.org"
"""


def test_settings_of_the_clock_of_games_that_have_no_effect(findings: Any) -> None:
    (found,) = findings('[games]\nclock = "interval:60 phase:combat=interval:60"\n')["games.clock"]
    assert (found.level, "phase combat has no effect" in found.sentence) == ("warn", True)
    assert "games.clock" not in findings('[games]\nclock = "interval:60"\n')


def test_a_mail_server_is_spoken_to_and_gets_no_mail(findings: Any) -> None:
    assert [one.sentence for one in findings()["notices"]] == [
        "None are sent: neither notices.mail_server nor notices.webhooks is set."
    ]
    with smtp_server() as (postman, port):
        found = findings(MAIL.format(port=port))["notices"]
        assert [one.level for one in found] == ["ok", "ok"]
        assert found[1].sentence == f"127.0.0.1 port {port} takes mail."
        assert postman.came == []
        without = findings(MAIL.format(port=port).replace("site", "#"))["notices"]
        assert [one.level for one in without] == ["ok", "ok", "warn"]


def test_a_mail_server_that_is_away_or_silent(findings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings(MAIL.format(port=free_port()))["notices"]
    assert [one.level for one in found] == ["ok", "FAIL"]
    assert found[1].sentence.endswith("the mail server cannot be reached, or does not speak SMTP.")
    monkeypatch.setattr("tpserver.notices.mail.SILENCE", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        found = findings(MAIL.format(port=silent.getsockname()[1]))["notices"]
    assert found[1].sentence.endswith("the mail server does not answer in time.")


def test_addresses_of_the_operator_without_what_sends_there(findings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '[notices]\noperator = ["ntfys://ntfy.sh/topic"]\n'
    assert levels(findings(text), "operator") == ["ok"]
    monkeypatch.setattr("tpserver.admin.doctor.find_spec", lambda name: None)
    assert levels(findings(text), "operator") == ["FAIL"]


def test_an_address_of_the_operator_that_cannot_be(findings: Any) -> None:
    """It is known by its number, as it may have a password in it."""
    (good, bad) = findings('[notices]\noperator = ["ntfys://ntfy.sh/topic", "nonsense://SecretWord@x"]\n')["operator"]
    assert (good.level, bad.level) == ("ok", "FAIL")
    assert bad.sentence == "Address 2 of notices.operator (nonsense): Apprise knows no such address."


def test_a_test_notice_is_sent_to_each_address_of_the_operator(findings: Any) -> None:
    """One that does not arrive keeps no other from getting its own; without the word nothing is sent."""
    with receiver() as hook:
        text = f"""[notices]\noperator = ["json://127.0.0.1:{free_port()}/", "json://127.0.0.1:{hook.port}/"]\n"""
        assert levels(findings(text), "operator") == ["ok", "ok"]
        found = findings(text, send_test=True)
        assert levels(found, "operator") == ["FAIL", "ok"]
        (received,) = hook.wait_for(1)
    assert received.json["title"] == "tpserver: test notice"
    assert levels(findings(send_test=True), "operator") == ["FAIL"], "there is no address"


def test_a_password_file_that_is_not_there(findings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told as what it is, not as a mail server that is away."""
    monkeypatch.setattr("smtplib.SMTP.starttls", lambda self, context: None)
    with smtp_server() as (_, port):
        login = f'mail_user = "games"\nmail_password = "{tmp_path / "none"}"\n'
        found = findings(MAIL.format(port=port).replace('"off"', '"starttls"') + login)["notices"]
    assert found[1].sentence.endswith("the file with the password for the mail server cannot be read.")


def test_notices_that_do_not_arrive(data: Path, findings: Any) -> None:
    """The lines have the waiting notifications, their time of vain tries, and the number of lost contacts."""
    played(data, turns=1)
    now = time.time()
    store = Store.open(f"sqlite:///{data}/tpserver.sqlite", reactor=None)

    def fill(c: Any) -> None:
        for number, state in enumerate(("verified", "failing"), 1):
            values = {"id": number, "account": 1, "kind": "json", "target": f"https://x.example/{number}"}
            rest = {"secret": "", "code": "", "wrong": 0, "problem": "no", "rest": 0.0, "created": 0.0}
            c.execute(insert(tables.notice_addresses).values(**values, **rest, state=state))
        row = {"game": 1, "address": 1, "turn": 1, "notice": "a", "taken": False, "message": ""}
        at = {"created": now - 30 * 3600, "next_try": now - 1, "tries": 9}
        c.execute(insert(tables.outbox).values(**row, **at, kind="turn"))
        at = {"created": now, "next_try": now + 3600, "tries": 0}
        c.execute(insert(tables.outbox).values(**row, **at, kind="deadline"))

    store.write(fill)
    store.close()
    found = findings('[notices]\nwebhooks = "on"\n')["notices"]
    assert [one.level for one in found] == ["ok", "warn", "warn"]
    assert found[0].sentence == "They go by webhooks."
    assert found[1].sentence.startswith(
        "2 wait, 1 of them are due; 1 were tried in vain, the oldest for 1 day 6 hours; "
    )
    assert found[1].sentence.endswith("no server runs that sends them: see the log.")
    assert found[2].sentence.startswith("1 addresses no longer get notices")


def test_a_clock_that_was_set_back(data: Path, findings: Any) -> None:
    """Something in the data directory is from the future."""
    data.mkdir(mode=0o700)
    later = time.time() + 7200
    os.utime(data, (later, later))
    (finding,) = findings()["clock"]
    assert finding.level == "FAIL"
    assert finding.sentence.endswith("Set the clock.")


def test_a_data_directory_that_others_can_read(data: Path, findings: Any) -> None:
    data.mkdir(mode=0o755)
    assert levels(findings(), "data") == ["warn"]
    data.chmod(0o700)
    assert levels(findings(), "data") == ["ok"]


@pytest.mark.parametrize(
    ("password", "mode", "address", "level"),
    [
        ("long-enough-for-it", 0o600, "127.0.0.1", "ok"),
        ("long-enough-for-it", 0o644, "127.0.0.1", "warn"),
        ("long-enough-for-it", 0o600, "0.0.0.0", "warn"),
        ("short", 0o600, "127.0.0.1", "FAIL"),
        (None, 0, "127.0.0.1", "FAIL"),
    ],
)
def test_the_password_of_consoles(
    findings: Any, tmp_path: Path, password: str | None, mode: int, address: str, level: str
) -> None:
    """It is there and long enough, for nobody else to read, and goes over no network."""
    if password is not None:
        (tmp_path / "secret").write_text(password)
        (tmp_path / "secret").chmod(mode)
    text = f'[admin]\nuser = "op"\npassword = "secret"\naddress = "{address}"\n'
    assert levels(findings(text), "consoles") == [level]


def test_what_tells_of_the_games(findings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '[lan]\nannounce = "on"\n[metaserver]\nurl = "http://meta.example/"\nhost = "games.example"\n'
    assert levels(findings(text), "lan") == levels(findings(text), "metaserver") == ["ok"]
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    assert levels(findings(text), "lan") == ["FAIL"]


PROVIDER = """
[oidc]
site = "https://games.example/"
[[oidc.providers]]
id = "ours"
name = "Ours"
issuer = "{issuer}"
client_id = "x"
secret = "secret"
own_network = true
"""


def test_a_provider_is_asked_who_it_is(findings: Any, tmp_path: Path) -> None:
    """It says where the provider sends browsers back to, and what is wrong: the secret, the issuer, the way there."""
    with oidc_provider() as provider:
        text = PROVIDER.format(issuer=provider.issuer)
        (lacks,) = findings(text)["sign-in"]
        assert (lacks.level, "cannot be read" in lacks.sentence) == ("FAIL", True)
        secret = tmp_path / "secret"
        secret.write_text("word\n")
        secret.chmod(0o644)
        assert levels(findings(text), "sign-in") == ["warn"]
        secret.chmod(0o600)
        (well,) = findings(text)["sign-in"]
        assert (well.level, well.sentence) == (
            "ok",
            "Ours can be reached; it has to know https://games.example/sign-in/back/ours",
        )
        (other,) = findings(PROVIDER.format(issuer=f"{provider.issuer}/"))["sign-in"]
        assert (other.level, "which is another issuer" in other.sentence) == ("FAIL", True)
    (away,) = findings(text)["sign-in"]
    assert (away.level, "cannot be asked at" in away.sentence) == ("FAIL", True)
    assert "sign-in" not in findings()


def test_a_proxy_that_does_not_name_its_clients(data: Path, findings: Any, logged: list[Any]) -> None:
    """The running server notes it once an hour, in its log and for ``doctor``, which says what to change."""
    config = '[proxy]\naddresses = ["127.0.0.1"]\n'
    assert levels(findings(config), "proxy") == ["ok"]
    data.mkdir(exist_ok=True)
    clock = Clock()
    missing = MissingHeaders(data, "X-Forwarded-For", clock.seconds)
    for seconds in (0, 10, WARN_SECONDS):
        clock.advance(seconds)
        missing.note("127.0.0.1")
    assert [event["text"] for event in logged].count(client_header.missing("127.0.0.1", "X-Forwarded-For")) == 2
    (warning,) = findings(config)["proxy"]
    assert warning.level == "warn"
    assert "127.0.0.1" in warning.sentence
    assert 'client_header = "Forwarded"' in warning.sentence
    os.utime(data / client_header.NOTE, (0, 0))
    assert levels(findings(config), "proxy") == ["ok"]

"""TLS over real sockets: tps:// and wss:// of the real server, and errors.

Certificates that are untrusted, expired or for another host, and servers without TLS: each ends in one sentence that
says what to do.
"""

import asyncio
import datetime
import ipaddress
import re
import signal
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from textual.pilot import Pilot
from textual.widgets import Input, Static

from tpclient import open_game
from tpclient.address import parse_address
from tpclient.cli import main
from tpclient.connection import Connection
from tpclient.errors import BadArgument, ClientError, ServerAway
from tpclient.terminal.app import TerminalClient
from tpclient.terminal.login_screen import Answers, LoginScreen

PROGRAM = Path(sys.executable).with_name("tpserver")
HOST = "127.0.0.1"
DAY = datetime.timedelta(days=1)
SCHEMES = pytest.mark.parametrize("scheme", ["tps", "wss"])


def self_made(path: Path, address: str = HOST, until: datetime.timedelta = DAY) -> Path:
    """A certificate that vouches for itself, and its key, in one PEM file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 10 * DAY)
        .not_valid_after(now + until)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


class Secured:
    """`tpserver run` with TLS for game clients and for browsers; one game of TaE with a bot in one of two seats."""

    def __init__(self, folder: Path) -> None:
        self.certificate = self_made(folder / "server.pem")
        key = f"privateKey={self.certificate}:certKey={self.certificate}"
        (folder / "tpserver.toml").write_text(
            f'[tls]\ncertificate = "{self.certificate}"\nkey = "{self.certificate}"\nport = 0\n'
        )
        data = folder / "data"
        create = ["game", "create", "friday", "--ruleset", "tae", "--seats", "2", "--bots", "1", "--data", str(data)]
        subprocess.run([PROGRAM, *create], check=True, capture_output=True)
        words = ["run", "--data", data, "--accounts", "open", "--port", "0", "--config", folder / "tpserver.toml"]
        self.process = subprocess.Popen(
            [str(PROGRAM), *map(str, words), "--web", f"ssl:0:interface={HOST}:{key}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        said = ""
        for line in self.process.stdout:
            said += line
            found = dict(re.findall(r"\b(tp|tps|https)://[^\s;,]*:(\d+)", said))
            if len(found) == 3:
                break
        self.ports = {"tp": found["tp"], "tps": found["tps"], "wss": found["https"]}
        assert len(found) == 3, said

    def address(self, scheme: str) -> str:
        return f"{scheme}://{HOST}:{self.ports[scheme]}"

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=240)


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    server = Secured(tmp_path_factory.mktemp("tls"))
    yield server
    server.stop()


@pytest.fixture
def untrusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the environment of the tests trusts does not count."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)


def unsigned(address: str) -> str:
    return (
        f"The certificate of {parse_address(address)} is not trusted (self-signed certificate). If the server is one "
        "that you trust, get its certificate from its operator and name the file: tpclient --certificates FILE, or "
        "SSL_CERT_FILE=FILE in the environment."
    )


# --- the library


@pytest.mark.thorough
@SCHEMES
def test_a_certificate_that_is_named_is_trusted(secured: Secured, scheme: str, untrusting: None) -> None:
    """The address names the file; the session knows that it is secure (feature 1)."""

    async def visit() -> list[int]:
        address = replace(parse_address(secured.address(scheme)), certificates=str(secured.certificate))
        async with await Connection.open(address, timeout=240) as connection:
            await connection.connect()
            return await connection.features()

    assert 1 in asyncio.run(visit())


@SCHEMES
def test_the_environment_may_name_it(secured: Secured, scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With SSL_CERT_FILE an address as text is enough, to log in and download a game."""
    monkeypatch.setenv("SSL_CERT_FILE", str(secured.certificate))
    with open_game(secured.address(scheme), "ann", "secret", "friday", timeout=240) as game:
        assert game.me in game.universe.players


@SCHEMES
def test_an_untrusted_certificate_is_a_sentence_with_the_remedy(
    secured: Secured, scheme: str, untrusting: None
) -> None:
    with pytest.raises(ServerAway) as error:
        open_game(secured.address(scheme), "ann", "secret", "friday", timeout=240)
    assert str(error.value) == unsigned(secured.address(scheme))


@SCHEMES
def test_no_tls_at_all(secured: Secured, scheme: str) -> None:
    """A port for plain connections says so in the client's words, whatever bytes it answers with."""
    address = f"{scheme}://{HOST}:{secured.ports['tp']}"
    plain = {"tps": "tp", "wss": "ws"}[scheme]
    with pytest.raises(ServerAway) as error:
        open_game(address, "ann", "secret", timeout=240)
    assert f"does not speak TLS; {plain}:// goes without" in str(error.value)


@pytest.mark.parametrize("scheme", ["tp", "ws"])
def test_tls_where_none_is_spoken(secured: Secured, scheme: str) -> None:
    """The other way round it ends in a sentence as well, and soon."""
    port = secured.ports[{"tp": "tps", "ws": "wss"}[scheme]]
    with pytest.raises(ClientError) as error:
        open_game(f"{scheme}://{HOST}:{port}", "ann", "secret", timeout=240)
    assert "if it speaks TLS there, the address begins with" in str(error.value)
    assert f"{scheme}s://" in str(error.value)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        ({"until": -DAY}, "is not valid now (certificate has expired); its operator has to renew it"),
        ({"address": "192.0.2.1"}, "is for another host (IP address mismatch"),
    ],
    ids=["expired", "another host"],
)
def test_what_trust_does_not_mend(tmp_path: Path, made: dict[str, Any], says: str) -> None:
    """An old certificate, and one of another host: the file is named already, so the sentence gives other advice."""
    certificate = self_made(tmp_path / "made.pem", **made)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def visit() -> None:
        async with await asyncio.start_server(lambda reader, writer: None, HOST, 0, ssl=context) as listener:
            address = parse_address(f"tps://{HOST}:{listener.sockets[0].getsockname()[1]}")
            await Connection.open(replace(address, certificates=str(certificate)), timeout=240)

    with pytest.raises(ServerAway) as error:
        asyncio.run(visit())
    assert says in str(error.value)
    assert "--certificates" not in str(error.value)


def test_files_that_hold_no_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named by the address or by the environment, missing or empty: the file is named, nobody is asked."""
    missing, empty = tmp_path / "missing.pem", tmp_path / "empty.pem"
    empty.write_text("nothing")

    def refused(certificates: Path | None) -> str:
        address = replace(parse_address("tps://127.0.0.1:1"), certificates=str(certificates) if certificates else None)
        with pytest.raises(BadArgument) as error:
            asyncio.run(Connection.open(address, timeout=240))
        return str(error.value)

    assert refused(missing) == f"The certificates in {missing} cannot be read: No such file or directory."
    assert refused(empty).startswith(f"In {empty} there is no certificate;")
    monkeypatch.setenv("SSL_CERT_FILE", str(missing))
    assert refused(None) == (
        f"The certificates in {missing}, which SSL_CERT_FILE names, cannot be read: No such file or directory."
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(empty))
    assert refused(None).startswith(f"In {empty}, which SSL_CERT_FILE names, there is no certificate;")


# --- the programs


@SCHEMES
def test_the_plain_commands(
    secured: Secured, scheme: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, untrusting: None
) -> None:
    """The sentence and exit code 1; with the file, by option or environment, the command does its work."""
    address = secured.address(scheme)
    words = ["games", "--address", address, "--timeout", "20"]
    assert main(words) == 1
    assert capsys.readouterr() == ("", f"tpclient: {unsigned(address)}\n")
    assert main([*words, "--certificates", str(secured.certificate)]) == 0
    assert "friday" in capsys.readouterr().out
    monkeypatch.setenv("SSL_CERT_FILE", str(secured.certificate))
    assert main(words) == 0
    assert "friday" in capsys.readouterr().out


@pytest.mark.parametrize(("scheme", "secure"), [("tp", "tps"), ("ws", "wss")])
def test_certificates_for_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path, scheme: str, secure: str) -> None:
    """A user who names certificates is warned that a plain connection does not use them."""
    certificate = str(self_made(tmp_path / "made.pem"))
    words = ["--address", f"{scheme}://{HOST}:1", "--certificates", certificate]
    said = f"tpclient: Certificates are for TLS, which is not spoken to {parse_address(words[1])}; with TLS it is {secure}://.\n"
    assert main(["games", *words]) == 2
    assert capsys.readouterr() == ("", said)
    assert main(["bot", *words, "--user", "ann"]) == 2
    assert capsys.readouterr() == ("", said)


def test_a_bot(secured: Secured, capsys: pytest.CaptureFixture[str], untrusting: None) -> None:
    """A bot says the same."""
    address = secured.address("tps")
    assert main(["bot", "--address", address, "--user", "ann", "--password", "secret", "--timeout", "20"]) == 1
    assert capsys.readouterr().err == f"tpclient: {unsigned(address)}\n"


@pytest.mark.thorough
@SCHEMES
def test_the_terminal_client(secured: Secured, scheme: str, untrusting: None) -> None:
    """The form says the sentence, and nothing that was typed is lost; with the file the game is there."""
    address = secured.address(scheme)

    async def scene() -> None:
        answers = Answers(address, "ann@friday", "secret", False)
        async with TerminalClient(answers, None, 20.0).run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: isinstance(pilot.app.screen, LoginScreen) and pilot.app.screen.is_mounted)
            form = pilot.app.screen
            await until(pilot, lambda: str(form.query_one("#fault", Static).content) == unsigned(address))
            assert form.query_one("#address", Input).value == address
        trusting = TerminalClient(answers, None, 20.0, str(secured.certificate))
        async with trusting.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: trusting.game_screen is not None)
            assert trusting.link is not None
            await trusting.link.close()

    asyncio.run(scene())


async def until(pilot: Pilot[Any], test: Callable[[], bool]) -> None:
    """Look again and again until something has come about."""
    for _ in range(2000):
        if test():
            return
        await pilot.pause(0.01)
    raise AssertionError("it did not come about")

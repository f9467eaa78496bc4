"""Real sockets: endpoint strings, ports in use, certificates, a process."""

from __future__ import annotations

import os
import socket
import ssl
import struct
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import dsa
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet import reactor as real_reactor
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from tests.support.certificates import certificate_pem, new_key, private_pem
from tests.support.process import Process
from tpserver.config import load
from tpserver.endpoints import places_of, web_places_of
from tpserver.wire.net.errors import CertificateError, ListenError
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits
from tpserver.wire.net.listeners import EndpointSpec, Listeners, encrypted, listen, plain, web
from tpserver.wire.net.tls import certificate_options
from tpserver.wire.net.tls_records import MAGIC, FrameSplitter

HEADER = struct.Struct(">4sIII")
PATIENCE = 240
"""Seconds after which a socket or process that should have said something fails the test."""

SERVER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from twisted.internet import reactor
    from tpserver.wire.net.limits import Limits
    from tpserver.wire.net.listeners import EndpointSpec, encrypted, listen, plain
    from tpserver.wire.net.factory import ConnectionFactory

    class Echo:
        closing = False
        logged_in = False
        occupied = False
        account_id = None
        use = None
        kept_bytes = 0
        def note_reading(self, is_behind):
            pass
        def __init__(self, address, secure, send, token):
            self.secure = secure
        def answer(self, frame):
            body = frame.body + (b"+tls" if self.secure else b"")
            if frame.kind == 5:
                body = bytes(int(frame.body))
            return frame.dialect.header(frame.sequence, 0, len(body)) + body
        def refuse(self, code, text, sequence, dialect):
            body = text.encode()
            return dialect.header(sequence, 1, len(body)) + body
        def connection_lost(self):
            print("lost", flush=True)

    limits = Limits(frame_seconds=1, login_seconds=float(sys.argv[1]), unread_seconds=1, farewell_seconds=0.5)
    places = [encrypted(Path(sys.argv[3]), None, 0) if sys.argv[2] == "tls" else plain(0)]
    if sys.argv[2] == "unix":
        places = [EndpointSpec("unix:" + sys.argv[3])]
    connection_factory = ConnectionFactory(Echo, limits, reactor)
    def ready(listeners):
        print(listeners.all[0].port, flush=True)
    def failed(failure):
        print(failure.value, flush=True)
        reactor.stop()
    listen(reactor, connection_factory, places).addCallbacks(ready, failed)
    reactor.callLater(60, reactor.stop)  # never outlives a test that was interrupted
    reactor.run()
    """
)


class Child(Process):
    """A server in a process of its own, which says first at which port."""

    def connect(self) -> socket.socket:
        port = int(self.wait_for(r"^\d+\n")[0])
        return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Child]]:
    with ExitStack() as stack:

        def begin(kind: str = "tcp", path: Path | str = "", login_seconds: float = 60) -> Child:
            child = Child(sys.executable, "-c", SERVER, login_seconds, kind, path, log=tmp_path / f"{kind}.log")
            stack.enter_context(child)
            child.spawn()
            return child

        yield begin


def frame(sequence: int, kind: int = 27, body: bytes = b"") -> bytes:
    return HEADER.pack(b"TP03", sequence, kind, len(body)) + body


def exactly(connection: socket.socket, amount: int) -> bytes:
    data = b""
    while len(data) < amount:
        piece = connection.recv(amount - len(data))
        assert piece, f"closed after {len(data)} of {amount} bytes"
        data += piece
    return data


def read_frame(connection: socket.socket) -> tuple[int, int, bytes]:
    _, sequence, kind, length = HEADER.unpack(exactly(connection, 16))
    return sequence, kind, exactly(connection, length)


def to_the_end(connection: socket.socket) -> bytes:
    data = b""
    while piece := connection.recv(65536):
        data += piece
    return data


def is_closed(connection: socket.socket) -> bool:
    """Return True if the server closes without another byte. An aborted connection is reset."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


# --- over TCP


def test_a_client_that_sends_byte_by_byte_and_one_that_sends_all_at_once(start: Callable[..., Child]) -> None:
    child = start()
    with child.connect() as slow, child.connect() as fast:
        slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in frame(1, 27, b"slow"):
            slow.sendall(bytes([byte]))
        fast.sendall(b"".join(frame(number, 27, b"fast") for number in range(5000)))
        for number in range(5000):
            assert read_frame(fast) == (number, 0, b"fast")
        assert read_frame(slow) == (1, 0, b"slow")


def test_a_refusal_reaches_a_client_that_is_still_sending(start: Callable[..., Child]) -> None:
    """A frame of 3 MB is refused after its header; closing at once would reset the connection and lose the refusal."""
    child = start()
    for _ in range(5):
        with child.connect() as client:
            client.sendall(frame(9, 27, bytes(3_000_000)))
            sequence, kind, text = read_frame(client)
            assert (sequence, kind) == (9, 1)
            assert b"3000000" in text
            assert client.recv(1) == b"", "and then the connection ends"


def test_what_is_not_the_protocol_is_told_so_and_closed(start: Callable[..., Child]) -> None:
    with start().connect() as client:
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")
        text = to_the_end(client)
    assert text.count(b"\n") == 1
    assert b"Thousand Parsec" in text


def test_a_client_that_stops_in_the_middle_of_a_frame_is_closed_and_others_go_on(start: Callable[..., Child]) -> None:
    child = start()
    with child.connect() as stuck, child.connect() as other:
        stuck.sendall(frame(1)[:7])
        assert is_closed(stuck)
        other.sendall(frame(2))
        assert read_frame(other) == (2, 0, b"")


def test_a_client_that_says_nothing_is_closed(start: Callable[..., Child]) -> None:
    with start(login_seconds=1).connect() as client:
        assert is_closed(client)


def test_a_client_that_never_reads_is_dropped_and_others_go_on(start: Callable[..., Child]) -> None:
    child = start()
    with child.connect() as deaf, child.connect() as other:
        deaf.sendall(frame(1, 5, b"20000000"))
        child.wait_for("^lost$")
        other.sendall(frame(2))
        assert read_frame(other) == (2, 0, b"")


def test_a_long_answer_arrives_whole_at_a_client_that_has_half_closed(start: Callable[..., Child]) -> None:
    with start().connect() as client:
        client.sendall(frame(1, 5, b"5000000") + frame(2))
        client.shutdown(socket.SHUT_WR)
        data = to_the_end(client)
    assert len(data) == 16 + 5_000_000 + 16


def test_a_client_that_leaves_without_reading_is_noticed(start: Callable[..., Child]) -> None:
    child = start()
    with child.connect() as client:
        client.sendall(frame(1, 5, b"20000000"))
        assert client.recv(1)
    child.wait_for("^lost$")


def test_a_unix_socket_is_an_endpoint_like_any_other(start: Callable[..., Child], tmp_path: Path) -> None:
    path = tmp_path / "socket"
    start("unix", path).wait_for("^0$")
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(str(path))
        client.sendall(frame(1, 27, b"x"))
        assert read_frame(client) == (1, 0, b"x")


# --- TLS


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A certificate made by itself, its key, both in one file, and what can go wrong with them."""
    directory = tmp_path_factory.mktemp("pem")
    key = new_key()
    certificate = certificate_pem(key, days=30)
    form, locking = serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"secret")
    contents = {
        "certificate": certificate,
        "key": private_pem(key),
        "both": private_pem(key) + certificate,
        "other": private_pem(new_key()),
        "locked": key.private_bytes(serialization.Encoding.PEM, form, locking),
        "dsa": private_pem(dsa.generate_private_key(1024)),  # type: ignore[arg-type] # a key that is not allowed
        "expired": certificate_pem(key, days=-1),
        "empty": b"",
        "broken": certificate[:200],
    }
    for name, content in contents.items():
        (directory / f"{name}.pem").write_bytes(content)
    return {name: directory / f"{name}.pem" for name in [*contents, "missing"]}


def test_a_tls_client_that_trusts_the_certificate_talks_as_usual(
    start: Callable[..., Child], pem: dict[str, Path]
) -> None:
    child = start("tls", pem["both"])
    context = ssl.create_default_context(cafile=str(pem["certificate"]))
    with context.wrap_socket(child.connect(), server_hostname="127.0.0.1") as client:
        client.sendall(frame(1, 27, b"secret") + frame(2, 5, b"3000000"))
        assert read_frame(client) == (1, 0, b"secret+tls")
        assert len(read_frame(client)[2]) == 3_000_000
        client.sendall(b"garbage that is no frame at all")
        sequence, kind, _ = read_frame(client)
        assert (sequence, kind) == (0, 1)
        assert client.recv(1) == b""


def test_each_frame_over_tls_has_a_record_of_its_own(start: Callable[..., Child], pem: dict[str, Path]) -> None:
    """Each read of an SSL socket returns one record. The client library of 2010 hangs if it holds two frames."""
    child = start("tls", pem["both"])
    context = ssl.create_default_context(cafile=str(pem["certificate"]))
    with context.wrap_socket(child.connect(), server_hostname="127.0.0.1") as client:
        client.sendall(b"".join(frame(number, 27, b"x" * number) for number in range(1, 9)))
        answers = [client.recv(65536) for _ in range(8)]
    assert [len(answer) for answer in answers] == [16 + len(b"x" * number + b"+tls") for number in range(1, 9)]


@given(
    frames=st.lists(st.binary(max_size=40)),
    cuts=st.lists(st.integers(0, 400)),
    magic=st.sampled_from([b"TP03", b"TP\x04\x00", b"TPpb", b"HTTP"]),
)
def test_a_stream_is_cut_at_the_ends_of_frames_only(frames: list[bytes], cuts: list[int], magic: bytes) -> None:
    """However the bytes arrive: each piece ends with its frame or with what arrived; another stream stays whole."""
    whole = [magic + bytes(8) + len(body).to_bytes(4) + body for body in frames]
    stream = b"".join(whole)
    ends = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
    arrived = [stream[start:end] for start, end in pairwise(ends)]
    splitter = FrameSplitter()
    pieces = [splitter.split(data) for data in arrived]
    assert [b"".join(each) for each in pieces] == arrived
    if magic in MAGIC:
        borders = list(accumulate(map(len, whole)))
        found = list(accumulate(len(piece) for each in pieces for piece in each))
        assert found == sorted({*borders, *ends} - {0})
    else:
        assert [len(each) for each in pieces] == [1] * len(arrived)


def test_a_tls_client_that_never_reads_is_dropped(start: Callable[..., Child], pem: dict[str, Path]) -> None:
    child = start("tls", pem["both"])
    context = ssl.create_default_context(cafile=str(pem["certificate"]))
    with context.wrap_socket(child.connect(), server_hostname="127.0.0.1") as client:
        client.sendall(frame(1, 5, b"20000000"))
        child.wait_for("^lost$")


def test_a_client_that_never_begins_tls_is_closed(start: Callable[..., Child], pem: dict[str, Path]) -> None:
    child = start("tls", pem["both"], login_seconds=1)
    with child.connect() as client:
        assert is_closed(client)
    child.wait_for("^lost$")


@pytest.mark.parametrize(
    ("certificate", "key", "says"),
    [
        ("missing", "key", "missing.pem: the certificate cannot be read: No such file or directory"),
        ("certificate", "missing", "missing.pem: the private key cannot be read: No such file or directory"),
        ("empty", "key", "empty.pem: there is no certificate in this file"),
        ("broken", "key", "broken.pem: there is no certificate in this file"),
        ("key", "key", "key.pem: there is no certificate in this file"),
        ("certificate", "certificate", "certificate.pem: there is no private key in this file"),
        ("certificate", None, "certificate.pem: there is no private key in this file"),
        ("certificate", "other", "other.pem: this key does not belong to the first certificate in"),
        ("certificate", "locked", "locked.pem: the private key is encrypted"),
        ("certificate", "dsa", "dsa.pem: TLS needs a private key of the kind RSA, EC, Ed25519 or Ed448"),
    ],
)
def test_what_is_wrong_with_a_certificate_is_one_sentence(
    pem: dict[str, Path], certificate: str, key: str | None, says: str
) -> None:
    with pytest.raises(CertificateError) as caught:
        certificate_options(pem[certificate], pem[key] if key else None)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_expired_certificate_is_used_with_a_warning(pem: dict[str, Path], logged: list[dict[str, Any]]) -> None:
    certificate_options(pem["expired"], pem["key"])
    (event,) = logged
    assert event["log_level"].name == "warn"
    assert event["file"].endswith("expired.pem")


# --- where to listen


def _connection_factory() -> ConnectionFactory:
    def no_session(*_: object) -> Any:
        raise AssertionError("nobody connects")

    return ConnectionFactory(no_session, Limits(), real_reactor)  # type: ignore[arg-type] # the reactor is a module to mypy


def _now(deferred: Deferred[Any]) -> Listeners | str | None:
    """The result of a Deferred, or the sentence with which it failed; the reactor turns a few times, it never runs."""
    results: list[Any] = []
    deferred.addBoth(results.append)
    for _ in range(20):
        if not results:
            real_reactor.iterate(0)  # type: ignore[attr-defined] # the reactor is a module to mypy
    (result,) = results
    if isinstance(result, Failure):
        assert result.check(ListenError) is not None, result.getTraceback()
        return str(result.value)
    return result  # type: ignore[no-any-return] # what the Deferred promises


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_the_real_ports_and_how_to_reach_them_are_told(pem: dict[str, Path]) -> None:
    places = [plain(0), encrypted(pem["both"], None, 0), EndpointSpec("tcp:0:interface=127.0.0.1")]
    listeners = _now(listen(real_reactor, _connection_factory(), places))
    assert isinstance(listeners, Listeners)
    first, second, third = listeners.all
    assert len({first.port, second.port, third.port} - {0}) == 3
    assert str(first) == f"tp://127.0.0.1:{first.port}"
    assert str(second) == f"tps://127.0.0.1:{second.port}"
    assert (first.secure, second.secure, third.secure) == (False, True, False)
    _now(listeners.close())


def test_a_port_in_use_is_named_and_nothing_half_made_is_left(taken: int) -> None:
    connection_factory = _connection_factory()
    free = _now(listen(real_reactor, connection_factory, [plain(0)]))
    assert isinstance(free, Listeners)
    port = free.all[0].port
    assert _now(free.close()) is None
    says = _now(listen(real_reactor, connection_factory, [plain(port), plain(taken)]))
    assert says == (f"port {taken} of 127.0.0.1 is in use by another program: stop that one, or choose another port")
    again = _now(listen(real_reactor, connection_factory, [plain(port)]))
    assert isinstance(again, Listeners), "the first port has been freed"
    _now(again.close())


def test_a_listener_that_is_handed_on_stays_open_when_its_first_holder_closes_it() -> None:
    """The supervisor has a copy, and the next server continues with it, as does the one after that."""
    place, connection_factory = plain(0), _connection_factory()
    first = _now(listen(real_reactor, connection_factory, [place], {}))
    assert isinstance(first, Listeners)
    port, copy = first.all[0].port, os.dup(first.sockets()[place.key])
    holders = [first]
    for _ in range(2):
        assert _now(holders[-1].close()) is None
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE):
            pass
        following = _now(listen(real_reactor, connection_factory, [place], {place.key: os.dup(copy)}))
        assert isinstance(following, Listeners) and following.all[0].port == port
        holders.append(following)
    os.close(copy)
    assert _now(holders[-1].close()) is None
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def test_endpoints_with_any_free_port_are_told_apart_by_their_use() -> None:
    config = load(None, {"listen.port": 0, "web.port": 0, "metrics.port": 0, "admin.port": 0})
    clients, web_places = places_of(config), web_places_of(config)
    consoles = replace(plain(0), use="consoles")
    metrics = replace(web(0), use="metrics")
    assert len({place.key for place in (*clients, *web_places, consoles, metrics)}) == 4


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (plain(0, "192.0.2.77"), "192.0.2.77: this machine has no such address"),
        (plain(0, "no.such.host.invalid"), "no.such.host.invalid: this machine has no such address"),
        (EndpointSpec("tpc:6923"), "endpoint 'tpc:6923' cannot be used"),
        (EndpointSpec(""), "endpoint '' cannot be used"),
        (EndpointSpec("tcp"), "endpoint 'tcp' cannot be used"),
        (EndpointSpec("tcp:port"), "endpoint 'tcp:port' cannot be used"),
        (EndpointSpec("tcp:99999"), "endpoint 'tcp:99999' cannot be used"),
        (EndpointSpec("tcp:0:wrong=1"), "endpoint 'tcp:0:wrong=1' cannot be used"),
        (EndpointSpec("ssl:0:privateKey=nowhere.pem"), "endpoint 'ssl:0:privateKey=nowhere.pem' cannot be used"),
        (EndpointSpec("unix:/no/such/directory/socket"), "/no/such/directory/socket"),
    ],
    ids=lambda value: value.endpoint if isinstance(value, EndpointSpec) else "",
)
def test_a_place_that_cannot_be_is_one_sentence(place: EndpointSpec, says: str) -> None:
    sentence = _now(listen(real_reactor, _connection_factory(), [place]))
    assert isinstance(sentence, str)
    assert says in sentence
    assert "\n" not in sentence


def test_an_ipv6_address_may_be_given_as_people_write_it() -> None:
    assert plain(6923, "::1").endpoint == r"tcp:6923:interface=\:\:1:backlog=1024"


@pytest.mark.parametrize(
    ("endpoint", "why"),
    [
        ("tcp", "a part of it is missing, or is none of this kind of endpoint"),
        ("tcp:0:colour=red", "a part of it is missing, or is none of this kind of endpoint"),
        ("tcp:abc", "'abc' is no number"),
        ("unix:/no/such/directory/socket", "No such file or directory: /no/such/directory/socket.lock"),
        ("ssl:0:privateKey=/no/such/key", "No such file or directory: /no/such/key"),
    ],
)
def test_what_is_wrong_with_an_endpoint_is_said_in_words(endpoint: str, why: str) -> None:
    """Nothing of Python, and an example of the kind that was meant."""
    for place, port in ((EndpointSpec(endpoint), 6923), (EndpointSpec(endpoint, schemes=web().schemes), 8080)):
        failures: list[Any] = []
        listen(real_reactor, None, [place]).addErrback(failures.append)  # type: ignore[arg-type] # nothing is ever made
        assert isinstance(failures[0].value, ListenError)
        example = f"write one such as tcp:{port}:interface=127.0.0.1"
        assert str(failures[0].value) == f"endpoint '{endpoint}' cannot be used: {why}; {example}"

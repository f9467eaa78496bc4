"""Entries of a metaserver's list: owner, lifetime, and bounds."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tpserver.metaserver.entries import (
    LIVES_SECONDS,
    LONGEST_NAME,
    LONGEST_VALUE,
    MOST_ENTRIES,
    MOST_PER_NETWORK,
    MOST_WAYS,
    Entries,
    NotListed,
    frames,
    hosts_of,
    objects,
)

PUBLIC, OTHER = "93.184.216.34", "8.8.8.8"
UPDATE = {
    "action": "update",
    "key": "mine",
    "tp": "0.3,0.4",
    "server": "0.6",
    "sertype": "tpserver-cpp",
    "rule": "MiniSec",
    "rulever": "0.1",
    "ln": "Friday",
    "sn": "tp",
    "plys": "4",
    "turn": "12",
    "next": "1300000000",
    "prd": "600",
    "cmt": "join us",
    "type0": "tp",
    "dns0": "games.example.org",
    "ip0": "93.184.216.34",
    "port0": "6923",
}


class List(Entries):
    """The list, at a time that the test sets."""

    def __init__(self) -> None:
        self.time = 1_300_000_000.0
        super().__init__(lambda: self.time)

    def add(self, address: str = PUBLIC, hosts: tuple[str, ...] = ("games.example.org",), **said: str) -> Any:
        return self.update({**UPDATE, **said}, address, hosts)

    @property
    def names(self) -> list[str]:
        return [entry.name for entry in self.all()]


@pytest.fixture
def listing() -> List:
    return List()


def test_an_entry_is_forgotten_unless_it_is_renewed(listing: List) -> None:
    listing.add()
    listing.time += LIVES_SECONDS
    assert listing.names == ["Friday"]
    listing.add(plys="5")
    listing.time += LIVES_SECONDS
    assert dict(listing.all()[0].facts)["plys"] == "5"
    listing.time += 1
    assert listing.names == []


def test_an_entry_from_the_future_does_not_stay_until_then(listing: List) -> None:
    """A clock that was wrong and is set back; a step of some seconds does no harm."""
    listing.add()
    listing.time -= 30
    assert listing.names == ["Friday"]
    listing.time -= 365 * 86400
    assert listing.names == []


def test_a_name_belongs_to_who_has_its_key(listing: List) -> None:
    """It may ask from any address until it is forgotten. The key is never shown."""
    listing.add()
    with pytest.raises(NotListed, match="this key is not its own") as refused:
        listing.add(key="other", rule="Evil")
    assert refused.value.code == 403
    assert dict(listing.all()[0].facts)["rule"] == "MiniSec"
    listing.add(OTHER)
    assert "mine" not in str(objects(listing.all())) + listing.dump()
    assert b"mine" not in frames(listing.all())
    listing.time += LIVES_SECONDS + 1
    listing.add(key="other")


def test_the_list_is_bounded_by_address_and_in_all(listing: List) -> None:
    for number in range(MOST_PER_NETWORK):
        listing.add(ln=f"game {number}")
    with pytest.raises(NotListed, match=f"There are {MOST_PER_NETWORK} entries from your address"):
        listing.add(ln="one more")
    listing.add(ln="game 0")
    listing.add(OTHER, ln="elsewhere")
    with pytest.raises(NotListed, match="from your address"):
        listing.add(ln="elsewhere")
    for network in range(MOST_ENTRIES // MOST_PER_NETWORK):
        for number in range(MOST_PER_NETWORK):
            if len(listing.all()) < MOST_ENTRIES // 2:
                listing.add(f"9.9.{network}.9", ln=f"{network} {number}")
    with pytest.raises(NotListed, match="last places are for networks without an entry") as refused:
        listing.add("9.9.0.10", ln="one more")
    assert refused.value.code == 503
    for number in range(MOST_ENTRIES // 2):
        listing.add(f"8.{number // 256}.{number % 256}.9", ln=f"first of {number}")
    with pytest.raises(NotListed, match="This list is full") as refused:
        listing.add("9.10.0.9", ln="too many")
    assert refused.value.code == 503
    listing.add(ln="game 0")


def test_an_ipv6_network_counts_as_one(listing: List) -> None:
    for number in range(MOST_PER_NETWORK):
        listing.add(f"2606:4700::{number:x}", ln=f"game {number}")
    with pytest.raises(NotListed, match="from your address"):
        listing.add("2606:4700::ffff", ln="one more")


def test_a_server_of_the_internet_is_listed_by_its_own_address(listing: List) -> None:
    """Whatever it says; its name is listed if it leads there, else the address."""
    (way,) = listing.add(ip0="8.8.8.8").ways
    assert (way.dns, way.ip) == ("games.example.org", PUBLIC)
    (way,) = listing.add(dns0="bank.example", hosts=()).ways
    assert (way.dns, way.ip) == (PUBLIC, PUBLIC)


def test_a_server_of_the_own_network_is_believed(listing: List) -> None:
    (way,) = listing.add("127.0.0.1").ways
    assert (way.dns, way.ip) == ("games.example.org", "93.184.216.34")
    (way,) = listing.add("192.168.1.5", ip0="").ways
    assert way.ip == "192.168.1.5"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"ln": ""}, "ln is missing"),
        ({"key": ""}, "key is missing"),
        ({"rule": ""}, "rule is missing"),
        ({"ln": "x" * (LONGEST_NAME + 1)}, "100 are the most"),
        ({"cmt": "x" * (LONGEST_VALUE + 1)}, "200 are the most"),
        ({"type0": "ftp"}, "type0 is not one of"),
        ({"port0": "0"}, "port0 is no port"),
        ({"port0": "65536"}, "port0 is no port"),
        ({"port0": "x"}, "port0 is no port"),
        ({"port0": "9" * 5000}, "port0 is no port"),
    ],
)
def test_what_cannot_be_listed_is_refused_with_a_reason(listing: List, said: dict[str, str], reason: str) -> None:
    with pytest.raises(NotListed, match=reason):
        listing.add(**said)
    assert listing.names == []


def test_a_game_without_a_way_to_it_is_refused(listing: List) -> None:
    with pytest.raises(NotListed, match="needs a way"):
        listing.update({key: value for key, value in UPDATE.items() if not key.endswith("0")}, PUBLIC, ())


def test_ways_are_bounded_and_texts_printable(listing: List) -> None:
    many = {f"{key}{number}": UPDATE[f"{key}0"] for number in range(40) for key in ("type", "dns", "ip", "port")}
    assert len(listing.add(**many).ways) == MOST_WAYS
    assert hosts_of({f"dns{number}": f"h{number}" for number in range(40)}) == [f"h{n}" for n in range(MOST_WAYS)]
    assert hosts_of({"dns0": "a b", "dns1": "x" * 300, "dns2": "ü", "dns3": "fine.example"}) == ["fine.example"]
    assert dict(listing.add(cmt="a\x1b[31m\nb").facts)["cmt"].isprintable()


def test_an_update_of_2005_says_by_turn_when_the_next_one_begins(listing: List) -> None:
    said = {key: value for key, value in UPDATE.items() if key not in ("ln", "sn", "next")}
    entry = listing.update({**said, "name": "Old", "turn": "1300000600"}, PUBLIC, ())
    assert entry.name == "Old"
    assert dict(entry.facts)["next"] == "1300000600"


def test_the_list_is_kept_over_a_restart(listing: List) -> None:
    """Entries that are too old by then are dropped, and their names stay with their owners."""
    listing.add()
    listing.time += 300
    listing.add(ln="Newer")
    again = List()
    again.time = listing.time + 301
    again.load(listing.dump())
    assert again.names == ["Newer"]
    with pytest.raises(NotListed, match="not its own"):
        again.add(ln="Newer", key="other")


@pytest.mark.parametrize("text", ["", "{}x", "3", '["x"]', '[{"name": "x"}]', "[" * 100_000])
def test_a_file_that_is_no_list_is_refused(listing: List, text: str) -> None:
    with pytest.raises(ValueError):
        listing.load(text)


# --- as programs of 2005-2010 read it ---------------------------------------------------------------------------------


class OldReader:
    """Reads the list as libtpproto-py does: SS[S]SSSS[SSSI][ISI], and nothing may be left over."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def take(self, form: str) -> Any:
        size = struct.calcsize(form)
        value = struct.unpack(form, self.data[:size])
        self.data = self.data[size:]
        return value if len(value) > 1 else value[0]

    def text(self) -> str:
        length = self.take(">I")
        value, self.data = self.data[:length].decode(), self.data[length:]
        return value

    def games(self) -> list[dict[str, Any]]:
        assert self.take(">4sIII")[::2] == (b"TP03", 2)
        return [self.game() for _ in range(self.take(">I"))]

    def game(self) -> dict[str, Any]:
        magic, _, kind, length = self.take(">4sIII")
        assert (magic, kind) == (b"TP03", 66)
        left = len(self.data) - length
        read: dict[str, Any] = {"name": self.text(), "key": self.text()}
        read["tp"] = [self.text() for _ in range(self.take(">I"))]
        read |= {field: self.text() for field in ("server", "sertype", "rule", "rulever")}
        read["ways"] = [(self.text(), self.text(), self.text(), self.take(">I")) for _ in range(self.take(">I"))]
        read["more"] = {}
        for _ in range(self.take(">I")):
            number, words, value = self.take(">I"), self.text(), self.take(">I")
            read["more"][number] = words or value
        assert len(self.data) == left
        return read


def test_programs_of_2005_read_the_list(listing: List) -> None:
    listing.add()
    listing.add(ln="Another", plys="-4", prd="99999999999", admin="ann@example.org")
    another, friday = OldReader(frames(listing.all())).games()
    assert friday == {
        "name": "Friday",
        "key": "",
        "tp": ["0.3", "0.4"],
        "server": "0.6",
        "sertype": "tpserver-cpp",
        "rule": "MiniSec",
        "rulever": "0.1",
        "ways": [("tp", "games.example.org", PUBLIC, 6923)],
        "more": {1: 4, 5: "join us", 6: 1300000000, 8: "tp", 9: 12, 10: 600},
    }
    assert another["more"] == {4: "ann@example.org", 5: "join us", 6: 1300000000, 8: "tp", 9: 12}
    assert OldReader(frames([])).games() == []

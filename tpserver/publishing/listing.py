"""Published facts of a game: the public part of GetGames.

The facts have the keys that server browsers read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tprules.printable import printable
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.terms.clock import known_clock

MOST_GAMES = 32
"""Maximum published games: the newest."""

LONGEST_FACT = 200
"""Maximum bytes of a fact. A key and its value have 255 together in a TXT record."""

KINDS = ("tp", "tps", "tp+http", "tp+https")
"""The kinds of locations of a server, by the types in the protocols."""


@dataclass(frozen=True, slots=True)
class Location:
    """A location of a server: one of `KINDS`, a host name or address, and a port."""

    kind: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class PublicGame:
    """Published data of a game: its name and facts.

    The facts have the keys of the metaserver's protocol. Every value is printable and has at most LONGEST_FACT bytes.
    """

    name: str
    facts: tuple[tuple[str, str], ...]


def public_games(registry: GameRegistry, version: str, server_name: str) -> list[PublicGame]:
    """Return the published games: those that are not over and are open to all players.

    The facts: `tp` versions of the protocol, `server` and `sertype`, `rule` and `rulever`, `ln` and `sn` names (long
    and short), `plys` taken seats, `cons` connections, `turn` its number, `prd` seconds of a turn, `next` the end of
    the turn in unix seconds, `cmt` a comment.
    """
    seats = registry.directory.seat_counts()
    rows = [row for row in registry.directory.rows() if row.state != "over" and row.join == "open"]
    games = []
    for row in rows[-MOST_GAMES:]:
        taken, all_seats = seats.get(row.id, (0, 0))
        game = registry.games.get(row.id)
        clock = known_clock(row.clock)
        facts = {
            "tp": "0.3,0.4",
            "server": version,
            "sertype": "tpserver",
            "rule": row.ruleset,
            "rulever": str(row.ruleset_version),
            "ln": f"{row.name} at {server_name}",
            "sn": row.name,
            "plys": str(taken),
            "cons": str(0 if game is None else len(game.subscribers)),
            "turn": str(row.turn),
        }
        if clock is not None and clock.seconds:
            facts["prd"] = str(clock.seconds)
        if row.deadline is not None and row.state == "running":
            facts["next"] = str(int(row.deadline))
        facts["cmt"] = f"{row.state}, {taken} of {all_seats} seats taken{', anonymous' if row.anonymous else ''}"
        games.append(PublicGame(fitting(row.name), tuple((key, fitting(value)) for key, value in facts.items())))
    return games


def fitting(text: str) -> str:
    """Return a printable text of at most LONGEST_FACT bytes."""
    return printable(text).encode()[:LONGEST_FACT].decode(errors="ignore")


def locations(addresses: Iterable[tuple[str, str, int]]) -> list[Location]:
    """Return the locations of a server from (type, host, port) of its listeners, in the order of `KINDS`."""
    return sorted((Location(*address) for address in addresses), key=lambda one: KINDS.index(one.kind))

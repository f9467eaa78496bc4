"""Units that the writer process saves, and checks of them after a cut.

Everything follows from the seed, the number of the unit, and the number of the attempt. A unit that was refused is
tried again with other content. A unit is an entry of the journal. About every fourth has more in the same transaction:
a snapshot while an older one is thinned, a message, the removal of old messages. So a half-done unit would show.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache

from sqlalchemy import Connection

from tests.support.stored import all_messages
from tpserver.store.copies import database_copy
from tpserver.store.games import boards as stored_boards
from tpserver.store.games import journal, snapshots
from tpserver.store.games import rows as games
from tpserver.store.games.boards import StoredMessage
from tpserver.store.games.journal import JournalEntry
from tpserver.store.games.snapshots import Snapshot

GAME = 1
KEPT_LETTERS = 40
"""A removal deletes the messages of units that are that much older."""


class Lost(Exception):
    """Something is missing that was acknowledged, or something is half there."""


class Units:
    """The units of one seed. Number 0 makes the game, the others are the entries of its journal."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.kind = lru_cache(None)(self._kind)
        self.pad = lru_cache(4096)(self._pad)

    def _kind(self, number: int) -> str:
        return random.Random(f"{self.seed} {number}").choice(("entry",) * 6 + ("turn",) * 2 + ("letter", "tidy"))

    def _pad(self, number: int, attempt: int) -> str:
        """Return bytes of its own for each attempt: mostly few, sometimes pages."""
        chance = random.Random(f"{self.seed} {number} {attempt}")
        sizes = (4_000, 30_000) if self.kind(number) == "turn" else (20, 20, 20, 100, 1_500, 10_000)
        return chance.randbytes(chance.choice(sizes)).hex()

    # --- saving

    def work(self, number: int, attempt: int) -> Callable[[Connection], None] | JournalEntry:
        """Return what the store is given: a unit of work, or an entry."""
        if number == 0:
            return self._begin
        entry = self._entry(number, attempt)
        kind = self.kind(number)
        if kind == "entry":
            return entry

        def unit(c: Connection) -> None:
            journal.append(c, entry)
            if kind == "turn":
                snapshots.put(c, self._snapshot(number, attempt))
                snapshots.thin(c, GAME, dict.fromkeys(self._turns(number)[-4:-2], 1))
                games.update(c, GAME, turn=number)
            elif kind == "letter":
                stored_boards.post_all(c, [self._letter(number, attempt)])
            else:
                stored_boards.remove(c, GAME, 1, range(1, number - KEPT_LETTERS))

        return unit

    @staticmethod
    def _begin(c: Connection) -> None:
        games.create(
            c, "Rome", ruleset="tae", ruleset_version=1, options={}, seed=b"", clock="manual", join="open", seats=2,
            now=0.0,
        )  # fmt: skip

    def _turns(self, until: int) -> list[int]:
        """Return the units that are turns, up to one."""
        return [number for number in range(1, until + 1) if self.kind(number) == "turn"]

    def _entry(self, number: int, attempt: int) -> JournalEntry:
        body = {"number": number, "attempt": attempt, "pad": self.pad(number, attempt)[:20_000]}
        return JournalEntry(GAME, number, 0, float(number), number % 2, "insert", body)

    def _snapshot(self, number: int, attempt: int) -> Snapshot:
        state = {"version": 1, "attempt": attempt, "pad": self.pad(number, attempt)}
        return Snapshot(GAME, number, number, 0.0, "orders", "", f"digest {number} {attempt}", state, [], None)

    def _letter(self, number: int, attempt: int) -> StoredMessage:
        text = self.pad(number, attempt)[:4000]
        return StoredMessage(GAME, 1, number, 0, float(number), 2, f"letter {number}", text, [])

    # --- looking

    def check(self, c: Connection, acknowledged: Mapping[int, int], given: Mapping[int, Collection[int]]) -> list[int]:
        """Compare a database with what it must have, and return the attempts that are there, by number less one.

        ``acknowledged`` is which attempt was, by number; ``given`` which attempts there were of those that were not.
        Raises Lost.
        """
        if damage := database_copy.faults(c):
            raise Lost(f"the database is damaged: {damage}")
        row = games.by_name(c, "Rome")
        if row is None:
            if acknowledged:
                raise Lost(f"the game is not there, and {max(acknowledged)} units were acknowledged")
            return []
        if 0 not in acknowledged and 0 not in given:
            raise Lost("there is a game that nobody made")
        there: list[int] = []
        for number, entry in enumerate(journal.after(c, GAME, 0), 1):
            attempt = entry.body["attempt"]
            if entry != self._entry(number, attempt):
                raise Lost(f"entry {number} is {str(entry)[:200]}")
            allowed = [acknowledged[number]] if number in acknowledged else given.get(number, ())
            if attempt not in allowed:
                raise Lost(f"entry {number} is of attempt {attempt}, and should be of {allowed}")
            there.append(attempt)
        if acknowledged and len(there) < max(acknowledged):
            raise Lost(f"{max(acknowledged)} units were acknowledged, and {len(there)} are there")
        self._check_turns(c, there, row.turn)
        tidied = max((number for number in range(1, len(there) + 1) if self.kind(number) == "tidy"), default=0)
        letters = [
            self._letter(number, attempt)
            for number, attempt in enumerate(there, 1)
            if self.kind(number) == "letter" and number >= tidied - KEPT_LETTERS
        ]
        if (found := all_messages(c, GAME)) != letters:
            raise Lost(f"there are the letters {[one.number for one in found]}, not {[one.number for one in letters]}")
        return there

    def _check_turns(self, c: Connection, there: list[int], turn: int) -> None:
        turns = self._turns(len(there))
        if turn != (turns[-1] if turns else 0):
            raise Lost(f"the game is in turn {turn}, and should be in {turns[-1:]}")
        digests = [(number, f"digest {number} {there[number - 1]}") for number in turns]
        if (found := snapshots.digests(c, GAME)) != digests:
            raise Lost(f"the digests of the turns end with {found[-3:]}, not {digests[-3:]}")
        for number in turns[-4:]:
            kept = snapshots.by_turn(c, GAME, number)
            if number in turns[-2:]:
                if kept != self._snapshot(number, there[number - 1]):
                    raise Lost(f"the snapshot of turn {number} is not the one that was saved")
            elif kept is None or not kept.thinned or kept.state != {"version": 1}:
                raise Lost(f"the snapshot of turn {number} is not thinned")

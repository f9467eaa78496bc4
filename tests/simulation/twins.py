"""Twins: two worlds of one seed and one plan that differ in one secret.

They begin to differ in one turn. As long as that turn is open, every other client must receive the same. That means the
same bytes, in the same pieces, at the same time, with the same ids.

The secret is the content of one player's orders, and the text of the player's messages to itself, including their
lengths. Their numbers and kinds are the same. The steps of a plan choose the next action among the players who have
something to do, so another request would move all that follows.

In some twins the game itself has another secret: the unknown value of the next lot of the auction. Other secrets of
rules, such as hands and hidden kinds, are covered by the twins of `tprules.testing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from tests.simulation.checker import Wrong
from tests.simulation.programs import MOST_AT_ONCE, MOST_BID, PLAYS, Program, Wire
from tests.simulation.world import VERSION, Step, World

VARIED = ("auction", "synthetic")
"""Rulesets in which all players have secret orders that can differ without being of another kind."""

ALL = 1 << 30

Sent = tuple[int, float, int, bytes]
"""Step, time, connection, and what the server has written on it."""


class TurnIsOver(Exception):
    """The turn has been closed in which the secrets differ."""


class TwinWorld(World):
    """See the module. ``run`` runs a world and its twin."""

    def __init__(self, seed: int, plan: Sequence[Step], directory: Path, is_other: bool = False) -> None:
        super().__init__(seed, plan, directory)
        self.is_other = is_other
        self.sent: list[Sent] = []
        self.names: dict[int, str] = {}
        """The client of each connection."""
        self.over_after: int | None = None
        """The number of these that were sent before the turn was closed."""
        self.differences = 0
        """The number of requests with other contents than those of the twin."""
        chance = Random(f"twins {VERSION} {seed}")
        games = [index for index, setting in enumerate(self.setup.games) if setting.ruleset in VARIED]
        names = sorted({name for name, game, _, style in self.setup.programs if game in games and style == PLAYS})
        self.whose = chance.choice(names) if names else ""
        self.from_turn = chance.choice((0, 0, 1, 2))
        hides = [game for game in games if self.setup.games[game].ruleset == "auction"]
        self.which_hides = chance.choice(hides) if hides and chance.random() < 0.3 else -1
        """The game that has another seed."""
        if self.which_hides >= 0:
            self.whose, self.differences = "", 1

    # --- what differs

    def _has_secrets(self, program: Program) -> bool:
        return program.name == self.whose and program.game.state.turn >= self.from_turn

    def least_at_once(self, program: Program) -> int:
        # Of what is longer another part would have arrived.
        return ALL if program.name == self.whose else 0

    def seed_of(self, game: int) -> str:
        return super().seed_of(game) + (" not it" if self.is_other and game == self.which_hides else "")

    def order_of(self, program: Program, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if not self._has_secrets(program):
            return arguments
        self.differences += 1
        if not self.is_other:
            return arguments
        if name == "Bid":
            is_rich = program.game.state.world.gold[program.seat] >= MOST_BID  # else one of the two may be refused
            gold = MOST_BID - arguments["gold"] if is_rich else arguments["gold"]
            return {"gold": gold, "words": f"{arguments['words']} not it"}
        if name == "Gift":
            others = 2 + (arguments["to"] - 1) % program.game.seats
            return {**arguments, "to": others}
        return {"effort": 101 - arguments["effort"]}

    def letter_of(self, program: Program, board: int, text: str) -> str:
        if not self._has_secrets(program) or program.seat is None or board != program.seat + 1:
            return text
        self.differences += 1
        return f"{text}, and much more of it" if self.is_other else text

    # --- what is seen

    def connected(self, program: Program, wire: Wire) -> None:
        transport = wire.transport
        if transport is None or program.name == self.whose:
            return
        self.names[wire.number] = program.title
        write = transport.write

        def noted(data: bytes) -> None:
            self.sent.append((self.step, self.time, wire.number, data))
            write(data)

        transport.write = noted  # type: ignore[method-assign]

    def _is_about(self, game: int) -> bool:
        """Return whether it is in this game that secrets differ."""
        return game == self.which_hides + 1 or any(
            program.name == self.whose and program.game.number == game for program in self.programs
        )

    def note(self, *event: Any) -> None:
        is_closed = event[0] == "entry" and event[8] == "close" and self._is_about(event[3])
        if is_closed and self.differences and self.over_after is None:
            self.over_after = len(self.sent)
        super().note(*event)

    def run_step(self, name: str, number: int) -> None:
        super().run_step(name, number)
        if self.over_after is not None:
            raise TurnIsOver
        if self.differences and number % 4 == 0:
            self._look_closely(Random(number))

    def _look_closely(self, chance: Random) -> None:
        """Let one of those who must not see it look for what is other now."""
        able = [
            one for one in self._wires() if one.is_in and one.name != self.whose and self._is_about(one.game.number)
        ]
        if able:
            program = chance.choice(able)
            if len(program.waiting) < MOST_AT_ONCE:
                program.spy(chance)

    def run(self) -> None:
        self.run_until_closed()
        if not self.differences:
            return
        directory = self.directory / "twin"
        directory.mkdir()
        other = type(self)(self.seed, self.plan, directory, is_other=True)
        other.run_until_closed()
        self.checker.tally["twins"] += 1
        self.checker.tally["secrets that differ"] += self.differences
        self._compare(other)

    def run_until_closed(self) -> None:
        with suppress(TurnIsOver):
            super().run()

    def _end(self) -> None:
        """The plan may have ended before the turn: what has been sent is held against that of the twin anyway."""

    def _compare(self, other: TwinWorld) -> None:
        mine, its = self.sent[: self.over_after], other.sent[: other.over_after]
        what = f"what {self.whose} keeps secret" if self.whose else "what nobody knows"
        self.checker.tally["pieces that are the same"] += len(mine)
        for one, another in zip(mine, its, strict=False):
            if one != another:
                raise Wrong(f"{what} shows: {_shown(self, one)}, or {_shown(other, another)}")
        if len(mine) != len(its):
            more, world = (mine, self) if len(mine) > len(its) else (its, other)
            raise Wrong(f"{what} shows: {_shown(world, more[min(len(mine), len(its))])}")


def _shown(world: TwinWorld, sent: Sent) -> str:
    step, time, connection, data = sent
    return f"at step {step}, {time:.2f}, connection {connection} of {world.names[connection]} got {data!r}"

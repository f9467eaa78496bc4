"""Proposals of the players of games, and their votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from tpserver.store.games.rows import LACKING, there
from tpserver.store.tables import proposals, values_of

ProposalState = Literal["open", "agreed", "refused", "withdrawn", "lapsed"]

OPEN: ProposalState = "open"
AGREED: ProposalState = "agreed"
REFUSED: ProposalState = "refused"
WITHDRAWN: ProposalState = "withdrawn"
LAPSED: ProposalState = "lapsed"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One proposal of a game, numbered from 1.

    ``seat`` made it, counted from 0; None: the owner without a seat. ``turn`` is the turn in which it was made,
    ``seconds`` the length of an extension. ``made`` and the end of the vote, ``until``, are in UTC unix seconds.
    ``votes`` are pairs of a seat and whether it agrees, in the order of voting. ``arguments`` are by name, for kinds
    with arguments.
    """

    game: int
    number: int
    kind: str
    seat: int | None
    turn: int
    seconds: int
    made: float
    until: float
    state: ProposalState = OPEN
    votes: Sequence[Sequence[int | bool]] = field(default_factory=tuple)
    arguments: Mapping[str, Any] | None = None

    @property
    def agreeing(self) -> list[int]:
        """The seats that agree."""
        return [seat for seat, agrees in self.votes if agrees]

    @property
    def refusing(self) -> list[int]:
        """The seats that refuse."""
        return [seat for seat, agrees in self.votes if not agrees]


_OF_GAME = select(proposals).where(proposals.c.game == bindparam("which_game")).order_by(proposals.c.number)
_SAME = (proposals.c.game == bindparam("which_game")) & (proposals.c.number == bindparam("which_number"))
_UPDATE = update(proposals).where(_SAME).values(state=bindparam("new_state"), votes=bindparam("new_votes"))


def put(c: Connection, proposal: Proposal) -> None:
    """Add a proposal, or save the state and the votes of an existing one."""
    key = {"which_game": proposal.game, "which_number": proposal.number}
    if not c.execute(_UPDATE, {**key, "new_state": proposal.state, "new_votes": list(proposal.votes)}).rowcount:
        c.execute(insert(proposals).values(values_of(proposal)))


def forget(c: Connection, game: int, numbers: Sequence[int]) -> None:
    """Remove proposals of a game that are no longer needed."""
    c.execute(delete(proposals).where(proposals.c.game == game, proposals.c.number.in_(numbers)))


def of_game(c: Connection, game: int) -> list[Proposal]:
    """Return the proposals of a game, the oldest first."""
    if f"{proposals.name}.game" in c.info.get(LACKING, ()):  # the tables are of an older version
        return []
    return [Proposal(**row) for row in c.execute(there(c, _OF_GAME), {"which_game": game}).mappings()]

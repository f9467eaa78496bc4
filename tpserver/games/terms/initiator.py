"""Authors of changes of a game: the operator, its owner, or all players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tprules.api import Report
    from tprules.api.advance import Advanced
    from tpserver.store.games.proposals import Proposal

BY_OPERATOR = "The operator"
"""Name of the operator in messages to players."""


@dataclass(frozen=True, slots=True)
class Initiator:
    """Author of a change of a game.

    ``who`` is the subject of the sentence in the message about it. ``players``: the author is the owner or all players,
    not the operator. ``proposal`` is their agreement in its new state.
    """

    who: str = BY_OPERATOR
    players: bool = False
    proposal: Proposal | None = None

    @property
    def body(self) -> dict[str, Any]:
        """The journal's record of it; empty for the operator."""
        if not self.players:
            return {}
        return {"by": self.who, **({} if self.proposal is None else {"proposal": self.proposal.number})}

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        return () if self.proposal is None else (self.proposal,)


OPERATOR = Initiator()


@dataclass(frozen=True, slots=True)
class PlayersStep:
    """A step from one turn to the next by the players, instead of a closing.

    ``step`` computes it, ``news`` are the reports to all, ``cause`` is its initiator. ``body`` has the further data
    that the journal needs to replay it.
    """

    step: Callable[[], Advanced[Any]]
    news: Sequence[Report]
    cause: Initiator
    body: Mapping[str, Any]

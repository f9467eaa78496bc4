"""Errors of requests about games. Their messages are sentences for the requester."""

from __future__ import annotations


class GameError(Exception):
    """An operation on a game is not possible. The message is one sentence for the requester."""


class GameElsewhere(GameError):
    """Another cluster node holds the game, or this server is no node at present.

    ``address`` is that of the other node, empty if unknown.
    """

    def __init__(self, text: str, address: str = "") -> None:
        super().__init__(text)
        self.address = address

    @property
    def for_clients(self) -> str:
        """The message without the address, which belongs to the operator's own network."""
        return str(self).replace(f"the node at {self.address}", "another node of this server")


class NotNow(Exception):
    """A request about a game is impossible now, but may work later. The message is one sentence."""


class DamagedGame(NotNow):
    """The stored data of a game is damaged. Other games can still be read."""

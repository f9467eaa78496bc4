"""Names and labels of accounts that all players see. A label marks a program or a guest."""

from __future__ import annotations

from collections.abc import Callable

from tpserver.games.core.game import Game
from tpserver.games.core.player import Player
from tpserver.games.hall.directory import GameDirectory
from tpserver.store import Store
from tpserver.store.games.rows import SeatRow
from tpserver.store.people import accounts as stored_accounts


class AccountLabels:
    """Names of accounts at their seats, and their labels as programs or guests. Used on the reactor's thread.

    ``living`` returns the games in memory, and the released ones that are still referenced.
    """

    def __init__(
        self, store: Store, directory: GameDirectory, now: Callable[[], float], living: Callable[[], list[Game]]
    ) -> None:
        self._directory = directory
        self._now = now
        self._living = living
        self._bots = store.read(stored_accounts.bots)
        self._guests = {account.id for account in store.read(stored_accounts.of_guests)}

    def renamed(self, account: int, name: str) -> None:
        """Show the new stored name of an account at its seats."""
        now = int(self._now())
        self._directory.renamed(row.id for row in self._directory.rows_of(account))
        for game in self._living():
            for player in game.players:
                if player.account == account:
                    player.account_name = name
                    if game.hides_players:
                        continue
                    player.name, player.since = name, game.next_player_time(player.seat, now)
                    for board in game.boards.values():
                        board.touch(now)

    def is_bot(self, player: Player | SeatRow, hidden: bool = False) -> bool:
        """Return whether a program plays a seat.

        It is a bot of the server, or an account that is labeled as a program. ``hidden``: the account is secret, so it
        is not labeled.
        """
        return player.bot or (not hidden and player.account in self._bots)

    def label_bot(self, account: int, is_bot: bool) -> None:
        """Set or remove the label of an account as a program, to match the store."""
        if is_bot != (account in self._bots):
            self._bots ^= {account}
            self._show_anew({account})

    def is_guest(self, player: Player) -> bool:
        """Return whether a seat is a guest's."""
        return player.account in self._guests

    def label_guest(self, account: int, is_guest: bool) -> None:
        """Set or remove the label of an account as a guest's, to match the store."""
        (self._guests.add if is_guest else self._guests.discard)(account)

    def replace(self, bots: set[int], guests: set[int]) -> None:
        """Replace the sets of program accounts and guest accounts by those of the store."""
        changed = (self._bots ^ bots) | (self._guests ^ guests)
        self._bots, self._guests = bots, guests
        if changed:
            self._show_anew(changed)

    def _show_anew(self, accounts: set[int]) -> None:
        """Make clients fetch the players of these accounts again, as their labels have changed."""
        now = self._now()
        for game in self._living():
            for player in game.players:
                if player.account in accounts and not game.hides_players:
                    player.since = game.next_player_time(player.seat, now)

"""Persistent data: accounts, games, journals, snapshots, boards.

``Store`` opens the database and is the only writer. The modules hold plain functions over a SQLAlchemy connection,
which ``Store.read`` and ``Store.write`` call in a transaction. ``game_changes`` describes the writes of one transaction
about a game. SQLAlchemy is used only in this package. The package knows no rules, frames or clocks: times come from the
caller.
"""

from sqlalchemy import Connection as Transaction

from tpserver.store.backends.backend import Timeouts
from tpserver.store.database import FencedStore, GameStore, Store
from tpserver.store.errors import NameTaken, StoreError
from tpserver.store.games.journal import JournalEntry

__all__ = [
    "FencedStore",
    "GameStore",
    "JournalEntry",
    "NameTaken",
    "Store",
    "StoreError",
    "Timeouts",
    "Transaction",
]

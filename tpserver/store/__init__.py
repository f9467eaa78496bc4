"""Persistent data: accounts, games, journals, snapshots, boards.

``Store`` opens the database and is the only writer. The modules hold plain functions over a SQLAlchemy connection,
which ``Store.read`` and ``Store.write`` call in a transaction; ``game_changes`` describes what one of them writes of a
game. SQLAlchemy is used only in this package, which knows no rules, frames or clocks (times come from the caller).
"""

from sqlalchemy import Connection as Transaction

from tpserver.store.backend import Timeouts
from tpserver.store.database import FencedStore, GameStore, Store
from tpserver.store.errors import NameTaken, StoreError
from tpserver.store.journal import JournalEntry

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

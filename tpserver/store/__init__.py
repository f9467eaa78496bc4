"""What outlives the process: accounts, games, journals, snapshots, boards.

``Store`` opens the database and is the only writer. The modules hold plain functions over a SQLAlchemy connection, to
be given to ``Store.read`` and ``Store.write``; nothing here knows a rule, a frame or a clock (times come from the
caller).
"""

from tpserver.store.database import Store
from tpserver.store.errors import NameTaken, NoSuchGame, SeatTaken, StoreError
from tpserver.store.journal import JournalEntry

__all__ = ["JournalEntry", "NameTaken", "NoSuchGame", "SeatTaken", "Store", "StoreError"]

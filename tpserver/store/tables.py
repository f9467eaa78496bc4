"""Tables of the database, as all migrations together leave them.

A test compares the two.
"""

import json
import unicodedata
import zlib
from dataclasses import fields
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Dialect,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.types import TypeDecorator

LARGEST_INTEGER = 2**63 - 1
"""The largest integer, and so the largest id, that every database keeps."""

# Three to four times faster than the default level, and worlds get only some tenths larger.
COMPRESSION_LEVEL = 1

# ASCII only: then any text that a client can send, a NUL character included, is legal in the text columns of every
# database. check_circular would cost a third of the encoding; without it a circle raises RecursionError.
_plain = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False)
_canonical = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False
)


def encode(document: Any) -> str:
    """Return ``document`` as ASCII JSON without spaces, keys in their given order.

    Raises TypeError, ValueError or RecursionError for what JSON cannot represent (sets, bytes, NaN, circles).
    """
    return _plain.encode(document)


def pack(document: Any) -> bytes:
    """Return ``document`` as canonical JSON (sorted keys), compressed with zlib: equal documents give equal bytes."""
    return zlib.compress(_canonical.encode(document).encode("ascii"), COMPRESSION_LEVEL)


def name_key(name: str) -> str:
    """Return a key that is equal for names that differ only in case or in Unicode composition."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


class Document(TypeDecorator[Any]):
    """A text column of JSON, in which tuples become lists. None is stored as ``null``, so the column is never NULL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        return encode(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


class PackedDocument(TypeDecorator[Any]):
    """A binary column of compressed canonical JSON."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes:
        return pack(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(zlib.decompress(value))


def values_of(record: Any) -> dict[str, Any]:
    """Return the values of a record, an instance of a dataclass, by its fields, which are columns of its table."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


# Every constraint has a name, so that later migrations can drop it.
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# All times are UTC unix seconds. Text from clients is a Document, too: PostgreSQL's text cannot hold NUL characters.

accounts = Table(
    "accounts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("email", Document, nullable=False),
    Column("comment", Document, nullable=False),
    Column("created", Double, nullable=False),
    Column("bot", Boolean, nullable=False),
    Column("role", Text),  # NULL: a player
    Column("disabled", Double),  # since when; NULL: it is not
    Column("disabled_reason", Document),
    Column("removed", Double),  # when its personal data were removed; NULL: they are there
    Column("guest", Double),  # since when it is that of a guest; NULL: it is none
    # Whether a forgotten password may be reset by `email`: so of accounts from before addresses were verified for that.
    Column("email_resets", Boolean, nullable=False, server_default=false()),
    Column("unused_since", Double),  # when a client made it that has not logged in to it; NULL: it does not expire
    UniqueConstraint("name_key"),
    sqlite_autoincrement=True,
)

# What operators have done, and those whose role lets them: rows are added, and neither changed nor removed.
audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("actor", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("subject", Document, nullable=False),
    Column("details", Document, nullable=False),
    Column("reason", Document, nullable=False),
    sqlite_autoincrement=True,
)

# Browsers that stay logged in: of each the SHA-256 of its token, which the browser alone has.
logins = Table(
    "logins",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("label", Document, nullable=False),
    Column("created", Double, nullable=False),
    Column("used", Double, nullable=False),
    Column("signed_in", Double),  # when a provider let the browser in; NULL: none did
    UniqueConstraint("digest"),
    UniqueConstraint("account", "id"),  # its index lists those of an account
    sqlite_autoincrement=True,
)

# Who signs in to accounts through OpenID Connect: the subject of an issuer, which never changes, as mail addresses do.
identities = Table(
    "identities",
    metadata,
    Column("issuer", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("created", Double, nullable=False),
    Column("used", Double, nullable=False),
    UniqueConstraint("account", "issuer"),
)

# Passwords that somebody has asked to reset within the last hour: of whose account (NULL: there is none), where the
# mail goes, and of the code in it its SHA-256 (NULL: none was sent yet).
resets = Table(
    "resets",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("account", Integer, ForeignKey("accounts.id")),
    Column("target", Document, nullable=False),
    Column("digest", LargeBinary),
    Column("next_try", Double),  # NULL: nothing is to be sent
    Column("tries", Integer, nullable=False),
    sqlite_autoincrement=True,
)

# Mails that tell the owner of an account of a change of it, see account_mails.py.  Rows are kept while they count.
account_mails = Table(
    "account_mails",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("target", Document, nullable=False),
    Column("text", Document, nullable=False),
    Column("next_try", Double),  # NULL: it was sent, or given up
    Column("tries", Integer, nullable=False),
    sqlite_autoincrement=True,
)

# Tokens by which programs log in, in place of a password: of each its SHA-256, and what it is good for.
tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("label", Document, nullable=False),
    Column("game", Integer),  # the only game that it is good for; NULL: all of the account
    Column("read_only", Boolean, nullable=False),
    Column("created", Double, nullable=False),
    Column("ends", Double, nullable=False),
    Column("used", Double),  # to the hour; NULL: never
    UniqueConstraint("digest"),
    UniqueConstraint("account", "id"),  # its index lists those of an account
    sqlite_autoincrement=True,
)

games = Table(
    "games",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("ruleset", Text, nullable=False),
    Column("ruleset_version", Integer, nullable=False),
    Column("options", Document, nullable=False),
    Column("seed", LargeBinary, nullable=False),
    Column("clock", Text, nullable=False),
    Column("join", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("held_reason", Text, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("created", Double, nullable=False),
    Column("started", Double),
    Column("deadline", Double),  # when the turn ends at the latest
    Column("left", Double),  # seconds left until the turn was due when the game was paused
    Column("bots", Integer, nullable=False),
    Column("due", Double),  # when the time of the turn is up; the deadline is later by grace and time banks
    Column("ran", Double),  # until when the clock of the turn is known to have run
    Column("policy", Document),  # what the game does about seats whose players are away
    Column("press", Text),  # what its players may write to each other; NULL: private
    Column("anonymous", Boolean),  # whether the players stay hidden until the game is over; NULL: it is not so
    Column("watch_delay", Integer),  # by how many turns spectators see it later; NULL: 0, -1: not before its end
    Column("guests", Text),  # whether guests may join; NULL: no
    Column("wake", Double),  # when it is read at the latest, if it is not in memory; NULL: nothing is due
    Column("resting", Text),  # what is told of it while it is not in memory; NULL: the next server reads it
    Column("node", Text, index=True),  # of a cluster: who holds it; NULL: nobody, or there is none
    Column("epoch", Integer, nullable=False, server_default=text("0")),  # how often it was taken or released
    UniqueConstraint("name_key"),
    CheckConstraint("\"join\" IN ('open', 'invited')", name="join"),
    CheckConstraint("state IN ('waiting', 'running', 'paused', 'held', 'over')", name="state"),
    Index(None, "wake"),
    sqlite_autoincrement=True,
)

# Until when the clocks of the games that were not in memory are known to have run: one row.
game_clocks = Table(
    "game_clocks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ran", Double, nullable=False),
)

# The servers that share this database as nodes of a cluster: until when each lives, by the database's clock.  An id is
# never used again, and a row stays while a game points to it.
nodes = Table(
    "nodes",
    metadata,
    Column("id", Text, primary_key=True),
    Column("address", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("started", Double, nullable=False),
    Column("until", Double, nullable=False),
    Column("rulesets", Text, nullable=False, server_default=text("'{}'")),  # those it can play: JSON, names to versions
    Column("draining", Integer, nullable=False, server_default=text("0")),  # whether it takes no game any more
    Column("beats", BigInteger, nullable=False, server_default=text("0")),  # how often it has said that it lives
)

# The id of the cluster whose nodes share this database, by which two of them know each other: one row, or none.
clusters = Table(
    "clusters",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Text, nullable=False),
    Column("oldest", Text, nullable=False),  # the oldest version of tables whose programs can go on with these
)

# Of each writer of a cluster the number of its newest transaction that is committed, by which it finds out about one
# whose COMMIT was not answered.
writers = Table(
    "writers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("at", Double, nullable=False),  # when it was, by the database's clock
    Column("committed", BigInteger, nullable=False),
)

# Games that accounts have made, with the SHA-256 of the word that lets others in.
creations = Table(
    "creations",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("invitation", LargeBinary),
    Column("alone_since", Double),  # since when its maker is the only one who had a seat; NULL: others had some
)

# Players whom others have removed from a game, so that they do not come in again uninvited.
removals = Table(
    "removals",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
)

seats = Table(
    "seats",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), index=True),
    Column("name", Text, nullable=False),
    Column("bot", Boolean, nullable=False),
    Column("bank", Double),  # seconds in its time bank as the turn began; NULL: as many as at the beginning
    Column("record", Document),  # which turns were due and kept
    UniqueConstraint("game", "account"),  # so that user@game names one seat
)

# How many turns were due from accounts in all their games, and how many of them they kept.
reliability = Table(
    "reliability",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("due", Integer, nullable=False),
    Column("kept", Integer, nullable=False),
)

# The same of anonymous games that are not over: it counts at their end, else it would tell who plays in them.
hidden_turns = Table(
    "hidden_turns",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("due", Integer, nullable=False),
    Column("kept", Integer, nullable=False),
)

journal = Table(
    "journal",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("seat", Integer),
    Column("kind", Text, nullable=False),
    Column("body", Document, nullable=False),
    sqlite_with_rowid=False,  # one B-tree to write instead of a table and its index
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("journal_number", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("phase", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("state", PackedDocument, nullable=False),
    Column("events", PackedDocument, nullable=False),
    Column("outcome", Document, nullable=False),
    Column("thinned", Boolean),  # whether the world is gone, and only its version is left in state; NULL: it is there
)

views = Table(
    "views",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),  # -1 is the spectator
    Column("data", LargeBinary, nullable=False),
)

# What each seat was told as a turn began.
summaries = Table(
    "summaries",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("seat", Integer, primary_key=True),  # -1 is the spectator
    Column("reports", PackedDocument, nullable=False),
)

# How all stood as a turn began: pairs of seat (-1 is the spectator) and what it was told, pairs of seat and figures.
scores = Table(
    "scores",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("figures", PackedDocument, nullable=False),
)

# What the players of a game have proposed to each other.
proposals = Table(
    "proposals",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("seat", Integer),  # NULL: of whoever has made the game and has no seat in it
    Column("turn", Integer, nullable=False),
    Column("seconds", Integer, nullable=False),
    Column("made", Double, nullable=False),
    Column("until", Double, nullable=False),
    Column("state", Text, nullable=False),
    Column("votes", Document, nullable=False),  # pairs of a seat and whether it agrees
    Column("arguments", Document),  # of kinds that have some, by name
    CheckConstraint("state IN ('open', 'agreed', 'refused', 'withdrawn', 'lapsed')", name="state"),
)

# When accounts are on vacation; one that was called off ends when it was, or as it begins.
vacations = Table(
    "vacations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("begins", Double, nullable=False),
    Column("ends", Double, nullable=False),
    Column("made", Double, nullable=False),
    sqlite_autoincrement=True,
)

# What each account has seen of a game: which turn had begun when it looked last, and up to which message of its board.
looks = Table(
    "looks",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("letter", Integer, nullable=False),
)

# The highest number ever used on a board, so that removing the last message does not free its number.
boards = Table(
    "boards",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("board", Integer, primary_key=True),
    Column("last_number", Integer, nullable=False),
)

messages = Table(
    "messages",
    metadata,
    Column("game", Integer, primary_key=True),
    Column("board", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("sender", Integer),
    Column("subject", Document, nullable=False),
    Column("body", Document, nullable=False),
    Column("references", Document, nullable=False),
    ForeignKeyConstraint(["game", "board"], ["boards.game", "boards.board"]),
)

# What spectators of a game write to each other.
spectator_letters = Table(
    "spectator_letters",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("subject", Document, nullable=False),
    Column("body", Document, nullable=False),
)

# Whose letters an account does not take; game 0: in all games, but those whose players are anonymous.
blocks = Table(
    "blocks",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("other", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("game", Integer, primary_key=True),
)

# Games of whose letters to everybody an account hears nothing.
mutes = Table(
    "mutes",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
)

# Accounts that write to nobody for a while, as a moderator has decided.
silences = Table(
    "silences",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("until", Double, nullable=False),
    Column("reason", Document, nullable=False),
)

# Letters that were reported to the moderators, as they were then, and what was decided.
reported_letters = Table(
    "reported_letters",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("writer", Integer, ForeignKey("accounts.id")),  # who had the sender's seat then
    Column("game", Integer, nullable=False),  # which may be gone, as the letter may
    Column("board", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("sender", Integer, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("written", Double, nullable=False),
    Column("subject", Document, nullable=False),
    Column("body", Document, nullable=False),
    Column("reason", Document, nullable=False),
    Column("decision", Text, nullable=False),
    Column("closed", Double),
    Column("closed_by", Text, nullable=False),
    Column("answer", Document, nullable=False),
    UniqueConstraint("game", "board", "number"),
    Index(None, "decision", "id"),
    sqlite_autoincrement=True,
)

# Where notices of an account go: a mail address or a webhook, with the secret that its notices are signed with.
notice_addresses = Table(
    "notice_addresses",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("target", Document, nullable=False),
    Column("secret", Document, nullable=False),
    Column("state", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("wrong", Integer, nullable=False),  # codes tried since the last one was sent
    Column("problem", Document, nullable=False),
    Column("rest", Double, nullable=False),  # no notice goes there before this time
    Column("created", Double, nullable=False),
    Column("resets", Boolean, nullable=False, server_default=false()),  # of mail: a password may be reset by it
    UniqueConstraint("account", "id"),  # its index lists those of an account
    CheckConstraint("state IN ('unverified', 'verified', 'failing')", name="state"),
    sqlite_autoincrement=True,
)

# What an account wants to be told of a game; game 0 stands for all games of which nothing else is said.
notice_wishes = Table(
    "notice_wishes",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("game", Integer, primary_key=True),
    Column("mode", Text, nullable=False),
    Column("hours", Integer, nullable=False),
    CheckConstraint("mode IN ('off', 'turn', 'digest')", name="mode"),
)

# In which zone an account lives, its quiet hours and the time of its digest, in minutes since midnight.
notice_times = Table(
    "notice_times",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("zone", Text, nullable=False),
    Column("quiet_from", Integer, nullable=False),
    Column("quiet_to", Integer, nullable=False),
    Column("digest", Integer, nullable=False),
)

# Links by which the deadlines of accounts are read, one of an account; `digest` is the SHA-256 of its token.
calendar_links = Table(
    "calendar_links",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("made", Double, nullable=False),
)

# Codes that were sent to addresses within the last day, so that nobody lets the server pester others.
notice_codes = Table(
    "notice_codes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("target", LargeBinary, nullable=False),
)

# Notices, one of each kind for an address and a game (0: for no game): a new one takes the place of the one before it.
# One that is delivered has no next try, and stays for the message that a later one may change.
outbox = Table(
    "outbox",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Integer, nullable=False),
    Column("address", Integer, ForeignKey("notice_addresses.id"), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("notice", Text, nullable=False),  # by which the receiver knows it again
    Column("created", Double, nullable=False),
    Column("next_try", Double),
    Column("tries", Integer, nullable=False),
    Column("taken", Boolean, nullable=False),
    Column("message", Document, nullable=False),  # what the receiver calls the last message that it has shown
    UniqueConstraint("game", "address", "kind"),
    CheckConstraint("kind IN ('turn', 'deadline', 'over', 'digest', 'code')", name="kind"),
    Index(None, "next_try"),
    sqlite_autoincrement=True,
)

# Requests that were relayed and done, and by how many changes, see idempotency.py.
done_requests = Table(
    "done_requests",
    metadata,
    Column("id", Text, primary_key=True),
    Column("at", Double, nullable=False, index=True),
    Column("changes", Integer, nullable=False),
)

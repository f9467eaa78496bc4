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
"""The largest integer, and so the largest id, that every database can store."""

# Three to four times faster than the default level. The worlds are only some tenths larger.
COMPRESSION_LEVEL = 1

# ASCII only: any text of a client, even with a NUL character, is legal in the text columns of every database.
# check_circular would take a third of the encoding time. Without it a circular document raises RecursionError.
_plain = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False)
_canonical = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False
)


def encode(document: Any) -> str:
    """Return ``document`` as ASCII JSON without spaces, keys in their given order.

    Raises TypeError, ValueError or RecursionError for values without a JSON form, such as sets, bytes, NaN and circles.
    """
    return _plain.encode(document)


def pack(document: Any) -> bytes:
    """Return ``document`` as canonical JSON, compressed with zlib.

    Its keys are sorted, so equal documents give equal bytes.
    """
    return zlib.compress(_canonical.encode(document).encode("ascii"), COMPRESSION_LEVEL)


def name_key(name: str) -> str:
    """Return a key that ignores case and Unicode composition of a name."""
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
    """Return the fields of a dataclass instance by name. They are the columns of its table."""
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
    Column("disabled", Double),  # time since which it is disabled; NULL: enabled
    Column("disabled_reason", Document),
    Column("removed", Double),  # when its personal data were removed; NULL: never
    Column("guest", Double),  # time since which it is a guest's; NULL: no guest
    # Whether `email` may receive a password reset. It is set for accounts that are older than the verification of
    # addresses.
    Column("email_resets", Boolean, nullable=False, server_default=false()),
    Column("unused_since", Double),  # time of its creation by a client, until the first login; NULL: it never expires
    UniqueConstraint("name_key"),
    sqlite_autoincrement=True,
)

# Actions of operators and of accounts with a role. Rows are only added, never changed or removed.
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

# Browsers that stay logged in, with the SHA-256 of their tokens. Only the browser has the token itself.
logins = Table(
    "logins",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("label", Document, nullable=False),
    Column("created", Double, nullable=False),
    Column("used", Double, nullable=False),
    Column("signed_in", Double),  # time of the sign-in through a provider; NULL: none
    UniqueConstraint("digest"),
    UniqueConstraint("account", "id"),  # its index lists the logins of an account
    sqlite_autoincrement=True,
)

# OpenID Connect identities of accounts. The subject of an issuer never changes, unlike a mail address.
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

# Password resets requested within the last hour. `account` is NULL if no account matches. `target` is the address of
# the mail. `digest` is the SHA-256 of the code in it, NULL before the mail is sent.
resets = Table(
    "resets",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("account", Integer, ForeignKey("accounts.id")),
    Column("target", Document, nullable=False),
    Column("digest", LargeBinary),
    Column("next_try", Double),  # NULL: no mail is pending
    Column("tries", Integer, nullable=False),
    sqlite_autoincrement=True,
)

# Mails that notify the owner of an account of a change, see account_mails.py. Rows are kept while they count towards a
# limit.
account_mails = Table(
    "account_mails",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("target", Document, nullable=False),
    Column("text", Document, nullable=False),
    Column("next_try", Double),  # NULL: sent, or given up
    Column("tries", Integer, nullable=False),
    sqlite_autoincrement=True,
)

# Tokens by which programs log in, in place of a password: the SHA-256 of each, and its permissions.
tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("label", Document, nullable=False),
    Column("game", Integer),  # the only game that it opens; NULL: all games of the account
    Column("read_only", Boolean, nullable=False),
    Column("created", Double, nullable=False),
    Column("ends", Double, nullable=False),
    Column("used", Double),  # to the hour; NULL: never
    UniqueConstraint("digest"),
    UniqueConstraint("account", "id"),  # its index lists the tokens of an account
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
    Column("deadline", Double),  # the latest end of the turn
    Column("left", Double),  # seconds from the pause until the turn was due
    Column("bots", Integer, nullable=False),
    Column("due", Double),  # the end of the normal turn time; grace and time banks make the deadline later
    Column("ran", Double),  # the last time at which the clock of the turn surely ran
    Column("policy", Document),  # the rules for seats of absent players
    Column("press", Text),  # the allowed recipients of messages; NULL: private
    Column("anonymous", Boolean),  # whether the players stay hidden until the game is over; NULL: no
    Column("watch_delay", Integer),  # the delay of spectators in turns; NULL: 0, -1: until the end
    Column("guests", Text),  # whether guests may join; NULL: no
    Column("wake", Double),  # when an unloaded game is loaded at the latest; NULL: no deadline
    Column("resting", Text),  # the summary of a hibernated game; NULL: the next server loads it
    Column("node", Text, index=True),  # the lease holder in a cluster; NULL: none, or no cluster
    Column("epoch", Integer, nullable=False, server_default=text("0")),  # count of takeovers and releases
    UniqueConstraint("name_key"),
    CheckConstraint("\"join\" IN ('open', 'invited')", name="join"),
    CheckConstraint("state IN ('waiting', 'running', 'paused', 'held', 'over')", name="state"),
    Index(None, "wake"),
    sqlite_autoincrement=True,
)

# One row: the last time at which the clocks of the games that were not in memory surely ran.
game_clocks = Table(
    "game_clocks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ran", Double, nullable=False),
)

# The servers that share this database as nodes of a cluster. `until` is the end of the lease by the database's clock.
# An id is never used again. A row stays while a game points to it.
nodes = Table(
    "nodes",
    metadata,
    Column("id", Text, primary_key=True),
    Column("address", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("started", Double, nullable=False),
    Column("until", Double, nullable=False),
    Column("rulesets", Text, nullable=False, server_default=text("'{}'")),  # playable rulesets: JSON, names to versions
    Column("draining", Integer, nullable=False, server_default=text("0")),  # 1: it takes no more games
    Column("beats", BigInteger, nullable=False, server_default=text("0")),  # count of its heartbeats
)

# The id of the cluster whose nodes share this database, by which two nodes recognize each other: one row, or none.
clusters = Table(
    "clusters",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Text, nullable=False),
    Column("oldest", Text, nullable=False),  # the oldest version of tables whose programs can use these
)

# The number of the newest committed transaction of each writer of a cluster. With it a writer finds out the result of a
# COMMIT without a response.
writers = Table(
    "writers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("at", Double, nullable=False),  # time of that commit by the database's clock
    Column("committed", BigInteger, nullable=False),
)

# Games created by accounts, with the SHA-256 of the invitation code.
creations = Table(
    "creations",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False, index=True),
    Column("invitation", LargeBinary),
    Column("alone_since", Double),  # time since which only the owner has had a seat; NULL: others had one, too
)

# Players removed from a game by others. They cannot join it again without an invitation.
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
    Column("bank", Double),  # seconds in its time bank as the turn began; NULL: the initial amount
    Column("record", Document),  # which turns were due, and which of them were kept
    UniqueConstraint("game", "account"),  # user@game names one seat
)

# The number of due turns and of kept turns of an account in all its games.
reliability = Table(
    "reliability",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("due", Integer, nullable=False),
    Column("kept", Integer, nullable=False),
)

# The same for anonymous games in progress. It is added at their end, as it would reveal the players before.
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
    Column("thinned", Boolean),  # whether only the version of the world is left in state; NULL: no
)

views = Table(
    "views",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),  # -1 is the spectator
    Column("data", LargeBinary, nullable=False),
)

# The reports that each seat got as a turn began.
summaries = Table(
    "summaries",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("seat", Integer, primary_key=True),  # -1 is the spectator
    Column("reports", PackedDocument, nullable=False),
)

# The scores as a turn began. They are pairs of a seat (-1 is the spectator) and its visible scores. Those are pairs of
# a seat and its figures.
scores = Table(
    "scores",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("figures", PackedDocument, nullable=False),
)

# Proposals of the players of a game to each other.
proposals = Table(
    "proposals",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("seat", Integer),  # NULL: the owner, without a seat in the game
    Column("turn", Integer, nullable=False),
    Column("seconds", Integer, nullable=False),
    Column("made", Double, nullable=False),
    Column("until", Double, nullable=False),
    Column("state", Text, nullable=False),
    Column("votes", Document, nullable=False),  # pairs of a seat and whether it agrees
    Column("arguments", Document),  # by name, for kinds with arguments
    CheckConstraint("state IN ('open', 'agreed', 'refused', 'withdrawn', 'lapsed')", name="state"),
)

# Vacations of accounts. A cancelled one ends at its cancellation, or at its beginning if that is later.
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

# Last-seen marks of an account in a game. They are the turn at its last visit, and the newest message that it has seen
# on its board.
looks = Table(
    "looks",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("letter", Integer, nullable=False),
)

# The highest number ever used on a board. So the number of a removed last message stays in use.
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

# Messages of the spectators of a game to each other.
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

# Blocked players of an account. Game 0 stands for all games without anonymous players.
blocks = Table(
    "blocks",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("other", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("game", Integer, primary_key=True),
)

# Games whose messages to all players are muted for an account.
mutes = Table(
    "mutes",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
)

# Accounts that a moderator has silenced for a while.
silences = Table(
    "silences",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("until", Double, nullable=False),
    Column("reason", Document, nullable=False),
)

# Abuse reports: copies of the reported messages, and the decisions.
reported_letters = Table(
    "reported_letters",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("writer", Integer, ForeignKey("accounts.id")),  # the account that had the sender's seat then
    Column("game", Integer, nullable=False),  # the game and the message may be removed by now
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

# Contacts of an account: a mail address or a webhook, with the secret that signs its notifications.
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
    Column("rest", Double, nullable=False),  # no notification goes there before this time
    Column("created", Double, nullable=False),
    Column("resets", Boolean, nullable=False, server_default=false()),  # of mail: it may receive a password reset
    UniqueConstraint("account", "id"),  # its index lists the contacts of an account
    CheckConstraint("state IN ('unverified', 'verified', 'failing')", name="state"),
    sqlite_autoincrement=True,
)

# The notifications that an account wants of a game. Game 0 stands for all games without a row.
notice_wishes = Table(
    "notice_wishes",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("game", Integer, primary_key=True),
    Column("mode", Text, nullable=False),
    Column("hours", Integer, nullable=False),
    CheckConstraint("mode IN ('off', 'turn', 'digest')", name="mode"),
)

# The time zone of an account, its quiet hours, and the time of its digest, in minutes since midnight.
notice_times = Table(
    "notice_times",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("zone", Text, nullable=False),
    Column("quiet_from", Integer, nullable=False),
    Column("quiet_to", Integer, nullable=False),
    Column("digest", Integer, nullable=False),
)

# Links to the calendar of deadlines, one for each account. `digest` is the SHA-256 of the token.
calendar_links = Table(
    "calendar_links",
    metadata,
    Column("account", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("made", Double, nullable=False),
)

# Codes sent to addresses within the last day. They limit the mail that a player can send to others through the server.
notice_codes = Table(
    "notice_codes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("account", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("target", LargeBinary, nullable=False),
)

# Notifications, one of each kind for a contact and a game (0: no game). A new one replaces the one before it. A
# delivered one has no next try. It stays for the message that a later notification may change.
outbox = Table(
    "outbox",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Integer, nullable=False),
    Column("address", Integer, ForeignKey("notice_addresses.id"), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("notice", Text, nullable=False),  # identifies the notification for the receiver
    Column("created", Double, nullable=False),
    Column("next_try", Double),
    Column("tries", Integer, nullable=False),
    Column("taken", Boolean, nullable=False),
    Column("message", Document, nullable=False),  # the receiver's id of the last message that it has shown
    UniqueConstraint("game", "address", "kind"),
    CheckConstraint("kind IN ('turn', 'deadline', 'over', 'digest', 'code')", name="kind"),
    Index(None, "next_try"),
    sqlite_autoincrement=True,
)

# Relayed requests that were carried out, and the number of their changes, see idempotency.py.
done_requests = Table(
    "done_requests",
    metadata,
    Column("id", Text, primary_key=True),
    Column("at", Double, nullable=False, index=True),
    Column("changes", Integer, nullable=False),
)

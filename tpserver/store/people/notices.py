"""Contacts of accounts, and their choices of notifications."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from sqlalchemy import Connection, delete, func, insert, select, update

from tpserver.day_times import DayTimes
from tpserver.store.games import outbox
from tpserver.store.tables import notice_addresses, notice_codes, notice_times, notice_wishes
from tpserver.store.tables import outbox as outbox_table

MODES = ("off", "turn", "digest")
"""Notifications of a game: none, one for each turn that awaits the account, or a daily list of such turns."""

CODE_SECONDS = 24 * 3600.0
"""Seconds for which a sent code counts, see `TooManyCodes`."""


@dataclass(frozen=True, slots=True)
class Address:
    """A contact of an account.

    ``kind`` is mail, json, discord, slack or matrix. ``state`` is unverified, verified or failing. ``wrong`` is the
    number of wrong codes tried. ``problem`` is the reason why the last notification did not arrive. With ``resets`` and
    a verified address, the owner allows password resets by it.
    """

    id: int
    account: int
    kind: str
    target: str
    secret: str
    state: str
    code: str
    wrong: int
    problem: str
    resets: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """An account's choice of notifications about a game.

    ``mode`` is one of MODES. ``hours`` before the end of a turn the account gets a notification of it (0: none).
    """

    mode: str = "turn"
    hours: int = 0


class TooMany(Exception):
    """An account has too many contacts, or too many codes were sent. The message says which, without a full stop."""


_SELECT = select(*(notice_addresses.c[each.name] for each in fields(Address)))


def of_account(c: Connection, account: int) -> list[Address]:
    """Return the contacts of an account, the oldest first."""
    query = _SELECT.where(notice_addresses.c.account == account).order_by(notice_addresses.c.id)
    return [Address(*row) for row in c.execute(query)]


def forget(c: Connection, account: int) -> None:
    """Remove all notification data of an account."""
    mine = select(notice_addresses.c.id).where(notice_addresses.c.account == account)
    c.execute(delete(outbox_table).where(outbox_table.c.address.in_(mine)))
    for table in (notice_addresses, notice_wishes, notice_times, notice_codes):
        c.execute(delete(table).where(table.c.account == account))


def by_id(c: Connection, address: int) -> Address | None:
    """Return the contact with this id, or None."""
    row = c.execute(_SELECT.where(notice_addresses.c.id == address)).first()
    return None if row is None else Address(*row)


@dataclass(frozen=True, slots=True)
class CodeLimits:
    """Maximum codes in CODE_SECONDS: to one target, for one account, and of all accounts."""

    target: int
    account: int
    all: int


def add(
    c: Connection, account: int, kind: str, target: str, secret: str, code: str, digest: bytes, *, most: int,
    limits: CodeLimits, now: float, resets: bool = False,
) -> Address:  # fmt: skip
    """Add an unverified contact, and write the notification with its code.

    Raises TooMany. ``digest`` is that of the target, by which the codes sent to it are counted.
    """
    mine = of_account(c, account)
    if any((one.kind, one.target) == (kind, target) for one in mine):
        raise TooMany("this address is among yours already")
    if len(mine) >= most:
        raise TooMany(f"you have {most} addresses, and more cannot be kept; remove one")
    _count_code(c, account, digest, limits, now)
    values = {"account": account, "kind": kind, "target": target, "secret": secret, "state": "unverified"}
    rest = {"code": code, "wrong": 0, "problem": "", "resets": resets}
    statement = insert(notice_addresses).values(**values, **rest, rest=0.0, created=now)
    number = c.execute(statement.returning(notice_addresses.c.id)).scalar_one()
    outbox.put_code(c, number, now)
    return Address(id=number, **values, **rest)  # type: ignore[arg-type] # text and numbers, each where it belongs


def send_code(c: Connection, address: int, code: str, digest: bytes, limits: CodeLimits, now: float) -> bool:
    """Give a contact another code, and write the notification with it.

    Return whether the contact exists. Raises TooMany.
    """
    found = by_id(c, address)
    if found is None:
        return False
    _count_code(c, found.account, digest, limits, now)
    c.execute(update(notice_addresses).where(notice_addresses.c.id == address).values(code=code, wrong=0, rest=now))
    outbox.put_code(c, address, now)
    return True


def _count_code(c: Connection, account: int, digest: bytes, limits: CodeLimits, now: float) -> None:
    c.execute(delete(notice_codes).where(notice_codes.c.at <= now - CODE_SECONDS))
    sent = select(func.count()).select_from(notice_codes)
    if (c.scalar(sent.where(notice_codes.c.target == digest)) or 0) >= limits.target:
        raise TooMany("too many codes were sent to this address today; try again tomorrow")
    if (c.scalar(sent.where(notice_codes.c.account == account)) or 0) >= limits.account:
        raise TooMany("too many codes were sent for you today; try again tomorrow")
    if (c.scalar(sent) or 0) >= limits.all:
        raise TooMany("this server has sent as many codes today as it may; try again tomorrow")
    c.execute(insert(notice_codes).values(at=now, account=account, target=digest))


def verify(c: Connection, address: int, code: str, most_wrong: int) -> bool:
    """Verify a contact if the code is right and not too many wrong ones were tried; return whether it is verified."""
    found = by_id(c, address)
    if found is None or found.wrong >= most_wrong:
        return False
    row = notice_addresses.c.id == address
    if not found.code or found.code != code:
        c.execute(update(notice_addresses).where(row).values(wrong=found.wrong + 1))
        return False
    c.execute(update(notice_addresses).where(row).values(state="verified", code="", wrong=0, problem=""))
    return True


def set_resets(c: Connection, account: int, address: int, resets: bool) -> bool:
    """Allow or forbid password resets by a contact; return whether that is a change."""
    mine = (notice_addresses.c.id == address) & (notice_addresses.c.account == account)
    other = mine & (notice_addresses.c.resets != resets)
    return c.execute(update(notice_addresses).where(other).values(resets=resets)).rowcount == 1


def remove_all(c: Connection, account: int) -> None:
    """Remove all contacts of an account, and their pending notifications."""
    for one in of_account(c, account):
        remove(c, account, one.id)


def remove(c: Connection, account: int, address: int) -> bool:
    """Remove a contact of an account with its pending notifications; return whether it existed."""
    mine = (notice_addresses.c.id == address) & (notice_addresses.c.account == account)
    if c.scalar(select(notice_addresses.c.id).where(mine)) is None:
        return False
    c.execute(delete(outbox_table).where(outbox_table.c.address == address))
    c.execute(delete(notice_addresses).where(mine))
    return True


def wishes(c: Connection, account: int) -> dict[int, Wish]:
    """Return the choices of an account by game. Game 0 stands for all other games."""
    columns = select(notice_wishes.c.game, notice_wishes.c.mode, notice_wishes.c.hours)
    return {row.game: Wish(row.mode, row.hours) for row in c.execute(columns.where(notice_wishes.c.account == account))}


def wish_for(said: Mapping[int, Wish], game: int) -> Wish:
    """Return the choice for a game: its own, else the one for all others, else the default."""
    return said.get(game) or said.get(outbox.NO_GAME) or Wish()


def set_wish(c: Connection, account: int, game: int, wish: Wish | None) -> None:
    """Set the choice of an account for a game, or with game 0 for all others. With None the game follows all others."""
    mine = (notice_wishes.c.account == account) & (notice_wishes.c.game == game)
    c.execute(delete(notice_wishes).where(mine))
    if wish is not None:
        c.execute(insert(notice_wishes).values(account=account, game=game, mode=wish.mode, hours=wish.hours))


def times(c: Connection, account: int) -> DayTimes:
    """Return the quiet hours and the time of the digest of an account."""
    columns = (notice_times.c[each.name] for each in fields(DayTimes))
    row = c.execute(select(*columns).where(notice_times.c.account == account)).first()
    return DayTimes() if row is None else DayTimes(*row)


def set_times(c: Connection, account: int, told: DayTimes) -> None:
    """Set the quiet hours and the time of the digest of an account."""
    c.execute(delete(notice_times).where(notice_times.c.account == account))
    values = {each.name: getattr(told, each.name) for each in fields(DayTimes)}
    c.execute(insert(notice_times).values(account=account, **values))

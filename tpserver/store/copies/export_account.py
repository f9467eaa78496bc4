"""Export of all stored data of a person."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from tpserver.store import reliability, tables
from tpserver.store.games import outbox, spectator_letters
from tpserver.store.people import abuse_reports, account_mails, blocks, identities
from tpserver.store.people import logins as stored_logins
from tpserver.store.people import notices as stored_notices
from tpserver.store.people import tokens as stored_tokens
from tpserver.store.people.accounts import Account

MOST_LETTERS = 6 * 1024 * 1024
"""Maximum characters of exported messages. The export has the newest, and the number of omitted ones."""


def all_of(c: Connection, account: Account) -> dict[str, Any]:
    """Return the data stored about an account, JSON-able.

    It has no passwords or other means to log in, and no secrets of games. Times are UTC unix seconds. Orders are part
    of the games, so archives have them.
    """
    games = _games(c, account.id)
    names = {game: one["game"] for game, one in games.items()}
    wishes = stored_notices.wishes(c, account.id)
    times = stored_notices.times(c, account.id)
    letters, left_out = _letters(c, account.id, names)
    return {
        "account": {
            "name": account.name,
            "email": account.email,
            "email_resets": account.email_resets,
            "comment": account.comment,
            "created": account.created,
            "role": account.role,
            "guest": account.guest,
            "disabled": account.disabled,
            "disabled_reason": account.disabled_reason or "",
        },
        "logins": [
            {"label": one.label, "created": one.created, "used": one.used}
            for one in stored_logins.of_account(c, account.id)
        ],
        "tokens": [
            {
                "label": one.label,
                "game": None if one.game is None else names.get(one.game, ""),
                "read_only": one.read_only,
                "created": one.created,
                "ends": one.ends,
                "used": one.used,
            }
            for one in stored_tokens.of_account(c, account.id)
        ],
        "identities": [
            {"issuer": one.issuer, "subject": one.subject, "created": one.created, "used": one.used}
            for one in identities.of_account(c, account.id)
        ],
        "notices": {
            "addresses": [
                {
                    "kind": one.kind,
                    "target": one.target,
                    "state": one.state,
                    "problem": one.problem,
                    "resets": one.resets,
                }
                for one in stored_notices.of_account(c, account.id)
            ],
            "wishes": [
                {"game": "" if game == outbox.NO_GAME else names.get(game, ""), "mode": wish.mode, "hours": wish.hours}
                for game, wish in wishes.items()
            ],
            "times": tables.values_of(times),
        },
        "mails_about_changes": [
            {"at": one.at, "target": one.target, "text": one.text} for one in account_mails.of_account(c, account.id)
        ],
        "blocked": [one.name for one in blocks.blocks(c, account.id) if one.game == blocks.EVERYWHERE],
        "muted": [names.get(game, "") for game in blocks.mutes(c, account.id)],
        "reported": [
            {
                "game": names.get(one.game, ""),
                "at": one.at,
                "subject": one.subject,
                "body": one.body,
                "reason": one.reason,
            }
            for one in abuse_reports.of_account(c, account.id)
        ],
        "games": list(games.values()),
        "turns_due_and_kept": list(reliability.of_accounts(c, [account.id]).get(account.id, (0, 0))),
        "turns_not_counted_yet": [
            {"game": names.get(game, ""), "due_and_kept": list(turns)}
            for game, turns in reliability.hidden_of(c, account.id).items()
        ],
        "as_spectator": spectator_letters.of_account(c, account.id),
        "messages": letters,
        "messages_left_out": left_out,
    }


def _games(c: Connection, account: int) -> dict[int, dict[str, Any]]:
    seats, games, made, looks = tables.seats, tables.games, tables.creations, tables.looks
    query = (
        select(games.c.id, games.c.name, games.c.ruleset, games.c.state, seats.c.seat, made.c.game, looks.c.turn)
        .select_from(games)
        .outerjoin(seats, (seats.c.game == games.c.id) & (seats.c.account == account))
        .outerjoin(made, (made.c.game == games.c.id) & (made.c.account == account))
        .outerjoin(looks, (looks.c.game == games.c.id) & (looks.c.account == account))
        .where(seats.c.seat.is_not(None) | made.c.game.is_not(None) | looks.c.turn.is_not(None))
        .order_by(games.c.id)
    )
    return {
        number: {
            "game": name,
            "ruleset": ruleset,
            "state": state,
            "player": None if seat is None else seat + 1,
            "made": game is not None,
            "looked_at_turn": turn,
        }
        for number, name, ruleset, state, seat, game, turn in c.execute(query)
    }


def _letters(c: Connection, account: int, names: dict[int, str]) -> tuple[list[dict[str, Any]], int]:
    """Return the messages to and from an account, the newest first, and the number of omitted ones."""
    messages, seats = tables.messages, tables.seats
    number = seats.c.seat + 1
    query = (
        select(messages)
        .join(seats, seats.c.game == messages.c.game)
        .where(seats.c.account == account, (messages.c.board == number) | (messages.c.sender == number))
        .order_by(messages.c.at.desc(), messages.c.game, messages.c.board, messages.c.number.desc())
    )
    told: list[dict[str, Any]] = []
    letters = left_out = 0
    for row in c.execute(query).mappings():
        letters += len(row["subject"]) + len(row["body"])
        if letters > MOST_LETTERS:
            left_out += 1
            continue
        one = {name: row[name] for name in ("board", "turn", "at", "sender", "subject", "body")}
        told.append({"game": names.get(row["game"], ""), **one})
    return told, left_out

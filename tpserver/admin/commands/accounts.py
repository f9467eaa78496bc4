"""Operator's commands about accounts and abuse reports."""

from __future__ import annotations

import json
from typing import Annotated

from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.admin.commands.declaration import command, option, word
from tpserver.admin.context import OPERATOR, AdminContext
from tpserver.admin.listing import Listing
from tpserver.admin.socket_protocol import Fault, OperationError
from tpserver.games.terms.chat_rules import MOST_DAYS

LONGEST_REASON = 300
"""Maximum characters of a reason, which the account may see."""

MOST_REPORTS = 100
"""Maximum reports in one output, the oldest."""

ROLES = ("player", "moderator", "operator", "bot")
DECISIONS = ("dismissed", "warned", "silenced")

Name = Annotated[str, word("NAME", "its name")]
NewName = Annotated[str, word("NEW", "its new name")]
Password = Annotated[str, option("the password", "P", is_secret=True)]
Reason = Annotated[str | None, option("why, for the audit", "TEXT", console=True)]


@command("account add", "add an account", console=0, creates_data=True)
async def account_add(
    context: AdminContext,
    name: Name,
    password: Password,
    reserved: Annotated[
        bool | None, option("allow a name that claims to speak for the server, such as admin", value=True)
    ] = None,
) -> list[str]:
    account = await context.accounts.add(name, password, has_authority=bool(reserved))
    return [f"Account {account.name} added."]


@command("account reset-password", "give an account another password", console=16, role="operator")
async def account_reset_password(context: AdminContext, name: Name, password: Password) -> list[str]:
    account = context.accounts.named(name)
    await context.accounts.set_password(account, password)
    return [f"Account {account.name} has another password; logins with the old one have ended."]


@command("account list", "list all accounts", console=15, role="moderator", audit="never")
async def account_list_(context: AdminContext) -> Listing:
    from tpserver.admin.account_listing import account_list
    from tpserver.store.people import accounts as stored_accounts

    accounts = context.registry.store.read(stored_accounts.all)
    return account_list(accounts, context.registry.store.read(stored_accounts.seat_counts))


@command("account rename", "give an account another name, also in its games", console=17, role="operator")
async def account_rename(context: AdminContext, name: Name, new_name: NewName) -> list[str]:
    account = context.accounts.named(name)
    renamed = await context.accounts.rename(account, new_name)
    context.registry.labels.renamed(account.id, renamed)
    return [f"Account {account.name} is called {renamed} now, also in its games."]


@command("account export", "write all that is stored of an account to a file")
async def account_export(context: AdminContext, name: Name) -> list[str]:
    """Return all stored data of an account, as the lines of a JSON document."""
    from tpserver.store.copies import export_account

    account = context.accounts.named(name)
    found = await context.registry.store.read_later(export_account.all_of, account)
    return json.dumps(found, indent=1, ensure_ascii=True, allow_nan=False).split("\n")


@command(
    "account remove", "remove an account, and all of it that is personal, after an export; its games stay as they are"
)
async def account_remove(context: AdminContext, name: Name, reason: Reason = None) -> list[str]:
    account = context.accounts.named(name)
    _reason(reason)
    registry = context.registry
    await registry.removed_accounts.hand_over_games_of(account.id)
    called = await context.accounts.remove(account)
    registry.labels.renamed(account.id, called)
    registry.labels.label_bot(account.id, is_bot=False)
    registry.labels.label_guest(account.id, is_guest=False)
    lines = [f"Account {account.name} is removed; in games that are over it is {called!r}, in others it has no seat."]
    for game, number, error in await registry.removed_accounts.vacate_seats_of(account.id):
        lines.append(await _vacated_elsewhere(context, game, number, error))
    return lines


async def _vacated_elsewhere(context: AdminContext, game: str, number: int, error: Exception) -> str:
    """Have the process or node with the game remove a deleted account from its seat; return the line about it."""
    from tpserver.games.core.errors import GameElsewhere

    address = error.address if isinstance(error, GameElsewhere) else ""
    holder = context.others.at(address) if context.others and address else None
    arguments = {"name": game, "player": f"#{number}"}
    try:
        if holder is not None and context.others is not None:
            return " ".join(await context.others.ask(holder, "game remove", arguments, OPERATOR))
        if address and context.ask_node is not None:
            return " ".join(await context.ask_node(address, "game remove", arguments, OPERATOR))
    except (OperationError, Fault) as refusal:
        error = refusal
    return f"In {game} seat {number} stays taken until the game is read again: {error}."


@command("account role", "set the role of an account; others see which accounts are bots")
async def account_role(
    context: AdminContext,
    name: Name,
    role: Annotated[str, word("ROLE", "player, moderator, operator or bot", choices=ROLES)],
    reason: Reason = None,
) -> list[str]:
    account = context.accounts.named(name)
    _reason(reason)
    await context.accounts.set_role(account, role)
    context.registry.labels.label_bot(account.id, role == "bot")
    return [f"Account {account.name} has the role {role} now."]


@command("account disable", "lock an account: nobody can log in to it", console=18, role="moderator")
async def account_disable(
    context: AdminContext,
    name: Name,
    reason: Annotated[str | None, option("why, for the audit and for the account", "TEXT", console=True)] = None,
) -> list[str]:
    account = context.accounts.named(name)
    await context.accounts.disable(account, _reason(reason))
    return [f"Account {account.name} is disabled: nobody can log in to it, and its connections have ended."]


@command("account enable", "let an account log in again", console=19, role="moderator")
async def account_enable(context: AdminContext, name: Name, reason: Reason = None) -> list[str]:
    account = context.accounts.named(name)
    _reason(reason)
    await context.accounts.enable(account)
    return [f"Account {account.name} can log in again."]


@command("account silence", "silence an account for some days: it can write to nobody", console=21)
async def account_silence(
    context: AdminContext,
    name: Name,
    days: Annotated[int, word("DAYS", "for how many days", bounds=("days", 1, MOST_DAYS))],
    reason: Annotated[str | None, option("why; the account is notified of it", "TEXT", console=True)] = None,
) -> list[str]:
    from tpserver.games.service import moderation

    account = context.accounts.named(name)
    made = await moderation.silence(context.registry, account, days, _reason(reason))
    return [
        f"Account {account.name} is silenced until {moderation.until_words(made.until)}; it is notified of the reason."
    ]


@command("account unsilence", "let an account write again", console=22)
async def account_unsilence(context: AdminContext, name: Name) -> list[str]:
    from tpserver.games.service import moderation

    account = context.accounts.named(name)
    await moderation.end_silence(context.registry, account)
    return [f"Account {account.name} may write again."]


def _reason(reason: str | None) -> str:
    """Return a reason that an account may see. Raises OperationError."""
    reason = reason or ""
    if len(reason) > LONGEST_REASON or reason != printable(reason, LONGEST_REASON, KEPT_FOR_PLAYERS):
        raise OperationError(f"a reason has at most {LONGEST_REASON} printable characters")
    return reason.rstrip(".")


@command("report list", "show the reported messages; each look is noted in the audit", console=23)
async def report_list_(
    context: AdminContext,
    closed: Annotated[str | None, option("show the closed reports", value="yes", console=True)] = None,
) -> Listing:
    """Return open or closed abuse reports; the audit records that they were read."""
    from tpserver.admin.account_listing import report_list
    from tpserver.store.games import rows as stored_games
    from tpserver.store.people import abuse_reports as stored_reports

    store = context.registry.store
    found = store.read(stored_reports.listed, None, bool(closed), 0, MOST_REPORTS)
    accounts = {one for report in found for one in (report.account, report.writer) if one is not None}
    games = {row.id: row.name for row in store.read(stored_games.all)}
    empty = "There are no open reports." if not closed else "There are no closed reports yet."
    return report_list(found, store.read(stored_reports.names_of, accounts), games, empty)


@command(
    "report close", "decide about a reported message; notifies its writer and the reporter of the reason", console=24
)
async def report_close(
    context: AdminContext,
    number: Annotated[int, word("N", "its number in the list", bounds=("reports", 1, 999_999))],
    decision: Annotated[str, word("DECISION", "dismissed, warned or silenced", choices=DECISIONS)],
    reason: Annotated[str, option("why; both are notified of it", "TEXT")],
    days: Annotated[
        int | None, option("for how many days the writer is silenced", "N", bounds=("days", 1, MOST_DAYS), console=True)
    ] = None,
) -> list[str]:
    from tpserver.games.service import moderation
    from tpserver.store.people import abuse_reports as stored_reports

    registry = context.registry
    report = registry.store.read(stored_reports.one, number, None)
    if report is None:
        raise OperationError(f"there is no report {number}")
    await moderation.close_report(registry, report, decision, reason, days or 0, OPERATOR, noted=False)
    return [f"Report {number} is closed; those concerned are notified."]

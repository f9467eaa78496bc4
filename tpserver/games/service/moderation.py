"""Moderation: silenced accounts, and the messages to them."""

from __future__ import annotations

from datetime import UTC, datetime

from tprules.printable import KEPT_FOR_PLAYERS, printable, quoted
from tpserver.games.core.errors import GameError
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.terms.chat_rules import MOST_DAYS
from tpserver.store.audit import AuditEntry
from tpserver.store.people import abuse_reports as stored_reports
from tpserver.store.people import blocks as stored_blocks
from tpserver.store.people.abuse_reports import ReportedLetter
from tpserver.store.people.accounts import Account
from tpserver.store.people.blocks import Silence

LONGEST_REASON = 300
"""Maximum characters of a reason, which is sent to the account."""

DAY = 86400.0


def reason_of(text: str) -> str:
    """Return a reason without its full stop. Raises GameError if it is missing or invalid."""
    reason = text.strip().rstrip(".")
    if not reason:
        raise GameError("give a reason; those concerned are notified of it")
    if len(reason) > LONGEST_REASON or reason != printable(reason, LONGEST_REASON, KEPT_FOR_PLAYERS):
        raise GameError(f"a reason has at most {LONGEST_REASON} printable characters")
    return reason


def until_words(at: float) -> str:
    """Return a time in unix seconds as text for people, in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def silence_for(days: int, reason: str, now: float) -> Silence:
    """Return a silence that begins now and lasts some days. Raises GameError."""
    if not 1 <= days <= MOST_DAYS:
        raise GameError(f"an account can be silenced for 1 to {MOST_DAYS} days, not {days}")
    return Silence(now + DAY * days, reason_of(reason))


async def silence(registry: GameRegistry, account: Account, days: int, reason: str, actor: str = "") -> Silence:
    """Silence an account for some days, durably. Raises GameError.

    It gets a message on its boards. With an ``actor`` it goes into the audit. Operations of the operator write their
    audit entries themselves.
    """
    now = registry.now()
    wanted = silence_for(days, reason, now)
    entry = None
    if actor:
        entry = AuditEntry(now, actor, "account silence", account.name, {"days": days}, wanted.reason)
    await registry.store.write(stored_blocks.silence, account.id, wanted, entry)
    registry.messages.tell(account.id, "You are silenced", silence_words(wanted))
    return wanted


async def end_silence(registry: GameRegistry, account: Account, actor: str = "") -> None:
    """End the silence of an account, durably, with a message on its boards. Raises GameError."""
    now = registry.now()
    if registry.store.read(stored_blocks.silence_of, account.id, now) is None:
        raise GameError(f"the account {account.name} is not silenced")
    entry = AuditEntry(now, actor, "account unsilence", account.name) if actor else None
    await registry.store.write(stored_blocks.silence, account.id, None, entry)
    registry.messages.tell(account.id, "You can write again", "You are no longer silenced.")


DISMISSED, WARNED, SILENCED = "dismissed", "warned", "silenced"
DECISIONS = (DISMISSED, WARNED, SILENCED)
"""Decisions about a reported message."""


class NotOpen(GameError):
    """A report cannot be closed, as it does not exist or is closed already."""


async def close_report(
    registry: GameRegistry, report: ReportedLetter, decision: str, answer: str, days: int, who: str, *, noted: bool
) -> None:
    """Decide about a reported message, and notify the accounts concerned.

    The decision is durable then. Raises GameError. With ``noted`` the decision goes into the audit. Operations of the
    operator write their audit entries themselves.
    """
    now, store = registry.now(), registry.store
    if decision not in DECISIONS:
        raise GameError(f"a report is {', '.join(DECISIONS[:-1])} or {DECISIONS[-1]}, not {quoted(decision)}")
    answer = reason_of(answer)
    if decision != SILENCED and days:
        raise GameError('"days" applies only to the decision "silenced"')
    if decision == SILENCED and not days:
        raise GameError(f"give the number of days that its writer is silenced, 1 to {MOST_DAYS}")
    made = silence_for(days, answer, now) if decision == SILENCED else None
    if decision != DISMISSED and report.writer is None:
        raise GameError("the writer of this message is unknown, so this report can only be dismissed")
    names = store.read(stored_reports.names_of, [one for one in (report.account, report.writer) if one is not None])
    entry = None
    if noted:
        details = {"number": report.id, "decision": decision, **({"days": days} if days else {})}
        subject = names.get(report.writer or 0, "")
        entry = AuditEntry(now, who, "report close", subject, details, answer)
    silenced = None if made is None or report.writer is None else (report.writer, made)
    if not await store.write(stored_reports.close, report.id, decision, who, answer, now, silenced, entry):
        raise NotOpen(f"report {report.id} is already closed")
    told = f"You have reported the message {quoted(report.subject)}. A moderator has decided: {_DECIDED[decision]}"
    registry.messages.tell(report.account, "Your report", f"{told}, because of this: {answer}.", report.game)
    if report.writer is None:
        return
    if decision == WARNED:
        text = f"A moderator has read your message {quoted(report.subject)} and warns you: {answer}."
        registry.messages.tell(report.writer, "A warning", text, report.game)
    elif made is not None:
        registry.messages.tell(report.writer, "You are silenced", silence_words(made))


_DECIDED = {
    DISMISSED: "nothing is done",
    WARNED: "its writer is warned",
    SILENCED: "its writer can write to nobody for a while",
}


def silence_words(silence: Silence) -> str:
    """Return the text for a silenced account."""
    return (
        f"Until {until_words(silence.until)} you can play and read, and write to nobody. Why a moderator has decided "
        f"that: {silence.reason}."
    )

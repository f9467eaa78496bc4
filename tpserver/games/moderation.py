"""Moderation: accounts that write to nobody for a while, and how those whom it concerns are told."""

from __future__ import annotations

from datetime import UTC, datetime

from tprules.printable import KEPT_FOR_PLAYERS, printable, quoted
from tpserver.games.game import GameError
from tpserver.games.press import MOST_DAYS
from tpserver.games.registry import GameRegistry
from tpserver.store import hearing as stored_hearing
from tpserver.store import reported_letters as stored_reports
from tpserver.store.accounts import Account
from tpserver.store.audit import AuditEntry
from tpserver.store.hearing import Silence
from tpserver.store.reported_letters import ReportedLetter

LONGEST_REASON = 300
"""Maximum characters of a reason, which is told to whom it concerns."""

DAY = 86400.0


def reason_of(text: str) -> str:
    """Return a reason as it is told, without its full stop.  Raises GameError for none, or one that cannot be told."""
    reason = text.strip().rstrip(".")
    if not reason:
        raise GameError("say why; the reason is told to whom it concerns")
    if len(reason) > LONGEST_REASON or reason != printable(reason, LONGEST_REASON, KEPT_FOR_PLAYERS):
        raise GameError(f"a reason has at most {LONGEST_REASON} printable characters")
    return reason


def until_words(at: float) -> str:
    """Return a time in unix seconds for people, in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def silence_for(days: int, reason: str, now: float) -> Silence:
    """Return a silence of so many days from now on.  Raises GameError."""
    if not 1 <= days <= MOST_DAYS:
        raise GameError(f"an account is silenced for 1 to {MOST_DAYS} days, not for {days}")
    return Silence(now + DAY * days, reason_of(reason))


async def silence(registry: GameRegistry, account: Account, days: int, reason: str, actor: str = "") -> Silence:
    """Let an account write to nobody for so many days, durably, and tell it on its boards.  Raises GameError.

    With an ``actor`` it goes into the audit as what that has done; operations of the operator see to that themselves.
    """
    now = registry.now()
    wanted = silence_for(days, reason, now)
    entry = None
    if actor:
        entry = AuditEntry(now, actor, "account silence", account.name, {"days": days}, wanted.reason)
    await registry.store.write(stored_hearing.silence, account.id, wanted, entry)
    registry.tell(account.id, "You are silenced", silence_words(wanted))
    return wanted


async def end_silence(registry: GameRegistry, account: Account, actor: str = "") -> None:
    """Let an account write again, durably, and tell it on its boards.  Raises GameError."""
    now = registry.now()
    if registry.store.read(stored_hearing.silence_of, account.id, now) is None:
        raise GameError(f"the account {account.name} is not silenced")
    entry = AuditEntry(now, actor, "account unsilence", account.name) if actor else None
    await registry.store.write(stored_hearing.silence, account.id, None, entry)
    registry.tell(account.id, "You can write again", "You are not silenced any more.")


DISMISSED, WARNED, SILENCED = "dismissed", "warned", "silenced"
DECISIONS = (DISMISSED, WARNED, SILENCED)
"""What is decided about a letter that was reported."""


class NotOpen(GameError):
    """A report cannot be closed: there is none, or it is closed already."""


async def close_report(
    registry: GameRegistry, report: ReportedLetter, decision: str, answer: str, days: int, who: str, *, noted: bool
) -> None:
    """Decide about a letter that was reported, durably, and tell whom it concerns.  Raises GameError.

    ``noted``: whether it has to go into the audit; operations of the operator see to that themselves.
    """
    now, store = registry.now(), registry.store
    if decision not in DECISIONS:
        raise GameError(f"a report is {', '.join(DECISIONS[:-1])} or {DECISIONS[-1]}, not {quoted(decision)}")
    answer = reason_of(answer)
    if decision != SILENCED and days:
        raise GameError("days are for whom is silenced")
    if decision == SILENCED and not days:
        raise GameError(f"say for how many days its writer is silenced, 1 to {MOST_DAYS}")
    made = silence_for(days, answer, now) if decision == SILENCED else None
    if decision != DISMISSED and report.writer is None:
        raise GameError("nobody knows who had that seat then, so this report can only be dismissed")
    names = store.read(stored_reports.names_of, [one for one in (report.account, report.writer) if one is not None])
    entry = None
    if noted:
        details = {"number": report.id, "decision": decision, **({"days": days} if days else {})}
        subject = names.get(report.writer or 0, "")
        entry = AuditEntry(now, who, "report close", subject, details, answer)
    silenced = None if made is None or report.writer is None else (report.writer, made)
    if not await store.write(stored_reports.close, report.id, decision, who, answer, now, silenced, entry):
        raise NotOpen(f"report {report.id} is closed already")
    told = f"You have reported the letter {quoted(report.subject)}. A moderator has decided: {_DECIDED[decision]}"
    registry.tell(report.account, "Your report", f"{told}, because of this: {answer}.", report.game)
    if report.writer is None:
        return
    if decision == WARNED:
        text = f"A moderator has looked at your letter {quoted(report.subject)} and warns you: {answer}."
        registry.tell(report.writer, "A warning", text, report.game)
    elif made is not None:
        registry.tell(report.writer, "You are silenced", silence_words(made))


_DECIDED = {
    DISMISSED: "nothing is done",
    WARNED: "its writer is warned",
    SILENCED: "its writer can write to nobody for a while",
}


def silence_words(silence: Silence) -> str:
    """Return what whoever is silenced is told."""
    return (
        f"Until {until_words(silence.until)} you can play and read, and write to nobody. Why a moderator has decided "
        f"that: {silence.reason}."
    )

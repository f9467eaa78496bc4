"""Plain commands for notifications: contacts, events and times."""

import argparse
from datetime import datetime
from typing import Any

from tpclient.columns import shown
from tpclient.connection import Connection
from tpclient.plain.account import proof_of
from tpclient.plain.context import CommandContext
from tpproto import tp_pb2

MODES = {"off": "nothing", "turn": "each turn that awaits me", "digest": "once a day what awaits me"}


async def command(context: CommandContext) -> int:
    """Show or change the notifications."""
    await context.log_in_to_account()
    context.tell(*await carry_out(context.connection, context.options))
    return 0


async def carry_out(connection: Connection, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Carry out a notices command (`arguments.notice_options`).

    Return the output as data and as lines. Raises RequestFailed.
    """
    what = options.notices_command
    if what == "list":
        return _listed(await connection.notices(), await connection.own_account())
    if what == "add":
        target = options.kind, options.target, options.token
        return _added(await connection.add_notice_address(*target, resets=options.resets, password=proof_of(options)))
    if what == "calendar" and options.link == "show":
        return _calendar(await connection.calendar())
    if what == "calendar" and options.link == "make":
        return _linked(await connection.make_calendar(password=proof_of(options)))
    if what == "calendar":
        words = await connection.revoke_calendar()
    elif what == "verify":
        words = await connection.verify_notice_address(options.number, options.code)
    elif what == "resets":
        allowed = options.allowed == "yes"
        words = await connection.set_reset_address(options.number, allowed, password=proof_of(options))
    elif what == "remove":
        words = await connection.remove_notice_address(options.number)
    elif what == "tell":
        mode = "" if options.mode == "usual" else options.mode
        words = await connection.set_notice_wish(mode, options.hours, options.game)
    else:
        begin, end = options.quiet
        words = await connection.set_notice_times(options.zone, begin, end, options.digest)
    return {"done": words}, [shown(f"{words}.")]


def _listed(told: tp_pb2.Notices, own: tp_pb2.OwnAccount) -> tuple[dict[str, Any], list[str]]:
    facts = {
        "channels": list(told.channels),
        "reset_by": own.email if own.email_resets else None,
        "addresses": [_address_facts(one) for one in told.addresses],
        "usual": _wish_facts(told.usual),
        "games": [_wish_facts(one) for one in told.wishes],
        "zone": told.zone,
        "quiet": None if told.quiet_from == told.quiet_to else [_clock(told.quiet_from), _clock(told.quiet_to)],
        "digest": _clock(told.digest),
    }
    if not told.channels:
        lines = ["This server sends no notices."]
    elif not told.addresses:
        lines = [shown(f"You have no address; add KIND ADDRESS adds one ({', '.join(told.channels)}).")]
    else:
        lines = [_address_line(one) for one in told.addresses]
    if own.email_resets:
        lines.append(shown(f"0. {own.email} of the account itself may reset the password; resets 0 no ends that."))
    lines.append(f"Told: {_wish_words(told.usual)}")
    lines += [f"  in {shown(one.game)}: {_wish_words(one)}" for one in told.wishes]
    quiet = "none" if facts["quiet"] is None else f"{_clock(told.quiet_from)} to {_clock(told.quiet_to)}"
    lines.append(f"Quiet hours: {quiet}; the digest at {_clock(told.digest)} ({shown(told.zone)})")
    return facts, lines


def _added(added: tp_pb2.NoticeAddress) -> tuple[dict[str, Any], list[str]]:
    lines = [f"A code was sent there. Enter it with: verify {added.id} CODE"]
    if added.secret:
        lines.append(f"Notices there are signed with {added.secret}. It is shown only once.")
    return {**_address_facts(added), "secret": added.secret or None}, lines


def _calendar(told: tp_pb2.Calendar) -> tuple[dict[str, Any], list[str]]:
    facts = {"offered": told.offered, "made": told.made or None}
    if told.made:
        line = f"Your calendar has a link since {datetime.fromtimestamp(told.made):%Y-%m-%d %H:%M}; revoke ends it."
    elif told.offered:
        line = "Your calendar has no link; make creates one for your calendar program."
    else:
        line = "This server has no calendars."
    return facts, [line]


def _linked(told: tp_pb2.Calendar) -> tuple[dict[str, Any], list[str]]:
    link = told.url or told.path
    where = "" if told.url else ", at the address of the server's page"
    lines = [
        shown(f"Subscribe to this in your calendar program{where}: {link}"),
        "Anyone with the link can see your games and their deadlines. It is shown only once.",
    ]
    return {"path": told.path, "url": told.url or None}, lines


def _address_facts(address: tp_pb2.NoticeAddress) -> dict[str, Any]:
    return {
        "id": address.id,
        "kind": address.kind,
        "target": address.target,
        "state": address.state,
        "problem": address.problem or None,
        "resets": address.resets,
    }


def _address_line(address: tp_pb2.NoticeAddress) -> str:
    problem = f"; {address.problem}" if address.problem else ""
    resets = ", may reset the password" if address.resets else ""
    return shown(f"{address.id}. {address.kind} {address.target} ({address.state}{resets}{problem})")


def _wish_facts(wish: tp_pb2.NoticeWish) -> dict[str, Any]:
    return {"game": wish.game or None, "mode": wish.mode, "hours": wish.hours}


def _wish_words(wish: tp_pb2.NoticeWish) -> str:
    words = MODES.get(wish.mode, wish.mode)
    hours = f", and {wish.hours} hours before its end" if wish.hours and wish.mode != "off" else ""
    return shown(words + hours)


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"

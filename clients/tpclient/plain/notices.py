"""Plain commands about notices: where, of what and when somebody is told of games while not there."""

from typing import Any

from tpproto import tp_pb2

from ..columns import shown
from .context import CommandContext

MODES = {"off": "nothing", "turn": "each turn that awaits me", "digest": "once a day what awaits me"}


async def listed(context: CommandContext) -> int:
    """Where, of what and when I am told."""
    await context.log_in_to_account()
    told = await context.connection.notices()
    facts = {
        "channels": list(told.channels),
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
        lines = [f"You have no address; tpclient notices add KIND ADDRESS adds one ({', '.join(told.channels)})."]
    else:
        lines = [_address_line(one) for one in told.addresses]
    lines.append(f"Told: {_wish_words(told.usual)}")
    lines += [f"  in {shown(one.game)}: {_wish_words(one)}" for one in told.wishes]
    quiet = "none" if facts["quiet"] is None else f"{_clock(told.quiet_from)} to {_clock(told.quiet_to)}"
    lines.append(f"Quiet hours: {quiet}; the digest at {_clock(told.digest)} ({shown(told.zone)})")
    context.tell(facts, lines)
    return 0


async def add(context: CommandContext) -> int:
    """Add an address."""
    await context.log_in_to_account()
    options = context.options
    added = await context.connection.add_notice_address(options.kind, options.target, options.token)
    lines = [f"A code is on its way there; tpclient notices verify {added.id} CODE shows that it is yours."]
    if added.secret:
        lines.append(f"Notices there are signed with {added.secret}, which is told this once.")
    context.tell({**_address_facts(added), "secret": added.secret or None}, lines)
    return 0


async def verify(context: CommandContext) -> int:
    """Bring the code of an address, or have another sent."""
    await context.log_in_to_account()
    _done(context, await context.connection.verify_notice_address(context.options.number, context.options.code))
    return 0


async def remove(context: CommandContext) -> int:
    """Remove an address."""
    await context.log_in_to_account()
    _done(context, await context.connection.remove_notice_address(context.options.number))
    return 0


async def tell(context: CommandContext) -> int:
    """Set of what I am told, in a game or in all others."""
    await context.log_in_to_account()
    options = context.options
    mode = "" if options.mode == "usual" else options.mode
    _done(context, await context.connection.set_notice_wish(mode, options.hours, options.game))
    return 0


async def times(context: CommandContext) -> int:
    """Set my time zone, quiet hours and the time of the digest."""
    await context.log_in_to_account()
    options = context.options
    begin, end = options.quiet
    _done(context, await context.connection.set_notice_times(options.zone, begin, end, options.digest))
    return 0


def _done(context: CommandContext, words: str) -> None:
    context.tell({"done": words}, [shown(f"{words}.")])


def _address_facts(address: tp_pb2.NoticeAddress) -> dict[str, Any]:
    return {
        "id": address.id,
        "kind": address.kind,
        "target": address.target,
        "state": address.state,
        "problem": address.problem or None,
    }


def _address_line(address: tp_pb2.NoticeAddress) -> str:
    problem = f"; {address.problem}" if address.problem else ""
    return shown(f"{address.id}. {address.kind} {address.target} ({address.state}{problem})")


def _wish_facts(wish: tp_pb2.NoticeWish) -> dict[str, Any]:
    return {"game": wish.game or None, "mode": wish.mode, "hours": wish.hours}


def _wish_words(wish: tp_pb2.NoticeWish) -> str:
    words = MODES.get(wish.mode, wish.mode)
    hours = f", and {wish.hours} hours before its end" if wish.hours and wish.mode != "off" else ""
    return shown(words + hours)


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"

"""Checks the range of semisigned numbers in Protocol Buffers and JSON, whose encoding allows more than TP03 and TP04.

A semisigned number is a 64-bit integer in the schema, but only -1 and values that fit its unsigned width are valid.
Checking this in all dialects ensures that no value can come in that another dialect cannot express.
"""

from typing import Any, NamedTuple

from google.protobuf.message import Message

from .. import tp_pb2
from ..codegen.layout import option
from ..errors import FrameError

MOST_ITEMS = 4096
"""Maximum items of a list whose items are checked one by one: typed parameters and choices."""

_LIMITS = {tp_pb2.SEMI32: 0xFFFFFFFE, tp_pb2.SEMI64: 0x7FFFFFFFFFFFFFFF}


def check_range(message: Message) -> None:
    """Raise FrameError, naming the field, if a semisigned number anywhere in a message is out of its range."""
    checks = _CHECKS.get(type(message))
    if checks is None:
        checks = _CHECKS[type(message)] = _checks(message.DESCRIPTOR)
    problem = _problem(message, checks)
    if problem:
        raise FrameError(problem)


class _Check(NamedTuple):
    """The check of one field: its largest value, or the checks of the messages in it."""

    field: str
    limit: int
    repeated: bool
    inner: tuple[Any, ...]


def _problem(message: Message, checks: tuple[_Check, ...]) -> str:
    for field, limit, repeated, inner in checks:
        if not inner:
            value = getattr(message, field)
            if not -1 <= value <= limit:
                return f"{field} is {value}; it may be -1 or from 0 to {limit}."
        elif repeated:
            items = getattr(message, field)
            if len(items) > MOST_ITEMS:
                return f"{field} has {len(items)} items; {MOST_ITEMS} are the most."
            for item in items[:]:  # reading a slice takes half the time of iterating over the container
                problem = _problem(item, inner)
                if problem:
                    return f"{field}.{problem}"
        elif message.HasField(field):
            problem = _problem(getattr(message, field), inner)
            if problem:
                return f"{field}.{problem}"
    return ""


def _checks(descriptor: Any) -> tuple[_Check, ...]:
    checks = []
    for field in descriptor.fields:
        if field.message_type is not None:
            inner = _checks(field.message_type)
            if inner:
                checks.append(_Check(field.name, 0, field.is_repeated, inner))
        else:
            limit = _LIMITS.get(option(field, tp_pb2.integer))
            if limit:
                checks.append(_Check(field.name, limit, False, ()))
    return tuple(checks)


_CHECKS: dict[type[Message], tuple[_Check, ...]] = {}

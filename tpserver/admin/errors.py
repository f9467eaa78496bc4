"""Why an operation was not done."""

from __future__ import annotations


class Refused(Exception):
    """The operation is not possible; nothing has changed.  The message is one sentence for the operator."""


class Fault(Exception):
    """Something went wrong that should not; the message says where the whole story is."""

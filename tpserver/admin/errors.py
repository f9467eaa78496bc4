"""Errors of operations."""

from __future__ import annotations


class Refused(Exception):
    """The operation is not possible; nothing has changed.  The message is one sentence for the operator."""


class Fault(Exception):
    """An unexpected error; the message says where to find the details."""

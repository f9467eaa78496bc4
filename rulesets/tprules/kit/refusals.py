"""Refusals of orders by a game: one table of codes and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tprules.api import Code, Refusal


class Reasons(NamedTuple):
    """Reason word -> code of the protocol, and the sentence for the player with its details in braces."""

    table: Mapping[str, tuple[Code, str]]

    def sentence(self, reason: str, **details: str | int) -> str:
        """Return a reason as a sentence for the player."""
        return self.table[reason][1].format(**details)

    def refusal(self, reason: str, param: str = "", **details: str | int) -> Refusal:
        """Return the refusal for a reason. ``param`` is the parameter at fault."""
        code, sentence = self.table[reason]
        return Refusal(sentence.format(**details), param, reason=reason, code=code)

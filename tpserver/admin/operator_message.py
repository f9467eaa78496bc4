"""Program that delivers one message to the operator.

Its input is a JSON object with `addresses` (in the form of Apprise), `title` and `body`. The exit code is 0 if the
message reached all addresses. Otherwise the program prints the reason.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence

LONGEST_INPUT = 100_000


class NoApprise(Exception):
    """Apprise is not installed. The message is one sentence."""


def problems_of(addresses: Sequence[str], title: str = "", body: str = "") -> list[str]:
    """Send a message to each address; return its error, or an empty text, for each.

    Without a ``body`` no message is sent. The only problem then is an address that Apprise does not know. No text
    contains an address, as addresses contain passwords. Raises NoApprise.
    """
    try:
        from apprise import Apprise
    except ImportError:
        raise NoApprise("messages to the operator need Apprise: pip install 'tpserver[operator]'") from None
    found = []
    for address in addresses:
        there, said = Apprise(), _Said()
        logging.getLogger("apprise").addHandler(said)
        try:
            if not there.add(address):
                found.append("Apprise knows no such address")
            elif body and not there.notify(title=title, body=body):
                found.append(said.last or "it was not taken there")
            else:
                found.append("")
        finally:
            logging.getLogger("apprise").removeHandler(said)
    return found


class _Said(logging.Handler):
    """Keeps the last warning of a library."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.last = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.last = record.getMessage().strip(" .")


def main() -> int:
    told = json.loads(sys.stdin.read(LONGEST_INPUT))
    try:
        problems = problems_of(told["addresses"])  # before the first message, as all of them are tried again
        if not any(problems):
            problems = problems_of(told["addresses"], told["title"], told["body"])
    except NoApprise as error:
        print(error)
        return 1
    failed = [f"address {number}: {problem}" for number, problem in enumerate(problems, 1) if problem]
    if failed:
        print("; ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

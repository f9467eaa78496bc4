"""Write the policy of each request to ``request_policy.txt``: ``python -m tests.requests.request_policy``.

The policy says which clients may send it, and whether a repeated request is done once. Each line of the file is a
decision about security. A change of a line needs a reason in its commit.
"""

from __future__ import annotations

from pathlib import Path

from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.retries import ONCE

TABLE = Path(__file__).with_name("request_policy.txt")

HEAD = """\
# REQUEST LOGIN TOKEN TURN RETRY
# token-read: any token. token-change: no read-only token. token-account: no token at all.
# present-turn: refused at an old turn. once: a repeated request is not done again.
"""


def written() -> str:
    """Return the file: a line for each request, by frame number."""
    lines = [
        " ".join(
            (
                request.kind.field,
                "before-login" if request.is_open else "after-login",
                f"token-{request.access}",
                "present-turn" if request.needs_present else "any-turn",
                "once" if number in ONCE else "again",
            )
        )
        for number, request in sorted(REQUESTS.items())
    ]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    TABLE.write_text(written(), encoding="utf-8")

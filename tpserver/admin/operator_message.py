"""A program that delivers one message to the operator: a JSON object on its input has `addresses`, as Apprise writes
them, `title` and `body`.  It ends with code 0 if the message went to all of them, else it says why not."""

from __future__ import annotations

import json
import sys

LONGEST_INPUT = 100_000


def main() -> int:
    told = json.loads(sys.stdin.read(LONGEST_INPUT))
    try:
        from apprise import Apprise
    except ImportError:
        print("messages to the operator need Apprise: pip install 'tpserver[operator]'")
        return 1
    everywhere = Apprise()
    for number, address in enumerate(told["addresses"], 1):
        if not everywhere.add(address):
            # Not as it is: addresses have passwords in them.
            print(f"the operator's address {number} is none that Apprise knows")
            return 1
    if everywhere.notify(title=told["title"], body=told["body"]):
        return 0
    print("it did not arrive at all of the operator's addresses")
    return 1


if __name__ == "__main__":
    sys.exit(main())

"""A player at `tpclient play` in a pseudo-terminal.

It reads the screen and presses keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import TracebackType

from page_objects import PASSWORD
from pseudo_terminal import PseudoTerminal, one_line

from tests.support.process import TPCLIENT, environment
from tests.support.server import HOST

ONE_BOARD = "This game has one board."
"""The message of the key `b` in a game with one board. It replaces the message before."""


SELECTED = re.compile(r"(\d+) of (\d+) that (?:can act|take orders): (.*) \((\d+)\)")
"""The message of the key `n`."""


class TerminalPlayer:
    """A player at the terminal; to be used as a context manager, which ends the program."""

    def __init__(self, port: int, user: str, known: Mapping[str, str] | None = None) -> None:
        words = [str(TPCLIENT), "play", "--address", f"{HOST}:{port}", "--user", user, "--password", PASSWORD]
        self.terminal = PseudoTerminal(words, {**environment(), **(known or {})})

    def __enter__(self) -> TerminalPlayer:
        self.terminal.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.terminal.__exit__(kind, error, trace)

    # --- looking

    def waits(self) -> None:
        """Wait until there is a game on the screen; keys before that would be lost."""
        self.sees("(v)", "find")

    def sees(self, *words: str) -> str:
        return self.terminal.sees(*words)

    def shows_turn(self, name: str) -> None:
        """Wait until this turn stands in the head."""
        self.terminal.until(lambda text: text.strip().startswith(name), f"turn {name!r}: not in the head")

    def reads(self, turn: int, subject: str, *words: str) -> None:
        """Open the messages, wait for this one of a turn and for these words, and close them.

        Messages come together with everything else that is new, so after this the map is that of the turn, too.
        """
        self.terminal.press("m")
        self.sees(f"[turn {turn}] {subject}", *words)
        self.terminal.press("m")
        self.terminal.until(lambda now: "(v)" in now, "the messages do not close")

    def both_views(self) -> tuple[str, str]:
        """Switch to the resource view and back; what was seen of either."""
        normal = self.sees("owners (v)")
        self.terminal.press("v")
        resources = self.sees("resources (v)")
        self.terminal.press("v")
        self.sees("owners (v)")
        return normal, resources

    # --- giving orders

    def select(self, name: str, kind: str) -> bool:
        """Go around what can act until an object with this in its name is selected that takes this kind of order."""
        steps, most = 0, 1
        while steps < most:
            self.terminal.press("b")
            self.sees(ONE_BOARD)
            self.terminal.press("n")
            text = self.terminal.until(
                lambda now: bool(SELECTED.search(now)) or "Nothing takes orders" in now, "n does not select anything"
            )
            found = SELECTED.search(text)
            if found is None:
                return False
            steps, most = steps + 1, int(found[2])
            text = self.terminal.until(
                lambda now, one=found: f"{one[3]} ({one[4]})," in now and "Takes: " in now,
                f"{found[3]} ({found[4]}) is not shown beside the map",
            )
            takes = re.search(r"Takes: (.*)", text)
            if name in found[3] and takes is not None and kind in re.split(r", | and ", takes[1].strip()):
                return True
        return False

    def begin(self, kind: str) -> None:
        """Open the form of an order of what is selected."""
        self.terminal.press("o")
        text = self.terminal.until(lambda now: "Give (^s)" in now or "Order for" in now, f"{kind} cannot be begun")
        if "Give (^s)" not in text:
            self.terminal.press(kind)
            self.sees("1 thing.")
            self.terminal.press("enter")
            self.sees("Give (^s)")

    def type_value(self, name: str) -> None:
        """Type a value into the field where the cursor is."""
        self.terminal.press(name)
        self.sees(name)

    def pick_from_list(self, parameter: str, name: str) -> bool:
        """Pick an object by name from the list for the only parameter; return whether it was listed.

        The list leaves out objects that would be refused.
        """
        self.terminal.press("f3")
        self.sees(f"Pick {parameter}")
        self.terminal.press(name)
        text = self.terminal.until(
            lambda now: any(words in one_line(now) for words in ("1 thing.", "Nothing has this name.")),
            "the list does not answer",
        )
        if "Nothing has this name." in one_line(text):
            self.terminal.press("escape")
            self.terminal.until(lambda now: f"Pick {parameter}" not in now, "the list does not close")
            return False
        self.terminal.press("enter")
        self.sees(f"= {name} (")
        return True

    def choose(self, wanted: str) -> None:
        """Go down to a choice of the only list and choose it."""
        text = self.sees(wanted, "space or a number chooses")
        rows = re.findall(r"\[(?: |x|\d[^]]*)\] (.*)", text)
        at = next(number for number, row in enumerate(rows) if re.match(rf"{re.escape(wanted)}(?!\S)", row))
        self.terminal.press(*["down"] * at, " ")

    def is_accepted(self) -> bool:
        """True if the server would accept the order in the form."""
        text = self.terminal.until(
            lambda now: "The server would take it" in one_line(now) or "Refused:" in now, "the server says nothing"
        )
        return "Refused:" not in text

    def give(self) -> None:
        self.terminal.press("ctrl+s")
        self.sees("Given to ")

    def give_up(self) -> None:
        """Leave the form."""
        self.terminal.press("escape")
        text = self.terminal.until(
            lambda now: "Give (^s)" not in now or "Discard (y)" in now, "the form neither closes nor asks"
        )
        if "Discard (y)" in text:
            self.terminal.press("y")
            self.terminal.until(lambda now: "Give (^s)" not in now, "the form does not close")

    def finish(self) -> None:
        """Finish the turn; wait until the client says so, or until the turn has passed by that."""
        name = self.terminal.text.splitlines()[0]
        self.terminal.press("f")
        head = name.partition(" - ")[0]
        self.terminal.until(
            lambda now: "You are done with this turn" in now or head not in now.splitlines()[0],
            "the turn cannot be finished",
        )

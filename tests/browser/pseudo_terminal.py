"""A program in a real pseudo-terminal: keys in, screen lines out."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from threading import Condition, Thread

PATIENCE = 240.0
"""Seconds that anything on the screen may take on a busy machine."""

_PIECE = re.compile(
    r"\x1b\[(?P<private>[<=>?]?)(?P<numbers>[0-9;:]*)[ -/]*(?P<final>[@-~])"  # a control sequence
    r"|\x1b[\]P_^X].*?(?:\x07|\x1b\\)"  # a string to the terminal, as its title
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"  # any other escape
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f])"
    r"|(?P<text>[^\x00-\x1f\x7f]+)",
    re.DOTALL,
)


class Screen:
    """The characters of a terminal. Of what terminals can do it knows what moves the cursor and what erases."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns = columns
        self.cells = [[" "] * columns for _ in range(lines)]
        self.row = self.column = 0
        self._rest = ""

    @property
    def text(self) -> str:
        return "\n".join("".join(line).rstrip() for line in self.cells)

    def feed(self, text: str) -> None:
        """Draw; an escape that is not complete waits for the rest of it."""
        text = self._rest + text
        at = 0
        while at < len(text) and (found := _PIECE.match(text, at)):
            self._draw(found)
            at = found.end()
        self._rest = text[at:]

    def _draw(self, found: re.Match[str]) -> None:
        if found["text"]:
            for letter in found["text"]:
                self._put(letter)
        elif found["control"]:
            self._control(found["control"])
        elif found["final"] and not found["private"]:
            self._sequence(found["final"], [int(one or 0) for one in re.split("[;:]", found["numbers"])])

    def _put(self, letter: str) -> None:
        if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
            return
        if self.column < self.columns and self.row < len(self.cells):
            self.cells[self.row][self.column] = letter
        self.column += 1
        if unicodedata.east_asian_width(letter) in "WF":
            if self.column < self.columns:
                self.cells[self.row][self.column] = ""
            self.column += 1

    def _control(self, letter: str) -> None:
        if letter == "\r":
            self.column = 0
        elif letter == "\n":
            self.row = min(self.row + 1, len(self.cells) - 1)
        elif letter == "\b":
            self.column = max(0, self.column - 1)

    def _sequence(self, final: str, numbers: Sequence[int]) -> None:
        first = numbers[0]
        if final in "Hf":
            self.row = min(max(first, 1), len(self.cells)) - 1
            self.column = max(numbers[1] if len(numbers) > 1 else 1, 1) - 1
        elif final in "AB":
            step = max(first, 1) * (1 if final == "B" else -1)
            self.row = min(max(self.row + step, 0), len(self.cells) - 1)
        elif final in "CD":
            self.column = max(self.column + max(first, 1) * (1 if final == "C" else -1), 0)
        elif final == "G":
            self.column = max(first, 1) - 1
        elif final == "J":
            rows = range(self.row + 1, len(self.cells)) if first == 0 else range(len(self.cells))
            for row in rows:
                self.cells[row] = [" "] * self.columns
            if first == 0:
                self._erase(self.column)
        elif final == "K":
            self._erase(self.column if first == 0 else 0)

    def _erase(self, start: int) -> None:
        self.cells[self.row][start:] = [" "] * (self.columns - min(start, self.columns))


class PseudoTerminal:
    """A program that believes to be before a person; to be used as a context manager, which ends the program."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], *, columns: int = 120, lines: int = 40
    ) -> None:
        self._mine, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        known = {key: value for key, value in environment.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            command,
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            env={**known, "TERM": "xterm-256color", "LANG": "C.UTF-8"},
        )
        os.close(other)
        self._screen = Screen(columns, lines)
        self._drawn = Condition()
        self._has_ended = False
        self._reader = Thread(target=self._read, name="pseudo-terminal", daemon=True)
        self._reader.start()

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        os.close(self._mine)

    def _read(self) -> None:
        """Take in all that is drawn, at once, or the program would wait with the terminal full."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            try:
                data = os.read(self._mine, 65536)
            except OSError:  # the program has ended
                data = b""
            with self._drawn:
                self._has_ended = not data
                self._screen.feed(decoder.decode(data))
                self._drawn.notify_all()
            if not data:
                return

    @property
    def text(self) -> str:
        """The lines that are seen now."""
        with self._drawn:
            return self._screen.text

    def until(self, test: Callable[[str], bool], otherwise: str) -> str:
        """Wait until the screen is as expected, and return its text. AssertionError has the present text."""
        with self._drawn:
            done = self._drawn.wait_for(lambda: test(self._screen.text) or self._has_ended, PATIENCE)
            text = self._screen.text
        why = "the program has ended" if self._has_ended else f"not after {PATIENCE:g} seconds"
        assert done and test(text), f"{otherwise} ({why}). The terminal shows:\n{text}"
        return text

    def sees(self, *words: str) -> str:
        """Wait until all of these words are seen, wherever lines are broken, and return the screen's text."""
        wanted = [one_line(one) for one in words]
        return self.until(
            lambda text: all(one in one_line(text) for one in wanted), f"{' and '.join(map(repr, words))}: not seen"
        )

    def press(self, *keys: str) -> None:
        """Press keys: names of `KEYS`, or what is typed."""
        for key in keys:
            os.write(self._mine, KEYS.get(key, key).encode())

    def ended(self) -> int:
        """Wait until the program has ended, and return its exit code."""
        return self.process.wait(PATIENCE)


KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "ctrl+s": "\x13",
}


def one_line(text: str) -> str:
    """Words with one blank between them."""
    return " ".join(text.split())

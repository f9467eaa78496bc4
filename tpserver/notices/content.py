"""Content of notifications, the same for every channel.

Each channel formats it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.day_times import DayTimes

LONGEST_LINE = 300
"""Maximum characters of a line, which may quote the name of a game or the title of a turn."""
MOST_GAMES = 20
"""Maximum games listed in a digest."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A notification in words.

    ``kind`` is its kind for programs. ``subject`` is one line, ``lines`` are the text, and ``data`` has the same for
    programs (JSON-able). ``link`` is the address of the server's page. ``stop`` is a link that stops all notifications
    to the receiver. Each is empty if unknown. ``why`` is the footer of a mail.
    """

    kind: str
    subject: str
    lines: Sequence[str]
    data: Mapping[str, Any] = field(default_factory=dict)
    link: str = ""
    stop: str = ""
    why: str = "You get this because you have asked for it among the notices of your account."

    @property
    def text(self) -> str:
        """The text with the link."""
        return "\n".join([*self.lines, *([self.link] if self.link else [])])


@dataclass(frozen=True, slots=True)
class AwaitedTurn:
    """A turn that awaits its player.

    It has the game, the title of the ruleset, the turn's number and title, and its deadline. With grace and time banks
    it ``ends`` later than its deadline.
    """

    game: str
    ruleset: str
    turn: int
    title: str
    deadline: float | None
    ends: float | None = None

    def data(self) -> dict[str, Any]:
        told: dict[str, Any] = {"game": self.game, "ruleset": self.ruleset, "turn": self.turn, "title": self.title}
        told["deadline"] = None if self.deadline is None else iso(self.deadline)
        if self.ends is not None:
            told["ends"] = iso(self.ends)
        return told


def iso(at: float) -> str:
    """Return a time as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(int(at), UTC).isoformat().replace("+00:00", "Z")


def day_and_time(at: float, times: DayTimes) -> str:
    """Return a time as words in the player's time zone."""
    here = datetime.fromtimestamp(at, times.tz())
    return f"{here:%A, %d %B %Y, %H:%M} ({times.zone})"


def line(text: str) -> str:
    """Return a text of a game or a client as one printable line."""
    return printable(text, LONGEST_LINE, KEPT_FOR_PLAYERS)


def shown(kind: str, target: str) -> str:
    """Return a contact for a mail.

    Of a webhook only the kind is shown, as its address is a permission to write there.
    """
    return line(target) if kind == "mail" else f"for {kind}"


def of_turn(turn: AwaitedTurn, times: DayTimes, link: str) -> Letter:
    """Return the notification that a turn awaits its player."""
    lines = [line(f"{turn.game} ({turn.ruleset}): {turn.title or f'turn {turn.turn}'}."), _until(turn, times)]
    return Letter("game.turn", line(f"Your turn in {turn.game}"), lines, turn.data(), link)


def of_deadline(turn: AwaitedTurn, now: float, times: DayTimes, link: str) -> Letter:
    """Return the notification that a turn, which still awaits its player, ends soon."""
    left = _left((turn.deadline or now) - now)
    lines = [
        line(f"{turn.game} ({turn.ruleset}): {turn.title or f'turn {turn.turn}'} ends in {left}, and awaits you."),
        _until(turn, times),
    ]
    return Letter("game.deadline", line(f"{left[:1].upper()}{left[1:]} left in {turn.game}"), lines, turn.data(), link)


def of_end(turn: AwaitedTurn, link: str) -> Letter:
    """Return the notification that a game is over, with the result in its title."""
    data = {name: value for name, value in turn.data().items() if name not in ("deadline", "ends")}
    return Letter("game.over", line(f"{turn.game} is over"), [line(f"{turn.game}: {turn.title}.")], data, link)


def of_day(turns: Sequence[AwaitedTurn], times: DayTimes, link: str) -> Letter:
    """Return the digest of all turns that await the player."""
    lines = []
    for turn in turns[:MOST_GAMES]:
        until = "" if turn.deadline is None else f", until {day_and_time(turn.deadline, times)}"
        lines.append(line(f"{turn.game} ({turn.ruleset}): {turn.title or f'turn {turn.turn}'}{until}"))
    if len(turns) > MOST_GAMES:
        lines.append(f"and {len(turns) - MOST_GAMES} more")
    subject = "A game awaits you" if len(turns) == 1 else f"{len(turns)} games await you"
    return Letter("games.digest", subject, lines, {"games": [turn.data() for turn in turns[:MOST_GAMES]]}, link)


def of_code(code: str, name: str, server: str, link: str) -> Letter:
    """Return the notification with the code that verifies a contact."""
    lines = [
        line(f"Notices of the games of {name} on {server} are to come here."),
        f"If that is right, type this code where you asked for them: {code}",
        "If you know nothing of it, do nothing: without the code nothing more comes.",
    ]
    return Letter("address.code", line(f"{code} is your code for notices from {server}"), lines, {"code": code}, link)


def of_reset(code: str, name: str, server: str, site: str) -> Letter:
    """Return the mail with the code of a password reset."""
    lines = [
        line(f"Somebody, you it is to be hoped, has forgotten the password of {name} on {server}."),
        f"With this code another one can be set, once, within an hour: {code}",
        "If it was not you, do nothing: the old password is good still, and nobody else has the code.",
    ]
    link = f"{site.rstrip('/')}/#reset={code}" if site else ""
    why = "Only accounts there with this address get this mail."
    return Letter(
        "account.reset", line(f"Another password for {name} on {server}"), lines, {"code": code}, link, why=why
    )


def of_change(text: str, at: float, name: str, server: str, site: str) -> Letter:
    """Return the mail to the owner of an account about a change of the account."""
    lines = [
        line(f"The account {name} on {server} was changed on {day_and_time(at, DayTimes())}."),
        line(text),
        "If it was you, there is nothing to do.",
        "If it was not, change your password, and drop what you do not know; or ask the operator for help.",
    ]
    why = "You get this because the account has this address."
    return Letter("account.change", line(f"Your account {name} on {server} was changed"), lines, link=site, why=why)


def _until(turn: AwaitedTurn, times: DayTimes) -> str:
    if turn.deadline is None:
        return "There is no deadline."
    late = "" if turn.ends is None else f", with grace and time banks {day_and_time(turn.ends, times)} at the latest"
    return f"Until {day_and_time(turn.deadline, times)}{late}."


def _left(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    hours = round(minutes / 60)
    return f"{hours} hour{'' if hours == 1 else 's'}"

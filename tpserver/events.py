"""Events for the log and the metrics: logins, refusals, seats, turns.

The log has them at the level "info", in a separate namespace. They contain no passwords, orders or other secrets of a
player.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

from twisted.logger import Logger

TURN_BUCKETS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0)
"""Upper bounds in seconds of the groups of closings."""

log = Logger(namespace="tpserver_events")


class Events:
    """The counts of this process since its start; other modules only read them."""

    def __init__(self) -> None:
        self.frames = 0
        """Requests of clients."""
        self.notices = 0
        """Unrequested frames: the end of a turn, changes."""
        self.orders = 0
        """Orders that were accepted."""
        self.logins = 0
        self.refused_logins = 0
        self.seats = 0
        """Seats that were taken."""
        self.holds = 0
        """Games suspended because their rules failed."""
        self.turns = [0] * (len(TURN_BUCKETS) + 1)
        """Closed turns by duration: up to each of TURN_BUCKETS, and longer."""
        self.turn_seconds = 0.0
        self.delivered: Counter[str] = Counter()
        """Delivered notifications by channel; see `tpserver.notices`."""
        self.undelivered: Counter[str] = Counter()
        """Failed tries to deliver a notification, by channel."""

    def logged_in(self, account: str, address: str, game: str, seat: int | None) -> None:
        self.logins += 1
        if game:
            where = f" to {game}, {'as a spectator' if seat is None else f'player {seat + 1}'}"
        else:
            where = ""
        log.info("{account} has logged in from {address}{where}", account=account, address=address, where=where,
                 game=game, event="login")  # fmt: skip

    def login_refused(self, address: str, reason: str) -> None:
        self.refused_logins += 1
        log.info("a login from {address} was refused: {reason}", address=address, reason=reason, event="refused login")

    def guest_became(self, guest: str, account: str, address: str) -> None:
        log.info("{guest} is the account {account} now, as {address} has asked for", guest=guest, account=account,
                 address=address, event="guest")  # fmt: skip

    def seat_taken(self, game: str, seat: int, name: str) -> None:
        self.seats += 1
        log.info("{game}: {name} is player {player}", game=game, name=name, player=seat + 1, event="seat")

    def turn_closed(self, game: str, turn: int, seconds: float, over: bool) -> None:
        self.turns[bisect_left(TURN_BUCKETS, seconds)] += 1
        self.turn_seconds += seconds
        log.info("{game}: turn {turn} was closed in {seconds} s{end}", game=game, turn=turn, seconds=round(seconds, 3),
                 end=", and the game is over" if over else "", event="turn")  # fmt: skip


EVENTS = Events()

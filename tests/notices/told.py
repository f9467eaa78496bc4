"""A server in memory whose notifications go to a mailbox of the test.

A test can put the real channels in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed

from tests.support.server_in_memory import Server, result_of
from tpserver.notices.channels import MAIL, WEBHOOKS, NotDelivered
from tpserver.notices.contacts import Terms
from tpserver.notices.content import Letter
from tpserver.notices.delivery import NoticeDelivery
from tpserver.store.games.outbox import Notice
from tpserver.store.people import notices as stored_notices
from tpserver.store.people.notices import Wish
from tpserver.subscriptions import subscribe_notices


class Box:
    """A channel that keeps what it is given, or fails, or takes its time, as the test says."""

    def __init__(self) -> None:
        self.came: list[tuple[Notice, Letter]] = []
        self.problem: NotDelivered | None = None
        self.message = ""
        self.is_slow = False
        self.waiting: list[Deferred[str]] = []

    def send(self, notice: Notice, letter: Letter) -> Deferred[str]:
        if self.problem is not None:
            return fail(self.problem)
        self.came.append((notice, letter))
        if self.is_slow:
            self.waiting.append(Deferred())
            return self.waiting[-1]
        return succeed(self.message)

    @property
    def subjects(self) -> list[str]:
        return [letter.subject for _, letter in self.came]


class Told:
    """A server, its mailbox, and the wishes of its players."""

    def __init__(self, make_server: Callable[..., Server]) -> None:
        self.server = make_server()
        self.box = Box()
        self.deliver()

    def deliver(self) -> None:
        """Begin to deliver, as a server does that starts."""
        host = self.server.host
        channels = dict.fromkeys([MAIL, *WEBHOOKS], self.box)
        self.delivery = NoticeDelivery(
            self.server.registry, host.is_online, channels, "our server", "https://games.example/"
        )
        host.notices.terms = Terms([MAIL, *WEBHOOKS])
        subscribe_notices(self.server.registry.bus, self.delivery)
        self.delivery.start()

    def killed(self) -> None:
        """As a kill and another start would have it: what was on its way is known to nobody."""
        self.delivery.stop()
        self.box = Box()
        self.server = self.server.restarted()
        self.deliver()

    def game(self, name: str = "first", **more: Any) -> Any:
        """A game of ann and ben that has started; nobody is online."""
        made = self.server.create(name, **more)
        for client in self.server.players(2, game=name):
            client.session.connection_lost()
        return made

    def account(self, name: str) -> int:
        from tpserver.store.people import accounts

        found = self.server.store.read(accounts.by_name, name)
        assert found is not None
        return found.id

    def address(self, name: str = "ann", kind: str = "json", target: str = "") -> stored_notices.Address:
        """An address of a player that is verified."""
        target = target or (f"{name}@example.org" if kind == MAIL else f"https://hooks.example/{name}")
        added = result_of(self.server.host.notices.add(self.account(name), kind, target, "token"))
        assert result_of(self.server.host.notices.verify(added.account, added.id, added.code))
        self.box.came.clear()
        self.pass_time(10)
        return added

    def wish(self, mode: str, hours: int = 0, name: str = "ann", game: int = 0) -> None:
        self.server.store.write(stored_notices.set_wish, self.account(name), game, Wish(mode, hours))

    def pass_time(self, seconds: float, step: float = 5.0) -> None:
        """Let time pass in small steps, so that whatever is due meanwhile happens; long times pass in larger ones."""
        while seconds > 0:
            taken = min(step if seconds < 900 else max(step, 30.0), seconds)
            self.server.pass_time(taken)
            seconds -= taken

    def finish(self, *names: str, game: str = "first") -> None:
        """Players come, finish their turn and go."""
        for name in names:
            client = self.server.player(name, game=game)
            assert client.ask("finished_turn").name == "okay"
            client.session.connection_lost()

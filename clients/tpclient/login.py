"""The way into a game, for all clients: connect, say hello, log in, and make the account if that is wanted."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tpproto.errors import FailCode

from .connection import CLIENT, Connection
from .errors import RequestFailed

Dial = Callable[[], Awaitable[Connection]]
"""Makes a connection on which nothing has been said yet."""


async def greeted(dial: Dial, client: str = CLIENT) -> Connection:
    """Connect and say hello as `client`; nobody is logged in yet.

    Raises ServerAway, NoAnswer, ConnectionClosed, UnexpectedAnswer, BadArgument or RequestFailed.
    """
    connection = await dial()
    try:
        await connection.connect(client)
    except BaseException:
        connection.close()
        raise
    return connection


@dataclass(frozen=True, slots=True)
class Login:
    """Who we are: `game` is the name of one of several games, `register` makes the account if the login is refused.

    `client` is what we call ourselves.
    """

    dial: Dial
    user: str
    password: str
    game: str = ""
    register: bool = False
    client: str = CLIENT

    async def enter(self) -> tuple[Connection, str]:
        """Connect and log in; the connection, and the words of the server.

        Raises what `greeted` does, and RequestFailed if the login is refused.
        """
        connection = await greeted(self.dial, self.client)
        try:
            try:
                return connection, await connection.login(self.user, self.password, self.game)
            except RequestFailed as refusal:
                if not self.register or refusal.code == FailCode.UNAVAILABLE_TEMPORARILY:
                    raise
            await connection.create_account(self.user.partition("@")[0], self.password)
            return connection, await connection.login(self.user, self.password, self.game)
        except BaseException:
            connection.close()
            raise

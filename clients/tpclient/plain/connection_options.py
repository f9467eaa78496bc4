"""What the command line and the environment say about the connection: where, who, and how to talk.

Imports no network: what is wrong with them is told at once.
"""

import argparse
import getpass
import os
import sys

from ..address import PORT, Address, parse_address, trusting
from ..columns import shown
from ..errors import BadArgument

ADDRESS, USER, PASSWORD = "TPCLIENT_ADDRESS", "TPCLIENT_USER", "TPCLIENT_PASSWORD"
"""The environment variables that stand for connection options."""

DIALECTS = ("tp03", "tp04", "pb")
"""What --dialect may say (`transport.dialect_named`)."""


def credentials(options: argparse.Namespace) -> tuple[str, str]:
    """User and password from the command line, from the environment, or asked for at the terminal."""
    user = options.user or os.environ.get(USER, "")
    if not user:
        raise BadArgument(f"Say who you are: --user NAME, or NAME@GAME where there are several games, or set {USER}.")
    return user, password_of(options, user)


def password_of(options: argparse.Namespace, whose: str) -> str:
    """The password from the command line, from the environment, or asked for at the terminal. Raises BadArgument."""
    if options.password_stdin:
        return sys.stdin.readline().rstrip("\r\n") if sys.stdin is not None else ""
    password: str | None = options.password
    if password is None:
        password = os.environ.get(PASSWORD)
    if password is None and sys.stdin is not None and sys.stdin.isatty():
        try:
            password = getpass.getpass(f"Password of {shown(whose)}: ")
        except EOFError:
            password = None
    if password is None:
        raise BadArgument(f"Give the password: --password-stdin, --password, or set {PASSWORD}.")
    return password


def address_of(options: argparse.Namespace) -> Address:
    """Where the server is, by the options, the environment, or the usual place. Raises BadArgument."""
    text = options.address or os.environ.get(ADDRESS) or f"127.0.0.1:{PORT}"
    address = parse_address(text)
    return trusting(address, options.certificates)


def check_text(options: argparse.Namespace) -> None:
    """Raise BadArgument for words that are no Unicode text, which no frame could carry."""
    typed = [value for value in vars(options).values() if isinstance(value, str)]
    typed += [word for value in vars(options).values() if isinstance(value, list) for word in value if word is not None]
    typed += [os.environ.get(name, "") for name in (ADDRESS, USER, PASSWORD)]
    for text in typed:
        try:
            str(text).encode()
        except UnicodeEncodeError:
            raise BadArgument(f"{text!r} is no text in the encoding of this terminal.") from None

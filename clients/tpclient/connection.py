"""A connection to a game server, for asyncio: log in, look, give orders, finish the turn, wait for the next.

Requests go out over an open stream, their answers come in the same order, and the clock is heard whenever it is told.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Self

from google.protobuf.message import Message

from tpproto import tp_pb2
from tpproto.dialects import PB, TP03, TP04, Dialect
from tpproto.errors import FailCode

from .address import Address, parse_address
from .columns import listed, shown
from .errors import (
    BadArgument,
    ClientError,
    ConnectionClosed,
    NoAnswer,
    RequestFailed,
    ServerAway,
    UnexpectedAnswer,
    UnknownName,
)
from .games import login_name, own_game
from .manual import Manual
from .orders import APPEND, Arguments, OrderType, build_order, choices, is_unfinished, order_type
from .session import Answer, M, Request, Session
from .transport import Stream, open_stream, spoken_at
from .universe import EVERYTHING, Changes, Universe

CLIENT = "tpclient"
"""What we call ourselves in the Connect frame."""

MOST_MESSAGES_AT_ONCE = 500
"""So many messages are asked for in one request."""

MOST_PARTS = 500
"""What is legal is told in so many parts at most; each takes the server a few milliseconds."""

TURN_BEGINS = 1
"""The reason of the TimeRemaining frame that is pushed when a turn begins (TP04, TimeRemaining)."""

REPLACE = "order_replace"
"""The request that puts an order in the place of another, in dialects that have it."""

RULES = "get_rules"
"""The request for the rules for players, in dialects that have it."""

UNFINISH, LEGAL_ORDERS, LEGAL_VALUES = "unfinish_turn", "get_legal_orders", "get_legal_values"
TURN_SUMMARIES = "get_turn_summaries"
APPEARANCE, STANDING = "get_appearance", "get_standing"
SCORES, SETUP = "get_scores", "get_game_setup"
MY_GAMES = "get_my_games"
MOST_REPORTS = 1000
"""So many reported letters are asked for at most."""

CLOCK, EXTEND_TURN, SET_CLOCK, CLOCK_GROUPS = "get_clock", "extend_turn", "set_clock", "get_clock_groups"
SEATS, SEAT_POLICY, HERE, AUTOPILOT = "get_seats", "set_seat_policy", "say_here", "set_autopilot"
OPEN_SEATS, TAKE_SEAT, REMOVE_PLAYER = "get_open_seats", "take_seat", "remove_player"
PROPOSALS, PROPOSE, VOTE = "get_proposals", "propose", "vote"
VACATIONS, ADD_VACATION, END_VACATION = "get_vacations", "add_vacation", "end_vacation"
"""Requests that only Protocol Buffers and JSON have."""

Progress = Callable[[int, int], None]
"""Is told during a download how many things have come and how many there will be; at least once at its end."""


class Connection(asyncio.Protocol):
    """One connection to a server.

    Every method that asks the server something raises RequestFailed if it refuses, NoAnswer if it does not answer
    within `timeout` seconds, and ConnectionClosed if the connection has ended. `clock` is the newest TimeRemaining
    frame, asked for or not; in TP04 and Protocol Buffers it has the turn number and name and the players awaited.
    `on_clock` is called with each of them and whether it came unasked, `on_end` with the reason when all is over; what
    they call must neither wait nor raise.
    """

    def __init__(self, dialect: Dialect = TP04, timeout: float = 30.0) -> None:
        self.session = Session(dialect)
        self.timeout = timeout
        self.clock: tp_pb2.TimeRemaining | None = None
        self.welcome = ""
        """What the server said at login."""
        self.turns_begun = 0
        """How many turns have begun while we listened."""
        self.has_turn_numbers = dialect is not TP03
        self.on_clock: Callable[[tp_pb2.TimeRemaining, bool], None] | None = None
        self.on_end: Callable[[ClientError], None] | None = None
        self.end: ClientError | None = None
        """Why the connection has ended, None if it has not."""
        self._stream: Stream | None = None
        self._answers: dict[int, Answer | None] = {}
        """By sequence number: what somebody waits for, None as long as it has not come."""
        self._arrival = asyncio.Event()
        """Set, and replaced by another, when anything has come."""
        self._change = asyncio.Event()
        """The same for the clock."""

    @classmethod
    async def open(cls, address: Address | str, dialect: Dialect | None = None, timeout: float = 30.0) -> Self:
        """Make a connection; nothing is said yet. Without a dialect it is TP04, on a WebSocket Protocol Buffers.

        Raises ServerAway, NoAnswer or BadArgument.
        """
        where = parse_address(address) if isinstance(address, str) else address
        connection = cls(spoken_at(where, dialect), timeout)
        connection.attach(await open_stream(where, connection, timeout))
        return connection

    def attach(self, stream: Stream) -> None:
        """Use a stream that somebody else has opened; it has to report to `data_received` and `connection_lost`."""
        self._stream = stream

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up; whoever still waits for an answer gets ConnectionClosed."""
        self.drop(ConnectionClosed("The connection was closed here."))

    def drop(self, error: ClientError) -> None:
        """Hang up because of an error, which whoever still waits gets; nothing if the connection has ended before."""
        if self.end is not None:
            return
        self.end = error
        if self._stream is not None:
            self._stream.close()
        self._arrival.set()
        self._change.set()
        if self.on_end is not None:
            self.on_end(error)

    @property
    def is_open(self) -> bool:
        return self._stream is not None and self.end is None

    # --- asking

    async def ask(self, kind: str, message: Message) -> Answer:
        """Send one request, named as in `Frame.body`, and wait for the whole answer."""
        (answer,) = await self.ask_all([Request(kind, message)])
        return answer

    async def ask_all(self, requests: Sequence[Request], progress: Callable[[int], None] | None = None) -> list[Answer]:
        """Send several requests in one go and wait for all their answers, which come in the same order.

        `timeout` is for the time between two frames of them. `progress` is told how many frames have come so far.
        """
        if self.end is not None:
            raise self.end
        if self._stream is None:
            raise ConnectionClosed("There is no connection yet.")
        sequences = [self.session.request(request) for request in requests]
        self._answers.update(dict.fromkeys(sequences))
        self._stream.write(self.session.bytes_to_send())
        try:
            return await self._arrival_of(sequences, progress)
        except TimeoutError:
            titles = ", ".join(dict.fromkeys(request.title for request in requests))
            raise NoAnswer(f"The server did not answer {titles} within {self.timeout:g} seconds.") from None
        finally:
            for sequence in sequences:
                del self._answers[sequence]

    async def _arrival_of(self, sequences: Sequence[int], progress: Callable[[int], None] | None) -> list[Answer]:
        """Wait until all answers are there. Raises why the connection has ended, TimeoutError after a silence."""
        loop = asyncio.get_running_loop()
        most = 0
        async with asyncio.timeout(self.timeout) as limit:
            while True:
                complete = [answer for sequence in sequences if (answer := self._answers[sequence]) is not None]
                received = sum(len(answer.replies) for answer in complete) + sum(map(self.session.received, sequences))
                if progress is not None:
                    progress(received)
                if len(complete) == len(sequences):
                    return complete
                if self.end is not None:
                    raise self.end
                if received > most:
                    most = received
                    limit.reschedule(loop.time() + self.timeout)
                await self._arrival.wait()

    async def _one(self, kind: str, message: Message, wanted: type[M]) -> M:
        return (await self.ask(kind, message)).one(wanted)

    # --- sessions

    async def connect(self, client: str = CLIENT) -> str:
        """Say hello (Connect) and return the server's welcome. Raises ServerAway if it sends us elsewhere."""
        answer = await self.ask("connect", tp_pb2.Connect(client=client))
        for reply in answer.replies:
            if isinstance(reply.message, tp_pb2.Redirect):
                raise ServerAway(f"The server is not for us; it sends us to {reply.message.uri}.")
        return answer.one(tp_pb2.Okay).result

    async def login(self, username: str, password: str, game: str = "", turn: int | None = None) -> str:
        """Log in, to one game of several if its name is given, and return the server's words, which `welcome` keeps.

        With the number of a `turn` the connection shows the game as it was in that turn, and can change nothing.
        """
        name = login_name(username, game, turn)
        self.welcome = (await self._one("login", tp_pb2.Login(username=name, password=password), tp_pb2.Okay)).result
        return self.welcome

    async def login_account(self, username: str, password: str) -> str:
        """Log in to an account and to no game yet, and return the account's name. TP03 and TP04 have no such request:
        BadArgument."""
        self._must_speak("login_account", "log in without a game")
        asked = tp_pb2.LoginAccount(username=username, password=password)
        return (await self._one("login_account", asked, tp_pb2.Account)).name

    async def enter_game(self, game: str, invitation: str = "") -> str:
        """Go into a game after `login_account`, as `login` does, and return the server's words, which `welcome` keeps.

        `game` may end in "/watch" or "/turn/N"; `invitation` is the word that lets us into a game for invited players.
        """
        self._must_speak("enter_game", "enter a game after the login")
        asked = tp_pb2.EnterGame(game=game, invitation=invitation)
        self.welcome = (await self._one("enter_game", asked, tp_pb2.Okay)).result
        return self.welcome

    async def rulesets(self) -> list[tp_pb2.Ruleset]:
        """What games can be made of, with seats and options; before login too. TP03 and TP04 have no such request:
        BadArgument."""
        self._must_speak("get_rulesets", "ask what games can be made of")
        return (await self.ask("get_rulesets", tp_pb2.GetRulesets())).all_of(tp_pb2.Ruleset)

    async def ruleset_titles(self) -> dict[str, str]:
        """What people call the rulesets, by their names; none where that cannot be asked, or is not told."""
        if not self.speaks("get_rulesets"):
            return {}
        try:
            return {one.name: one.title for one in await self.rulesets() if one.title}
        except RequestFailed:
            return {}

    async def create_game(self, game: tp_pb2.CreateGame) -> str:
        """Make a game, with a seat for the account that is logged in, and return the server's words. TP03 and TP04 have
        no such request: BadArgument."""
        self._must_speak("create_game", "make a game")
        return (await self._one("create_game", game, tp_pb2.Okay)).result

    async def invitation(self, game: str) -> str:
        """A new word that lets others into a game that the account has made for invited players, in place of the one
        before. TP03 and TP04 have no such request: BadArgument."""
        self._must_speak("get_invitation", "invite others")
        return (await self._one("get_invitation", tp_pb2.GetInvitation(game=game), tp_pb2.Invitation)).word

    async def my_games(self) -> list[tp_pb2.MyGame]:
        """The games in which the account that is logged in has a seat, the newest first. TP03 and TP04 have no such
        request: BadArgument."""
        self._must_speak(MY_GAMES, "list one's own games")
        found: list[tp_pb2.MyGame] = []
        start = 0
        while True:
            part = await self._one(MY_GAMES, tp_pb2.GetMyGames(start=start), tp_pb2.MyGames)
            found += part.games
            if not part.following or part.following == start:
                return found
            start = part.following

    async def kept_logins(self) -> list[tp_pb2.KeptLogin]:
        """The browsers in which the account stays logged in, the one that was used last first. TP03 and TP04 have no
        such request: BadArgument."""
        self._must_speak("get_kept_logins", "list where one is logged in")
        return list((await self._one("get_kept_logins", tp_pb2.GetKeptLogins(), tp_pb2.KeptLogins)).logins)

    async def revoke_login(self, number: int = 0) -> str:
        """Log a browser out by its id in `kept_logins`, or all (0), and return the server's words. TP03 and TP04 have
        no such request: BadArgument."""
        self._must_speak("revoke_login", "log a browser out")
        return (await self._one("revoke_login", tp_pb2.RevokeLogin(id=number), tp_pb2.Okay)).result

    async def notices(self) -> tp_pb2.Notices:
        """How the account is told of its games while nobody is logged in to it. TP03 and TP04 have no such request, nor
        those that set it: BadArgument."""
        self._must_speak("get_notices", "ask about notices")
        return await self._one("get_notices", tp_pb2.GetNotices(), tp_pb2.Notices)

    async def add_notice_address(self, kind: str, target: str, token: str = "") -> tp_pb2.NoticeAddress:
        """Add an address of a kind in `Notices.channels`, to which a code is sent; `token` is for Matrix. The answer
        has the secret of a webhook, this once."""
        self._must_speak("add_notice_address", "add an address for notices")
        wanted = tp_pb2.AddNoticeAddress(kind=kind, target=target, token=token)
        return await self._one("add_notice_address", wanted, tp_pb2.NoticeAddress)

    async def verify_notice_address(self, number: int, code: str = "") -> str:
        """Bring the code that was sent to an address, or without one have another sent; return the server's words."""
        self._must_speak("verify_notice_address", "verify an address for notices")
        wanted = tp_pb2.VerifyNoticeAddress(id=number, code=code)
        return (await self._one("verify_notice_address", wanted, tp_pb2.Okay)).result

    async def remove_notice_address(self, number: int) -> str:
        """Remove an address for notices, and return the server's words."""
        self._must_speak("remove_notice_address", "remove an address for notices")
        return (await self._one("remove_notice_address", tp_pb2.RemoveNoticeAddress(id=number), tp_pb2.Okay)).result

    async def set_notice_wish(self, mode: str, hours: int = 0, game: str = "") -> str:
        """Set of what one is told in a game, or in all others; return the server's words. `mode` is off, turn, digest,
        or empty: as in all others."""
        self._must_speak("set_notice_wish", "set of what one is told")
        wanted = tp_pb2.SetNoticeWish(wish=tp_pb2.NoticeWish(game=game, mode=mode, hours=hours))
        return (await self._one("set_notice_wish", wanted, tp_pb2.Okay)).result

    async def set_notice_times(self, zone: str, quiet_from: int = 0, quiet_to: int = 0, digest: int = 480) -> str:
        """Set the time zone, the quiet hours and the time of the digest, in minutes after midnight; return the server's
        words."""
        self._must_speak("set_notice_times", "set quiet hours")
        wanted = tp_pb2.SetNoticeTimes(zone=zone, quiet_from=quiet_from, quiet_to=quiet_to, digest=digest)
        return (await self._one("set_notice_times", wanted, tp_pb2.Okay)).result

    async def calendar(self) -> tp_pb2.Calendar:
        """Whether the server offers links to calendars, and since when the account has one. TP03 and TP04 have no such
        request, nor the two that follow: BadArgument."""
        self._must_speak("get_calendar", "ask about calendars")
        return await self._one("get_calendar", tp_pb2.GetCalendar(), tp_pb2.Calendar)

    async def make_calendar(self) -> tp_pb2.Calendar:
        """Give the account a link by which programs read when its turns are due, in place of an earlier one; only this
        answer has it."""
        self._must_speak("make_calendar", "make a link to a calendar")
        return await self._one("make_calendar", tp_pb2.MakeCalendar(), tp_pb2.Calendar)

    async def revoke_calendar(self) -> str:
        """Let nobody read the account's calendar any more, and return the server's words."""
        self._must_speak("revoke_calendar", "revoke a link to a calendar")
        return (await self._one("revoke_calendar", tp_pb2.RevokeCalendar(), tp_pb2.Okay)).result

    async def play_as_guest(self) -> tp_pb2.Guest:
        """Come in as a guest, on a connection on which nobody is logged in; the answer has the name, and what stands in
        the place of a password. TP03 and TP04 have no such request: BadArgument."""
        self._must_speak("play_as_guest", "come in as a guest")
        return await self._one("play_as_guest", tp_pb2.PlayAsGuest(), tp_pb2.Guest)

    async def become_account(self, username: str, password: str, email: str = "") -> str:
        """Make an account of the guest who is logged in, and return its name: all its other connections and logins end.
        TP03 and TP04 have no such request: BadArgument."""
        self._must_speak("become_account", "make an account of a guest")
        wanted = tp_pb2.BecomeAccount(username=username, password=password, email=email)
        return (await self._one("become_account", wanted, tp_pb2.Account)).name

    async def change_password(self, old: str, new: str) -> str:
        """Give the account that is logged in another password, and return the server's words: all its other connections
        and kept logins end. TP03 and TP04 have no such request: BadArgument."""
        self._must_speak("change_password", "change the password")
        return (await self._one("change_password", tp_pb2.ChangePassword(old=old, new=new), tp_pb2.Okay)).result

    async def request_reset(self, account: str) -> str:
        """Have a mail sent by which the password of a name or a mail address is reset, before login; return the
        server's words. TP03 and TP04 have no such request: BadArgument."""
        self._must_speak("request_reset", "have a forgotten password reset")
        return (await self._one("request_reset", tp_pb2.RequestReset(account=account), tp_pb2.Okay)).result

    async def reset_password(self, code: str, password: str) -> str:
        """Set another password with the code from such a mail, and return the server's words."""
        self._must_speak("reset_password", "reset a password")
        wanted = tp_pb2.ResetPassword(code=code, password=password)
        return (await self._one("reset_password", wanted, tp_pb2.Okay)).result

    async def own_account(self) -> tp_pb2.OwnAccount:
        """The account that is logged in, its role, and what it may do for the operator. TP03 and TP04 have no such
        request, nor the two that follow: BadArgument."""
        self._must_speak("get_own_account", "ask about the own account")
        return await self._one("get_own_account", tp_pb2.GetOwnAccount(), tp_pb2.OwnAccount)

    async def accounts(self, search: str = "") -> list[tp_pb2.ListedAccount]:
        """All accounts, or those with a text in their names, for whose role lets see them."""
        self._must_speak("get_accounts", "list accounts")
        found: list[tp_pb2.ListedAccount] = []
        start = 0
        while True:
            asked = tp_pb2.GetAccounts(start=start, search=search)
            part = await self._one("get_accounts", asked, tp_pb2.Accounts)
            found += part.accounts
            if part.following <= start:
                return found
            start = part.following

    async def administer(self, operation: str, arguments: Mapping[str, str]) -> list[str]:
        """Do what the operator does, one of `OwnAccount.operations`, and return the lines that it prints."""
        self._must_speak("administer", "administer the server")
        given = [tp_pb2.OperationArgument(name=name, value=value) for name, value in arguments.items()]
        asked = tp_pb2.Administer(operation=operation, arguments=given)
        return list((await self._one("administer", asked, tp_pb2.Administered)).lines)

    async def tokens(self) -> list[tp_pb2.Token]:
        """The tokens by which programs log in to the account, the newest first. TP03 and TP04 have no such request:
        BadArgument. But a token logs in in any dialect, in the place of the password."""
        self._must_speak("get_tokens", "list tokens")
        return list((await self._one("get_tokens", tp_pb2.GetTokens(), tp_pb2.Tokens)).tokens)

    async def create_token(
        self, label: str, game: str = "", *, read_only: bool = False, days: int = 90
    ) -> tp_pb2.Token:
        """Make a token for all games of the account, or for one; the answer has its `secret`, this once."""
        self._must_speak("create_token", "make a token")
        wanted = tp_pb2.CreateToken(label=label, game=game, read_only=read_only, days=days)
        return await self._one("create_token", wanted, tp_pb2.Token)

    async def revoke_token(self, number: int) -> str:
        """End a token by its id in `tokens`, and return the server's words."""
        self._must_speak("revoke_token", "revoke a token")
        return (await self._one("revoke_token", tp_pb2.RevokeToken(id=number), tp_pb2.Okay)).result

    async def talk(self, game: str = "") -> tp_pb2.Talk:
        """What can be written in a game, by its name, or else in that which is played, if any is; whom the account does
        not hear, and until when it may write to nobody. TP03 and TP04 have no such request: BadArgument."""
        self._must_speak("get_talk", "ask what can be written")
        return await self._one("get_talk", tp_pb2.GetTalk(game=game), tp_pb2.Talk)

    async def set_mute(self, muted: bool, game: str = "") -> str:
        """Hear nothing of letters to everybody in a game, by its name, or else in that which is played, or hear them
        again; return the server's words."""
        self._must_speak("set_mute", "mute a game")
        return (await self._one("set_mute", tp_pb2.SetMute(game=game, muted=muted), tp_pb2.Okay)).result

    async def set_block(self, name: str, blocked: bool = True, player: int = 0, game: str = "") -> str:
        """Take no letters of an account any more, by its name, or else of a player of a game by its number, of that
        which is played if none is named; or take them again. Return the server's words."""
        self._must_speak("set_block", "block an account")
        wanted = tp_pb2.SetBlock(name=name, player=player, blocked=blocked, game=game)
        return (await self._one("set_block", wanted, tp_pb2.Okay)).result

    async def set_silence(self, name: str, days: int, reason: str = "") -> str:
        """For moderators: let an account write to nobody for so many days, 0: not any more. Return the server's
        words."""
        self._must_speak("set_silence", "silence an account")
        wanted = tp_pb2.SetSilence(name=name, days=days, reason=reason)
        return (await self._one("set_silence", wanted, tp_pb2.Okay)).result

    async def spectator_letters(self) -> list[tp_pb2.Message]:
        """What the spectators of the game have written to each other, the oldest first: for whoever watches it, and for
        players when it is over."""
        own, players = await self._own_and_players()
        return await self.messages(own if own not in players else max(players) + 1)

    async def post_to_spectators(self, subject: str, body: str) -> None:
        """Write to all who watch the game. Raises BadArgument for whoever plays it."""
        own, players = await self._own_and_players()
        if own in players:
            raise BadArgument("Only who watches the game writes to its spectators.")
        await self.post(own, subject, body)

    async def _own_and_players(self) -> tuple[int, set[int]]:
        """Our number, which is none of the players' for whoever watches, and those of all players."""
        own = await self._one("get_player", tp_pb2.GetWithID(ids=[0]), tp_pb2.Player)
        wanted = tp_pb2.GetIDSequence(key=-1, start=0, amount=-1, fromtime=-1)
        listed = await self._one("get_player_ids", wanted, tp_pb2.IDSequence)
        return own.id, {one.id for one in listed.ids}

    async def report_message(self, slot: int, subject: str, reason: str, *, spectators: bool = False) -> str:
        """Show a letter on the own board to the moderators, or with `spectators` one that players read when the game is
        over; `subject` is that of the letter, so that no other one is reported. Return the server's words."""
        self._must_speak("report_message", "report a letter")
        wanted = tp_pb2.ReportMessage(slot=slot, subject=subject, reason=reason, spectators=spectators)
        return (await self._one("report_message", wanted, tp_pb2.Okay)).result

    async def message_reports(self, *, closed: bool = False) -> list[tp_pb2.MessageReport]:
        """For moderators: the letters that were reported and about which nothing was decided, or something was; the
        oldest first, at most `MOST_REPORTS`."""
        self._must_speak("get_message_reports", "look at what was reported")
        found: list[tp_pb2.MessageReport] = []
        start = 0
        while len(found) < MOST_REPORTS:
            wanted = tp_pb2.GetMessageReports(start=start, closed=closed)
            part = await self._one("get_message_reports", wanted, tp_pb2.MessageReports)
            found += part.reports
            if part.following <= start:
                break
            start = part.following
        return found

    async def close_report(self, number: int, decision: str, answer: str, days: int = 0) -> str:
        """For moderators: decide about a report by its id: dismissed, warned, or silenced for so many days. Return the
        server's words."""
        self._must_speak("close_report", "decide about a report")
        wanted = tp_pb2.CloseReport(id=number, decision=decision, answer=answer, days=days)
        return (await self._one("close_report", wanted, tp_pb2.Okay)).result

    async def rename_game(self, game: str, name: str) -> str:
        """Give a game that the account has made another name; return the server's words."""
        self._must_speak("rename_game", "give a game another name")
        return (await self._one("rename_game", tp_pb2.RenameGame(game=game, name=name), tp_pb2.Okay)).result

    async def set_join(self, game: str, *, invited: bool) -> str:
        """Close a game that the account has made to newcomers, or open it to all; return the server's words."""
        self._must_speak("set_join", "say who may join a game")
        return (await self._one("set_join", tp_pb2.SetJoin(game=game, invited=invited), tp_pb2.Okay)).result

    async def set_watch_delay(self, game: str, delay: int, *, closed: bool = False) -> str:
        """Show a game that the account has made so many turns later to spectators, or not before its end; once it has
        begun only later than before. Return the server's words."""
        self._must_speak("set_watch_delay", "say when spectators see a game")
        wanted = tp_pb2.SetWatchDelay(game=game, watch_delay=delay, unwatched=closed)
        return (await self._one("set_watch_delay", wanted, tp_pb2.Okay)).result

    async def abort_game(self, game: str, reason: str) -> str:
        """End a game that the account has made without a result; return the server's words."""
        self._must_speak("abort_game", "end a game")
        return (await self._one("abort_game", tp_pb2.AbortGame(game=game, reason=reason), tp_pb2.Okay)).result

    async def hand_over_game(self, game: str, account: str, player: int = 0) -> str:
        """Let another player of a game that the account has made own it, by the account's name or else by the player's
        number; return the server's words."""
        self._must_speak("hand_over_game", "hand a game over")
        wanted = tp_pb2.HandOverGame(game=game, account=account, player=player)
        return (await self._one("hand_over_game", wanted, tp_pb2.Okay)).result

    async def create_account(self, username: str, password: str, email: str = "", comment: str = "") -> str:
        """Make an account and return the server's words; log in afterwards."""
        account = tp_pb2.CreateAccount(username=username, password=password, email=email, comment=comment)
        return (await self._one("create_account", account, tp_pb2.Okay)).result

    async def features(self) -> list[int]:
        """The numbers of the features that the server offers (TP04, Features)."""
        return list((await self._one("get_features", tp_pb2.GetFeatures(), tp_pb2.Features)).features)

    async def games(self) -> list[tp_pb2.Game]:
        """The games on the server. TP03 has no such request: BadArgument."""
        answer = await self.ask("get_games", tp_pb2.GetGames())
        return answer.all_of(tp_pb2.Game)

    async def rules(self, ruleset: str = "") -> Manual:
        """The rules for players of a ruleset, as `Game.rule` names it, or else of the game that is played; before login
        too. TP03 and TP04 have no such request: BadArgument."""
        self._must_speak(RULES, "ask for the rules of a game")
        return Manual.told(await self._one(RULES, tp_pb2.GetRules(ruleset=ruleset), tp_pb2.Rules))

    async def appearance(self, ruleset: str = "") -> tp_pb2.Appearance:
        """What a ruleset looks like, as `Game.rule` names it, or else the game that is played; before login too. TP03
        and TP04 have no such request: BadArgument. Show a symbol only as what it may be (`protocol/README.md`)."""
        self._must_speak(APPEARANCE, "ask what a game looks like")
        return await self._one(APPEARANCE, tp_pb2.GetAppearance(ruleset=ruleset), tp_pb2.Appearance)

    async def standing(self) -> tp_pb2.Standing:
        """How all stand in the turn that is seen: scores, own actions, regions. TP03 and TP04 have no such request:
        BadArgument."""
        self._must_speak(STANDING, "ask how all stand")
        return await self._one(STANDING, tp_pb2.GetStanding(), tp_pb2.Standing)

    async def scores(self) -> tp_pb2.Scores:
        """How all stood in each turn up to the one that is seen, and the places of a game that is over. TP03 and TP04
        have no such request: BadArgument."""
        self._must_speak(SCORES, "ask how all stood")
        return await self._one(SCORES, tp_pb2.GetScores(), tp_pb2.Scores)

    async def setup(self, game: str = "") -> tp_pb2.GameSetup:
        """What a game was made with, by its name, or else that which is played; before login too. TP03 and TP04 have no
        such request: BadArgument."""
        self._must_speak(SETUP, "ask what a game was made with")
        return await self._one(SETUP, tp_pb2.GetGameSetup(game=game), tp_pb2.GameSetup)

    async def game_clock(self, game: str = "") -> tp_pb2.Clock:
        """What the clock of a game says, by its name, or else of that which is played; before login too. Times are in
        unix seconds. TP03 and TP04 have no such request: BadArgument."""
        self._must_speak(CLOCK, "ask what a game's clock says")
        return await self._one(CLOCK, tp_pb2.GetClock(game=game), tp_pb2.Clock)

    async def extend_turn(self, game: str, seconds: int) -> str:
        """Give the present turn of a game that the account has made so many seconds more, and return the server's
        words. TP03 and TP04 have no such request: BadArgument."""
        self._must_speak(EXTEND_TURN, "give a turn more time")
        asked = tp_pb2.ExtendTurn(game=game, seconds=seconds)
        return (await self._one(EXTEND_TURN, asked, tp_pb2.Okay)).result

    async def set_clock(self, game: str, clock: str) -> str:
        """Give a game that the account has made another clock, as in CreateGame, and return the server's words. TP03
        and TP04 have no such request: BadArgument."""
        self._must_speak(SET_CLOCK, "give a game another clock")
        return (await self._one(SET_CLOCK, tp_pb2.SetClock(game=game, clock=clock), tp_pb2.Okay)).result

    async def clock_groups(self, ruleset: str) -> list[tp_pb2.ClockGroup]:
        """The turns of a ruleset that may have a clock of their own; before login too. TP03 and TP04 have no such
        request: BadArgument."""
        self._must_speak(CLOCK_GROUPS, "ask which turns may have a clock of their own")
        told = await self._one(CLOCK_GROUPS, tp_pb2.GetClockGroups(ruleset=ruleset), tp_pb2.ClockGroups)
        return list(told.groups)

    async def game_seats(self, game: str = "") -> tp_pb2.Seats:
        """Who plays the seats of a game, by its name, or else of that which is played; before login too. TP03 and TP04
        have no such request, nor any of those about seats: BadArgument."""
        self._must_speak(SEATS, "ask who plays the seats")
        return await self._one(SEATS, tp_pb2.GetSeats(game=game), tp_pb2.Seats)

    async def set_seat_policy(self, game: str, policy: tp_pb2.SeatPolicy) -> str:
        """Have a game that the account has made do something else about absent players; return the server's words."""
        self._must_speak(SEAT_POLICY, "decide about absent players")
        return (await self._one(SEAT_POLICY, tp_pb2.SetSeatPolicy(game=game, policy=policy), tp_pb2.Okay)).result

    async def say_here(self) -> str:
        """Say that we are here, so that the game waits for us again; return the server's words."""
        self._must_speak(HERE, "say that you are here")
        return (await self._one(HERE, tp_pb2.SayHere(), tp_pb2.Okay)).result

    async def set_autopilot(self, turns: int) -> str:
        """Leave our seat to the bot of the rules for 1 to 100 turns, or with 0 not any more; return the server's
        words."""
        self._must_speak(AUTOPILOT, "leave your seat to a bot")
        return (await self._one(AUTOPILOT, tp_pb2.SetAutopilot(turns=turns), tp_pb2.Okay)).result

    async def open_seats(self, most: int = 1000) -> list[tp_pb2.OpenSeat]:
        """The seats of running games that seek somebody, at most so many; before login too."""
        self._must_speak(OPEN_SEATS, "ask for open seats")
        found: list[tp_pb2.OpenSeat] = []
        start = 0
        while len(found) < most:
            told = await self._one(OPEN_SEATS, tp_pb2.GetOpenSeats(start=start), tp_pb2.OpenSeats)
            found += told.seats
            if not told.following or (start and told.following >= start):
                break
            start = told.following
        return found[:most]

    async def take_seat(self, game: str, player: int, invitation: str = "") -> str:
        """Take a seat that seeks somebody, by the number of its player; return the server's words."""
        self._must_speak(TAKE_SEAT, "take a seat")
        asked = tp_pb2.TakeSeat(game=game, player=player, invitation=invitation)
        return (await self._one(TAKE_SEAT, asked, tp_pb2.Okay)).result

    async def remove_player(self, game: str, player: int) -> str:
        """Take a seat of a game that the account has made from its player, or offer a bot's; return the server's
        words."""
        self._must_speak(REMOVE_PLAYER, "remove a player")
        return (await self._one(REMOVE_PLAYER, tp_pb2.RemovePlayer(game=game, player=player), tp_pb2.Okay)).result

    async def proposals(self, game: str = "") -> tp_pb2.Proposals:
        """What the players of a game have proposed to each other, and what we can propose, by its name, or else of that
        which is played. Times are in unix seconds. TP03 and TP04 have no such request: BadArgument."""
        self._must_speak(PROPOSALS, "ask what is proposed")
        return await self._one(PROPOSALS, tp_pb2.GetProposals(game=game), tp_pb2.Proposals)

    async def propose(self, game: str, kind: str, seconds: int = 0) -> str:
        """Propose something, of a kind that `proposals` offers, and return the server's words. TP03 and TP04 have no
        such request: BadArgument."""
        self._must_speak(PROPOSE, "propose something")
        asked = tp_pb2.Propose(game=game, kind=kind, seconds=seconds)
        return (await self._one(PROPOSE, asked, tp_pb2.Okay)).result

    async def vote(self, game: str, number: int, vote: str) -> str:
        """Agree to a proposal, refuse or withdraw it ("agree", "refuse", "withdraw"), and return the server's words.
        TP03 and TP04 have no such request: BadArgument."""
        self._must_speak(VOTE, "vote")
        return (await self._one(VOTE, tp_pb2.Vote(game=game, id=number, vote=vote), tp_pb2.Okay)).result

    async def vacations(self) -> tp_pb2.Vacations:
        """When the account is on vacation, and how much of it is left this year. TP03 and TP04 have no such request:
        BadArgument."""
        self._must_speak(VACATIONS, "ask when you are on vacation")
        return await self._one(VACATIONS, tp_pb2.GetVacations(), tp_pb2.Vacations)

    async def add_vacation(self, begins: int, ends: int) -> str:
        """Say that the account is on vacation, in unix seconds (0: from now on), and return the server's words. TP03
        and TP04 have no such request: BadArgument."""
        self._must_speak(ADD_VACATION, "say when you are on vacation")
        return (await self._one(ADD_VACATION, tp_pb2.AddVacation(begins=begins, ends=ends), tp_pb2.Okay)).result

    async def end_vacation(self, number: int) -> str:
        """End a vacation of the account now, or call it off, and return the server's words. TP03 and TP04 have no such
        request: BadArgument."""
        self._must_speak(END_VACATION, "end a vacation")
        return (await self._one(END_VACATION, tp_pb2.EndVacation(id=number), tp_pb2.Okay)).result

    async def unfinish_turn(self) -> str:
        """Take back that we are done with this turn, until it is computed; return the server's words. TP03 and TP04
        have no such request: BadArgument."""
        self._must_speak(UNFINISH, "take back that a turn is finished")
        return (await self._one(UNFINISH, tp_pb2.UnfinishTurn(), tp_pb2.Okay)).result

    async def legal_orders(self, *objects: int) -> list[tp_pb2.LegalOrder]:
        """Which types of order can be given now: all, or those that these objects carry or that name them first. TP03
        and TP04 have no such request: BadArgument."""
        self._must_speak(LEGAL_ORDERS, "ask which orders are legal")
        found: list[tp_pb2.LegalOrder] = []
        start = 0
        for _ in range(MOST_PARTS):
            asked = tp_pb2.GetLegalOrders(ids=objects, start=start)
            told = await self._one(LEGAL_ORDERS, asked, tp_pb2.LegalOrders)
            found += told.orders
            if told.following <= start:
                return found
            start = told.following
        raise UnexpectedAnswer(f"The server tells which orders are legal in more than {MOST_PARTS} parts.")

    async def legal_values(
        self, queue: int, kind: OrderType, parameters: Sequence[tp_pb2.OrderParameter] = ()
    ) -> tp_pb2.LegalValues:
        """Which values the next parameter of an order takes after those that are chosen; with all of them why it would
        not be accepted, or may come to nothing. TP03 and TP04 have no such request: BadArgument."""
        self._must_speak(LEGAL_VALUES, "ask which values are legal")
        otype = order_type(self.session.descriptions, kind).id
        asked = tp_pb2.GetLegalValues(id=queue, otype=otype, parameters=parameters)
        whole = await self._one(LEGAL_VALUES, asked, tp_pb2.LegalValues)
        for _ in range(MOST_PARTS):
            if whole.following <= asked.start:
                return whole
            asked.start = whole.following
            told = await self._one(LEGAL_VALUES, asked, tp_pb2.LegalValues)
            whole.ids.extend(told.ids)
            whole.values.extend(told.values)
            whole.left_out += told.left_out
            whole.following = told.following
        raise UnexpectedAnswer(f"The server tells which values are legal in more than {MOST_PARTS} parts.")

    async def turn_summaries(self, first: int, amount: int = 1) -> list[tp_pb2.TurnSummary]:
        """How the turns `first`, `first` + 1, ... began, as many as there are, up to `amount` (64 at most); fewer where
        they are long. TP03 and TP04 have no such request: BadArgument."""
        self._must_speak(TURN_SUMMARIES, "ask what happened in a turn")
        asked = tp_pb2.GetTurnSummaries(first=first, amount=amount)
        return (await self.ask(TURN_SUMMARIES, asked)).all_of(tp_pb2.TurnSummary)

    def _must_speak(self, request: str, what: str) -> None:
        if not self.speaks(request):
            raise BadArgument(f"{self.session.dialect.name} cannot {what}; Protocol Buffers can (dialect pb).")

    def speaks(self, request: str) -> bool:
        """Whether the dialect has a request."""
        return request in (kind.field for kind in self.session.dialect.kinds.values())

    async def ping(self) -> None:
        """Make sure that the server is there."""
        await self._one("ping", tp_pb2.Ping(), tp_pb2.Okay)

    # --- looking

    def universe(self) -> Universe:
        """An empty copy of the universe for this connection, to be filled with `refresh`."""
        return Universe(self.session.dialect, self.session.descriptions)

    async def refresh(
        self, universe: Universe, tables: Iterable[str] = EVERYTHING, progress: Progress | None = None
    ) -> Changes:
        """Bring a copy of the universe up to date and say what changed. Lists of ids are no progress, things are."""
        steps = universe.refresh(tables)
        try:
            requests = next(steps)
            while True:
                wanted = sum(map(things_wanted, requests))
                tell = partial(_tell, progress, wanted) if progress is not None and wanted else None
                requests = steps.send(await self.ask_all(requests, tell))
        except StopIteration as end:
            changes: Changes = end.value
            return changes

    async def messages(self, board: int = 0, start: int = 0) -> list[tp_pb2.Message]:
        """The messages of a board from slot `start` on, oldest first; board 0 is the player's own."""
        boards = await self.ask("get_boards", tp_pb2.GetWithID(ids=[board]))
        count = boards.one(tp_pb2.Board).messages
        answers = await self.ask_all(message_requests(board, range(start, count)))
        return [message for answer in answers for message in answer.present(tp_pb2.Message)]

    async def post(
        self, board: int, subject: str, body: str, references: Sequence[tp_pb2.Reference] = (), turn: int = 0
    ) -> None:
        """Put a message at the end of a board."""
        message = tp_pb2.Message(id=board, slot=APPEND, subject=subject, body=body, turn=turn, references=references)
        await self._one("post_message", message, tp_pb2.Okay)

    async def remove_messages(self, *slots: int, board: int = 0) -> None:
        """Take messages off a board, one after the other as given: each moves up those behind it. Raises the first
        refusal, after all have been answered."""
        answer = await self.ask("remove_message", tp_pb2.GetWithIDSlot(id=board, slots=slots))
        answer.all_of(tp_pb2.Okay)

    # --- orders

    async def orders(self, queue: int) -> list[tp_pb2.Order]:
        """The orders in a queue. The ids of TP03 are those of objects."""
        wanted = tp_pb2.GetWithID(ids=[queue])
        if self.has_turn_numbers:
            count = (await self._one("get_order_queue", wanted, tp_pb2.OrderQueue)).num_orders
        else:
            count = (await self._one("get_objects_by_id", wanted, tp_pb2.ClassicObject)).orders
        answer = await self.ask("get_order", tp_pb2.GetWithIDSlot(id=queue, slots=range(count)))
        return answer.all_of(tp_pb2.Order)

    async def insert_order(
        self, queue: int, kind: OrderType, arguments: Arguments | None = None, slot: int = APPEND
    ) -> tp_pb2.Order:
        """Give an order by its type, or that type's name, and the names of its parameters.

        `tpclient.parameters` has the values that fit.

        Returns it as the server has it, with its slot and, for lists, what can be selected; TP03 servers only say Okay,
        so there it comes back as it was sent. Raises UnknownName and BadArgument before anything is sent.
        """
        return await self.send_order(build_order(order_type(self.session.descriptions, kind), queue, arguments, slot))

    async def send_order(self, order: tp_pb2.Order) -> tp_pb2.Order:
        """Give an order that is built already, into its queue and slot."""
        return inserted_order(await self.ask("order_insert", order), order)

    async def replace_order(
        self, old: tp_pb2.Order, kind: OrderType, arguments: Arguments | None = None
    ) -> tp_pb2.Order:
        """Put an order in the place of `old`, which is as `orders` gave it, and return it.

        If the server refuses, the old order stays and the refusal is raised. Raises ClientError if another order is
        there by now.

        Protocol Buffers have a request for that. Else the new order goes in before the old one comes out. Only where
        the rules do not take both at once, and a probe says that they take the new one alone, the old one comes out
        first, in one go with the insertion of the new one.
        """
        return await self._put_in_place(
            old, build_order(order_type(self.session.descriptions, kind), old.id, arguments, old.slot)
        )

    async def move_order(self, old: tp_pb2.Order, slot: int) -> tp_pb2.Order:
        """Move an order, which is as `orders` gave it, to another slot of its queue, as `replace_order` does.

        Raises BadArgument for a draft: what it shows and nobody chose would be sent as if it had been chosen.
        """
        if is_unfinished(old):
            raise BadArgument("Something is not chosen yet in this order; change it or remove it.")
        return old if slot == old.slot else await self._put_in_place(old, _at(old, slot))

    async def _put_in_place(self, old: tp_pb2.Order, new: tp_pb2.Order) -> tp_pb2.Order:
        """Put `new` into its slot of the queue in which `old` is, and take `old` out; return the new order."""
        if not await self._is_there(old, old.slot):
            raise ClientError("The queue has changed meanwhile; look at it and try again.")
        if old.slot == new.slot and self.speaks(REPLACE):
            return await self._one(REPLACE, new, tp_pb2.Order)
        forward = new.slot > old.slot
        try:
            made = await self.send_order(_at(new, new.slot + 1 if forward else new.slot))
        except RequestFailed:
            return await self._one_by_one(old, new)
        moved = old.slot if forward else old.slot + 1
        if await self._is_there(old, moved):  # where orders are carried out at once the queue may be another one
            try:
                await self.remove_order(old.id, moved)
            except RequestFailed:
                await self.remove_order(old.id, made.slot)
                raise
        return _at(made, new.slot)

    async def _one_by_one(self, old: tp_pb2.Order, new: tp_pb2.Order) -> tp_pb2.Order:
        """Take the old order out and put the new one in; if that is refused after all, put the old one back."""
        await self._one("order_probe", new, tp_pb2.Order)
        removal = Request("remove_order", tp_pb2.GetWithIDSlot(id=old.id, slots=[old.slot]))
        removed, inserted = await self.ask_all([removal, Request("order_insert", new)])
        try:
            removed.one(tp_pb2.Okay)
        except RequestFailed:
            with suppress(RequestFailed):
                inserted_order(inserted, new)
                await self.remove_order(old.id, new.slot)
            raise
        try:
            return inserted_order(inserted, new)
        except RequestFailed as refusal:
            if is_unfinished(old):
                raise  # what nobody chose would be sent as if it had been chosen; such an order counts for nothing
            try:
                await self.send_order(old)
            except RequestFailed as second:
                text = f"{refusal.text} What was there before is refused now, too: {second.text}"
                raise RequestFailed(refusal.code, text, refusal.request, refusal.parameter) from second
            raise

    async def _is_there(self, order: tp_pb2.Order, slot: int) -> bool:
        """Whether an order with the same choices is in a slot of its queue."""
        answer = await self.ask("get_order", tp_pb2.GetWithIDSlot(id=order.id, slots=[slot]))
        return [choices(found) for found in answer.present(tp_pb2.Order)] == [choices(order)]

    async def probe(self, queue: int, kind: OrderType, arguments: Arguments | None = None) -> tp_pb2.Order:
        """Ask what `insert_order` would give, without giving the order."""
        order = build_order(order_type(self.session.descriptions, kind), queue, arguments)
        return await self._one("order_probe", order, tp_pb2.Order)

    async def remove_order(self, queue: int, *slots: int) -> None:
        """Take orders out of a queue. Raises the first refusal."""
        answer = await self.ask("remove_order", tp_pb2.GetWithIDSlot(id=queue, slots=slots))
        answer.all_of(tp_pb2.Okay)

    # --- turns

    async def time_remaining(self) -> tp_pb2.TimeRemaining:
        """Ask how long the turn still lasts; `clock` is set to the answer as well."""
        return await self._one("get_time_remaining", tp_pb2.GetTimeRemaining(), tp_pb2.TimeRemaining)

    async def next_clock(self, seen: tp_pb2.TimeRemaining | None, patience: float) -> tp_pb2.TimeRemaining:
        """A newer clock than `seen`, which may be there already. After `patience` seconds without one it is asked for:
        a notice may be lost, letters come without any, and a server that has gone is noticed.
        """
        if self.clock is not None and self.clock is not seen:
            return self.clock
        if await self.wait_for_change(patience) and self.clock is not None:
            return self.clock
        return await self.time_remaining()

    async def finish_turn(self) -> None:
        """Say that we are done with this turn."""
        await self._one("finished_turn", tp_pb2.FinishedTurn(), tp_pb2.Okay)

    async def wait_for_turn(self, after: int, timeout: float | None = None) -> int:
        """Wait until a turn after number `after` has begun and return its number.

        TP03 has no turn numbers on the clock: there `after` is counted as in `turns_begun`, and so is what is returned.
        Raises NoAnswer if no such turn begins within `timeout` seconds.
        """
        try:
            async with asyncio.timeout(timeout):
                while True:
                    if self._present_turn() > after:
                        return self._present_turn()
                    await self.wait_for_change()
        except TimeoutError:
            raise NoAnswer(f"No turn after {after} began within {timeout:g} seconds.") from None

    def _present_turn(self) -> int:
        if not self.has_turn_numbers:
            return self.turns_begun
        return self.clock.turn if self.clock is not None else -1

    # --- the clock

    async def wait_for_change(self, timeout: float | None = None) -> bool:
        """Wait until `clock` changes; False if that takes longer than `timeout` seconds."""
        if self.end is not None:
            raise self.end
        try:
            async with asyncio.timeout(timeout):
                await self._change.wait()
        except TimeoutError:
            return False
        if self.end is not None:
            raise self.end
        return True

    def _set_clock(self, clock: tp_pb2.TimeRemaining, *, is_push: bool) -> None:
        before, self.clock = self.clock, clock
        if self.has_turn_numbers:
            begins = clock.reason == TURN_BEGINS
        else:  # seconds again after none
            begins = clock.time > 0 and before is not None and before.time == 0
        if is_push and begins:
            self.turns_begun += 1
        self._change.set()
        self._change = asyncio.Event()
        if self.on_clock is not None:
            self.on_clock(clock, is_push)

    # --- what the stream reports

    def data_received(self, data: bytes) -> None:
        if self.end is not None:
            return  # a WebSocket hands over what was on its way
        try:
            events = self.session.receive(data)
        except UnexpectedAnswer as error:
            self.drop(error)
            return
        for event in events:
            if isinstance(event, Answer):
                for reply in event.replies:
                    if isinstance(reply.message, tp_pb2.TimeRemaining):
                        self._set_clock(reply.message, is_push=False)
                if event.sequence in self._answers:
                    self._answers[event.sequence] = event
            elif isinstance(event.reply.message, tp_pb2.TimeRemaining):
                self._set_clock(event.reply.message, is_push=True)
        self._arrival.set()
        self._arrival = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        if not isinstance(exc, ClientError):
            closed = self.session.closed()
            closed.__cause__ = exc
            exc = closed
        self.drop(exc)


def inserted_order(answer: Answer, sent: tp_pb2.Order) -> tp_pb2.Order:
    """The order in the answer to OrderInsert; where the server only says Okay, as TP03 has it, the one that was sent.

    Raises RequestFailed.
    """
    if any(isinstance(reply.message, tp_pb2.Okay) for reply in answer.replies):
        return sent
    return answer.one(tp_pb2.Order)


def message_requests(board: int, slots: range) -> list[Request]:
    """Requests for the messages in these slots, for no more than MOST_MESSAGES_AT_ONCE each."""
    starts = range(0, len(slots), MOST_MESSAGES_AT_ONCE)
    parts = [slots[at : at + MOST_MESSAGES_AT_ONCE] for at in starts]
    return [Request("get_message", tp_pb2.GetWithIDSlot(id=board, slots=part)) for part in parts]


def things_wanted(request: Request) -> int:
    """How many things a request asks for by their ids; 0 for one that asks who we are."""
    wanted = request.message.ids if isinstance(request.message, tp_pb2.GetWithID) else ()
    return 0 if list(wanted) == [0] and request.kind == "get_player" else len(wanted)


def _tell(progress: Progress, wanted: int, received: int) -> None:
    progress(min(received, wanted), wanted)


def _at(order: tp_pb2.Order, slot: int) -> tp_pb2.Order:
    moved = tp_pb2.Order()
    moved.CopyFrom(order)
    moved.slot = slot
    return moved


# --- the way into a game, for all clients

NOT_ABOUT_ACCOUNT = (FailCode.UNAVAILABLE_PERMANENTLY, FailCode.UNAVAILABLE_TEMPORARILY)
"""The codes of refusals at login that say nothing against name and password: the game, or the server, cannot now."""

Dial = Callable[[], Awaitable[Connection]]
"""Makes a connection on which nothing has been said yet."""


async def greeted(dial: Dial) -> Connection:
    """Connect and say hello; nobody is logged in yet.

    Raises ServerAway, NoAnswer, ConnectionClosed, UnexpectedAnswer, BadArgument or RequestFailed.
    """
    connection = await dial()
    try:
        await connection.connect()
    except BaseException:
        connection.close()
        raise
    return connection


async def newest_dialect(address: Address, timeout: float) -> Dialect:
    """What to speak at an address where nobody says: Protocol Buffers, or TP04 if the server does not understand their
    greeting: it hangs up, says something that is no frame of theirs, or nothing for `timeout` seconds.

    It is tried on a connection of its own. Raises ServerAway, BadArgument, RequestFailed, or NoAnswer if there is no
    connection.
    """
    if address.is_web:
        return PB
    async with await Connection.open(address, PB, timeout) as connection:
        try:
            await connection.connect()
        except (ConnectionClosed, NoAnswer, UnexpectedAnswer):
            return TP04
    return PB


async def read_manual(
    address: Address | str, ruleset: str = "", *, game: str = "", welcome: str = "", timeout: float = 30.0
) -> Manual:
    """The rules for players of a ruleset, or else of a game, on a connection of its own in Protocol Buffers, which has
    no need of a login.

    Without a name of a game it is the one to which the server said `welcome`, or the only one. Raises UnknownName if
    that does not decide, and what `greeted` does.
    """
    async with await greeted(partial(Connection.open, address, PB, timeout)) as connection:
        return await connection.rules(ruleset or ruleset_of(await connection.games(), game, welcome))


def ruleset_of(games: Sequence[tp_pb2.Game], game: str = "", welcome: str = "") -> str:
    """The ruleset of a game, found as `own_game` does, or else the only one that is played. Raises UnknownName."""
    found = own_game(games, game, welcome)
    if found is not None and (welcome or not game or found.name.casefold() == game.casefold()):
        return found.rule
    rulesets = {one.rule for one in games}
    if len(rulesets) == 1 and not game:
        return rulesets.pop()
    if not games:
        raise UnknownName("There is no game on this server; name a ruleset.")
    names = listed(f"{shown(one.name)} ({shown(one.rule)})" for one in games)
    problem = f"There is no game {game!r}" if game else "The server has several games"
    raise UnknownName(f"{problem}; name one, or a ruleset: {names}.")


@dataclass(frozen=True, slots=True)
class Login:
    """Who we are: `game` is the name of one of several games, `register` makes the account if the login is refused,
    `turn` is an old turn to look at."""

    dial: Dial
    user: str
    password: str
    game: str = ""
    register: bool = False
    turn: int | None = None

    async def enter(self) -> Connection:
        """Connect and log in.

        Raises what `greeted` does, and RequestFailed if the login is refused.
        """
        connection = await greeted(self.dial)
        try:
            await self.log_in(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    async def log_in(self, connection: Connection) -> None:
        """Log in on a connection; raises RequestFailed if that is refused."""
        try:
            await connection.login(self.user, self.password, self.game, self.turn)
        except RequestFailed as refusal:
            if not self.register or refusal.code in NOT_ABOUT_ACCOUNT:
                raise
            await connection.create_account(self.user.partition("@")[0], self.password)
            await connection.login(self.user, self.password, self.game, self.turn)

"""A connection to a game server, for asyncio.

It logs in, reads objects, gives orders, finishes the turn and waits for the next one. Requests go out over an open
stream, and responses arrive in the same order. TimeRemaining frames are read whenever they arrive.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, TypeVar

from google.protobuf.message import Message

from tpclient.address import Address, parse_address
from tpclient.columns import listed, shown
from tpclient.errors import (
    BadArgument,
    ClientError,
    ConnectionClosed,
    NoAnswer,
    RequestFailed,
    ServerAway,
    UnexpectedAnswer,
    UnknownName,
)
from tpclient.games import login_name, own_game
from tpclient.manual import Manual
from tpclient.objects import SpaceObject
from tpclient.orders import APPEND, Arguments, OrderType, build_order, choices, is_unfinished, order_type
from tpclient.parameters import Value, build
from tpclient.requests import Requests
from tpclient.session import Answer, M, Request, Session
from tpclient.transport import Stream, open_stream, spoken_at
from tpclient.universe import EVERYTHING, Changes, Universe
from tpproto import tp_pb2
from tpproto.dialects import PB, TP03, TP04, Dialect
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME, policy_of

CLIENT = "tpclient"
"""The name of this client in the Connect frame."""

MOST_MESSAGES_AT_ONCE = 500
"""Maximum messages in one request."""

MOST_PARTS = 500
"""Maximum parts of a response about legal orders.

Each part takes the server a few milliseconds.
"""

TURN_BEGINS = 1
"""The reason of the TimeRemaining frame that is pushed when a turn begins (TP04, TimeRemaining)."""

REPLACE = "order_replace"
"""The request that puts an order in the place of another, in dialects that have it."""

AS_INSERTION, AS_REPLACEMENT = 1, 2
"""Values of Order.judged: whether an OrderProbe is judged as a new order or as a replacement.

Only dialects with `REPLACE` have the field.
"""

RULES = "get_rules"
"""The request for the rules for players, in dialects that have it."""

UNFINISH, LEGAL_ORDERS, LEGAL_VALUES = "unfinish_turn", "get_legal_orders", "get_legal_values"
TURN_SUMMARIES = "get_turn_summaries"
APPEARANCE, STANDING = "get_appearance", "get_standing"
SCORES, SETUP, CLOCK = "get_scores", "get_game_setup", "get_clock"
MY_GAMES, SEATS, PROPOSALS = "get_my_games", "get_seats", "get_proposals"
"""Requests that only Protocol Buffers and JSON have."""

MOST_REPORTS = 1000
"""Maximum of reported messages that are requested."""

Turned = TypeVar(
    "Turned", tp_pb2.FinishedTurn, tp_pb2.UnfinishTurn, tp_pb2.SetAutopilot, tp_pb2.Order, tp_pb2.GetWithIDSlot
)

Progress = Callable[[int, int], None]
"""A callback during a download, with the number of received things and of all things.

It is called at least once, at the end.
"""


class Connection(Requests, asyncio.Protocol):
    """One connection to a server.

    `Requests` has the methods that are a single request. Every method that sends a request raises RequestFailed if the
    server refuses it. It raises NoAnswer after `timeout` seconds without a response, and ConnectionClosed if the
    connection has ended.

    `clock` is the newest TimeRemaining frame, requested or pushed. In TP04 and Protocol Buffers it has the turn number,
    the turn name and the awaited players. `on_clock` is called with each of these frames and whether it was pushed.
    `on_end` is called with the reason when the connection ends. The callbacks must neither wait nor raise.
    """

    def __init__(self, dialect: Dialect = TP04, timeout: float = 30.0) -> None:
        self.session = Session(dialect)
        self.timeout = timeout
        self.clock: tp_pb2.TimeRemaining | None = None
        self.welcome = ""
        """The text of the server at login."""
        self.turns_begun = 0
        """Number of turns that have begun on this connection."""
        self.has_turn_numbers = dialect is not TP03
        self.on_clock: Callable[[tp_pb2.TimeRemaining, bool], None] | None = None
        self.on_end: Callable[[ClientError], None] | None = None
        self.end: ClientError | None = None
        """The reason why the connection has ended, None if it has not."""
        self._stream: Stream | None = None
        self._answers: dict[int, Answer | None] = {}
        """Awaited responses by sequence number, None for those that have not arrived yet."""
        self._arrival = asyncio.Event()
        """Set, and then replaced by a new event, when something arrives."""
        self._change = asyncio.Event()
        """Set, and then replaced by a new event, when the clock changes."""

    @classmethod
    async def open(cls, address: Address | str, dialect: Dialect | None = None, timeout: float = 30.0) -> Self:
        """Open a connection without sending anything yet.

        The default dialect is TP04, on a WebSocket Protocol Buffers. Raises ServerAway, NoAnswer or BadArgument.
        """
        where = parse_address(address) if isinstance(address, str) else address
        connection = cls(spoken_at(where, dialect), timeout)
        connection.attach(await open_stream(where, connection, timeout))
        return connection

    def attach(self, stream: Stream) -> None:
        """Use a stream that the caller has opened. It must report to `data_received` and `connection_lost`."""
        self._stream = stream

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. Waiting callers get ConnectionClosed."""
        self.drop(ConnectionClosed("The connection was closed here."))

    def drop(self, error: ClientError) -> None:
        """Close the connection because of an error, which waiting callers get.

        Does nothing if the connection has already ended.
        """
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
        """Send one request, named as in `Frame.body`, and wait for the whole response."""
        (answer,) = await self.ask_all([Request(kind, message)])
        return answer

    async def ask_all(self, requests: Sequence[Request], progress: Callable[[int], None] | None = None) -> list[Answer]:
        """Send several requests at once and wait for all their responses.

        The responses come in the same order. `timeout` limits the time between two of their frames. `progress` is
        called with the number of frames so far.
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
        """Wait for all responses.

        Raises the error that ended the connection, or TimeoutError after a silence.
        """
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
        self._must_speak(kind)
        return (await self.ask(kind, message)).one(wanted)

    async def _all(self, kind: str, message: Message, wanted: type[M]) -> list[M]:
        self._must_speak(kind)
        return (await self.ask(kind, message)).all_of(wanted)

    def _must_speak(self, request: str) -> None:
        if not self.speaks(request):
            phrase = policy_of(BY_NAME[request]).phrase
            raise BadArgument(f"{self.session.dialect.name} cannot {phrase}; Protocol Buffers can (dialect pb).")

    def speaks(self, request: str) -> bool:
        """Return whether the dialect has a request."""
        return request in (kind.field for kind in self.session.dialect.kinds.values())

    # --- sessions

    async def connect(self, client: str = CLIENT) -> str:
        """Send Connect and return the server's welcome.

        Raises ServerAway if the server redirects to another address.
        """
        answer = await self.ask("connect", tp_pb2.Connect(client=client))
        for reply in answer.replies:
            if isinstance(reply.message, tp_pb2.Redirect):
                raise ServerAway(f"The server is not for us; it sends us to {reply.message.uri}.")
        return answer.one(tp_pb2.Okay).result

    async def login(self, username: str, password: str, game: str = "", turn: int | None = None) -> str:
        """Log in, optionally to one game by its name, and return the server's text. `welcome` keeps the text.

        With the number of a `turn` the connection shows the game as it was in that turn, and is read-only.
        """
        name = login_name(username, game, turn)
        self.welcome = (await self._one("login", tp_pb2.Login(username=name, password=password), tp_pb2.Okay)).result
        return self.welcome

    async def enter_game(self, game: str, invitation: str = "") -> str:
        """Enter a game after `login_account`, and return the server's text. `welcome` keeps the text.

        `game` may end in "/watch" or "/turn/N". `invitation` is the code for a game with invited players.
        """
        asked = tp_pb2.EnterGame(game=game, invitation=invitation)
        self.welcome = (await self._one("enter_game", asked, tp_pb2.Okay)).result
        return self.welcome

    async def ruleset_titles(self) -> dict[str, str]:
        """Return the titles of the rulesets by name, as far as the server tells them."""
        if not self.speaks("get_rulesets"):
            return {}
        try:
            return {one.name: one.title for one in await self.rulesets() if one.title}
        except RequestFailed:
            return {}

    async def create_game(self, game: tp_pb2.CreateGame) -> str:
        """Create a game with a seat for the account, and return the server's text.

        Raises BadArgument in TP03 and TP04, which have no such request.
        """
        return (await self._one("create_game", game, tp_pb2.Okay)).result

    async def my_games(self) -> list[tp_pb2.MyGame]:
        """Return the games in which the account has a seat, the newest first.

        Raises BadArgument in TP03 and TP04, which have no such request.
        """
        found: list[tp_pb2.MyGame] = []
        start = 0
        while True:
            part = await self._one(MY_GAMES, tp_pb2.GetMyGames(start=start), tp_pb2.MyGames)
            found += part.games
            if not part.following or part.following == start:
                return found
            start = part.following

    async def set_notice_wish(self, mode: str, hours: int = 0, game: str = "") -> str:
        """Set the notifications for a game, or for all others, and return the server's text.

        `mode` is "off", "turn" or "digest". If it is empty, the setting for all other games applies.
        """
        wanted = tp_pb2.SetNoticeWish(wish=tp_pb2.NoticeWish(game=game, mode=mode, hours=hours))
        return (await self._one("set_notice_wish", wanted, tp_pb2.Okay)).result

    async def accounts(self, search: str = "") -> list[tp_pb2.ListedAccount]:
        """Return all accounts, or those with a text in their names. This needs a role."""
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
        """Run a command of the operator, one of `OwnAccount.operations`, and return the lines that it prints."""
        given = [tp_pb2.OperationArgument(name=name, value=value) for name, value in arguments.items()]
        asked = tp_pb2.Administer(operation=operation, arguments=given)
        return list((await self._one("administer", asked, tp_pb2.Administered)).lines)

    async def set_block(self, name: str, blocked: bool = True, player: int = 0, game: str = "") -> str:
        """Block or unblock the messages of an account or of a player, and return the server's text.

        The account is given by name, the player by number. Without a name of a game it is the present game.
        """
        wanted = tp_pb2.SetBlock(name=name, player=player, blocked=blocked, game=game)
        return (await self._one("set_block", wanted, tp_pb2.Okay)).result

    async def spectator_letters(self) -> list[tp_pb2.Message]:
        """Return the messages among the spectators of the game, the oldest first.

        Spectators may read them at any time, players after the end.
        """
        own, players = await self._own_and_players()
        return await self.messages(own if own not in players else max(players) + 1)

    async def post_to_spectators(self, subject: str, body: str) -> None:
        """Write to all spectators of the game. Raises BadArgument for a player."""
        own, players = await self._own_and_players()
        if own in players:
            raise BadArgument("Only spectators can write to the spectators of a game.")
        await self.post(own, subject, body)

    async def _own_and_players(self) -> tuple[int, set[int]]:
        """Return the number of this connection's player or spectator, and the numbers of all players.

        A spectator's number is none of the players'.
        """
        own = await self._one("get_player", tp_pb2.GetWithID(ids=[0]), tp_pb2.Player)
        wanted = tp_pb2.GetIDSequence(key=-1, start=0, amount=-1, fromtime=-1)
        listed = await self._one("get_player_ids", wanted, tp_pb2.IDSequence)
        return own.id, {one.id for one in listed.ids}

    async def message_reports(self, *, closed: bool = False) -> list[tp_pb2.MessageReport]:
        """Return the open abuse reports, or the closed ones, the oldest first.

        This is for moderators. Returns at most `MOST_REPORTS`.
        """
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

    async def set_watch_delay(self, game: str, delay: int, *, closed: bool = False) -> str:
        """Set the delay of spectators in turns for a game of the account, and return the server's text.

        With `closed`, spectators do not see the game before its end. After the start of the game the delay can only
        grow.
        """
        wanted = tp_pb2.SetWatchDelay(game=game, watch_delay=delay, unwatched=closed)
        return (await self._one("set_watch_delay", wanted, tp_pb2.Okay)).result

    async def rules(self, ruleset: str = "") -> Manual:
        """Return the rules for players of a ruleset, named as in `Game.rule`, or of the present game.

        No login is needed. Raises BadArgument in TP03 and TP04, which have no such request.
        """
        return Manual.told(await self._one(RULES, tp_pb2.GetRules(ruleset=ruleset), tp_pb2.Rules))

    async def take_time_back(self, game: str, turn: int | None = None) -> str:
        """Take back the last extension of the present turn by `extend_turn`, and return the server's text.

        At least an hour, or half a turn, remains. Raises BadArgument in TP03 and TP04, which have no such request.
        """
        return await self.extend_turn(game, 0, turn, take_back=True)

    async def set_autopilot(self, turns: int, turn: int | None = None) -> str:
        """Let the bot of the rules play this seat for 1 to 100 turns, and return the server's text.

        0 ends the autopilot. `turn` is as for `finish_turn`.
        """
        asked = await self._meant_for(tp_pb2.SetAutopilot(turns=turns), turn)
        return (await self._one("set_autopilot", asked, tp_pb2.Okay)).result

    async def open_seats(self, most: int = 1000) -> list[tp_pb2.OpenSeat]:
        """Return the vacant seats of running games, at most `most`. No login is needed."""
        found: list[tp_pb2.OpenSeat] = []
        start = 0
        while len(found) < most:
            told = await self._one("get_open_seats", tp_pb2.GetOpenSeats(start=start), tp_pb2.OpenSeats)
            found += told.seats
            if not told.following or (start and told.following >= start):
                break
            start = told.following
        return found[:most]

    async def propose(self, game: str, kind: str, seconds: int = 0, turn: int | None = None, **arguments: Any) -> str:
        """Propose something of a kind that `proposals` offers, and return the server's text.

        `arguments` has the field that the offer needs: `clock`, `policy`, `player` or `reason`. The server refuses the
        proposal in another turn than `turn`, if that is given. Raises BadArgument in TP03 and TP04, which have no such
        request.
        """
        asked = tp_pb2.Propose(game=game, kind=kind, seconds=seconds, turn=turn, **arguments)
        return (await self._one("propose", asked, tp_pb2.Okay)).result

    async def unfinish_turn(self, turn: int | None = None) -> str:
        """Undo `finish_turn`, until the turn is computed, and return the server's text.

        `turn` is as for `finish_turn`. Raises BadArgument in TP03 and TP04, which have no such request.
        """
        asked = await self._meant_for(tp_pb2.UnfinishTurn(), turn)
        return (await self._one(UNFINISH, asked, tp_pb2.Okay)).result

    async def _meant_for(self, request: Turned, turn: int | None = None) -> Turned:
        """Set the turn of a request, if the dialect has that field. None means the turn of the newest clock.

        The server refuses the request in another turn (FailCode.GONE).
        """
        if self.speaks(UNFINISH) and not request.HasField("turn"):
            if turn is None:
                turn = (self.clock or await self.time_remaining()).turn
            request.turn = max(turn, 0)
        return request

    async def legal_orders(self, *objects: int) -> list[tp_pb2.LegalOrder]:
        """Return the types of order that can be given now.

        With `objects`, only those that these objects carry, or that name one of them as the first parameter. Raises
        BadArgument in TP03 and TP04.
        """
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
        self, carrier: int | SpaceObject, kind: OrderType, chosen: Sequence[Value] = ()
    ) -> tp_pb2.LegalValues:
        """Return the legal values of the next parameter of an order.

        `carrier` is the object that carries the order, `chosen` are its first parameters. If all are chosen, the
        response tells why the order would be refused, or may have no effect. Raises BadArgument for a value that does
        not fit. Also raises it in TP03 and TP04, which have no such request.
        """
        self._must_speak(LEGAL_VALUES)
        description = order_type(self.session.descriptions, kind)
        if len(chosen) > len(description.parameters):
            problem = f"{description.name} takes {len(description.parameters)} values, not {len(chosen)}."
            raise BadArgument(problem)
        asked = tp_pb2.GetLegalValues(
            id=carrier.id if isinstance(carrier, SpaceObject) else carrier,
            otype=description.id,
            parameters=[
                build(description.name, parameter, value)
                for parameter, value in zip(description.parameters, chosen, strict=False)
            ],
        )
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

    async def ping(self) -> None:
        """Check that the server responds."""
        await self._one("ping", tp_pb2.Ping(), tp_pb2.Okay)

    # --- looking

    def universe(self) -> Universe:
        """Return an empty copy of the universe for this connection. `refresh` fills it."""
        return Universe(self.session.dialect, self.session.descriptions)

    async def refresh(
        self, universe: Universe, tables: Iterable[str] = EVERYTHING, progress: Progress | None = None
    ) -> Changes:
        """Update a copy of the universe and return the changes.

        `progress` counts things, not lists of ids.
        """
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
        """Return the messages of a board from slot `start` on, oldest first. Board 0 is the player's own."""
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
        """Remove messages from a board, in the order given.

        Each removal moves the later messages up by one slot. Raises the first refusal, after all responses have
        arrived.
        """
        answer = await self.ask("remove_message", tp_pb2.GetWithIDSlot(id=board, slots=slots))
        answer.all_of(tp_pb2.Okay)

    # --- orders

    async def orders(self, queue: int) -> list[tp_pb2.Order]:
        """Return the orders in a queue. In TP03 the id of a queue is that of its object."""
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
        """Give an order by its type, or that type's name, and named arguments.

        `tpclient.parameters` lists the values that fit.

        Returns the order as the server has it, with its slot and, for lists, the possible choices. TP03 servers send
        only Okay, so there the order is returned as it was sent. Raises UnknownName and BadArgument before anything is
        sent.
        """
        return await self.send_order(build_order(order_type(self.session.descriptions, kind), queue, arguments, slot))

    async def send_order(self, order: tp_pb2.Order) -> tp_pb2.Order:
        """Give a complete order, into its queue and slot.

        It is for the turn that it names, or for the present turn.
        """
        return inserted_order(await self.ask("order_insert", await self._meant_for(copy_of(order))), order)

    async def replace_order(
        self, old: tp_pb2.Order, kind: OrderType, arguments: Arguments | None = None, turn: int | None = None
    ) -> tp_pb2.Order:
        """Replace `old`, an order as `orders` returned it, and return the new order.

        `turn` is as for `finish_turn`. If the server refuses, the old order stays and the refusal is raised. Raises
        ClientError if another order is in the slot by now.

        Protocol Buffers have a request for this. In other dialects the new order is inserted before the old one is
        removed. If the rules refuse both together, a probe checks the new one alone. If the probe succeeds, the old
        order is removed and the new one inserted in one batch.
        """
        new = build_order(order_type(self.session.descriptions, kind), old.id, arguments, old.slot)
        return await self._put_in_place(old, await self._meant_for(new, turn))

    async def move_order(self, old: tp_pb2.Order, slot: int, turn: int | None = None) -> tp_pb2.Order:
        """Move an order, as `orders` returned it, to another slot of its queue, like `replace_order`.

        Raises BadArgument for a draft, because its default values would be sent as if the player had chosen them.
        """
        if is_unfinished(old):
            raise BadArgument("Something is not chosen yet in this order; change it or remove it.")
        return old if slot == old.slot else await self._put_in_place(old, await self._meant_for(_at(old, slot), turn))

    async def _put_in_place(self, old: tp_pb2.Order, new: tp_pb2.Order) -> tp_pb2.Order:
        """Insert `new` into its slot of the queue of `old`, remove `old`, and return the new order."""
        if not await self._is_there(old, old.slot):
            raise ClientError("The queue has changed meanwhile; look at it and try again.")
        if old.slot == new.slot and self.speaks(REPLACE):
            return await self._one(REPLACE, new, tp_pb2.Order)
        turn = new.turn if new.HasField("turn") else None
        forward = new.slot > old.slot
        try:
            made = await self.send_order(_at(new, new.slot + 1 if forward else new.slot))
        except RequestFailed:
            return await self._one_by_one(old, new)
        moved = old.slot if forward else old.slot + 1
        if await self._is_there(old, moved):  # the queue differs if orders are carried out at once
            try:
                await self.remove_order(old.id, moved, turn=turn)
            except RequestFailed:
                await self.remove_order(old.id, made.slot)
                raise
        return _at(made, new.slot)

    async def _one_by_one(self, old: tp_pb2.Order, new: tp_pb2.Order) -> tp_pb2.Order:
        """Remove the old order and insert the new one. If the insertion is refused, insert the old one again."""
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
                raise  # defaults would be sent as choices; a draft has no effect anyway
            try:
                await self.send_order(old)
            except RequestFailed as second:
                text = f"{refusal.text} What was there before is refused now, too: {second.text}"
                raise RequestFailed(refusal.code, text, refusal.request, refusal.parameter) from second
            raise

    async def _is_there(self, order: tp_pb2.Order, slot: int) -> bool:
        """Return whether an order with the same choices is in a slot of its queue."""
        answer = await self.ask("get_order", tp_pb2.GetWithIDSlot(id=order.id, slots=[slot]))
        return [choices(found) for found in answer.present(tp_pb2.Order)] == [choices(order)]

    async def probe(
        self,
        queue: int,
        kind: OrderType,
        arguments: Arguments | None = None,
        slot: int = APPEND,
        *,
        replaces: bool = False,
    ) -> tp_pb2.Order:
        """Return what `insert_order`, or with `replaces` `replace_order`, would give, without giving the order.

        TP03 and TP04 judge the order as if the queue were empty.
        """
        order = build_order(order_type(self.session.descriptions, kind), queue, arguments, slot)
        if self.speaks(REPLACE):
            order.judged = AS_REPLACEMENT if replaces else AS_INSERTION
        return await self._one("order_probe", order, tp_pb2.Order)

    async def remove_order(self, queue: int, *slots: int, turn: int | None = None) -> None:
        """Remove orders from a queue. `turn` is as for `finish_turn`. Raises the first refusal."""
        asked = await self._meant_for(tp_pb2.GetWithIDSlot(id=queue, slots=slots), turn)
        answer = await self.ask("remove_order", asked)
        answer.all_of(tp_pb2.Okay)

    # --- turns

    async def next_clock(self, seen: tp_pb2.TimeRemaining | None, patience: float) -> tp_pb2.TimeRemaining:
        """Return a clock newer than `seen`, which may have arrived already.

        After `patience` seconds without one, the clock is requested. A push may get lost, messages arrive without any,
        and the request detects a dead server.
        """
        if self.clock is not None and self.clock is not seen:
            return self.clock
        if await self.wait_for_change(patience) and self.clock is not None:
            return self.clock
        return await self.time_remaining()

    async def finish_turn(self, turn: int | None = None) -> None:
        """Finish the turn with number `turn`, or that of the newest clock.

        The server refuses this in another turn (FailCode.GONE). TP03 and TP04 cannot name a turn.
        """
        await self._one("finished_turn", await self._meant_for(tp_pb2.FinishedTurn(), turn), tp_pb2.Okay)

    async def wait_for_turn(self, after: int, timeout: float | None = None) -> int:
        """Wait until a turn after number `after` has begun and return its number.

        TP03 has no turn numbers on the clock. There `after` and the result count turns as `turns_begun` does. Raises
        NoAnswer if no such turn begins within `timeout` seconds.
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
        """Wait until `clock` changes. Return False if that takes longer than `timeout` seconds."""
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
        else:  # the seconds start again after 0
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
            return  # a WebSocket still delivers bytes that were under way
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
    """Return the order in the response to OrderInsert.

    TP03 servers send only Okay. In that case this returns the order that was sent. Raises RequestFailed.
    """
    if any(isinstance(reply.message, tp_pb2.Okay) for reply in answer.replies):
        return sent
    return answer.one(tp_pb2.Order)


def message_requests(board: int, slots: range) -> list[Request]:
    """Return requests for the messages in these slots, with at most MOST_MESSAGES_AT_ONCE in each."""
    starts = range(0, len(slots), MOST_MESSAGES_AT_ONCE)
    parts = [slots[at : at + MOST_MESSAGES_AT_ONCE] for at in starts]
    return [Request("get_message", tp_pb2.GetWithIDSlot(id=board, slots=part)) for part in parts]


def things_wanted(request: Request) -> int:
    """Return the number of ids in a request; 0 for a request for the own player."""
    wanted = request.message.ids if isinstance(request.message, tp_pb2.GetWithID) else ()
    return 0 if list(wanted) == [0] and request.kind == "get_player" else len(wanted)


def _tell(progress: Progress, wanted: int, received: int) -> None:
    progress(min(received, wanted), wanted)


def copy_of(order: tp_pb2.Order) -> tp_pb2.Order:
    made = tp_pb2.Order()
    made.CopyFrom(order)
    return made


def _at(order: tp_pb2.Order, slot: int) -> tp_pb2.Order:
    moved = copy_of(order)
    moved.slot = slot
    return moved


# --- the way into a game, for all clients

NOT_ABOUT_ACCOUNT = (FailCode.UNAVAILABLE_PERMANENTLY, FailCode.UNAVAILABLE_TEMPORARILY)
"""Codes of refusals at login that do not concern name and password: the game or the server is unavailable."""

Dial = Callable[[], Awaitable[Connection]]
"""Opens a connection on which nothing has been sent yet."""


async def greeted(dial: Dial) -> Connection:
    """Open a connection and send Connect, without a login.

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
    """Return the dialect for an address if the user names none.

    It is Protocol Buffers, or TP04 if the server does not understand the greeting of Protocol Buffers. Such a server
    closes the connection, sends something else than a frame, or sends nothing for `timeout` seconds.

    The test uses a separate connection. Raises ServerAway, BadArgument, RequestFailed, or NoAnswer if there is no
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
    """Return the rules for players of a ruleset or of a game, over a separate connection.

    The connection uses Protocol Buffers and needs no login. Without a name of a game, it is the game that `welcome`
    names, or the only one. Raises UnknownName if that does not identify a game, and the errors of `greeted`.
    """
    async with await greeted(partial(Connection.open, address, PB, timeout)) as connection:
        return await connection.rules(ruleset or ruleset_of(await connection.games(), game, welcome))


def ruleset_of(games: Sequence[tp_pb2.Game], game: str = "", welcome: str = "") -> str:
    """Return the ruleset of a game, found as `own_game` does, or the only ruleset that is played.

    Raises UnknownName.
    """
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
    """The login of a player.

    `game` is the name of one of several games. With `register`, the account is created if the login is refused. `turn`
    is an old turn to read.
    """

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
        """Log in on a connection. Raises RequestFailed if the login is refused."""
        try:
            await connection.login(self.user, self.password, self.game, self.turn)
        except RequestFailed as refusal:
            if not self.register or refusal.code in NOT_ABOUT_ACCOUNT:
                raise
            await connection.create_account(self.user.partition("@")[0], self.password)
            await connection.login(self.user, self.password, self.game, self.turn)

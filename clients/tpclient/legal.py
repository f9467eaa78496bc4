"""Legal orders from the server: pieces that can act, parameter values.

They are valid for the present position only: the turn, and the orders given so far. When either changes, they are
dropped, and so are responses that are still on their way. A server or a dialect without these requests gives none.
"""

from dataclasses import dataclass, replace
from typing import Self

from tpclient.connection import LEGAL_ORDERS
from tpclient.errors import BadArgument, ClientError, RequestFailed
from tpclient.following import Game
from tpclient.objects import SpaceObject
from tpclient.parameters import Value, build, stand_ins
from tpproto import tp_pb2
from tpproto.errors import FailCode

MOST_KEPT = 500
"""Maximum of responses about values that are kept for one position."""


@dataclass(frozen=True, slots=True)
class PartialOrder:
    """An order with the parameters that are chosen so far.

    `carrier` is the id of the object that carries it, `chosen` are its first parameters.
    """

    carrier: int
    kind: tp_pb2.OrderDesc
    chosen: tuple[tp_pb2.OrderParameter, ...] = ()

    @property
    def wanted(self) -> tp_pb2.ParameterDesc | None:
        """The next parameter; None if all are chosen."""
        return self.kind.parameters[len(self.chosen)] if len(self.chosen) < len(self.kind.parameters) else None

    def followed_by(self, value: Value) -> Self:
        """Return the order with a value for the next parameter. Raises BadArgument if the value does not fit."""
        assert self.wanted is not None
        return replace(self, chosen=(*self.chosen, build(self.kind.name, self.wanted, value)))

    @property
    def arguments(self) -> dict[str, Value]:
        """Return the choices so far, by the names of the parameters."""
        return {one.name: value for one, value in zip(self.kind.parameters, self.chosen, strict=False)}


class Legal:
    """The legal orders in the present position of a game.

    `orders` has all of them, and is right only if `is_known`. `position` counts the positions. Call `forget` when it
    changes, and `reset` when another server may answer.
    """

    def __init__(self, game: Game) -> None:
        self.orders: tuple[tp_pb2.LegalOrder, ...] = ()
        self.is_known = False
        self._game = game
        self.position = 0
        self._is_missing = False
        self.is_asking = False
        self._found: dict[tuple[int, int, tuple[bytes, ...]], tp_pb2.LegalValues] = {}

    def forget(self) -> None:
        """Drop all values, because the position has changed."""
        self.position += 1
        self._found.clear()
        self.orders, self.is_known = (), False

    def reset(self) -> None:
        """Drop all values, because another server may answer."""
        self._is_missing = False
        self.forget()

    @property
    def can_be_asked(self) -> bool:
        """Return whether the server may know the legal orders.

        It is reachable, and has not yet refused such a request as unknown.
        """
        return self._game.is_connected and self._game.speaks(LEGAL_ORDERS) and not self._is_missing

    async def learn(self) -> None:
        """Request the legal orders, unless they are known. Only one request is pending at a time."""
        if self.is_asking:
            return
        self.is_asking = True
        try:
            position = -1
            while not self.is_known and position != self.position and self.can_be_asked:
                position = self.position
                await self._ask(position)
        finally:
            self.is_asking = False

    async def _ask(self, position: int) -> None:
        try:
            found = await self._game.legal_orders()
        except RequestFailed as refusal:
            # While a turn is computed, or at the end, the server also refuses, but not as an unknown frame.
            self._is_missing = refusal.code <= FailCode.FRAME
        except ClientError:
            return
        else:
            if position == self.position:
                self.orders, self.is_known = tuple(found), True

    # --- pieces

    @property
    def acting(self) -> frozenset[int]:
        """The ids of all pieces that can act.

        They carry an order that names no piece first, or have no queue and are named by one.
        """
        objects = self._game.universe.objects
        carriers = {one.id for one in self.orders if not one.named}
        named = {one.named for one in self.orders if one.named}
        return frozenset(carriers | {number for number in named if number in objects and not objects[number].queue})

    def own(self, thing: SpaceObject) -> list[PartialOrder]:
        """Return the orders that a piece carries and that do not name another piece first."""
        kinds = self._game.universe.order_descriptions
        found = (one for one in self.orders if one.id == thing.id and not one.named and one.otype in kinds)
        return [PartialOrder(thing.id, kinds[one.otype]) for one in found]

    def naming(self, thing: SpaceObject) -> list[PartialOrder]:
        """Return the orders that other pieces carry and that name a piece first."""
        kinds = self._game.universe.order_descriptions
        found = (one for one in self.orders if one.named == thing.id and one.otype in kinds)
        return [PartialOrder(one.id, kinds[one.otype]).followed_by(thing.id) for one in found]

    def of(self, thing: SpaceObject) -> list[PartialOrder]:
        """Return all orders of a piece: its own, and if it has no queue those that name it."""
        return self.own(thing) if thing.queue else [*self.own(thing), *self.naming(thing)]

    # --- values

    async def values(self, part: PartialOrder) -> tp_pb2.LegalValues | None:
        """Return the legal values of the next parameter, None if they are unknown.

        For a complete order they tell why the server would refuse it, or why it may have no effect. Each is requested
        once in a position.
        """
        key = (part.carrier, part.kind.id, tuple(one.SerializeToString(deterministic=True) for one in part.chosen))
        if key in self._found:
            return self._found[key]
        if not self.can_be_asked:
            return None
        position = self.position
        try:
            told = await self._game.legal_values(part.carrier, part.kind, part.chosen)
        except ClientError:
            return None
        if position != self.position:
            return None
        if len(self._found) >= MOST_KEPT:
            self._found.clear()
        self._found[key] = told
        return told

    async def why(self, part: PartialOrder, value: Value = None) -> str:
        """Return the server's reason against an order with this next value.

        The value may be missing. "" if there is no reason, or it is unknown.
        """
        game = self._game
        carrier = game.universe.objects.get(part.carrier)
        if carrier is None:
            return ""
        at = len(part.chosen) - (value is None)
        try:
            whole = part if value is None else part.followed_by(value)
        except BadArgument as error:
            return str(error)
        if whole.wanted is None and whole.chosen:
            told = await self.values(whole)
            return told.refusal if told is not None else ""
        # Missing values are neutral. The refusal counts only if it names this value, or none.
        try:
            made_up = stand_ins(game.universe, carrier, whole.kind.parameters)
            await game.probe(carrier, whole.kind, made_up | whole.arguments)
        except RequestFailed as refusal:
            return refusal.text if refusal.parameter in (None, at) else ""
        except ClientError:
            return ""
        return ""


def values_of(part: PartialOrder, told: tp_pb2.LegalValues) -> list[tp_pb2.OrderParameter]:
    """Return the values of a response, as parameters of the order."""
    assert part.wanted is not None
    return [*(build(part.kind.name, part.wanted, number) for number in told.ids), *told.values]

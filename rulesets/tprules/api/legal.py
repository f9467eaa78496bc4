"""Legal orders of a seat: order types by object, and their arguments.

The ruleset's checks of an insertion decide about each value that is worth trying. So the legal orders agree with the
insertions. ``possible_orders`` and ``legal_values`` stop when ``enough`` returns True, after at least one step, and
return the point to continue from.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any, Generic, NamedTuple, TypeVar

from tprules.api.order_checks import State, judge
from tprules.api.orders import Order, OrderType
from tprules.api.params import Number, ObjectRef, PlayerRef, ResourceList, Selection, Turns
from tprules.api.ruleset import Ruleset, find_order_type, find_phase
from tprules.api.types import Code, Oid, Refusal, Seat

W = TypeVar("W")

MOST_ORDERS = 8192
"""Maximum trials of an order type with an object that carries it, and with a piece that it names."""

MOST_NUMBERS = 64
"""Maximum numbers of a range that are tried one by one. Of a larger range, only the bounds are tried."""

MOST_CHOICES = 4096
"""Maximum choices of a selection that are tried."""

Enough = Callable[[], bool]


class Possible(NamedTuple):
    """One type of order that can be given to an object.

    ``named`` is the first argument: another object of the seat, such as a piece whose orders a hand carries. ``unsure``
    is True if the search ended before it found accepted arguments.
    """

    on: Oid
    type: str
    named: Oid | None = None
    unsure: bool = False


@dataclass
class Values:
    """The legal values of the next parameter of an order.

    ``param`` is its name; empty if all parameters are chosen. Then ``refusal`` has the reason if the order is not
    accepted. ``doubt`` has the reason why an accepted order may fail (``OrderType.doubt``).

    ``values`` are raw arguments with which the order is accepted, or can be completed. If ``free`` is True, there may
    be other accepted values: too many to try, or several of these together. ``left_out`` is the number of tried values
    that are not accepted. ``following`` is the point to continue from, 0 at the end.
    """

    param: str
    values: list[Any] = field(default_factory=list)
    free: bool = False
    left_out: int = 0
    following: int = 0
    refusal: Refusal | None = None
    doubt: str = ""


def legal_orders(rules: Ruleset[W], state: State[W], seat: Seat) -> Iterator[Order]:
    """Yield legal orders that a seat can give now, for bots and tests.

    They are those of ``Ruleset.legal_orders``. A ruleset without that gets all that the checks accept of the values
    worth trying, up to MOST_ORDERS tries. Of a selection these are single choices, of many numbers the bounds.
    """
    if type(rules).legal_orders is not Ruleset.legal_orders:
        yield from rules.legal_orders(state.plan(seat))
        return
    phase = find_phase(rules, state.phase)
    if state.over or seat not in {*phase.active(state.world), *phase.planners(state.world)}:
        return
    # The number of seats is not part of a state. A player who owns nothing in sight is not tried.
    owners = (state.look(rules, seat, oid).owner for oid in state.sight(rules, seat))
    seats = 1 + max(seat, *(owner for owner in owners if owner is not None), 0)
    tries = count()
    for on, kind, named in _worth_trying(rules, state, seat, ()):
        if named is None and kind.offered(state.world, seat, on, state.look(rules, seat, on)):
            try:
                trial = _Trial(rules, state, seat, seats, on, kind)
            except Refusal:
                continue
            yield from trial.accepted({}, lambda: next(tries) >= MOST_ORDERS)


def possible_orders(
    rules: Ruleset[W], state: State[W], seat: Seat, seats: int, about: Sequence[Oid], start: int, enough: Enough
) -> tuple[list[Possible], int]:
    """Return the orders that can be given, and the point to continue from, 0 at the end.

    With ``about``, only orders that these objects carry, or that name one of them as the first argument. ``seats`` is
    the number of seats of the game. ``start`` is the number of earlier trials.
    """
    found: list[Possible] = []
    tried = islice(_worth_trying(rules, state, seat, about), min(start, MOST_ORDERS), MOST_ORDERS)
    for number, (on, kind, named) in enumerate(tried, start):
        if number > start and enough():
            return found, number
        if not kind.offered(state.world, seat, on, state.look(rules, seat, on)):
            continue
        try:
            trial = _Trial(rules, state, seat, seats, on, kind)
        except Refusal:
            continue
        accepted = trial.completes({} if named is None else {next(iter(kind.params)): named}, enough)
        if accepted is None and number > start and enough():
            return found, number  # a separate part continues with it
        if accepted is not False:
            found.append(Possible(on, kind.name, named, accepted is None))
    return found, 0


def legal_values(
    rules: Ruleset[W],
    state: State[W],
    seat: Seat,
    seats: int,
    on: Oid,
    name: str,
    chosen: Sequence[Any],
    start: int,
    enough: Enough,
) -> Values:
    """Return the legal values of the next parameter of an order at the end of the queue of ``on``.

    ``name`` is the order type. ``chosen`` are the raw arguments so far, in the order of the parameters. ``start`` is
    the number of values that were tried before. Raises a Refusal if no such order can be accepted, for example because
    the phase does not take it.
    """
    kind = find_order_type(rules, name)
    if kind is None:
        raise LookupError(f"{rules.name} has no order type {name!r}")
    trial = _Trial(rules, state, seat, seats, on, kind)
    args = dict(zip(kind.params, chosen, strict=False))
    param = next((name for name in kind.params if name not in args), None)
    if param is None:
        judged = trial.judged(args)
        if isinstance(judged, Refusal):
            return Values("", refusal=judged)
        return Values("", doubt=kind.doubt(state.plan(seat), judged))
    tried, free = trial.candidates(param)
    result = Values(param, free=free)
    for number in range(start, len(tried)):
        if number > start and enough():
            result.following = number
            break
        accepted = trial.completes({**args, param: tried[number]}, enough)
        if accepted is None and number > start and enough():
            result.following = number  # a separate part continues with it
            break
        if accepted is False:
            result.left_out += 1
        else:
            result.values.append(tried[number])
    return result


def _worth_trying(
    rules: Ruleset[W], state: State[W], seat: Seat, about: Sequence[Oid]
) -> Iterator[tuple[Oid, OrderType[W], Oid | None]]:
    """Yield the order types of the phase, with the objects that carry them.

    Each also comes with each object of the seat that it may name first.
    """
    wanted = set(about)
    for declared in find_phase(rules, state.phase).takes():
        kind = find_order_type(rules, declared.name)
        if kind is None:
            continue
        first = next(iter(kind.params.values()), None)
        names = state.visible(rules, seat, first.kinds, own=True) if isinstance(first, ObjectRef) else []
        if wanted:
            names = [named for named in names if named in wanted]
        for on in state.visible(rules, seat, kind.kinds, own=True):
            if not wanted or on in wanted:
                yield on, kind, None
            for named in names:
                if named != on:
                    yield on, kind, named


class _Trial(Generic[W]):
    """Trials of one type of order on one object. Creation raises a Refusal if no arguments would be accepted."""

    def __init__(self, rules: Ruleset[W], state: State[W], seat: Seat, seats: int, on: Oid, kind: OrderType[W]) -> None:
        self.judged = judge(rules, state, seat, on, kind.name)
        self._rules, self._state, self._seat, self._seats, self._on, self._kind = rules, state, seat, seats, on, kind
        self._names = tuple(kind.params)
        self._candidates: dict[str, tuple[Sequence[Any], bool]] = {}

    def completes(self, args: Mapping[str, Any], enough: Enough) -> bool | None:
        """Return whether some values of the parameters missing in ``args`` make the order acceptable.

        Returns None if the search ended before it found out.
        """
        found = self._search(args, enough)
        return None if found is None else not isinstance(found, Refusal)

    def accepted(self, args: Mapping[str, Any], enough: Enough) -> Generator[Order, None, Refusal | None]:
        """Yield the acceptable orders with these arguments; return the last refusal."""
        missing = next((name for name in self._kind.params if name not in args), None)
        if missing is None:
            judged = self.judged(args)
            if isinstance(judged, Refusal):
                return judged
            yield judged._replace(stamp=0)
            return None
        refusal: Refusal | None = None
        for value in self.candidates(missing)[0]:
            if enough():
                break
            refusal = yield from self.accepted({**args, missing: value}, enough)
            if refusal is not None and refusal.param in args:
                break  # it is not this parameter's fault, so its other values do not help
        return refusal

    def _search(self, args: Mapping[str, Any], enough: Enough) -> Refusal | bool | None:
        """Return True if the order can be completed, a refusal if it cannot, None if the search ended first."""
        if len(args) == len(self._names):
            judged = self.judged(args)
            return judged if isinstance(judged, Refusal) else True
        missing = self._names[len(args)]
        tried, free = self.candidates(missing)
        found: Refusal | bool | None = Refusal(
            f"{missing}: there is nothing", missing, reason="nothing", code=Code.NO_SUCH_THING
        )
        for value in tried:
            found = self._search({**args, missing: value}, enough)
            if found is True:
                return True
            if isinstance(found, Refusal) and found.param in args:
                return found  # another parameter is at fault, so other values of this one do not help
            if enough():
                return None
        # Each choice was tried alone. Combinations of refused choices are not tried.
        is_choice = isinstance(self._kind.params[missing], Selection | ResourceList)
        may_be_another = free and not is_choice and isinstance(found, Refusal) and found.param == missing
        return None if may_be_another else found

    def candidates(self, name: str) -> tuple[Sequence[Any], bool]:
        """Return the raw values of a parameter that are worth a trial, and whether there may be others."""
        found = self._candidates.get(name)
        if found is None:
            found = self._candidates[name] = self._worth_trying(name)
        return found

    def _worth_trying(self, name: str) -> tuple[Sequence[Any], bool]:
        rules, state, seat, param = self._rules, self._state, self._seat, self._kind.params[name]
        if isinstance(param, ObjectRef):
            return state.visible(rules, seat, param.kinds), False
        if isinstance(param, PlayerRef):
            return range(self._seats), False
        if isinstance(param, Selection | ResourceList):
            offers = list(islice(self._kind.choices(state.plan(seat), self._on, name), MOST_CHOICES + 1))
            least = max(1, param.least) if isinstance(param, Selection) else 1
            several = len(offers) > MOST_CHOICES or isinstance(param, ResourceList) or param.most > 1
            return [[[offer.id, min(offer.most, least)]] for offer in offers[:MOST_CHOICES]], several
        if isinstance(param, Number | Turns):
            numbers = range(param.low, param.high + 1, param.step if isinstance(param, Number) else 1)
            return (numbers, False) if len(numbers) <= MOST_NUMBERS else ((param.low, numbers[-1]), True)
        return [param.stand_in(seat)], True

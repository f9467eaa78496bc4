"""Names and words for objects, players, boards, designs and orders.

They come from the game if it has any, else from the protocol. Input may be a name or an id.

The description of a named number may list the meanings of its values (TP04, ObjectDesc). Examples are "0 soil, 1 grass,
2 rock" and "1 if the star is destroyed". So clients can say "soil" without knowing the game.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tpclient.appearance import NO_ORDER_WORDS, NO_WORDS, PLAIN
from tpclient.columns import as_typed, counted, listed, shown
from tpclient.errors import UnknownName
from tpclient.objects import DESIGN, GALAXY, NOBODY, PLAYER, Amount, SpaceObject
from tpclient.universe import Universe
from tpproto import tp_pb2

OBJECT, ORDER_TYPE, BOARD, RESOURCE = 1, 2, 4, 6
"""Reference types (TP04, the generic reference system)."""

EVERYBODY, EVERYBODY_NAME = 0xFFFFFFFF, "everybody"
"""The id that stands for the boards of all players when a message is posted, and its name."""

MOST_NAMED = 12
"""Maximum number of names that an error lists."""

REFERENCES: dict[int, tuple[str, str]] = {
    OBJECT: ("object", "objects"),
    ORDER_TYPE: ("order type", "order_descriptions"),
    BOARD: ("board", "boards"),
    RESOURCE: ("resource", "resources"),
    PLAYER: ("player", "players"),
    8: ("category", "categories"),
    DESIGN: ("design", "designs"),
    10: ("component", "components"),
    11: ("property", "properties"),
    12: ("object type", "object_descriptions"),
    13: ("order queue", "queues"),
}
"""Type of a generic reference (TP04) -> its name, and its table.

The table is one of the universe.
"""


def find_object(universe: Universe, text: str) -> SpaceObject:
    """Return the object with this id or exact name. An id has priority over a name.

    Raises UnknownName if there is none, or if several have the name, so that only an id is unique.
    """
    if universe.appearance is not PLAIN and number_in(text) is None:
        folded = text.casefold()
        called = [thing for thing in universe.objects.values() if called_name(universe, thing).casefold() == folded]
        if len(called) == 1:
            return called[0]
        if called and not any(thing.name.casefold() == folded for thing in universe.objects.values()):
            raise _several(universe, "object", text, sorted(thing.id for thing in called))
    return universe.objects[_find(text, "object", universe.objects, lambda n: _object_line(universe, n))]


def find_carrier(universe: Universe, text: str) -> SpaceObject:
    """Return the object with this id or name for an order. Objects that take the player's orders have priority.

    Raises UnknownName as `find_object` does.
    """
    ours = {number: thing for number, thing in universe.objects.items() if universe.queue_of(thing) is not None}
    folded = text.casefold()
    named = {number: thing for number, thing in ours.items() if thing.name.casefold() == folded}
    called = [number for number, thing in ours.items() if called_name(universe, thing).casefold() == folded]
    if number_in(text) in universe.objects or not (named or called):
        return find_object(universe, text)
    if len(called) == 1:
        return ours[called[0]]
    if not named:
        raise _several(universe, "object", text, sorted(called))
    return ours[_find(text, "object", named, lambda n: _object_line(universe, n))]


def find_player(universe: Universe, text: str) -> int:
    """Return the id of the player with this id or name.

    Raises UnknownName with all players. It also raises it if one player has the id and another the name.
    """
    return _meant(text, universe.players, _named(text, universe.players), "")


def find_named_player(universe: Universe, name: str) -> int:
    """Return the id of the player with this name. The name may look like an id. Raises UnknownName."""
    found = _named(name, universe.players)
    return found[0] if len(found) == 1 else _find(name, "player", universe.players, by_number=False)


def find_board(universe: Universe, text: str) -> int:
    """Return the id of the board with this name, or of the board of a player by id or name.

    A player's board has the player's id. "everybody" stands for the boards of all players. Raises UnknownName with all
    players who have a board. It also raises it if the text could mean several boards.
    """
    readers = {number: player for number, player in universe.players.items() if number in universe.boards}
    others = [number for number, board in universe.boards.items() if board.name == text]
    others = others if len(others) == 1 else []
    if text.casefold() == EVERYBODY_NAME:
        others.append(EVERYBODY)
    return _meant(text, readers, {*_named(text, readers), *others}, ", --player NAME a name")


def _named(text: str, players: Mapping[int, Any]) -> list[int]:
    """Return the ids of the players with this name. If there is none, case does not matter."""
    exact = [key for key in sorted(players) if players[key].name == text]
    return exact or [key for key in sorted(players) if players[key].name.casefold() == text.casefold()]


def _meant(text: str, players: Mapping[int, Any], found: Iterable[int], hint: str) -> int:
    """Return the id that a text means: the id of a player, also as #ID, or one of `found`.

    Raises UnknownName if there is no such id, or more than one.
    """
    number, every = number_in(text.removeprefix("#")), set(found)
    if number is not None and number in players and (not text.startswith("#") or not every):
        every.add(number)
    if len(every) == 1:
        return every.pop()
    if not every:
        return _find(text, "player", players)
    calls = {EVERYBODY: EVERYBODY_NAME, **{key: f"{_name(player)} ({key})" for key, player in players.items()}}
    which = listed(shown(calls.get(key, f"board {key}")) for key in sorted(every))
    raise UnknownName(f"{text!r} could mean several: {which}; #ID means an id{hint}.")


def find_reference(universe: Universe, text: str) -> int:
    """Return the id of a thing that a reference may name. A number is returned unchanged, a name is looked up."""
    number = number_in(text)
    if number is not None:
        return number
    tables = [getattr(universe, table) for _, table in REFERENCES.values()]
    found: set[int] = {key for table in tables for key, thing in table.items() if _name(thing) == text}
    if len(found) == 1:
        return found.pop()
    problem = "Several things are" if found else f"No {' or '.join(word for word, _ in REFERENCES.values())} is"
    raise UnknownName(f"{problem} called {text!r}; give the id.")


def find_type(universe: Universe, name: str, offered: Iterable[tp_pb2.OrderDesc]) -> tp_pb2.OrderDesc:
    """Return the order type with a name, in the protocol or in the words of the game. Case does not matter.

    Types in `offered` have priority. Raises UnknownName if there is none, or if several have the name. The error lists
    the offered types, or else all types.
    """
    known, every = list(offered), list(universe.order_descriptions.values())
    for candidates in (known, every):
        for fits in (str.__eq__, lambda a, b: a.casefold() == b.casefold()):
            found = [one for one in candidates if fits(one.name, name)]
            if found:
                return min(found, key=lambda one: one.id)
        called = [one for one in candidates if order_name(universe, one).casefold() == name.casefold()]
        if len(called) == 1:
            return called[0]
        if called:
            which = listed(repr(one.name) for one in called)
            raise UnknownName(f"{counted(len(called), 'order type')} are called {name!r}; name one of them: {which}.")
    if known:
        takes = listed(order_name(universe, one) for one in known)
        raise UnknownName(f"There is no order type {name!r}; this object takes: {takes}.")
    words = listed(order_name(universe, one) for one in every) or "none"
    raise UnknownName(f"There is no order type {name!r}; in this game there are: {words}.")


def find_parameter(universe: Universe, kind: tp_pb2.OrderDesc, name: str) -> str | None:
    """Return the protocol's name of the parameter with a name, in the protocol or in the words of the game.

    Case does not matter. Returns None if there is none. Raises UnknownName if several have the name.
    """
    folded = name.casefold()
    by_name = [one.name for one in kind.parameters if one.name.casefold() == folded]
    called = [one.name for one in kind.parameters if parameter_name(universe, kind, one).casefold() == folded]
    if len(by_name or called) > 1:
        which = listed(map(repr, by_name or called))
        raise UnknownName(f"{order_name(universe, kind)}: several parameters are called {name!r}; name one: {which}.")
    return next(iter(by_name or called), None)


def number_in(text: str) -> int | None:
    """Return the number in a text of digits; None for any other text."""
    stripped = as_typed(text)
    return int(stripped) if stripped.isascii() and stripped.isdigit() and len(stripped) <= 10 else None


def called_name(universe: Universe, thing: SpaceObject) -> str:
    """Return an object's name. For places and nameless objects it is in the words of the game."""
    if universe.appearance.kinds.get(thing.role, NO_WORDS).nameless:
        return _by_words(universe, thing)
    board = universe.objects.get(thing.parent)
    if board is None or board.role != GALAXY or thing.role == GALAXY:
        return thing.name
    return universe.appearance.place(thing.name, board.name)


def _by_words(universe: Universe, thing: SpaceObject) -> str:
    """Return words for an object without a name.

    For a piece they are its design, for others the kind, with the place on which it lies.
    """
    ships = ship_words(universe, thing)
    if ships:
        return ships
    kind, place = kind_name(universe, thing), universe.objects.get(thing.parent)
    if place is None or place.id in (thing.id, 0) or place.ships:
        return kind
    return f"{kind} of {called_name(universe, place)}"


def kind_name(universe: Universe, thing: SpaceObject) -> str:
    """Return the name of an object's kind."""
    return universe.appearance.kinds.get(thing.role, NO_WORDS).one or thing.kind


def type_name(universe: Universe, number: int) -> str:
    """Return the name of the kind of object with this id."""
    description = universe.object_descriptions.get(number)
    words = universe.appearance.kinds.get(number, NO_WORDS).one
    return words or (description.name if description is not None else f"object type {number}")


def design_name(universe: Universe, number: int) -> str:
    """Return the name of a design."""
    design = universe.designs.get(number)
    words = universe.appearance.designs.get(number, NO_WORDS).one
    return words or (design.name if design is not None else f"design {number}")


def ship_words(universe: Universe, thing: SpaceObject) -> str:
    """Return the parts of a piece, such as "merchant leader" or "5 black ants"."""
    told = []
    for number, count in thing.ships.items():
        words = universe.appearance.designs.get(number, NO_WORDS)
        if count != 1 and words.each:
            told.append(words.counted(count))
        else:
            name = design_name(universe, number)
            told.append(name if count == 1 else f"{count} {name}")
    return ", ".join(told)


def order_name(universe: Universe, kind: tp_pb2.OrderDesc) -> str:
    """Return the name of a type of order."""
    return universe.appearance.orders.get(kind.id, NO_ORDER_WORDS).name or kind.name


def parameter_name(universe: Universe, kind: tp_pb2.OrderDesc, parameter: tp_pb2.ParameterDesc) -> str:
    """Return the name of a parameter of a type of order."""
    words = universe.appearance.orders.get(kind.id, NO_ORDER_WORDS).parameters
    names = [one.name for one in kind.parameters]
    at = names.index(parameter.name) if parameter.name in names else len(words)
    return (words[at] if at < len(words) else "") or parameter.name


def object_name(universe: Universe, number: int) -> str:
    """Return an object's name and id, or only the game's words for a place."""
    thing = universe.objects.get(number)
    if thing is None:
        return f"object {number}"
    name = called_name(universe, thing)
    is_named = universe.appearance.kinds.get(thing.role, NO_WORDS).nameless or name == thing.name
    return f"{name} ({number})" if is_named else name


def player_name(universe: Universe, number: int) -> str:
    """Return a player's name; "" for NOBODY."""
    if number == NOBODY:
        return ""
    player = universe.players.get(number)
    return player.name if player is not None and player.name else f"player {number}"


def marked_name(universe: Universe, number: int) -> str:
    """Return a player's name, with " (you)" for the own player."""
    return player_name(universe, number) + (" (you)" if number == universe.me != NOBODY else "")


def writer_of(message: tp_pb2.Message) -> int | None:
    """Return the id of the player who wrote a message, None for a report of the game.

    The first reference to a player is the writer. A writer can forge it.
    """
    return next((reference.id for reference in message.references if reference.type == PLAYER), None)


def board_told(message: tp_pb2.Message) -> int | None:
    """Return the id of the board to which a message was posted, if known.

    It is `EVERYBODY`, or the board of another player.
    """
    about = message.references
    return about[1].id if len(about) > 1 and (about[0].type, about[1].type) == (PLAYER, BOARD) else None


def addressee_name(universe: Universe, message: tp_pb2.Message) -> str:
    """Return the addressee of a message, such as "everybody"; "" for the own player."""
    board = board_told(message)
    if board is None or board == universe.me:
        return ""
    return EVERYBODY_NAME if board == EVERYBODY else player_name(universe, board)


def letter_words(universe: Universe, message: tp_pb2.Message) -> str:
    """Return writer and addressee of a message, as "from ann to everybody" or "to ben"; "" for a report of the game."""
    writer, to = writer_of(message), addressee_name(universe, message)
    if message.writer:  # a spectator
        return f"from {message.writer}"
    if writer is None:
        return ""
    if writer == universe.me and to:
        return f"to {to}"
    return f"from {player_name(universe, writer)}{f' to {to}' if to else ''}"


def writer_name(universe: Universe, message: tp_pb2.Message) -> str:
    """Return the name of a message's author; "" for a report of the game."""
    writer = writer_of(message)
    if message.writer:
        return message.writer
    return player_name(universe, writer) if writer is not None else ""


def reference_name(universe: Universe, kind: int, number: int) -> str:
    """Return the target of a generic reference (TP04) in words."""
    word, table = REFERENCES.get(kind, (f"reference of type {kind},", ""))
    if kind == PLAYER and number in (NOBODY, 0xFFFFFFFF):
        return "nobody"
    thing = getattr(universe, table).get(number) if table else None
    name = _called(universe, kind, number, thing) if thing is not None else ""
    return f"{word} {name} ({number})" if name else f"{word} {number}"


def _called(universe: Universe, kind: int, number: int, thing: Any) -> str:
    """Return the name of a thing that a reference of a kind names."""
    if kind == OBJECT:
        return called_name(universe, thing)
    if kind == ORDER_TYPE:
        return order_name(universe, thing)
    if kind == RESOURCE:
        return resource_name(universe, number, 1)
    return design_name(universe, number) if kind == DESIGN else _name(thing)


def resource_name(universe: Universe, number: int, amount: int) -> str:
    """Return a resource's name, singular or plural."""
    words = universe.appearance.resources.get(number, NO_WORDS)
    if words.one:
        return (amount != 1 and words.each) or words.one
    resource = universe.resources.get(number)
    if resource is None:
        return f"of resource {number}"
    return resource.singular_name if amount == 1 or not resource.plural_name else resource.plural_name


def holdings(universe: Universe, thing: SpaceObject) -> str:
    """Return an object's resources and ships. Ships are left out if they are its name."""
    is_named = not universe.appearance.kinds.get(thing.role, NO_WORDS).nameless
    ships = ship_words(universe, thing) if is_named else ""
    amounts = (amount_words(universe, *row) for row in thing.resources.items())
    return ", ".join(words for words in (ships, *amounts) if words)


def amount_words(universe: Universe, number: int, amount: Amount | tp_pb2.ObjectResource) -> str:
    """Return the amount of a resource, on the surface and below it.

    A resource may have words but no plural. Then the number is left out, and the result is "" for none.
    """
    words = universe.appearance.resources.get(number, NO_WORDS)
    if words.one and not words.each:
        return words.one if amount.stored else ""
    parts = [f"{amount.minable} minable"] if amount.minable else []
    parts += [f"{amount.unavailable} inaccessible"] if amount.unavailable else []
    more = f" ({', '.join(parts)})" if parts else ""
    return f"{amount.stored} {resource_name(universe, number, amount.stored)}{more}"


def place_name(universe: Universe, thing: SpaceObject) -> str:
    """Return the name of the object's parent, "" without one."""
    parent = universe.objects.get(thing.parent)
    return called_name(universe, parent) if parent is not None and parent is not thing else ""


def _name(thing: Any) -> str:
    return str(thing.singular_name if hasattr(thing, "singular_name") else getattr(thing, "name", ""))


def _find(
    text: str, what: str, table: Mapping[int, Any], line: Callable[[int], str] = str, *, by_number: bool = True
) -> int:
    number = number_in(text) if by_number else None
    if number is not None and number in table:
        return number
    found = [key for key in sorted(table) if _name(table[key]) == text]
    if not found:
        found = [key for key in sorted(table) if _name(table[key]).casefold() == text.casefold()]
    if len(found) == 1:
        return found[0]
    if found:
        which = listed((line(key) for key in found), MOST_NAMED)
        raise UnknownName(f"{counted(len(found), what)} are called {text!r}; name one by its id: {which}.")
    if len(table) <= MOST_NAMED:
        known = ", ".join(f"{shown(_name(table[key]))} ({key})" for key in sorted(table)) or "none"
        raise UnknownName(f"There is no {what} {text!r}; there are: {known}.")
    raise UnknownName(f"There is no {what} {text!r}; give an id or an exact name.")


def _several(universe: Universe, what: str, text: str, found: list[int]) -> UnknownName:
    which = listed((_object_line(universe, key) for key in found), MOST_NAMED)
    return UnknownName(f"{counted(len(found), what)} are called {text!r}; name one by its id: {which}.")


def _object_line(universe: Universe, number: int) -> str:
    thing = universe.objects[number]
    about = holdings(universe, thing) or place_name(universe, thing)
    return shown(f"{number} ({about})" if about else str(number))


# --- what numbers mean

YES, NO = "yes", "no"

MOST_GROUNDS = 7
"""Maximum kinds of ground. A number with more values is no ground."""

_LISTED = re.compile(r"(?:or )?(\d{1,10}) (?:is |= ?|means |for )?(?:the )?(?!and )(.+)")


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground of a place. `rank` counts the kinds of ground from 0, the most common first."""

    rank: int
    words: str


@lru_cache(maxsize=1000)
def meanings_in(description: str) -> Mapping[int, str]:
    """Return the meanings of values in a description. The first meaning of a value counts.

    In "0 soil, 1 grass; below 0" 1 is "grass". In "1 if the star is destroyed" 1 is "yes" and 0 is "no".
    """
    if re.match(r"1 if\b", description):
        return {1: YES, 0: NO}
    found: dict[int, str] = {}
    for part in re.split("[,;]", description):
        listed = _LISTED.fullmatch(part.strip())
        if listed:
            found.setdefault(int(listed[1]), listed[2])
    return found


def grounds_of(universe: Universe, systems: Iterable[SpaceObject]) -> dict[int, Ground]:
    """Return the ground of each star system by its id.

    It comes from the first number of the systems with 2 to MOST_GROUNDS values. Systems without this number are left
    out.
    """
    known = list(systems)
    for key in dict.fromkeys(key for thing in known for key in thing.numbers):
        having = [thing for thing in known if key in thing.numbers]
        values = Counter(thing.numbers[key] for thing in having)
        if 1 < len(values) <= MOST_GROUNDS:
            ranks = {value: rank for rank, value in enumerate(sorted(values, key=lambda one: (-values[one], one)))}
            return {thing.id: Ground(ranks[thing.numbers[key]], _words(universe, thing, *key)) for thing in having}
    return {}


def _words(universe: Universe, thing: SpaceObject, group: str, name: str) -> str:
    """Return the meaning of an object's number by its description.

    Without a description it is the number with its name.
    """
    description = universe.object_descriptions.get(thing.role)
    told = next(
        (
            parameter.description
            for one in (description.property_groups if description is not None else ())
            if one.name == group
            for parameter in one.parameters
            if parameter.name == name
        ),
        "",
    )
    meaning = meanings_in(told).get(thing.numbers[group, name], "")
    if meaning in (YES, NO):
        return f"{name}: {meaning}"
    return meaning or f"{name} {thing.numbers[group, name]}"

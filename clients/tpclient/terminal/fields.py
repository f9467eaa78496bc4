"""One widget for each type of order parameter.

Typed text means the same as on the shell.
"""

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Input, Select, Static

from tpclient.columns import shown
from tpclient.errors import BadArgument, UnknownName
from tpclient.names import REFERENCES, marked_name, object_name, order_name, parameter_name, player_name
from tpclient.parameters import (
    Bounds,
    NumberType,
    ObjectType,
    ParameterType,
    PlaceType,
    PlayerType,
    SelectionType,
    UndefinedType,
    Value,
    parameter_facts,
    parameter_words,
    parse,
    type_of,
)
from tpclient.terminal.amounts import AmountList
from tpclient.terminal.dialogs import Choice
from tpclient.universe import Universe
from tpproto import tp_pb2


class Field(Vertical):
    """One parameter: its name, its widget, its limits, and its error."""

    DEFAULT_CSS = """
    Field { height: auto; margin-bottom: 1; }
    Field > .name { text-style: bold; height: auto; }
    Field > .wants { color: $text-muted; height: auto; }
    Field > .fault { color: $text-error; text-style: bold; height: auto; display: none; }
    Field.-wrong > .fault { display: block; }
    Field Horizontal { height: auto; }
    Field AmountList { height: auto; max-height: 10; }
    """

    class Changed(Message):
        """The value of a field has changed."""

    @dataclass
    class Wanted(Message):
        """The player wants to pick a value for `field`, on the map or from a list."""

        field: "Field"
        on_map: bool

    def __init__(self, universe: Universe, kind: tp_pb2.OrderDesc, parameter: tp_pb2.ParameterDesc) -> None:
        super().__init__()
        self.universe = universe
        self.order = order_name(universe, kind)
        """The name of the type of order."""
        self.called = parameter_name(universe, kind, parameter)
        self.parameter = parameter
        self.type = type_of(parameter)
        self.allowed: frozenset[int] = frozenset()
        """Object types, or types of references, that the server allows; empty means any."""
        self.legal: frozenset[int] | None = None
        """The ids of the objects or players that are legal now. None means unknown, or that others may be legal."""

    def compose(self) -> ComposeResult:
        yield Static(Content(shown(self.called)), classes="name")
        yield from self.compose_value()
        yield Static(self._wants(self.type.meaning), classes="wants")
        yield Static(classes="fault")

    def compose_value(self) -> ComposeResult:
        raise NotImplementedError

    def value(self) -> Value:
        """Return the value, None if there is none yet. Raises BadArgument or UnknownName."""
        raise NotImplementedError

    def fill(self, value: tp_pb2.OrderParameter) -> None:
        """Show the value of an order."""
        raise NotImplementedError

    def pick(self, number: int) -> None:
        """Set an object or another picked item, by its id."""

    def learn(self, value: tp_pb2.OrderParameter) -> None:
        """Store the limits from the server's response to a probe."""

    def narrow(self, told: tp_pb2.LegalValues | None) -> None:
        """Reduce lists to the legal values after the earlier fields. None means that these are unknown."""
        self.legal = frozenset(told.ids) if told is not None and not told.free else None

    @property
    def state(self) -> object:
        """Return the filled-in state, for comparison."""
        return None

    def words(self) -> list[str]:
        """Return the words for the value, to find it in a refusal."""
        return []

    def choices(self) -> list[Choice] | None:
        """Return the choices of a list; None: objects of the map."""
        return None

    def blame(self, fault: str) -> None:
        """Show an error of this parameter; "" removes it."""
        self.query_one(".fault", Static).update(Content(shown(fault)))
        self.set_class(bool(fault), "-wrong")

    @on(Select.Changed)
    @on(AmountList.Changed)
    def _tell_change(self, event: Message) -> None:
        event.stop()
        self.post_message(self.Changed())

    def _wants(self, words: str) -> Content:
        about = f" - {self.parameter.description}" if self.parameter.description else ""
        return Content(shown(words + about))

    def _say_wants(self, words: str) -> None:
        self.query_one(".wants", Static).update(self._wants(words))


class TextField(Field):
    """A typed value. It can also be picked if it names something."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "want(True)", "pick on the map", show=False),
        Binding("f3", "want(False)", "pick from a list", show=False),
    ]

    def __init__(self, universe: Universe, kind: tp_pb2.OrderDesc, parameter: tp_pb2.ParameterDesc) -> None:
        super().__init__(universe, kind, parameter)
        self.is_on_map = isinstance(self.type, PlaceType)
        self.is_in_list = self.is_on_map or bool(self.type.allowed_field)
        self._wanted = self.type.meaning
        self._left_out = ""

    def compose_value(self) -> ComposeResult:
        yield Input(compact=True)
        if self.is_in_list:
            with Horizontal():
                if self.is_on_map:
                    yield Button("Map (F2)", id="map", compact=True)
                yield Button("List (F3)", id="list", compact=True)

    @property
    def text(self) -> str:
        return self.query_one(Input).value

    @text.setter
    def text(self, text: str) -> None:
        self.query_one(Input).value = text

    def value(self) -> Value:
        if not self.text.strip() and self.type.default is None:
            return None
        return parse(self.universe, self.order, self.parameter, [self.text], self.called)

    def fill(self, value: tp_pb2.OrderParameter) -> None:
        self.text = self.type.text(value)

    def pick(self, number: int) -> None:
        self.text = self.type.picked(self.universe, self.text, number)

    def learn(self, value: tp_pb2.OrderParameter) -> None:
        self.allowed = self.type.allowed(value)
        self._wanted = self.type.wanted(self.universe, value)
        if value.string.max_length:
            self.query_one(Input).max_length = value.string.max_length
        self.name_it()

    def narrow(self, told: tp_pb2.LegalValues | None) -> None:
        super().narrow(told if isinstance(self.type, ObjectType) else None)
        left = told.left_out if told is not None and self.legal is not None else 0
        self._left_out = f"; {left} that would be refused {'is' if left == 1 else 'are'} left out" if left else ""
        self.name_it()

    @property
    def state(self) -> object:
        return self.text

    def words(self) -> list[str]:
        if not isinstance(self.type, PlaceType):
            return [self.text]
        try:
            value = self.value()
        except (BadArgument, UnknownName):
            return []
        number = self.type.object_in(value) if value is not None else None
        thing = self.universe.objects.get(number) if number is not None else None
        return [str(value if number is None else number), *([thing.name] if thing is not None else [])]

    def name_it(self) -> None:
        """Show the meaning of a typed or picked id below the input."""
        number = self.text.strip()
        if isinstance(self.type, ObjectType) and number.isdigit() and int(number) in self.universe.objects:
            self._say_wants(f"= {object_name(self.universe, int(number))}")
        else:
            self._say_wants(self._wanted + self._left_out)

    def choices(self) -> list[Choice] | None:
        if self.is_on_map:
            return None
        tables = [REFERENCES[kind] for kind in sorted(self.allowed or REFERENCES) if kind in REFERENCES]
        return [
            Choice(number, f"{word} {getattr(thing, 'name', '') or getattr(thing, 'singular_name', '')} ({number})")
            for word, table in tables
            for number, thing in sorted(getattr(self.universe, table).items())
        ]

    def action_want(self, on_map: bool) -> None:
        if (on_map and self.is_on_map) or (not on_map and self.is_in_list):
            self.post_message(self.Wanted(self, on_map))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_want(event.button.id == "map")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if self.is_on_map and not self.text.strip():
            event.stop()
            self.action_want(True)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.name_it()
        self.post_message(self.Changed())


class NumberField(TextField):
    """A whole number or a number of turns. The arrow keys change it within the server's limits."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(1)", "one more", show=False),
        Binding("down", "step(-1)", "one less", show=False),
    ]

    bounds = Bounds()

    def learn(self, value: tp_pb2.OrderParameter) -> None:
        assert isinstance(self.type, NumberType)
        told = self.type.bounds(value)
        if told.low < told.high:
            self.bounds = told
            super().learn(value)

    def value(self) -> Value:
        number = super().value()
        if number is not None:
            self.bounds.check(self.called, number)
        return number

    def action_step(self, step: int) -> None:
        low, high, by = self.bounds
        try:
            number = int(self.text or "0")
        except ValueError:
            number = max(low, 0)
        self.text = str(min(max(number + step * by, low), high))


class PlayerField(Field):
    """One of the players."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f4", "all", "all or what is legal", show=False)]

    shows_all = False

    def compose_value(self) -> ComposeResult:
        yield Select(self._rows(), prompt="choose a player", compact=True)

    def _rows(self) -> list[tuple[Content, int]]:
        kept = self.legal if self.legal is not None and not self.shows_all else self.universe.players
        players = sorted(number for number in self.universe.players if number in kept)
        return [(Content(shown(marked_name(self.universe, number))), number) for number in players]

    def narrow(self, told: tp_pb2.LegalValues | None) -> None:
        before = self.legal
        super().narrow(told)
        if self.legal != before:
            self._list()

    def action_all(self) -> None:
        """Show or hide the choices that would be refused."""
        self.shows_all = not self.shows_all
        self._list()

    def _list(self) -> None:
        """List the players again.

        The chosen player stays, even if the server would refuse it.
        """
        value, select, rows = self.value(), self.query_one(Select), self._rows()
        left = len(self.universe.players) - len(rows)
        if value is not None and value not in (number for _, number in rows):
            rows.append((Content(shown(f"{marked_name(self.universe, value)} (refused)")), value))
        with self.prevent(Select.Changed):
            select.set_options(rows)
            if value is not None:
                select.value = value
        would = f"; {left} that would be refused {'is' if left == 1 else 'are'} left out (F4)" if left else ""
        self._say_wants(self.type.meaning + would)

    @property
    def state(self) -> object:
        return self.value()

    def value(self) -> Value:
        chosen = self.query_one(Select).value
        return chosen if isinstance(chosen, int) and not isinstance(chosen, bool) else None

    def fill(self, value: tp_pb2.OrderParameter) -> None:
        if value.player.player_id in self.universe.players:
            self.query_one(Select).value = value.player.player_id

    def words(self) -> list[str]:
        value = self.value()
        return [player_name(self.universe, value)] if value is not None else []


class ListField(Field):
    """Choices with amounts. The server sends the choices in the response to a probe."""

    def compose_value(self) -> ComposeResult:
        yield AmountList()

    @property
    def state(self) -> object:
        return dict(self.amounts.chosen)

    @property
    def amounts(self) -> AmountList:
        return self.query_one(AmountList)

    def value(self) -> Value:
        return dict(self.amounts.chosen) or None

    def fill(self, value: tp_pb2.OrderParameter) -> None:
        self.learn(value)
        assert isinstance(self.type, SelectionType)
        self.amounts.choose(dict(self.type.choice(value)))

    def learn(self, value: tp_pb2.OrderParameter) -> None:
        assert isinstance(self.type, SelectionType)
        options = self.type.options(self.universe, value)
        self.amounts.offer(options)
        self._say_wants("space or a number chooses" if options else "nothing can be chosen now")

    def words(self) -> list[str]:
        return [option.name for option in self.amounts.options_offered if option.id in self.amounts.chosen]


class UnknownField(Field):
    """A parameter of an unknown type. It is shown, but cannot be filled in."""

    def compose_value(self) -> ComposeResult:
        yield Static("cannot be filled in by this client")

    def value(self) -> Value:
        raise BadArgument(f"{self.called} has type {self.parameter.type}, which nobody has defined.")

    def fill(self, value: tp_pb2.OrderParameter) -> None:
        words = parameter_words(parameter_facts(self.universe, self.parameter, value))
        self._say_wants(words)


def field_for(universe: Universe, kind: tp_pb2.OrderDesc, parameter: tp_pb2.ParameterDesc) -> Field:
    """Return the widget for a parameter, by its type."""
    known = type_of(parameter)
    widgets: tuple[tuple[type[ParameterType], type[Field]], ...] = (
        (SelectionType, ListField),
        (NumberType, NumberField),
        (PlayerType, PlayerField),
        (UndefinedType, UnknownField),
        (ParameterType, TextField),
    )
    return next(widget for one, widget in widgets if isinstance(known, one))(universe, kind, parameter)

"""One widget for each parameter type of an order. What a text means is decided by the same words as on the shell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Input, Select, Static

from tpproto import tp_pb2

from ..columns import shown
from ..errors import BadArgument
from ..names import REFERENCES, object_name, player_name
from ..orders import Kind, Value, is_unset
from ..plain.choices import LISTS, meaning, options_of, value_of
from ..plain.orders import number_words
from ..plain.parameters import parameter_facts, parameter_words
from ..universe import Universe
from .amounts import AmountList


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to pick from a list: its id and what it is called."""

    id: int
    words: str


class Field(Vertical):
    """One parameter: its name, its widget, what it wants, and what is wrong with it."""

    DEFAULT_CSS = """
    Field { height: auto; margin-bottom: 1; }
    Field > .name { text-style: bold; height: auto; }
    Field > .wants { color: $text-muted; height: auto; }
    Field > .fault { color: $text-error; text-style: bold; height: auto; display: none; }
    Field.-wrong > .fault { display: block; }
    Field Horizontal { height: auto; }
    Field Button { min-width: 8; width: auto; margin-right: 1; }
    Field AmountList { height: auto; max-height: 10; }
    """

    class Changed(Message):
        """Another value stands in a field."""

    class Wanted(Message):
        """A value is to be picked for `field`: on the map, or else from a list."""

        def __init__(self, field: "Field", *, on_map: bool) -> None:
            super().__init__()
            self.field = field
            self.on_map = on_map

    def __init__(self, universe: Universe, order: str, parameter: tp_pb2.ParameterDesc) -> None:
        super().__init__()
        self.universe = universe
        self.order = order
        self.parameter = parameter
        self.allowed: frozenset[int] = frozenset()
        """Object types, or types of references, that the server says make sense; empty: any."""

    def compose(self) -> ComposeResult:
        about = f" - {self.parameter.description}" if self.parameter.description else ""
        yield Static(Content(shown(self.parameter.name)), classes="name")
        yield from self.compose_value()
        yield Static(Content(shown(f"{meaning(self.parameter)}{about}")), classes="wants")
        yield Static(classes="fault")

    def compose_value(self) -> ComposeResult:
        raise NotImplementedError

    def value(self) -> Value:
        """The value that stands here, None if there is none yet. Raises BadArgument or UnknownName."""
        raise NotImplementedError

    def fill(self, value: tp_pb2.OrderParameter) -> None:
        """Put the value of an order here."""
        raise NotImplementedError

    def pick(self, number: int) -> None:
        """Take an object, or whatever else was picked, by its id."""

    def learn(self, value: tp_pb2.OrderParameter) -> None:
        """Take the limits that the server's answer to a probe tells."""

    def words(self) -> list[str]:
        """What the value is called, to find it in the words of a refusal."""
        return []

    def choices(self) -> list[Choice] | None:
        """What can be picked from a list; None: objects of the map."""
        return None

    def blame(self, fault: str) -> None:
        """Say what is wrong with this parameter; nothing: it is all right."""
        self.query_one(".fault", Static).update(Content(shown(fault)))
        self.set_class(bool(fault), "-wrong")

    def _say_wants(self, words: str) -> None:
        about = f" - {self.parameter.description}" if self.parameter.description else ""
        self.query_one(".wants", Static).update(Content(shown(words + about)))


class TextField(Field):
    """A value that is typed, and can be picked where it names something."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "want(True)", "pick on the map", show=False),
        Binding("f3", "want(False)", "pick from a list", show=False),
    ]

    ON_MAP: ClassVar[frozenset[int]] = frozenset({Kind.OBJECT, Kind.COORDINATES, Kind.RELATIVE_COORDINATES})
    IN_LIST: ClassVar[frozenset[int]] = ON_MAP | {Kind.REFERENCE, Kind.REFERENCE_LIST}

    def __init__(self, universe: Universe, order: str, parameter: tp_pb2.ParameterDesc) -> None:
        super().__init__(universe, order, parameter)
        self._wanted = meaning(parameter)

    def compose_value(self) -> ComposeResult:
        yield Input(compact=True)
        if self.parameter.type in self.IN_LIST:
            with Horizontal():
                if self.parameter.type in self.ON_MAP:
                    yield Button("Map (F2)", id="map", compact=True)
                yield Button("List (F3)", id="list", compact=True)

    @property
    def text(self) -> str:
        return self.query_one(Input).value

    @text.setter
    def text(self, text: str) -> None:
        self.query_one(Input).value = text

    def value(self) -> Value:
        if self.parameter.type == Kind.STRING:
            return self.text
        if self.parameter.type == Kind.REFERENCE_LIST and not self.text.strip():
            return []
        if not self.text.strip():
            return None
        return value_of(self.universe, self.order, self.parameter, [self.text])

    def fill(self, value: tp_pb2.OrderParameter) -> None:
        which = value.WhichOneof("value")
        facts = parameter_facts(self.universe, self.parameter, value)
        if is_unset(value):
            self.text = ""
        elif which == "relative_coordinates":
            self.text = f"{facts['value']}@{','.join(map(str, facts['offset']))}"
        elif which in ("coordinates", "reference_list"):
            self.text = ",".join(map(str, facts["value"]))
        else:
            self.text = str(facts.get("value", ""))

    def pick(self, number: int) -> None:
        if self.parameter.type == Kind.COORDINATES and number in self.universe.objects:
            self.text = ",".join(map(str, self.universe.objects[number].position))
        elif self.parameter.type == Kind.REFERENCE_LIST and self.text.strip():
            self.text = f"{self.text.rstrip().rstrip(',')},{number}"
        else:
            self.text = str(number)

    def learn(self, value: tp_pb2.OrderParameter) -> None:
        if value.HasField("object"):
            self.allowed = frozenset(value.object.valid_types)
            kinds = self.universe.object_descriptions
            names = [kinds[kind].name for kind in sorted(self.allowed) if kind in kinds]
            if names:
                self._wanted = f"a {' or '.join(names)}, by id, exact name, or picked"
            self.name_it()
        elif value.HasField("reference"):
            self.allowed = frozenset(value.reference.allowed)
        elif value.HasField("reference_list"):
            self.allowed = frozenset(value.reference_list.allowed)
        elif value.HasField("string") and value.string.max_length:
            self.query_one(Input).max_length = value.string.max_length
            self._say_wants(f"text of at most {value.string.max_length} letters")

    def words(self) -> list[str]:
        if self.parameter.type not in self.ON_MAP:
            return [self.text]
        try:
            value = self.value()
        except BadArgument:
            return []
        number = value[0] if isinstance(value, tuple) and self.parameter.type == Kind.RELATIVE_COORDINATES else value
        thing = self.universe.objects.get(number) if isinstance(number, int) else None
        return [str(number), *([thing.name] if thing is not None else [])]

    def name_it(self) -> None:
        """Say below the input what a typed or picked id means."""
        number = self.text.strip()
        if self.parameter.type == Kind.OBJECT and number.isdigit() and int(number) in self.universe.objects:
            self._say_wants(f"= {object_name(self.universe, int(number))}")
        else:
            self._say_wants(self._wanted)

    def choices(self) -> list[Choice] | None:
        if self.parameter.type in self.ON_MAP:
            return None
        tables = [REFERENCES[kind] for kind in sorted(self.allowed or REFERENCES) if kind in REFERENCES]
        return [
            Choice(number, f"{word} {getattr(thing, 'name', '') or getattr(thing, 'singular_name', '')} ({number})")
            for word, table in tables
            for number, thing in sorted(getattr(self.universe, table).items())
        ]

    def action_want(self, on_map: bool) -> None:
        if self.parameter.type in (self.ON_MAP if on_map else self.IN_LIST):
            self.post_message(self.Wanted(self, on_map=on_map))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_want(event.button.id == "map")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if self.parameter.type in self.ON_MAP and not self.text.strip():
            event.stop()
            self.action_want(True)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.parameter.type == Kind.OBJECT:
            self.name_it()
        self.post_message(self.Changed())


class NumberField(TextField):
    """A whole number or a number of turns; the arrow keys go up and down within the limits that the server tells."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(1)", "one more", show=False),
        Binding("down", "step(-1)", "one less", show=False),
    ]

    low, high, by = -(2**31), 2**31 - 1, 1

    def compose_value(self) -> ComposeResult:
        yield Input(compact=True)

    def learn(self, value: tp_pb2.OrderParameter) -> None:
        if value.HasField("range") and value.range.min_value < value.range.max_value:
            self.low, self.high = value.range.min_value, value.range.max_value
            self.by = max(1, value.range.increment)
        elif value.HasField("time") and value.time.max_time:
            self.low, self.high = 0, value.time.max_time
        else:
            return  # no limits are told
        self._say_wants(number_words(value))

    def value(self) -> Value:
        number = super().value()
        if number is not None and not self.low <= number <= self.high:
            raise BadArgument(f"{self.parameter.name} goes from {self.low} to {self.high}, not to {number}.")
        return number

    def action_step(self, step: int) -> None:
        try:
            number = int(self.text or "0")
        except ValueError:
            number = max(self.low, 0)
        self.text = str(min(max(number + step * self.by, self.low), self.high))


class PlayerField(Field):
    """One of the players."""

    def compose_value(self) -> ComposeResult:
        me = self.universe.me
        rows = [
            (Content(shown(player_name(self.universe, number) + (" (you)" if number == me else ""))), number)
            for number in sorted(self.universe.players)
        ]
        yield Select(rows, prompt="choose a player", compact=True)

    def value(self) -> Value:
        chosen = self.query_one(Select).value
        return chosen if isinstance(chosen, int) and not isinstance(chosen, bool) else None

    def fill(self, value: tp_pb2.OrderParameter) -> None:
        if value.player.player_id in self.universe.players:
            self.query_one(Select).value = value.player.player_id

    def words(self) -> list[str]:
        value = self.value()
        return [player_name(self.universe, value)] if value is not None else []

    def on_select_changed(self, event: Select.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())


class ListField(Field):
    """Choices with amounts; which there are the server tells when the order is probed."""

    def compose_value(self) -> ComposeResult:
        yield AmountList()

    @property
    def amounts(self) -> AmountList:
        return self.query_one(AmountList)

    def value(self) -> Value:
        return dict(self.amounts.chosen) or None

    def fill(self, value: tp_pb2.OrderParameter) -> None:
        self.learn(value)
        facts = parameter_facts(self.universe, self.parameter, value)
        self.amounts.choose({row["id"]: row["number"] for row in facts["value"]})

    def learn(self, value: tp_pb2.OrderParameter) -> None:
        options = options_of(self.universe, value)
        self.amounts.offer(options)
        self._say_wants("space or a number chooses" if options else "nothing can be chosen now")

    def words(self) -> list[str]:
        return [option.name for option in self.amounts.options_offered if option.id in self.amounts.chosen]

    def on_amount_list_changed(self, event: AmountList.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())


class UnknownField(Field):
    """A parameter of a type that nobody has defined: it is shown, and cannot be filled in."""

    def compose_value(self) -> ComposeResult:
        yield Static("cannot be filled in by this client")

    def value(self) -> Value:
        raise BadArgument(f"{self.parameter.name} has type {self.parameter.type}, which nobody has defined.")

    def fill(self, value: tp_pb2.OrderParameter) -> None:
        words = parameter_words(parameter_facts(self.universe, self.parameter, value))
        self._say_wants(words)


def field_for(universe: Universe, order: str, parameter: tp_pb2.ParameterDesc) -> Field:
    """The widget for a parameter, by its type alone."""
    kinds: Sequence[tuple[frozenset[int], type[Field]]] = (
        (frozenset(LISTS), ListField),
        (frozenset({Kind.TIME, Kind.RANGE}), NumberField),
        (frozenset({Kind.PLAYER}), PlayerField),
        (TextField.IN_LIST | {Kind.STRING}, TextField),
    )
    known = next((made for types, made in kinds if parameter.type in types), UnknownField)
    return known(universe, order, parameter)

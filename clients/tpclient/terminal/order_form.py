"""The form of one order: a field per parameter, probed before sending."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Button, Input, Static

from tpclient.columns import listed, shown
from tpclient.errors import BadArgument, ClientError, RequestFailed, UnknownName
from tpclient.legal import PartialOrder
from tpclient.names import object_name, order_name
from tpclient.objects import SpaceObject
from tpclient.orders import APPEND, build_order
from tpclient.parameters import ObjectType, PlayerType, SelectionType, Value, stand_ins, type_of
from tpclient.plain.facts import order_line
from tpclient.terminal.deeds import deed
from tpclient.terminal.dialogs import Question
from tpclient.terminal.fields import Field, field_for
from tpclient.terminal.link import FollowedGame, spoken
from tpproto import tp_pb2

PAUSE = 0.2
"""Seconds without typing after which the order is probed."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An order in the form: its object, its type and its place in the queue. `old` is the order that it replaces.

    `chosen` are its first parameters, if they are already known. `piece` is the id of the selected object, if another
    object carries its orders.
    """

    thing: SpaceObject
    kind: tp_pb2.OrderDesc
    slot: int = APPEND
    old: tp_pb2.Order | None = None
    chosen: Sequence[tp_pb2.OrderParameter] = ()
    piece: int | None = None

    @property
    def looked_at(self) -> int:
        """The id of the selected object."""
        return self.thing.id if self.piece is None else self.piece


class OrderForm(Vertical):
    """The form for one order. It probes the order after each change, and gives it. A refusal changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "give", "give the order", priority=True),
        Binding("escape", "leave", "cancel"),
        Binding("f1", "screen.about", "rules"),
    ]

    DEFAULT_CSS = """
    OrderForm { padding: 0 0 0 1; }
    OrderForm > VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
    OrderForm .title { text-style: bold; }
    OrderForm .about { color: $text-muted; margin-bottom: 1; }
    OrderForm > #answer { height: auto; max-height: 40%; border-top: solid $primary-muted; }
    OrderForm > #answer.-refused { color: $text-error; text-style: bold; }
    OrderForm > Horizontal { height: 1; }
    """

    @dataclass
    class Given(Message):
        """The order is in the queue. `words` describes it."""

        draft: Draft
        words: str

    class Narrowed(Message):
        """The possible values of the fields have arrived, as far as the server has them."""

    class Left(Message):
        """The form can be closed."""

    def __init__(self, link: FollowedGame, draft: Draft) -> None:
        super().__init__(id="order-form")
        self.link = link
        self.draft = draft
        self._soon: Timer | None = None
        self._universe = link.universe
        self._has_tried = False
        self._untouched: list[object] = []
        """The contents of the fields when the form was opened."""
        self._was_incomplete = False
        """True if the player tried to give an incomplete order."""

    def compose(self) -> ComposeResult:
        thing, kind = self.draft.thing, self.draft.kind
        words = f"{order_name(self._universe, kind)}: {object_name(self._universe, thing.id)}"
        if self.draft.old is not None:
            words += f", order {self.draft.old.slot}"
        elif self.draft.slot != APPEND:
            words += f", before order {self.draft.slot}"
        with VerticalScroll(can_focus=False):
            yield Static(Content(shown(words)), classes="title")
            about = [shown(kind.description)] if kind.description else []
            yield Static(Content("\n".join([*about, "F1: rules of this order"])), classes="about")
            for parameter in kind.parameters:
                yield field_for(self._universe, kind, parameter)
        yield Static(id="answer")
        with Horizontal():
            yield Button("Give (^s)", id="give", variant="primary", compact=True)
            yield Button("Cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        told = self.link.told.get(self.draft.kind.id)
        for field, value in zip(self.fields, told.parameters if told is not None else (), strict=False):
            if type_of(field.parameter).allowed_field:  # other limits and choices belong to one object only
                field.learn(value)
        filled = self.draft.old.parameters if self.draft.old is not None else self.draft.chosen
        for field, value in zip(self.fields, filled, strict=False):
            field.fill(value)
        self._untouched = [field.state for field in self.fields]
        self.probe()
        self.narrow()

    @property
    def fields(self) -> list[Field]:
        return list(self.query(Field))

    def focus_field(self, index: int = 0) -> None:
        """Focus a field, or the button after the last one."""
        inside = list(self.fields[index].query("Input, AmountList, Select")) if index < len(self.fields) else []
        (inside[0] if inside else self.query_one("#give", Button)).focus()

    # --- asking

    def on_field_changed(self, event: Field.Changed) -> None:
        event.stop()
        if self._soon is not None:
            self._soon.stop()
        self._soon = self.set_timer(PAUSE, self._ask)

    def _ask(self) -> None:
        self.probe()
        self.narrow()

    @property
    def is_touched(self) -> bool:
        """Return whether filled-in values would be lost."""
        return [field.state for field in self.fields] != self._untouched

    def part_before(self, field: Field) -> PartialOrder | None:
        """Return the order up to a field.

        None if something is missing before it. Also None unless the order goes to the end of the queue, because legal
        values are known only there.
        """
        if self.draft.old is not None or self.draft.slot != APPEND:
            return None
        part = PartialOrder(self.draft.thing.id, self.draft.kind)
        for one in self.fields:
            if one is field:
                return part
            try:
                value = one.value()
                part = part.followed_by(value if value is not None else type_of(one.parameter).default)
            except (BadArgument, UnknownName):
                return None
        return None

    @work(exclusive=True, group="narrow")
    async def narrow(self) -> None:
        """Reduce the lists to the values that the server allows after the earlier fields."""
        for field in self.fields:
            part = self.part_before(field) if isinstance(type_of(field.parameter), ObjectType | PlayerType) else None
            field.narrow(await self.link.legal.values(part) if part is not None else None)
        self.post_message(self.Narrowed())

    def _values(self) -> tuple[dict[str, Value], list[str], bool]:
        """Return the values by parameter, the names of parameters without one, and whether all texts are valid."""
        values: dict[str, Value] = {}
        missing: list[str] = []
        readable = True
        for field in self.fields:
            try:
                value = field.value()
            except (BadArgument, UnknownName) as error:
                field.blame(str(error).removeprefix(f"{field.order}: "))
                readable = False
                continue
            is_list = isinstance(type_of(field.parameter), SelectionType)
            wanted = "Choose something here." if is_list else "Something is missing here."
            field.blame(wanted if value is None and self._was_incomplete else "")
            if value is None:
                missing.append(field.parameter.name)
            else:
                values[field.parameter.name] = value
        return values, missing, readable

    @work(exclusive=True, group="probe")
    async def probe(self) -> None:
        """Probe the order, and show its limits in the fields.

        Neutral values replace the missing ones.
        """
        values, missing, readable = self._values()
        values = stand_ins(self._universe, self.draft.thing, self.draft.kind.parameters) | values
        complete = readable and not missing
        try:
            order = await probed(self.link, self.draft, values)
        except RequestFailed as refusal:
            if complete:
                self._refused(refusal)
            else:
                self._say(self._missing_words(missing) if readable else "")
                await self._learn_otherwise({name: values[name] for name in values if name not in missing}, missing)
            return
        except ClientError as error:
            self._say(spoken(error), refused=True)
            return
        self._learn(order)
        if complete:
            self._say(f"The server would take it: {order_line(self._universe, order)}{await self._doubt(values)}")
        else:
            self._say(self._missing_words(missing) if readable else "")

    async def _doubt(self, values: Mapping[str, Value]) -> str:
        """Return why a legal order may have no effect, as a sentence with a space before it."""
        if self.draft.old is not None or self.draft.slot != APPEND:
            return ""
        chosen = build_order(self.draft.kind, self.draft.thing.queue, values).parameters
        part = PartialOrder(self.draft.thing.id, self.draft.kind, tuple(chosen))
        told = await self.link.legal.values(part)
        return f" But: {told.doubt}" if told is not None and told.doubt else ""

    async def _learn_otherwise(self, values: Mapping[str, Value], missing: list[str]) -> None:
        """Try other objects once, after a refusal, to learn the possible names."""
        self._has_tried, tried = True, self._has_tried
        parameters = self.draft.kind.parameters
        if tried or not any(isinstance(type_of(one), ObjectType) and one.name in missing for one in parameters):
            return
        try:
            order = await told_by_trial(self.link, self.draft, values)
        except ClientError as error:
            self._say(spoken(error), refused=True)
            return
        if order is not None:
            self._learn(order)

    def _learn(self, order: tp_pb2.Order) -> None:
        for field, value in zip(self.fields, order.parameters, strict=False):
            field.learn(value)

    def _missing_words(self, missing: list[str]) -> str:
        called = [field.called for field in self.fields if field.parameter.name in missing]
        return f"Still to give: {listed(called)}." if missing else ""

    def _say(self, words: str, *, refused: bool = False) -> None:
        for answer in self.query("#answer").results(Static):  # missing if the form was closed meanwhile
            answer.update(Content(shown(words)))
            answer.set_class(refused, "-refused")

    def _refused(self, refusal: ClientError) -> None:
        """Show a refusal at the parameter at fault, or below all of them if it is unknown."""
        words = spoken(refusal)
        by_name: Mapping[str, list[str]] = {field.parameter.name: field.words() for field in self.fields}
        guilty = None
        if isinstance(refusal, RequestFailed):
            if refusal.parameter is not None and refusal.parameter < len(self.fields):
                guilty = self.fields[refusal.parameter].parameter.name
            else:
                guilty = blamed_parameter(words, list(by_name), by_name)
        for field in self.fields:
            field.blame(words if field.parameter.name == guilty else "")
            if field.parameter.name == guilty:
                field.scroll_visible()
        self._say("" if guilty is not None else words, refused=True)

    # --- giving

    @deed("give")
    async def action_give(self) -> None:
        """Give the order. An error is shown, and all values stay."""
        values, missing, readable = self._values()
        if missing and not self._was_incomplete:
            self._was_incomplete = True
            self._values()  # which now marks each field
        if missing or not readable:
            self._say(self._missing_words(missing), refused=True)
            return
        try:
            if self.draft.old is not None:
                order = await self.link.replace_order(self.draft.old, self.draft.kind, values)
            else:
                order = await self.link.order(self.draft.thing, self.draft.kind, values, self.draft.slot)
        except ClientError as error:
            self._refused(error)
            return
        self.post_message(self.Given(self.draft, order_line(self._universe, order)))

    @deed("leave")
    async def action_leave(self) -> None:
        """Close the form. A question comes first if values would be lost and the object still exists."""
        is_lost = self.is_touched and self.draft.thing.id in self.link.universe.objects
        question = Question("Discard what was filled in? The order has not been given.", "Discard")
        if not is_lost or await self.app.push_screen_wait(question):
            self.post_message(self.Left())

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "give":
            self.action_give()
        else:
            self.action_leave()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Focus the next field, and after the last one the button."""
        at = next((index for index, field in enumerate(self.fields) if event.input in field.query(Input)), -1)
        self.focus_field(at + 1)


# --- what the parameters of an order may be, learnt from the answers to probes

# The server sends limits of parameters only with an order that it would accept. So missing values are neutral ones, and
# several objects are tried, because a neutral object is often refused.

MOST_KINDS = 8
"""Maximum of objects in the first trials, each of another type."""

MOST_OTHERS = 56
"""Maximum of objects in the second trials, from all over the map."""


async def probed(link: FollowedGame, draft: Draft, values: Mapping[str, Value]) -> tp_pb2.Order:
    """Return the result of a draft with these values in its place.

    The place is that of the order that it changes, if any.
    """
    slot = draft.slot if draft.old is None else draft.old.slot
    return await link.probe(draft.thing, draft.kind, values, slot, replaces=draft.old is not None)


async def told_by_trial(link: FollowedGame, draft: Draft, values: Mapping[str, Value]) -> tp_pb2.Order | None:
    """Return an order that the server accepts for a draft, with neutral values for the missing ones.

    For missing objects, several are tried. Returns None if the server refuses all trials. Raises ClientError if the
    server cannot be asked.
    """
    thing = draft.thing
    missing = [one for one in draft.kind.parameters if one.name not in values]
    anything = stand_ins(link.universe, thing, missing)
    objects = [one.name for one in missing if isinstance(type_of(one), ObjectType)]

    async def tried(number: int) -> tp_pb2.Order | None:
        """Return the order with this object in place of all missing ones."""
        try:
            return await probed(link, draft, {**anything, **dict.fromkeys(objects, number), **values})
        except RequestFailed:
            return None

    near = _of_each_type(link, thing)
    others = [number for number in link.map.icon_of if number not in near]
    spread = others[:: max(1, -(-len(others) // MOST_OTHERS))]
    for numbers in (near, spread) if objects else ([thing.id],):
        answers = await asyncio.gather(*map(tried, numbers))
        taken = next((order for order in answers if order is not None), None)
        if taken is not None:
            return taken
    return None


def _of_each_type(link: FollowedGame, thing: SpaceObject) -> list[int]:
    """Return the thing itself and one object of each type, near ones first."""
    universe = link.universe
    system = link.map.icon_of.get(thing.id, thing.id)
    near = [thing.id, system, *(one.id for one in universe.inside(system)), *link.map.icon_of]
    examples: dict[int, int] = {}
    for number in near:
        if number in universe.objects:
            examples.setdefault(universe.objects[number].role, number)
    return list(examples.values())[:MOST_KINDS]


# --- which parameter a refusal is about, where the server does not name it


def blamed_parameter(text: str, parameters: Sequence[str], words: Mapping[str, Sequence[str]]) -> str | None:
    """Return the name of the parameter that a refusal's text mentions, None if there is no such parameter.

    `words` has the names and ids of the value of each parameter. A parameter's own name has priority over a value's.
    Otherwise the first one in the text counts.
    """
    named = _first(text, {name: [name] for name in parameters})
    if named is not None:
        return named
    return _first(text, words)


def _first(text: str, words: Mapping[str, Sequence[str]]) -> str | None:
    found: list[tuple[int, int, str]] = []
    for parameter, alternatives in words.items():
        for word in alternatives:
            match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) if word.strip() else None
            if match is not None:
                found.append((match.start(), -len(word), parameter))
    return min(found)[2] if found else None

"""The side panel: the system under the cursor, its objects and orders."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tpclient.columns import brief, counted, listed, shown
from tpclient.errors import ClientError
from tpclient.names import called_name, holdings, kind_name, order_name, player_name, resource_name
from tpclient.objects import NOBODY, SpaceObject
from tpclient.plain.facts import Groups, order_line
from tpclient.terminal.link import FollowedGame, spoken
from tpclient.terminal.marks import ACTING, Marks
from tpclient.views import Icon, tooltip
from tpproto import tp_pb2

MOST_THINGS = 500
"""Maximum objects of a place in the panel. Find has all of them."""


class Things(OptionList):
    """The objects of a place. Enter lists the orders of the selected one."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "screen.focus_map", "map", show=False)]


class Queue(OptionList):
    """The queued orders of one object."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "screen.focus_map", "map", show=False),
        Binding("x,delete", "act('remove')", "remove"),
        Binding("X", "act('remove all')", "remove all", key_display="X"),
        Binding("less_than_sign,comma,shift+up", "act('up')", "earlier"),
        Binding("greater_than_sign,full_stop,shift+down", "act('down')", "later"),
        Binding("i", "act('insert')", "insert before"),
    ]

    @dataclass
    class Acted(Message):
        """A key for the order in `slot`: remove it or all, up, down, insert before, or change."""

        what: str
        slot: int

    def action_act(self, what: str) -> None:
        if self.highlighted is not None:
            self.post_message(self.Acted(what, self.highlighted))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Acted("change", event.option_index))


class Side(Vertical):
    """The panel beside the map."""

    DEFAULT_CSS = """
    Side { padding: 0 0 0 1; }
    Side > * { scrollbar-size-vertical: 1; }
    Side > OptionList { text-wrap: nowrap; text-overflow: ellipsis; }
    Side > #place { height: auto; max-height: 60%; }
    Side > #things { height: auto; max-height: 40%; border: none; background: $surface; padding: 0; }
    Side > #facts-scroll { height: 1fr; border-top: solid $primary-muted; }
    Side > #queue-title { height: 1; color: $text-muted; display: none; }
    Side > #queue { height: auto; max-height: 30%; border: none; background: $surface; padding: 0; display: none; }
    Side.-orders > #queue-title, Side.-orders > #queue { display: block; }
    """

    class Selected(Message):
        """Another object is selected."""

    def __init__(self, link: FollowedGame) -> None:
        super().__init__(id="side")
        self.link = link
        self.things: Sequence[SpaceObject] = ()
        self.selected = -1
        """The id of the selected object."""
        self.acting: Collection[int] = ()
        """The ids of the pieces that can act. The next `show` shows them."""

    def compose(self) -> ComposeResult:
        yield Static(id="place")
        yield Things(id="things", markup=False, compact=True)
        with VerticalScroll(id="facts-scroll"):
            yield Static(id="facts")
        yield Static(id="queue-title")
        yield Queue(id="queue", markup=False, compact=True)

    @property
    def thing(self) -> SpaceObject | None:
        """The selected object; None if there is none, or it no longer exists."""
        return self.link.universe.objects.get(self.selected)

    @property
    def orders(self) -> Sequence[tp_pb2.Order]:
        """The queued orders of the selected object."""
        return self.link.queued(self.thing) if self.thing is not None else ()

    # --- what is shown

    def show(self, icons: Sequence[Icon], marks: Marks | None, *, resources: bool) -> None:
        """Show the objects in these star systems. The selected object stays selected, if it is still there."""
        self.query_one("#place", Static).update(self._place(icons, marks, resources=resources))
        universe = self.link.universe
        everything = chain.from_iterable(universe.tree(icon.thing.id) for icon in icons)
        found = list(islice(everything, MOST_THINGS))
        self.things = [thing for _, thing in found]
        options = self.query_one(Things)
        numbers = [thing.id for thing in self.things]
        if self.selected not in numbers:
            self.selected = self._best(self.things)
        options.set_options([Option(self._row(min(depth, 3), thing, marks)) for depth, thing in found])
        if self.selected in numbers:
            options.highlighted = numbers.index(self.selected)
        self._show_thing()

    def _best(self, things: Sequence[SpaceObject]) -> int:
        """Return the id of the object to select first.

        It is an object that can act, else one that takes the player's orders, else a piece, else the place itself.
        """
        universe = self.link.universe
        actor = next((thing.id for thing in things if thing.id in self.acting), None)
        if actor is not None:
            return actor
        ours = next((thing.id for thing in things if universe.offers(thing)), None)
        if ours is not None:
            return ours
        return next((thing.id for thing in things if thing.ships), things[0].id if things else -1)

    def _row(self, depth: int, thing: SpaceObject, marks: Marks | None) -> Text:
        universe = self.link.universe
        text = Text(" " * depth, no_wrap=True, overflow="ellipsis")
        if thing.owner != NOBODY and marks is not None:
            shape = marks.shape((thing.owner,))
            text.append(shape.text + " ", shape.style)
        if thing.id in self.acting:
            text.append(ACTING.text, ACTING.style)
        text.append(shown(called_name(universe, thing) or kind_name(universe, thing)))
        queue = universe.queue_of(thing)
        if queue is not None and queue.num_orders:
            text.append(f" ({queue.num_orders})", "bold")
        held = holdings(universe, thing)
        if held:
            text.append(f" {brief(shown(held), 60)}", "dim")
        return text

    def _place(self, icons: Sequence[Icon], marks: Marks | None, *, resources: bool) -> Text:
        if not icons:
            return Text("Nothing is here.", "dim")
        if len(icons) > 1:
            return Text(f"{counted(len(icons), 'system')} in one place")
        (icon,) = icons
        universe = self.link.universe
        text = Text.assemble((shown(called_name(universe, icon.thing)), "bold"))
        names = [shown(player_name(universe, owner)) for owner in icon.owners]
        if names:
            text.append(f"  {listed(names)}", "none")
        ground = marks.ground_words(icon.thing.id) if marks is not None else ""
        if ground:
            text.append(f"  {ground}", "dim")
        if not resources or marks is None:
            return text
        self._bars(text, icon, marks)
        return text

    def _bars(self, text: Text, icon: Icon, marks: Marks) -> None:
        """Append the pie of a system as bars, and below it the text of its tooltip."""
        pie = self.link.map.pie(icon, marks.ticked)
        room = max(6, self.size.width // 3)
        for part in pie.slices if pie is not None else ():
            name = resource_name(self.link.universe, part.resource, 1) if part.resource is not None else "other"
            style = marks.resource_style(part.resource)
            bar = "█" * max(1, round(part.share * room))
            text.append(f"\n{marks.resource_letter(part.resource)} {bar.ljust(room)}", style)
            text.append(f" {part.share:4.0%} {brief(shown(name), max(6, self.size.width - room - 9))}", "none")
        for line in tooltip(icon, self.link.universe.resources, self.link.universe.appearance.resources):
            text.append(f"\n{shown(line)}", "dim")

    # --- one thing

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if isinstance(event.option_list, Things) and event.option_index < len(self.things):
            number = self.things[event.option_index].id
            if number != self.selected:
                self.selected = number
                self._show_thing()

    def _show_thing(self) -> None:
        thing = self.thing
        facts = self.query_one("#facts", Static)
        orders = self.orders
        self.set_class(bool(orders), "-orders")
        queue = self.query_one(Queue)
        before = queue.highlighted
        queue.set_options(
            [Option(Content(shown(f"{one.slot} {order_line(self.link.universe, one)}"))) for one in orders]
        )
        if orders:
            queue.highlighted = min(before or 0, len(orders) - 1)
            self.query_one("#queue-title", Static).update(f"{counted(len(orders), 'order')} (^u: go there)")
        if thing is None:
            facts.update("")
        else:
            facts.update(self._facts(thing, "", []))
            self._fetch(thing)
        self.post_message(self.Selected())

    @work(exclusive=True, group="facts")
    async def _fetch(self, thing: SpaceObject) -> None:
        """Request all values of the object and show them."""
        try:
            about, groups = await self.link.groups(thing)
        except ClientError as error:
            facts: Content | Text = Content(shown(spoken(error)))
        else:
            facts = self._facts(thing, about, groups)
        if thing.id == self.selected:
            for panel in self.query("#facts").results(Static):  # none if the screen was closed meanwhile
                panel.update(facts)

    def _facts(self, thing: SpaceObject, about: str, groups: Groups) -> Text:
        universe = self.link.universe
        name = called_name(universe, thing)
        text = Text.assemble((shown(f"{name} ({thing.id}), {kind_name(universe, thing)}"), "bold"))
        description = universe.object_descriptions.get(thing.role)
        words = about or (description.description if description is not None else "")
        if words:
            text.append(f"\n{shown(words)}", "dim")
        offers = universe.offers(thing)
        if offers:
            text.append("\nTakes: ", "bold")
            text.append(shown(listed(order_name(universe, offer) for offer in offers)), "none")
        for group, values in groups:
            text.append(f"\n{shown(group)}", "underline")
            for name, value in values:
                text.append(f"\n {shown(name)}: ", "dim")
                text.append(shown(value) or "-", "none")
        return text

"""Signs for the cells of the map in each view, and their meanings.

The signs need no color. Normal view: a shape shows the owner, and a letter the piece or else the resource. A ground
sign shows an object without an owner. Resource view: the letter of the largest resource, and the whole amount as a
number or a bar.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rich.style import Style

from tpclient.appearance import on_dark
from tpclient.columns import counted, shown
from tpclient.columns import width as columns_of
from tpclient.names import design_name, grounds_of, kind_name, marked_name, resource_name
from tpclient.objects import NOBODY, SpaceObject
from tpclient.plain.chart import NOBODY_THERE, all_letters, short
from tpclient.universe import Universe
from tpclient.views import FULL_DIAMETER, Icon, Map

MINE = "●"
SHAPES = "▲■◆★▼♥♠♣"
"""One for each other player, by rising id; those beyond share the last."""
SHARED = "◐"
GROUNDS = "·,:;'\"~"
"""For the kinds of ground, the commonest first."""
WORDY = 7
"""Minimum columns of a cell with words in place of letters."""
SEVERAL = "+"
OTHER_LETTER = "&"
LEVELS = "▁▂▃▄▅▆▇█"

# Colors that all people can distinguish on a dark background. The shapes have the same meanings.
MINE_COLOUR, SHARED_COLOUR, GROUND_COLOUR = "#3ddc97", "#f0e442", "#8b93a1"
OTHERS_COLOURS = ("#ff9466", "#6cb8ff", "#e58fd0", "#ffc24d")
RESOURCE_COLOURS = ("#6cb8ff", "#ffc24d", "#3ddc97", "#e58fd0", "#ff9466", "#f0e442", "#9fd3c7", "#c3a6ff")


@dataclass(frozen=True, slots=True)
class Sign:
    """Text in one style. In a cell it is cut or filled to the cell's width."""

    text: str
    style: Style

    def at(self, width: int) -> str:
        """Return the text at exactly this many columns."""
        text = self.text
        while columns_of(text) > width:
            text = text[:-1]
        return text + " " * (width - columns_of(text))


def _style(colour: str, bold: bool = False) -> Style:
    return Style(color=colour, bold=bold)


GREY = _style(GROUND_COLOUR)

ACTING = Sign("*", _style(MINE_COLOUR, bold=True))
"""The sign before a cell, or an object in a list, that can act."""
FREE, TAKEN = Sign("•", _style(MINE_COLOUR, bold=True)), Sign("°", _style(SHARED_COLOUR, bold=True))
"""Signs before a cell where an order can go: an empty cell, and an occupied one."""


@dataclass
class Marks:
    """The signs of one state of the universe. `ticked` are the resources with slices; empty means all.

    `pieces` are by the id of the star system: objects with ships, own pieces first.
    """

    universe: Universe
    map: Map
    ticked: Collection[int] = ()

    def __post_init__(self) -> None:
        universe = self.universe
        self._letters, self._designs = all_letters(universe)
        others = sorted({*universe.players} - {universe.me, NOBODY})
        own = {number: on_dark(colour) for number, colour in universe.appearance.players.items()}
        self._shapes = {universe.me: Sign(MINE, _style(own.get(universe.me, MINE_COLOUR), bold=True))}
        for rank, number in enumerate(others):
            colour = own.get(number, OTHERS_COLOURS[rank % len(OTHERS_COLOURS)])
            self._shapes[number] = Sign(SHAPES[min(rank, len(SHAPES) - 1)], _style(colour, bold=True))
        found: dict[int, list[SpaceObject]] = {}
        for number, system in self.map.icon_of.items():
            thing = universe.objects[number]
            if thing.ships:
                found.setdefault(system, []).append(thing)
        self.pieces = {
            system: tuple(sorted(things, key=lambda one: (one.owner != universe.me, one.owner == NOBODY, one.id)))
            for system, things in found.items()
        }
        self._grounds = grounds_of(universe, (icon.thing for icon in self.map.icons.values()))

    # --- what is meant

    def shape(self, owners: Sequence[int]) -> Sign:
        """Return the common shape and color of these owners."""
        if len(owners) == 1:
            return self._shapes.get(owners[0], Sign(SHAPES[-1], _style(OTHERS_COLOURS[-1], bold=True)))
        return Sign(SHARED, _style(SHARED_COLOUR, bold=True))

    def resource_style(self, number: int | None) -> Style:
        """Return the color of a resource. Gray stands for all small ones together."""
        if number is None:
            return GREY
        rank = list(self._letters).index(number) if number in self._letters else 0
        return _style(RESOURCE_COLOURS[rank % len(RESOURCE_COLOURS)])

    def resource_letter(self, number: int | None) -> str:
        return OTHER_LETTER if number is None else self._letters.get(number, "?")

    def piece_letter(self, thing: SpaceObject) -> str:
        """Return the letter of a piece: that of its first design, or the initial of its kind."""
        design = next(iter(thing.ships), None)
        return self._designs.get(design, "?") if design is not None else (shown(thing.kind)[:1].upper() or "?")

    def piece_word(self, thing: SpaceObject) -> str:
        """Return the name of a piece's first design, or else of its kind."""
        design = next(iter(thing.ships), -1)
        known = design in self.universe.designs
        return shown(design_name(self.universe, design) if known else kind_name(self.universe, thing))

    # --- cells

    def normal(self, icons: Sequence[Icon], width: int) -> Sign:
        """Return one cell of the normal view, at least 2 columns wide."""
        if len(icons) > 1:
            owners = sorted({owner for icon in icons for owner in icon.owners})
            style = self.shape(owners).style if owners else GREY
            sign = self.shape(owners).text if owners else GROUNDS[0]
            return Sign(f"{sign}{SEVERAL}", style)
        (icon,) = icons
        pieces = self.pieces.get(icon.thing.id, ())
        if not icon.owners and not pieces:
            return self._nobody(icon, width)
        shape = self.shape(icon.owners) if icon.owners else Sign(GROUNDS[0], _style(GROUND_COLOUR, bold=True))
        if not pieces:
            letter = next((self._letters[one] for one in icon.largest if one in self._letters), "")
            word = self._resource_word(icon.largest) if width >= WORDY else letter
            return Sign(shape.text + word, shape.style)
        count = str(len(pieces)) if len(pieces) > 1 else ""
        if width < WORDY and len(count) > width - 2:
            count = SEVERAL
        if width >= WORDY:
            room = width - 1 - len(count)
            return Sign(shape.text + self.piece_word(pieces[0])[:room] + count, shape.style)
        return Sign(shape.text + self.piece_letter(pieces[0]) + count, shape.style)

    def _nobody(self, icon: Icon, width: int) -> Sign:
        known = [one for one in icon.largest if one in self._letters]
        if not known:
            return Sign(self._ground_sign(icon.thing.id).rjust(2), GREY)
        words = self._resource_word(known) if width >= WORDY else "".join(self._letters[one] for one in known[:2])
        return Sign(words if len(words) > 1 else f" {words}", self.resource_style(known[0]))

    def _resource_word(self, numbers: Sequence[int]) -> str:
        known = [self.universe.resources[one].singular_name for one in numbers if one in self.universe.resources]
        return shown(known[0]) if known else ""

    def resources(self, icons: Sequence[Icon], width: int) -> Sign:
        """Return one cell of the resource view: the largest ticked resource, and the total amount."""
        if len(icons) > 1:
            total = sum(icon.amount for icon in icons)
            return Sign(f"{SEVERAL}{short(total)}" if total else f" {GROUNDS[0]}", GREY)
        (icon,) = icons
        pie = self.map.pie(icon, self.ticked)
        if pie is None:
            return Sign(f" {GROUNDS[0]}", GREY)
        level = LEVELS[min(len(LEVELS), max(1, round(len(LEVELS) * pie.diameter / FULL_DIAMETER))) - 1]
        amount = short(icon.amount)
        if not pie.slices:  # resources are only in nested objects, or none is ticked
            hidden = bool(self.ticked)
            return Sign(f"-{level}" if hidden else f"({amount})"[: width - 1] + level, GREY)
        first = pie.slices[0].resource
        letter, style = self.resource_letter(first), self.resource_style(first)
        text = letter + (amount if len(amount) < width else level)
        if width > 4:
            text = f"{letter}{level}{amount}"
        return Sign(text, style)

    def second_line(self, icons: Sequence[Icon], width: int, *, resources: bool) -> Sign:
        """Return the lower sign of a cell with two or more lines.

        It is the system's name, or the amount of the second resource.
        """
        if len(icons) != 1:
            return Sign(counted(len(icons), "place"), GREY)
        (icon,) = icons
        if resources:
            pie = self.map.pie(icon, self.ticked)
            if pie is None or len(pie.slices) < 2:
                return Sign("", GREY)
            second = pie.slices[1]
            return Sign(
                f"{self.resource_letter(second.resource)} {short(second.amount)}", self.resource_style(second.resource)
            )
        pieces = self.pieces.get(icon.thing.id, ())
        if len(pieces) > 1:
            return Sign("".join(self.piece_letter(one) for one in pieces), self.shape(icon.owners or (0,)).style)
        known = [one for one in icon.largest if one in self._letters]
        if pieces and known:
            return Sign(" " + self._resource_word(known), self.resource_style(known[0]))
        return Sign("", GREY)

    # --- legend

    def legend(self, cells: Collection[Sequence[Icon]], *, resources: bool) -> list[tuple[Sign, str]]:
        """Return all signs of these cells in a view, with their meanings. Each cell has its star systems."""
        icons = [icon for together in cells for icon in together]
        rows = self._slices(icons) if resources else [*self._people(icons), *self._letter_rows(icons)]
        if any(len(together) > 1 for together in cells):
            sign = SEVERAL if resources else f"{GROUNDS[0]}{SEVERAL}"
            rows.append((Sign(sign, GREY), "several places"))
        return [*rows, *(() if resources else self._ground_rows(icons))]

    def _slices(self, icons: Iterable[Icon]) -> list[tuple[Sign, str]]:
        there = {number for icon in icons for number, _ in icon.slices}
        rows = [
            (Sign(letter, self.resource_style(number)), shown(self.universe.resources[number].singular_name))
            for number, letter in self._letters.items()
            if number in there and (not self.ticked or number in self.ticked)
        ]
        return [
            *rows,
            (Sign(OTHER_LETTER, GREY), "other, 10 % or less"),
            (Sign(LEVELS[0] + LEVELS[-1], GREY), "how much of everything"),
            (Sign(GROUNDS[0], GREY), "nothing"),
        ]

    def _people(self, icons: Sequence[Icon]) -> Iterable[tuple[Sign, str]]:
        there = {owner for icon in icons for owner in icon.owners}
        for number in sorted(there, key=lambda one: (one != self.universe.me, one)):
            yield self.shape((number,)), shown(marked_name(self.universe, number))
        if any(len(icon.owners) > 1 for icon in icons):
            yield self.shape((-1, -2)), "several players"

    def _letter_rows(self, icons: Iterable[Icon]) -> Iterable[tuple[Sign, str]]:
        """Return rows for resources that are not hidden by pieces, and for designs of pieces."""
        lying: set[int] = set()
        designs: set[int] = set()
        many = False
        nobodys: SpaceObject | None = None
        for icon in icons:
            pieces = self.pieces.get(icon.thing.id, ())
            known = [one for one in icon.largest if one in self._letters]
            if not pieces:
                lying.update(known[: 1 if icon.owners else 2])
            designs.update(next(iter(thing.ships)) for thing in pieces)
            many |= len(pieces) > 1
            if pieces and not icon.owners:
                nobodys = nobodys or pieces[0]
        for number in sorted(lying):
            name = shown(resource_name(self.universe, number, 1))
            yield Sign(self._letters[number], self.resource_style(number)), name
        plain = Style(bold=True)
        for number in sorted(designs & set(self._designs)):
            yield Sign(self._designs[number], plain), shown(design_name(self.universe, number))
        if designs - set(self._designs):
            yield Sign("?", plain), "a piece of unknown design"
        if nobodys is not None:
            sign = GROUNDS[0] + self.piece_letter(nobodys)
            yield Sign(sign, _style(GROUND_COLOUR, bold=True)), "nobody's, as all with this dot"
        if many:
            yield Sign(f"{SEVERAL}2", plain), "several pieces, how many"

    def _ground_rows(self, icons: Iterable[Icon]) -> Iterable[tuple[Sign, str]]:
        bare = [
            icon.thing.id
            for icon in icons
            if not icon.owners
            and not self.pieces.get(icon.thing.id)
            and not any(one in self._letters for one in icon.largest)
        ]
        found = {self._ground_sign(number): number for number in reversed(bare)}
        for sign in sorted(found, key=GROUNDS.index):
            ground = self._grounds.get(found[sign])
            # If all are alike, the sign has no meaning.
            yield Sign(sign, GREY), shown(ground.words) if ground is not None and len(found) > 1 else NOBODY_THERE

    def _ground_sign(self, system: int) -> str:
        ground = self._grounds.get(system)
        return GROUNDS[ground.rank] if ground is not None else GROUNDS[0]

    def ground_words(self, system: int) -> str:
        """Return the ground of a star system in words; "" if all are alike."""
        return shown(self._grounds[system].words) if system in self._grounds else ""

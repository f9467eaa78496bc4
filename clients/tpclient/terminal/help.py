"""The help: keys, and the signs on the map."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.widgets import Static

from tpclient.columns import counted
from tpclient.terminal.marks import Sign

KEYS = (
    ("arrows, h j k l", "move the cursor; page up and down by screens, home and end to the sides; or click"),
    ("+ - 0", "larger and smaller cells; 0: as large as fits"),
    ("v", "the other view: owners, or resources"),
    ("b", "the next board"),
    ("t", "resources with slices in the resource view"),
    ("n p", "my next and previous object that can act, or takes orders if the server says no more"),
    ("space", "point with the selected object: its targets are lit, and space or enter at one gives the order"),
    ("n p", "while pointing: the next and the previous target; escape goes back"),
    ("/", "find anything by its name"),
    ("enter", "on the map: to the list of objects there; on an object: give it an order"),
    ("o", "give an order to the selected object"),
    ("^u", "to its queued orders: x removes, X all after a question, < and > move, i inserts before, enter changes"),
    ("u", "give the last removed order again"),
    ("r", "the rules on the selected object"),
    ("f", "finish the turn; asks first if there are no orders, or an unfinished one"),
    ("U", "change my orders, until the turn is computed"),
    ("s", "turn reports, failed orders first; enter there goes to the place, o reads older turns"),
    ("w", "the players, their states and scores"),
    (
        "c",
        "the clock: when the turn ends, time banks, and my vacations (v); the owner of the game changes it there",
    ),
    (
        "A",
        "proposals, as to stop the clock; there p proposes, a agrees, r refuses, x withdraws",
    ),
    ("S", "absent players: h I am here, b let the bot play some turns for me; the owner of the game decides there"),
    (
        "m",
        "messages; there w writes one, x removes one and X all, after a question; t shows and changes blocked players",
    ),
    ("N", "notices about my games while I am logged out: by mail or a webhook, about which events, and when"),
    ("G", "a game that I own: another name, who may join, another owner, its end without a result"),
    ("P", "my account: another password, and tokens by which bots and scripts log in"),
    ("tab", "from the map to the lists and back"),
    ("escape", "back; closes the card of reports"),
    ("q", "quit; the game goes on, and waits for you as its clock allows"),
)
PAST_KEYS = (
    ("H", "look back at the turn before this one, or at the first that you missed; also after the end"),
    ("[ ] or , .", "there: one turn back, one turn on"),
    ("{ } or < >", "there: the first turn, the newest"),
    ("escape", "back to the game"),
)
FORM_KEYS = (
    ("enter", "in an empty field for an object: pick it on the map"),
    ("F2 F3", "pick on the map, pick from a list of legal values"),
    ("F4", "in a list: everything, with the reasons of refusals, and back"),
    ("space, digits", "in a list: choose, or set the amount"),
    ("up down", "in a number: one more, one less"),
    ("F1", "the rules on this order"),
    ("^s", "give the order"),
    ("escape", "close the form; asks first if it is filled in"),
)
RULES_KEYS = (
    ("arrows, j k, space", "scroll; page up and down, home and end too"),
    ("tab", "to the contents and back; enter there goes to the text"),
    ("/ n", "search; the next match"),
    ("?", "from the rules to keys and signs, and back"),
)

SECTIONS = (
    ("Keys", KEYS),
    ("In the form of an order", FORM_KEYS),
    ("Old turns", PAST_KEYS),
    ("In the rules", RULES_KEYS),
)

ALWAYS = (
    "[ ] are round the cursor; arrows and numbers in bold lead along the orders of what is looked at. "
    "In small cells there is room for one letter of what there is."
)


SIGN_WIDTH = 25
"""The columns of one sign and its meaning below the map."""

Rows = Sequence[tuple[Sign, str]]


def legend_text(rows: Rows, *, across: int = 1, width: int = 76) -> Text:
    """Return the signs with their meanings, `across` of them in a line of `width` columns."""
    text = Text()
    room = max(8, width // across - 4)
    for index, (sign, meaning) in enumerate(rows):
        text.append(sign.at(2), sign.style)
        words = meaning if len(meaning) <= room else meaning[: room - 1] + "…"
        is_last = index % across == across - 1 or index == len(rows) - 1
        text.append(f" {words}" + ("\n" if is_last else " " * (room - len(words) + 1)))
    text.rstrip()
    return text


class Legend(Static):
    """The signs below the map, after an empty line. Hidden signs are counted, with the key of the help."""

    def __init__(self) -> None:
        super().__init__(id="legend")

    def show(self, rows: Rows, width: int, lines: int) -> bool:
        """Show the signs within these columns and lines. Return False if there is no room for any."""
        across = max(1, width // SIGN_WIDTH)
        room = max(0, lines - 1) * across
        if len(rows) > room:
            kept = max(0, room - 1)
            rows = [*rows[:kept], (Sign("…", Style(dim=True)), f"{counted(len(rows) - kept, 'more sign')}: ?")]
        self.display = room > 0
        self.update(legend_text(rows, across=across, width=width))
        return self.display


def keys_and_signs(legend: Rows) -> Group:
    """Return the keys, and the signs on the map if there is one."""
    parts: list[RenderableType] = []
    for title, keys in SECTIONS:
        rows = Table.grid(padding=(0, 1, 0, 0))
        for key, words in keys:
            rows.add_row(Text(key, "bold", no_wrap=True), words)
        parts += [Text(title, "bold underline"), rows, Text()]
    if legend:
        parts += [Text("Signs on the map", "bold underline"), legend_text(legend, across=2)]
        parts += [Text(ALWAYS, "dim")]
    return Group(*parts)

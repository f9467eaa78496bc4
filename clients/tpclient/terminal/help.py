"""What the keys do, and what the signs on the map mean."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.widgets import Static

from ..columns import counted
from .marks import Sign

KEYS = (
    ("arrows, h j k l", "move the cursor; page up and down by screens, home and end to the sides; or click"),
    ("+ - 0", "larger and smaller cells; 0: as large as fits"),
    ("v", "the other view: who is where, or how much of which resource is where"),
    ("b", "the next board"),
    ("t", "which resources the resource view shows slices of"),
    ("n p", "the next and the previous of my things that can act, or that take orders if more is not known"),
    ("space", "point with the thing that is looked at: its targets are lit, and space or enter at one gives the order"),
    ("n p", "while something is pointed with: the next and the previous target; escape goes back"),
    ("/", "find anything by its name"),
    ("enter", "on the map: to the list of what is there; on a thing there: give it an order"),
    ("o", "give an order to the thing that is looked at"),
    ("^u", "to its queued orders: x removes, X all after a question, < and > move, i inserts before, enter changes"),
    ("u", "give the order again that was removed last"),
    ("r", "what the rules say about the thing that is looked at"),
    ("f", "I am done with this turn; asks first if nothing was ordered, or an order is being filled in"),
    ("U", "I am not done after all, until the turn is computed"),
    ("s", "what happened as turns began, failed orders first; enter there goes to the place, o reads older turns"),
    ("w", "who plays, who is awaited, and how all stand"),
    (
        "c",
        "the clock: when the turn ends, time banks, and my vacations (v); whoever has made the game changes it there",
    ),
    (
        "A",
        "what the players agree on, as to stop the clock; there p proposes, a agrees, r refuses, x withdraws",
    ),
    ("S", "who is away: h I am here, b let the bot play some turns for me; whoever has made the game decides there"),
    ("m", "messages; there w writes one, x removes one and X all, after a question; t tells and changes whom I hear"),
    ("N", "how I am told of my games while I am not there: by mail or a webhook, of what, and when"),
    ("G", "a game that I have made: another name, who may join, another owner, its end without a result"),
    ("P", "my account: another password, and tokens by which bots and scripts log in"),
    ("tab", "from the map to the lists and back"),
    ("escape", "back; takes the card of what happened away"),
    ("q", "quit; the game goes on without you, and waits for you as its clock says"),
)
PAST_KEYS = (
    ("H", "look back, at the turn before this one, or the first of those while you were away; after the end, too"),
    ("[ ] or , .", "there: one turn back, one turn on"),
    ("{ } or < >", "there: the first turn, the newest"),
    ("escape", "back to the game"),
)
FORM_KEYS = (
    ("enter", "in an empty field for an object: pick it on the map"),
    ("F2 F3", "pick on the map, pick from a list, of what the server takes now"),
    ("F4", "in a list: everything, with the reason why it would be refused, and back"),
    ("space, digits", "in a list: choose, or how many"),
    ("up down", "in a number: one more, one less"),
    ("F1", "what the rules say about this order"),
    ("^s", "give the order"),
    ("escape", "give the form up; asks first if something was filled in"),
)
RULES_KEYS = (
    ("arrows, j k, space", "scroll; page up and down, home and end too"),
    ("tab", "to the contents and back; enter there goes to the text"),
    ("/ n", "search; the next place that has it"),
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
    """The signs with their meanings, `across` of them in a line of `width` columns."""
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
    """The signs below the map, after an empty line. What does not fit is counted, with the key of the help."""

    def __init__(self) -> None:
        super().__init__(id="legend")

    def show(self, rows: Rows, width: int, lines: int) -> bool:
        """Show the signs in so many columns and lines; False if there is no room for any."""
        across = max(1, width // SIGN_WIDTH)
        room = max(0, lines - 1) * across
        if len(rows) > room:
            kept = max(0, room - 1)
            rows = [*rows[:kept], (Sign("…", Style(dim=True)), f"{counted(len(rows) - kept, 'more sign')}: ?")]
        self.display = room > 0
        self.update(legend_text(rows, across=across, width=width))
        return self.display


def keys_and_signs(legend: Rows) -> Group:
    """The keys, and the signs on the map if there is one."""
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

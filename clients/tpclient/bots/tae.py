"""A greedy bot for TaE (Tigris and Euphrates in space).

In a normal turn it does, again and again, what is worth most by its own estimate (`tae_evaluation`): a colony that
scores for itself, a leader for a region that will score, a connection or a rivalry that it expects to win, a bomb that
sends a leader home, new colonists for its hand. In combat it closes the gap that is known plus one, or keeps its ships.

It plays from what the wire shows: the board from objects, its points and the strengths of combats from messages.
"""

import re
from collections.abc import Mapping

from tpproto import tp_pb2

from ..errors import RequestFailed
from ..news import is_letter
from .play import Turn
from .tae_board import read_board
from .tae_evaluation import Action, actions, weights

MOST_ORDERS = 6
"""Orders that any game allows in a normal turn; it does not say how many it allows itself."""
MOST_REFUSALS = 3
"""So many refusals in one normal turn, and it is finished."""

NEARLY = 0.1
"""Worths that differ by less are as good as equal; so bots that see the same board do not all do the same."""
USUAL_ORDERS = 2
"""Orders a player has in a normal turn, unless the game has other options."""

REINFORCE = "Reinforce"


class TaePolicy:
    """Plays TaE; `give_orders` is what `play` calls each turn."""

    def __init__(self) -> None:
        self.points = [0, 0, 0, 0]
        """Our points by type, as the last report says."""
        self.jokers = 0
        """Artifact points: each counts for the type of which we have least."""
        self._most_orders = MOST_ORDERS
        """Orders in a normal turn, as far as refusals have taught."""

    async def give_orders(self, turn: Turn) -> None:
        """Give the orders of a normal turn, or send reinforcements if this is a combat."""
        reports = [message for message in turn.news if not is_letter(message)]
        for report in reports:
            self._read_points(report.body)
        universe = turn.universe
        offers = {thing.id: {one.name: one for one in universe.offers(thing)} for thing in universe.own()}
        if any(REINFORCE in names for names in offers.values()):
            ships = [number for number, names in offers.items() if REINFORCE in names]
            await self._reinforce(turn, reports, ships)
        else:
            await self._act(turn, offers)

    # --- normal turns

    async def _act(self, turn: Turn, offers: Mapping[int, Mapping[str, tp_pb2.OrderDesc]]) -> None:
        board = read_board(turn.universe)
        wanted = weights(self.points, self.jokers)
        done: list[Action] = []
        refused: set[tuple[object, ...]] = set()
        while len(done) < self._most_orders and len(refused) < MOST_REFUSALS:
            busy = {ship for action in done for ship in action.ships}
            targets = {action.square for action in done if action.square is not None}
            possible = [
                action
                for action in actions(board, wanted)
                if action.order in offers.get(action.carrier, {})
                and action.key not in refused
                and busy.isdisjoint(action.ships)
                and action.square not in targets
            ]
            if not possible:
                return
            best = self._best(turn, possible)
            parameter = offers[best.carrier][best.order].parameters[0].name
            target = best.ships if best.square is None else board.systems[best.square]
            queue = turn.universe.objects[best.carrier].queue
            result = await turn.order(queue, best.order, {parameter: target})
            if isinstance(result, RequestFailed):
                if len(done) >= USUAL_ORDERS:
                    self._most_orders = len(done)  # most likely all actions of this turn are used up
                    return
                refused.add(best.key)
            else:
                done.append(best)
                board = best.after(board)

    def _best(self, turn: Turn, possible: list[Action]) -> Action:
        """The action of the greatest worth; chance decides between those that are nearly equal."""
        most = max(action.worth for action in possible)
        return turn.chance.choice([action for action in possible if action.worth >= most - NEARLY])

    def _read_points(self, report: str) -> None:
        found = {name: int(number) for name, number in _POINTS.findall(report)}
        if all(name in found for name in _POINT_NAMES):
            self.points = [found[name] for name in _POINT_NAMES]
            self.jokers = found.get("Alien Artifacts", 0)

    # --- combat

    async def _reinforce(self, turn: Turn, reports: list[tp_pb2.Message], ships: list[int]) -> None:
        """Send so many of the ships as close the gap plus one, if there are enough."""
        universe = turn.universe
        announced = [report.body for report in reports if report.subject == "COMBAT!"]
        names = {number: player.name for number, player in universe.players.items()}
        strengths = read_strengths(announced[-1], names) if announced else {}
        if universe.me not in strengths or len(strengths) != 2:
            return
        mine = strengths.pop(universe.me)
        (theirs,) = strengths.values()
        needed = max(0, theirs - mine + 1)
        if needed > len(ships):
            return
        for ship in ships[:needed]:
            if isinstance(await turn.order(universe.objects[ship].queue, REINFORCE), RequestFailed):
                return


_POINT_NAMES = ("Money", "Technology", "People", "Raw Materials")
_POINTS = re.compile(rf"({'|'.join(_POINT_NAMES)}|Alien Artifacts): (\d+)")
_STRENGTH = re.compile(r"(, attacking|, defending)? with an initial strength of (\d+)")


def read_strengths(announcement: str, names: Mapping[int, str]) -> dict[int, int]:
    """The initial strengths of a combat by player id, from the message "COMBAT!" and the players' names.

    A side whose name fits no player is left out; if names end alike, the longest one that fits is meant.
    """
    strengths = {}
    for found in _STRENGTH.finditer(announcement):
        before = announcement[: found.start()]
        fitting = [number for number, name in names.items() if name and before.endswith(f" {name}")]
        if fitting:
            strengths[max(fitting, key=lambda number: (len(names[number]), number))] = int(found[2])
    return strengths

"""A bot for Taller-Ants, for the spider player and for ant players. It plays from what the wire shows."""

from .play import Turn
from .taller_ants_board import Square, read_board
from .taller_ants_colony import Colony
from .taller_ants_spider import Spider


class TallerAntsPolicy:
    """Plays Taller-Ants; `give_orders` is what `play` calls each turn."""

    async def give_orders(self, turn: Turn) -> None:
        """Give orders to all units that have none, or nothing in the setup: the default places are good."""
        board = read_board(turn.universe)
        webs: set[Square] = set()
        for spider in board.own("Spider"):
            if not spider.orders:
                await Spider(turn, board, spider, webs).act()
        if board.own("Group") or board.own("Queen"):
            await Colony(turn, board).act()

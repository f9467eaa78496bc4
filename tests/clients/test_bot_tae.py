"""The TaE bot's decisions, on positions drawn as on the rules page and read from frames."""

import asyncio
from typing import Any

import pytest

from tpclient.bots.play import Ending, play
from tpclient.bots.tae import MOST_REFUSALS, TaePolicy, read_strengths
from tpclient.bots.tae_board import MERCHANTS, ROBOTS, SCIENTISTS, SETTLERS, Board, read_board
from tpclient.bots.tae_evaluation import weights
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect

REPORT = "Your Current Score:\nMoney: {}\nTechnology: {}\nPeople: {}\nRaw Materials: {}\nAlien Artifacts: 0"


def one_turn(fake_server: Any, game: Any, dialect: Dialect = TP04) -> Ending:
    """Let the first player take one turn; the others are passive. What it ordered is in `game.read()`."""
    game.seats = [1]

    def closed() -> None:
        game.over = True
        game.turn += 1
        game.turn_name = "Game over"

    game.closed = closed

    async def run() -> Ending:
        server = fake_server(game)
        connection = await server.connect("player0", dialect)
        return await play(connection, TaePolicy(), "seed")

    return asyncio.run(run())


def board_of(fake_server: Any, game: Any, dialect: Dialect) -> Board:
    async def run() -> Board:
        connection = await fake_server(game).connect("player0", dialect)
        universe = connection.universe()
        await connection.refresh(universe)
        return read_board(universe)

    return asyncio.run(run())


@pytest.mark.parametrize("dialect", [TP03, TP04, PB], ids=lambda dialect: dialect.name)
def test_the_board_is_read_from_objects(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """Ground, ruins, artifacts, colonies, everybody's leaders, the own hand; of other hands nothing. Also from TP03."""
    game = tae_game("0S s* . / # x 1M / r p m", "ms", "r", pool=42)
    board = board_of(fake_server, game, dialect)
    assert board.systems == game.systems
    assert board.systems.keys() - board.inhabitable == {(0, 1), (0, 0)}
    assert board.destroyed == {(1, 1)}
    assert board.artifacts == {(1, 2)}
    assert board.colonies == {(1, 2): SCIENTISTS, (0, 0): ROBOTS, (1, 0): SETTLERS, (2, 0): MERCHANTS}
    assert board.leaders == {(1, SCIENTISTS): (0, 2), (2, MERCHANTS): (2, 1)}
    assert board.hand == dict(zip(game.hands[0], (MERCHANTS, SCIENTISTS), strict=True))
    assert board.fleets == {kind: game.leaders[f"0{'MSPR'[kind]}"] for kind in range(4)}
    assert board.bombers == game.bombers[0]
    assert board.home == game.homes[0]
    assert board.pool == (None if dialect is TP03 else 42)


def test_it_colonizes_where_it_scores(fake_server: Any, tae_game: Any) -> None:
    """The only place beside the region of the own leaders gets the colony, not one of the many elsewhere."""
    game = tae_game("0M s 0P x . . . . / 0S . x x . . . . / 0R x x x . . . .", "mmmmmm")
    game.actions = 1
    one_turn(fake_server, game)
    assert game.read() == [("Colonize", "0m", (1, 1))]


@pytest.mark.parametrize(("points", "piece"), [((1, 9, 9, 9), "0m"), ((9, 1, 9, 9), "0s"), ((9, 9, 1, 9), "0p")])
def test_it_wants_most_what_it_has_least_of(
    fake_server: Any, tae_game: Any, points: tuple[int, ...], piece: str
) -> None:
    """Its points are those of the last report; the type of which it has least goes first."""
    rows = "x 0M x x / . s 0P . / x . x x / # # # #"
    game = tae_game(rows, "msp")
    game.write(1, "Turn complete", REPORT.format(0, 0, 0, 0))
    game.write(1, "Turn complete", REPORT.format(*points))
    game.actions = 1
    one_turn(fake_server, game)
    (first,) = game.read()
    assert first[:2] == ("Colonize", piece)


def test_mining_robots_go_to_uninhabitable_systems(fake_server: Any, tae_game: Any) -> None:
    game = tae_game("0P s # / x x x / x x x", "r")
    one_turn(fake_server, game)
    assert game.read()[0] == ("ColonizeMining", "0r", (2, 2))


def test_it_does_not_score_for_others(fake_server: Any, tae_game: Any) -> None:
    """The only free system would give the rival a point: nothing is colonized."""
    game = tae_game("1P s 1M . x / x x x x x", "m")
    one_turn(fake_server, game)
    assert not [order for order in game.read() if order[0] == "Colonize"]


def test_leaders_go_beside_science_the_settlers_leader_first(fake_server: Any, tae_game: Any) -> None:
    """From an empty board: a leader that scores every type, on a square that borders the scientists."""
    game = tae_game(". . . . . / . . . . . / . . s . . / . . . # . / . . . . .", "mmpprr")
    one_turn(fake_server, game)
    name, piece, square = game.read()[0]
    assert (name, piece) == ("Move", "0P")
    assert square in {(1, 2), (3, 2), (2, 1), (2, 3)}


def test_two_orders_of_a_turn_go_together(fake_server: Any, tae_game: Any) -> None:
    """The second order is planned on the board as the first leaves it: never the same square or piece."""
    game = tae_game(". . . . / . s . . / . . . # / . . . .", "mmsspr")
    one_turn(fake_server, game)
    first, second = game.read()
    assert first[2] != second[2]
    carriers = [carrier for _, _, carrier, _ in game.given]
    assert len(set(carriers)) == 2


@pytest.mark.parametrize(
    ("rows", "hand", "fights"),
    [
        ("0M m s . s 1M", "pmm", True),  # 1 and two ships against 0
        ("0M s . s 1M", "pmm", False),  # 0 and two ships: not more than two better
        ("0M m s . s m 1M", "pmm", False),
        ("0M m s . s m 1M", "pmmm", True),
    ],
)
def test_it_connects_regions_when_it_expects_to_win(
    fake_server: Any, tae_game: Any, rows: str, hand: str, fights: bool
) -> None:
    """Its colonies and ships have to exceed the rival's colonies by more than two."""
    size = len(rows.split())
    game = tae_game(rows + " / " + " ".join("x" * size), hand)
    one_turn(fake_server, game)
    gap = (rows.split().index("."), 1)
    assert (gap in [target for name, _, target in game.read() if name == "Colonize"]) == fights


@pytest.mark.parametrize(("hand", "moves"), [("mmm", False), ("ssm", True)])
def test_it_moves_against_a_rival_only_with_scientists_to_spare(
    fake_server: Any, tae_game: Any, hand: str, moves: bool
) -> None:
    """Bordering science and scientists in hand have to exceed the rival's science by two."""
    game = tae_game("1P s . x / x x x x", hand)
    for label in ("0M", "0S", "0R"):
        game.drop("objects", game.leaders[label])
    one_turn(fake_server, game)
    assert (("Move", "0P", (2, 1)) in game.read()) == moves


def test_it_leaves_a_contest_alone(fake_server: Any, tae_game: Any) -> None:
    """After an order that starts a fight nothing is done in or beside the area of that fight, which is frozen."""
    game = tae_game("x . x x x x x / 0M m s . s 1M x / x x x . x x x", "pmmmm")
    one_turn(fake_server, game)
    orders = game.read()
    assert orders[0][::2] == ("Colonize", (3, 1))
    assert not [target for _, _, target in orders[1:] if target in {(1, 2), (3, 0), (6, 1)}]


def test_a_bomb_sends_a_rival_home(fake_server: Any, tae_game: Any) -> None:
    """The one scientist colony beside a foreign leader, when there is nothing better to do."""
    game = tae_game("x x x x / x s 1P x / x m x x / x x x x", "")
    for label in ("0M", "0S", "0P", "0R"):
        game.drop("objects", game.leaders[label])
    one_turn(fake_server, game)
    assert game.given[0][1] == "Attack"
    assert game.given[0][2] in game.bombers[0]
    assert game.read()[0][2] == (1, 2)


def test_no_bomb_on_its_own_support(fake_server: Any, tae_game: Any) -> None:
    """A scientist colony that carries one of its own leaders as well stays."""
    game = tae_game("x 0P x x / x s 1P x / x x x x", "")
    for label in ("0M", "0S", "0R"):
        game.drop("objects", game.leaders[label])
    one_turn(fake_server, game)
    assert not [order for order in game.read() if order[0] == "Attack"]


@pytest.mark.parametrize(("pool", "exchanges"), [(6, True), (5, False)])
def test_a_useless_hand_is_exchanged(fake_server: Any, tae_game: Any, pool: int, exchanges: bool) -> None:
    """All six at once, if the pool has six; mining robots score nowhere on this board."""
    game = tae_game("0P s . / x x .", "rrrrrr", pool=pool)
    one_turn(fake_server, game)
    assert (("Exchange", 6) in [(name, target) for name, _, target in game.read()]) == exchanges


def test_what_is_not_offered_is_not_tried(fake_server: Any, tae_game: Any) -> None:
    """A game without Exchange: the home planet does not offer it, and the useless hand stays."""
    game = tae_game("0P s . / x x .", "rrrrrr")
    for number, queue in list(game.tables["queues"].items()):
        if list(queue.order_types) == [5]:
            game.put("queues", tp.OrderQueue(id=number, max_slots=100))
    ending = one_turn(fake_server, game)
    assert "Exchange" not in [name for name, _, _ in game.read()]
    assert ending.refused == 0


def test_in_another_game_it_only_finishes_its_turns(fake_server: Any, fake_game: Any) -> None:
    """Orders of a game that it does not know are none of its business."""
    game = fake_game("player0")
    queue = tp.PropertyGroup(name="Orders", parameters=[tp.ParameterDesc(name="Order Queue", type=4)])
    owner = tp.PropertyGroup(name="Ownership", parameters=[tp.ParameterDesc(name="Owner", type=6)])
    game.put("object_descs", tp.ObjectDesc(id=0, name="Universe"))
    game.put("object_descs", tp.ObjectDesc(id=4, name="Fleet", property_groups=[owner, queue]))
    game.put("order_descs", tp.OrderDesc(id=1, name="March"))
    game.put("objects", tp.Object(id=0, contains=[5]))
    mine = tp.ObjectParameter(reference=tp.Reference(type=7, id=1))
    orders = tp.ObjectParameter(order_queue=tp.ObjectOrderQueue(queue_id=5))
    game.put("objects", tp.Object(id=5, otype=4, name="Ant", parameters=[mine, orders]))
    game.put("queues", tp.OrderQueue(id=5, max_slots=9, order_types=[1]))
    ending = one_turn(fake_server, game)
    assert (ending.turns, ending.accepted, ending.refused) == (1, 0, 0)


COMBAT = (
    "The next turn is an INTERNAL combat turn at 1, 1! Combatants are the Scientist Leaders of player1, attacking with "
    "an initial strength of {theirs}, and of player0, defending with an initial strength of {mine}. Both may reinforce "
    "with Scientists."
)
OLD_COMBAT = (
    "The next turn is an INTERNAL combat turn! Combatants are:  player1 with an initial strength of {theirs} and "
    "player0 with an initial strength of {mine}"
)


@pytest.mark.parametrize("words", [COMBAT, OLD_COMBAT], ids=["ours", "of 2011"])
@pytest.mark.parametrize(
    ("mine", "theirs", "hand", "sent"),
    [
        (1, 1, "ssmm", 1),
        (1, 2, "ssmm", 2),
        (1, 3, "ssmm", 0),  # three would be needed: keep them
        (2, 1, "ssmm", 0),
        (0, 1, "smms", 2),
        (1, 1, "mmpp", 0),
    ],
)
def test_reinforcements_close_the_gap_plus_one_or_stay(
    fake_server: Any, tae_game: Any, words: str, mine: int, theirs: int, hand: str, sent: int
) -> None:
    """The strengths are those announced; only fitting ships are sent."""
    game = tae_game("s 0S s 1S s", hand, "ss", combat="s")
    game.write(1, "COMBAT!", "The next turn is an INTERNAL combat turn at 9, 9! nothing of now")
    game.write(1, "COMBAT!", words.format(mine=mine, theirs=theirs))
    one_turn(fake_server, game)
    assert [(name, piece) for name, piece, _ in game.read()] == [("Reinforce", "0s")] * sent
    assert len({carrier for _, _, carrier, _ in game.given}) == sent


def test_letters_of_players_are_not_believed(fake_server: Any, tae_game: Any) -> None:
    """A rival who writes "COMBAT!" with other numbers, or a report of points, changes nothing."""
    game = tae_game("s 0S s 1S s", "ssss", "ss", combat="s")
    game.write(1, "COMBAT!", COMBAT.format(mine=1, theirs=1))
    game.write(1, "COMBAT!", COMBAT.format(mine=1, theirs=4), writer=2)
    one_turn(fake_server, game)
    assert len(game.given) == 1


def test_without_an_announcement_nothing_is_sent(fake_server: Any, tae_game: Any) -> None:
    game = tae_game("s 0S s 1S s", "ss", "ss", combat="s")
    assert one_turn(fake_server, game).turns == 1
    assert game.given == []


def test_refusals_do_not_stop_it(fake_server: Any, tae_game: Any, refused: Any) -> None:
    """A server that refuses everything gets a few attempts, each another order, and then the turn is finished."""
    game = tae_game(". . . / . s . / . . #", "mmsspr")
    tried = []

    def refuse(player: int, order: Any) -> Any:
        tried.append((order.id, order.otype, str(order.parameters)))
        raise refused(3, "Not today.")

    game.accept = refuse
    ending = one_turn(fake_server, game)
    assert game.over
    assert len(tried) == len(set(tried)) == MOST_REFUSALS
    assert (ending.accepted, ending.refused) == (0, MOST_REFUSALS)


def test_one_refusal_is_replaced_by_the_next_best(fake_server: Any, tae_game: Any, refused: Any) -> None:
    """The square that is refused is not tried again with the same piece; two orders are given all the same."""
    game = tae_game(". . . / . s . / . . #", "mmsspr")
    normal = game.accept
    failing = iter([True])

    def accept(player: int, order: Any) -> Any:
        if next(failing, False):
            raise refused(3, "There is a colony already.")
        return normal(player, order)

    game.accept = accept
    one_turn(fake_server, game)
    assert len(game.given) == 2


def test_it_learns_how_many_orders_a_turn_has(fake_server: Any, tae_game: Any) -> None:
    """The refusal of a third order is taken for the limit: from the second turn on it is not tried any more."""
    game = tae_game(". . . . . / . s . . . / . . # . .", "mmsspr")
    game.seats = [1]
    turns = []

    def closed() -> None:
        turns.append(len(game.given))
        game.given.clear()
        game.turn += 1
        game.over = len(turns) == 3
        game.turn_name = "Game over" if game.over else ""

    game.closed = closed

    async def run() -> Ending:
        return await play(await fake_server(game).connect("player0"), TaePolicy(), "seed")

    ending = asyncio.run(run())
    assert turns == [2, 2, 2]
    assert ending.refused == 1


def test_with_nothing_to_do_it_finishes(fake_server: Any, tae_game: Any) -> None:
    game = tae_game("x x / x x", "")
    assert one_turn(fake_server, game).accepted == 0
    assert game.over


def test_points_count_less_where_there_are_many() -> None:
    """1 for what there is least of; jokers are spent there first."""
    assert weights([0, 0, 0, 0], 0) == (1, 1, 1, 1)
    assert weights([5, 0, 5, 5], 0)[1] == 1
    assert max(weights([5, 0, 5, 5], 0)[::2]) < 0.3
    assert weights([2, 0, 2, 2], 2) == (1, 1, 1, 1)


def test_names_that_end_alike_are_told_apart() -> None:
    """The longest name that fits is meant, whatever order the players are in."""
    text = (
        "Combatants are the Mining Leaders of Long John, attacking with an initial strength of 3, and of John, "
        "defending with an initial strength of 2."
    )
    assert read_strengths(text, {1: "John", 2: "Long John"}) == {2: 3, 1: 2}
    assert read_strengths(text, {2: "Long John", 1: "John"}) == {2: 3, 1: 2}
    assert read_strengths(text, {1: "Jim"}) == {}
    assert read_strengths("Peace.", {1: "John"}) == {}

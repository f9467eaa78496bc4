"""The four types of colonist and of leader, bombers, and how clients are told about them (RULES.md, section 2)."""

from __future__ import annotations

from typing import NamedTuple

from tprules.api import Amount, Catalogue, Component, Design, DesignProperty, Resource

MERCHANTS, SCIENTISTS, SETTLERS, ROBOTS = TYPES = range(4)
"""The types, common to colonists, colonies, leaders and points."""


class TypeNames(NamedTuple):
    """The names of a type."""

    colonists: str
    leader: str
    points: str
    ship: str
    passenger: str
    """The passenger in the design of the leader's ship."""
    resource: tuple[str, str, str]


WORDS = (
    TypeNames(
        "Merchants",
        "Merchant Leader",
        "Money",
        "Merchant",
        "Merchant Leader",
        ("Monetary Asset", "Monetary Assets", "What a colony of merchants is worth"),
    ),
    TypeNames(
        "Scientists",
        "Scientist Leader",
        "Technology",
        "Scientist",
        "Lead Scientist",
        ("Technological Advancement", "Technological Advancements", "What a colony of scientists has found out"),
    ),
    TypeNames(
        "Settlers",
        "Settler Leader",
        "People",
        "Settler",
        "Government Official",
        ("Team of People", "Teams of People", "The people of a colony of settlers"),
    ),
    TypeNames(
        "Mining Robots",
        "Mining Leader",
        "Raw Materials",
        "Mining",
        "Mining Foreman",
        ("Raw Material", "Raw Materials", "What mining robots dig up"),
    ),
)

ARTIFACT_POINTS = "Alien Artifacts"

RESOURCES = (
    Resource(1, "Uninhabitable planet", "Uninhabitable planets", help="Only mining robots can colonize it"),
    Resource(2, "Destroyed Star System", "Destroyed Star Systems", help="Bombed, and lost for good"),
    Resource(3, "Alien Artifact", "Alien Artifacts", help="A merchant leader whose region has two takes all but one"),
    *(Resource(4 + kind, one, many, help=text) for kind, (one, many, text) in ((k, WORDS[k].resource) for k in TYPES)),
    Resource(8, "Home Planet", "Home Planets", help="Where a player's ships wait"),
)

UNINHABITABLE_PLANET = Amount(1, 1)
DESTROYED_SYSTEM = Amount(2, 1)
ALIEN_ARTIFACT = Amount(3, 1)
COLONY = tuple(Amount(4 + kind, 1) for kind in TYPES)
HOME_PLANET = Amount(8, 1)

SHIP = tuple(1 + kind for kind in TYPES)
"""The design of a colonist ship, by type."""
LEADER_SHIP = tuple(5 + kind for kind in TYPES)
BOMBER_SHIP = 9
UNKNOWN_SHIP = 10
"""The design that stands for a colonist ship of another player."""

_PASSENGERS, _BOMBS = 1, 2

_ALONE = (
    "(lambda (design) (if (= (designType._num-components design) 1)"
    ' (cons #t "") (cons #f "Nothing fits into the ship beside this component")))'
)

_CARRIED = ("Unknown", *(words.colonists for words in WORDS), *(words.passenger for words in WORDS))
_NAMED = " ".join(f'((= n {number}) "{name}")' for number, name in enumerate(_CARRIED))

_PASSENGERS_SHOWN = f'(lambda (design bits) (let ((n (apply + bits))) (cons n (cond {_NAMED} (else "None")))))'
_BOMBS_SHOWN = '(lambda (design bits) (let ((n (apply + bits))) (cons n (string-append (number->string n) " bombs"))))'


def _design(number: int, name: str, text: str, prop: int, shown: str) -> Design:
    return Design(number, name, text, components={number: 1}, values={prop: shown})


def _hold(number: int, name: str, text: str, value: int, prop: int = _PASSENGERS) -> Component:
    return Component(number, name, text, _ALONE, {prop: f"(lambda (design) {value})"})


CATALOGUE = Catalogue(
    "Ships",
    "Ships and what they carry",
    designs=(
        *(
            _design(SHIP[k], f"{w.ship}Ship", "A ship full of colonists", _PASSENGERS, _CARRIED[1 + k])
            for k, w in enumerate(WORDS)
        ),
        *(
            _design(LEADER_SHIP[k], f"{w.ship}LeaderShip", "The ship of a leader", _PASSENGERS, _CARRIED[5 + k])
            for k, w in enumerate(WORDS)
        ),
        _design(BOMBER_SHIP, "Bomber", "Destroys one star system", _BOMBS, "1 bombs"),
        _design(
            UNKNOWN_SHIP, "ColonistShip", "A colonist ship with passengers unknown to you", _PASSENGERS, _CARRIED[0]
        ),
    ),
    components=(
        *(_hold(SHIP[k], f"{w.ship}Cargo", f"Room for {w.colonists.lower()}", 1 + k) for k, w in enumerate(WORDS)),
        *(
            _hold(LEADER_SHIP[k], f"{w.ship}LeaderCargo", f"Room for a {w.leader.lower()}", 5 + k)
            for k, w in enumerate(WORDS)
        ),
        _hold(BOMBER_SHIP, "Weapon", "A bomb that makes a star explode", 1, _BOMBS),
        _hold(UNKNOWN_SHIP, "UnknownCargo", "Room for colonists", 0),
    ),
    properties=(
        DesignProperty(_PASSENGERS, "Passengers", "Passengers", "Who is aboard the ship", 0, _PASSENGERS_SHOWN),
        DesignProperty(
            _BOMBS, "Bombs", "Supernova Bombs", "How many star systems the ship can destroy", 0, _BOMBS_SHOWN
        ),
    ),
)

"""Bots to measure the shipped bots against, by game and name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tests.rulesets.colony_battle.rush import rush_bot
from tests.rulesets.taller_ants.sealing import sealing_bot
from tprules.api import BotTurn
from tprules.api.bots import Bot, random_bot
from tprules.colony_battle import RULESET as COLONY_BATTLE
from tprules.colony_battle import bot as colony_battle_bot
from tprules.tae import RULESET as TAE
from tprules.taller_ants import RULESET as TALLER_ANTS
from tprules.taller_ants.world import SETUP, World
from tprules.testing import busy_bot


def _scattered(turn: BotTurn[World]) -> None:
    """Choose a place at random in the setup, and then play as the ruleset's bot."""
    (busy_bot if turn.phase == SETUP else TALLER_ANTS.bot)(turn)


PLAYERS: Mapping[str, Mapping[str, Bot]] = {
    "taller_ants": {
        "bot": TALLER_ANTS.bot,
        "sealing": sealing_bot,
        "scattered": _scattered,
        "random": random_bot,
    },
    "colony_battle": {
        "bot": COLONY_BATTLE.bot,
        "race": partial(colony_battle_bot.play, style=colony_battle_bot.RACE),
        "fight": partial(colony_battle_bot.play, style=colony_battle_bot.FIGHT),
        "rush": rush_bot,
        "random": random_bot,
    },
    "tae": {"bot": TAE.bot, "random": random_bot},
}

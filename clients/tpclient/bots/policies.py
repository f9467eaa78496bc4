"""How bots may choose, by name.  Nothing else is imported before a policy is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .play import Policy

POLICIES: Mapping[str, str] = {
    "antshouse": "antshouse.AntshousePolicy",
    "colony_battle": "colony_battle.ColonyBattlePolicy",
    "random": "random.RandomPolicy",
    "swarm": "swarm.SwarmPolicy",
    "tae": "tae.TaePolicy",
    "taller_ants": "taller_ants.TallerAntsPolicy",
}
"""Where each is: a module of this package and a class in it."""


def new_policy(name: str) -> Policy:
    """Return a new policy of this name, which is one of POLICIES."""
    module, _, kind = POLICIES[name].partition(".")
    policy: Policy = getattr(import_module(f".{module}", __package__), kind)()
    return policy

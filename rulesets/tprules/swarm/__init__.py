"""Swarm: cubes on a six by six board that turn an enemy between two of them into one of their own."""

from tprules.swarm.ruleset import RULESET

__all__ = ["RULESET"]

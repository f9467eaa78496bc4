"""Swarm: cubes on a six by six board; an enemy's cube between two of one's own becomes one's own."""

from tprules.swarm.ruleset import RULESET as RULESET

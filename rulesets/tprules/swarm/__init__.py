"""Swarm: cubes on a board of 36 squares.

A cube between two enemy cubes on a straight line changes sides.
"""

from tprules.swarm.ruleset import RULESET as RULESET

"""The resources (RULES.md, section 2)."""

from __future__ import annotations

from tprules.api import Resource
from tprules.kit.words import fact, resource

UNINHABITABLE, DESTROYED, ARTIFACT, ASSET, SCIENCE, TEAM, MATERIAL, HOME = range(1, 9)

COLONIES = (ASSET, SCIENCE, TEAM, MATERIAL)
"""The resource of a colony, by type."""


def _colony(number: int, name: str, text: str, colonists: str, colour: str) -> Resource:
    return resource(number, name, text, f"colony|colonies of {colonists}", colour=colour)


RESOURCES = (
    resource(UNINHABITABLE, "Uninhabitable planet", "Only mining robots can colonize it"),
    resource(DESTROYED, "Destroyed Star System", "Bombed, and lost for good"),
    resource(ARTIFACT, "Alien Artifact", "A merchant leader whose region has two takes all but one"),
    _colony(ASSET, "Monetary Asset", "What a colony of merchants is worth", "merchants", "#9a6b00"),
    _colony(SCIENCE, "Technological Advancement", "What a colony of scientists has found out", "scientists", "#1a5fa8"),
    _colony(TEAM, "Team|Teams of People", "The people of a colony of settlers", "settlers", "#8a3d7c"),
    _colony(MATERIAL, "Raw Material", "What mining robots dig up", "mining robots", "#4a6a2e"),
    fact(HOME, "Home Planet", "Where a player's ships wait"),
)

"""Picnic with symbols, colors and rules: an external ruleset with a style."""

from collections.abc import Mapping
from dataclasses import replace

from picnic import Picnic, World

from tprules import api

HILL = '<svg viewBox="0 0 24 24"><path d="M3 20 L12 4 L21 20 Z" fill="currentColor"/></svg>'
COLOURS = ("#7a1fa2", "#00796b")


class Painted(Picnic):
    name, title, version = "painted", "Painted Picnic", 1
    manual = """# Painted Picnic

Bring home the most crumbs in colours.

## A turn

As in Picnic, on a painted meadow.

## Pieces

### Anthill

It is painted in the colour of its player.

## Orders

### Send

Choose a party.
"""
    appearance = api.Appearance(seats=COLOURS)
    kinds: Mapping[str, api.Kind] = {**Picnic.kinds, "hill": replace(Picnic.kinds["hill"], look=api.Look(HILL))}

    def scores(self, world: World, seat: api.Seat | None) -> Mapping[api.Seat, Mapping[str, int]]:
        return {one: {"Crumbs eaten": eaten} for one, eaten in enumerate(world.eaten)}


RULESET = Painted()

"""Bots: a loop that plays every turn, and a random policy for any game."""

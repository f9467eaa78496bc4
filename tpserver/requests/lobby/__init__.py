"""Requests around games: creation, setup, seats, clocks and proposals."""

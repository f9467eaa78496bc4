"""Copies: of a whole database, of one game, and of the data of one person."""

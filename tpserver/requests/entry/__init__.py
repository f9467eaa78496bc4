"""Requests before a game: connect, login, sign-in and guests."""

"""Requests in a game: its objects, orders, turns and scores."""

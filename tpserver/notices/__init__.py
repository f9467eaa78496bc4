"""Notices: whom to tell of a turn, a deadline or an end outside of the game, by mail or a webhook."""

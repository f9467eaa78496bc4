"""Notifications of players outside of the game: mail, push and webhooks."""

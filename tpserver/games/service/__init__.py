"""Services on all games: owners, moderators, spectators, and disk space."""

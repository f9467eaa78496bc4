"""Terms of a game, agreed when it is created: clock, seats, chat, anonymity, spectators."""

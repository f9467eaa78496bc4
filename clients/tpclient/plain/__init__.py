"""The plain commands: a game from the shell, for people, scripts and screen readers, without knowing any game."""

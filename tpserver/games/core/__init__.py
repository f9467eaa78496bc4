"""One game in memory: its state, players, phases, messages and events."""

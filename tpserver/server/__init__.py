"""Assembly of a server process from its parts."""

"""The edge: a process that keeps the connections of clients, while the process that holds the games is replaced."""

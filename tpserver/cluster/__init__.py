"""This server as one of several nodes that share a database: its lease, and the games that it holds."""

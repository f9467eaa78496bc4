"""Publishing of the games, on the local network and at a metaserver."""

"""Publishing: what tells others where the games of this server are, on its network and at a metaserver."""

"""A metaserver: lists servers and their games for whoever looks for them.  A program of its own, with no games."""

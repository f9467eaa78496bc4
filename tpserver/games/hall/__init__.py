"""All games of a server: creation, lookup, memory, nodes and accounts."""

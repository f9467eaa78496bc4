"""Metaserver: a separate program that lists servers and their games."""

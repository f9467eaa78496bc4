"""Cluster: several nodes share a database, with leases on their games."""

"""Databases that hold a store: SQLite and PostgreSQL."""

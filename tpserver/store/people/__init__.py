"""Stored accounts, with their logins, contacts, blocks and reports."""

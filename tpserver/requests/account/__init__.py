"""Requests about accounts: credentials, notices, vacations and roles."""

"""Accounts: logins, registration, passwords, and the login queue."""

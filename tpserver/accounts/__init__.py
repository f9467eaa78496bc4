"""Accounts: logins, new accounts, passwords, and the queue for checking them."""

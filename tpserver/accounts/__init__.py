"""Accounts: who may log in and who may make an account, their passwords, and whose turn it is to be checked."""

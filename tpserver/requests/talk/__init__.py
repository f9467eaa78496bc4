"""Requests about messages, blocks and abuse reports."""

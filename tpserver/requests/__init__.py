"""Handlers of client requests, one function per request.

A handler gets a session and a message, and returns the frames of the response.
"""

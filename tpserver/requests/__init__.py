"""Handlers of client requests: one function per request, from a session and a message to the frames of the response."""

"""The plain commands: any game from the shell, for people and scripts.

They also suit screen readers.
"""

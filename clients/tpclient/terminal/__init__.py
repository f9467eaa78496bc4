"""The terminal client: any game on a full screen, with both map views.

Needs Textual.
"""

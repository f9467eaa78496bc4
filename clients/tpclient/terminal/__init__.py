"""The terminal client: any game on the whole screen of a terminal, with the map in both views. Needs Textual."""

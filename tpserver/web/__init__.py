"""HTTP for browsers: pages, login links and WebSockets, within the limits of every connection."""

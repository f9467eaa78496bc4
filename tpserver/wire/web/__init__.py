"""HTTP for browsers: pages, login links and WebSockets, with limits."""

"""Commands of an operator on a server's data.

``commands`` declares each of them once, and ``operations`` performs them. They have the same effect with and without a
running server. A running server offers them on a Unix socket in its data directory (``socket_server``). Without a
running server, the command line performs them on the store itself (``offline``).
"""

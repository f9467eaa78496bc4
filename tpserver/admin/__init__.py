"""Operations of an operator on a server's data, with the same effect whether the server runs or not.

``operations`` defines them and their output.  A running server offers them on a Unix socket in its data directory
(``socket_server``); while none runs, the command line does them on the store itself (``offline``).
"""

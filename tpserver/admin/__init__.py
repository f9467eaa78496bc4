"""What an operator does to a server's data, the same way whether the server runs or not.

``operations`` says what each thing to do does and prints.  A running server offers them on a Unix socket in its data
directory (``socket``); while none runs, the command line does them on the store itself (``asking``).
"""

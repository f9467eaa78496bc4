"""Memory of a server process: freed blocks return to the system."""

from __future__ import annotations

import platform
import sys

import pytest

from tests.support.process import run

HASHES = """
import ctypes, os, sys
from tpserver.processes import give_back_large_blocks, memory_of

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
if "tell" in sys.argv:
    give_back_large_blocks()
before = memory_of(os.getpid())
for _ in range(3):
    block = libc.malloc(20_000_000)
    ctypes.memset(block, 1, 20_000_000)
    small = libc.malloc(5_000)  # so that the heap does not end with the block
    libc.free(ctypes.c_void_p(block))
print(memory_of(os.getpid()) - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only the GNU C library has to be told")
def test_what_a_hash_took_goes_back_to_the_system() -> None:
    kept, told = (int(run(sys.executable, "-c", HASHES, *words).out) for words in ([], ["tell"]))
    assert told < 2_000_000
    assert kept > 15_000_000, "the library has changed: nobody needs to tell it any more"

"""Shift the clock of a process by CLOCK_AHEAD seconds.

Python loads this module as it starts.
"""

import os
import time

_really, _ahead = time.time, float(os.environ.get("CLOCK_AHEAD", "0"))
time.time = lambda: _really() + _ahead

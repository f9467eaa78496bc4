"""The system's clock of a process, set by CLOCK_AHEAD seconds: loaded by Python as it starts."""

import os
import time

_really, _ahead = time.time, float(os.environ.get("CLOCK_AHEAD", "0"))
time.time = lambda: _really() + _ahead

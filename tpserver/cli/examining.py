"""``tpserver doctor``: check the server and print the findings."""

from __future__ import annotations

import argparse
from collections import Counter

from tpserver.admin.doctor import examine
from tpserver.cli.log import be_quiet
from tpserver.cli.options import Failed, config_of
from tpserver.cli.output import say
from tpserver.rules.discovery import discover


def doctor(options: argparse.Namespace) -> int:
    """Print a line for each finding; raise Failed if one is a failure."""
    be_quiet()
    levels: Counter[str] = Counter()
    for finding in examine(config_of(options), discover, send_test=options.send_test):
        levels[finding.level] += 1
        say(f"{finding.level:<5} {finding.subject:<12} {finding.sentence}")
    if levels["FAIL"]:
        raise Failed(f"{levels['FAIL']} of {levels.total()} findings need fixing")
    return 0

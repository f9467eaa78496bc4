"""``tpserver doctor``."""

from __future__ import annotations

import argparse
from collections import Counter

from tpserver.admin.doctor import examine
from tpserver.cli.log import be_quiet
from tpserver.cli.options import Failed, config_of
from tpserver.cli.output import say
from tpserver.rules.discovery import discover


def doctor(options: argparse.Namespace) -> int:
    """Print a line for each thing that was looked at; raise Failed if one has to be mended."""
    be_quiet()
    levels: Counter[str] = Counter()
    for finding in examine(config_of(options), discover):
        levels[finding.level] += 1
        say(f"{finding.level:<5} {finding.subject:<12} {finding.sentence}")
    if levels["FAIL"]:
        raise Failed(f"{levels['FAIL']} of {levels.total()} findings have to be mended")
    return 0

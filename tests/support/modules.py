"""Modules of the page that a browser downloads."""

from __future__ import annotations

import re
from pathlib import Path

WEB = Path(__file__).parents[2] / "clients" / "tpclient" / "web"


def modules_of_the_page() -> set[Path]:
    """Those that a browser downloads: the first one, and what comes with it."""
    found: set[Path] = set()
    coming = [WEB / "app.js"]
    while coming:
        module = coming.pop()
        if module not in found:
            found.add(module)
            names = re.findall(r'from "(\.[^"]+)"', module.read_text(encoding="utf-8"))
            coming += [(module.parent / name).resolve() for name in names]
    return found

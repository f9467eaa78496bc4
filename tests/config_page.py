"""Write the generated parts of tpserver/docs/configuration.md: ``python -m tests.config_page``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tpserver.config import KEYS
from tpserver.config_file import complete
from tpserver.config_keys import Applied

PAGE = Path(__file__).parents[1] / "tpserver" / "docs" / "configuration.md"

EVENTS: dict[Applied, str] = {
    "reload": "`tpserver reload`",
    "restart": "a restart",
    "portal": "a restart; with `keep_connections`, a stop and a start",
}


def events() -> str:
    """The table of keys by the event at which a change of them counts."""
    rows = [f"| {EVENTS[applied]} | {', '.join(_keys(applied))} |" for applied in EVENTS]
    return "\n".join(["| A change counts at | Keys |", "|---|---|", *rows, ""])


def written() -> str:
    """The page with its generated parts."""
    return with_parts(PAGE, "tests.config_page", {"keys": f"```toml\n{complete()}```\n", "events": events()})


def with_parts(page: Path, module: str, parts: Mapping[str, str]) -> str:
    """The text of a page with these parts between their comments, which name the module that writes them."""
    text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        begin, end = f"<!-- {name}: written by python -m {module} -->\n", f"<!-- end of {name} -->\n"
        text, count = re.subn(f"(?s){begin}.*{end}", lambda _, new=f"{begin}\n{part}\n{end}": new, text)
        assert count == 1, name
    return text


def _keys(applied: Applied) -> list[str]:
    names = []
    for section, keys in KEYS.items():
        those = [name for name, key in keys.items() if key.applied == applied]
        others = [f"`{name}`" for name in keys if name not in those]
        if len(those) > 1 and len(others) < len(those):
            names.append(f"`[{section}]`" + (f" except {' and '.join(others)}" if others else ""))
        else:
            names += [f"`{section}.{name}`" for name in those]
    return names


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")

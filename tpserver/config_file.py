"""A complete configuration file, from the declarations of its keys."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import fields

from tpserver.config import KEYS, Config

COLUMN, WIDTH = 34, 120


def complete(chosen: Mapping[str, object] | None = None) -> str:
    """Return a file with all sections and keys, each with its comment.

    ``chosen`` maps "section.key" to a value. All other keys have their default or an example, and are commented out by
    ``#``. Without ``chosen``, no key is commented out.
    """
    lines: list[str] = []
    for section in fields(Config):
        body: list[str] = []
        for key, declared in KEYS[section.name].items():
            name = f"{section.name}.{key}"
            mark = "" if chosen is None or name in chosen else "# "
            value = (chosen or {}).get(name, declared.example)
            body += _commented(f"{mark}{key} = {_toml(value)}", declared.comment)
        lines += ["", *_commented(f"[{section.name}]", section.metadata["note"]), *body]
    return "\n".join([*lines[1:], ""])


def _toml(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def _commented(line: str, comment: str) -> list[str]:
    """Return a line with its comment, which may need further lines."""
    return textwrap.wrap(
        comment,
        WIDTH,
        initial_indent=f"{line + ' ':<{COLUMN}}# ",
        subsequent_indent=f"{'':<{COLUMN}}# ",
        break_long_words=False,
        break_on_hyphens=False,
    ) or [line]

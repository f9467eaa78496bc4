"""Interpretation of command options: configuration and ruleset options."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tpserver.cli.arguments import UsageError

if TYPE_CHECKING:
    from tpserver.config import Config

MOST_TEXT = 1024 * 1024
"""Maximum bytes of a file given as an option's value."""


class Failed(Exception):
    """The command has failed. The message is one sentence, and ``further`` has lines after it."""

    def __init__(self, sentence: str, *further: str) -> None:
        super().__init__(sentence)
        self.further = further


def config_of(options: argparse.Namespace, overrides: Mapping[str, object] | None = None) -> Config:
    """Return the configuration from --config and other options.

    Options for single keys and ``overrides`` (by "section.key") take precedence. Raises UsageError.
    """
    from tpserver import config as configuration

    said = {
        key: getattr(options, option.removeprefix("--").replace("-", "_"), None)
        for key, option in configuration.OPTIONS.items()
    }
    try:
        return configuration.load(options.config, {**said, **(overrides or {})})
    except configuration.ConfigError as error:
        raise UsageError(str(error)) from None


def ruleset_options(given: list[str]) -> dict[str, str]:
    """Return the options from --option K=V and K=@FILE. Raises Failed."""
    options: dict[str, str] = {}
    for text in given:
        name, found, value = text.partition("=")
        if not found or not name:
            raise Failed(f"--option {text!r}: write K=V, or K=@FILE to read the value from a file")
        if name in options:
            raise Failed(f"--option {name} is given twice")
        options[name] = _file_text(name, value[1:]) if value.startswith("@") else value
    return options


def _file_text(name: str, path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MOST_TEXT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Failed(f"--option {name}: the file {path!r} cannot be read: {reason.lower()}") from None
    if len(raw) > MOST_TEXT:
        raise Failed(f"--option {name}: the file {path} is longer than {MOST_TEXT} bytes")
    try:
        return raw.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise Failed(f"--option {name}: {path}, line {line}: this is not UTF-8 text") from None

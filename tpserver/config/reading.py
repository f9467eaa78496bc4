"""Reading the configuration: a TOML file and the command line into a `Config`."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tpserver.config.messages import did_you_mean, named, shown, titled
from tpserver.config.schema import OPTIONS, RENAMED, RULES, InvalidItem, InvalidValue, Rule
from tpserver.config.sections import (
    AccountsConfig,
    Config,
    GamesConfig,
    ListenConfig,
    LogConfig,
    ServerConfig,
    TlsConfig,
    WebConfig,
)
from tpserver.net.limits import MIB, Limits

LARGEST_FILE = MIB
"""Maximum bytes of a configuration file; a longer one must be a mistake."""


class ConfigError(ValueError):
    """An invalid configuration; the message is one sentence naming the place and what is allowed."""


def load(
    path: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    *,
    renamed: Mapping[str, str] = RENAMED,
) -> Config:
    """Return the configuration: defaults, then the TOML file `path` if given, then `overrides` from the command line.

    `overrides` maps "section.key" to a value of the key's type, or None if it was not given.  Paths in the file are
    relative to the file, those in overrides to the working directory.

    Raises ConfigError with one sentence for the first error.
    """
    values: dict[str, dict[str, Any]] = {section: {} for section in RULES}
    if path is not None:
        place = Path(path)
        for section, table in _sections(_parse(place), str(place), renamed):
            for key, value in table.items():
                name = f"{section}.{key}"
                rule = _rule(section, key, str(place), renamed)
                values[section][key] = _read(rule, value, name, str(place), place.absolute().parent)
    for name, value in (overrides or {}).items():
        if value is None:
            continue
        section, _, key = name.partition(".")
        if section not in RULES:
            raise ConfigError(f"command line: there is no key {named(name)}{did_you_mean(name, _all_keys())}")
        rule = _rule(section, key, "command line", renamed)
        values[section][key] = _read(rule, value, OPTIONS.get(name, name), "command line", Path.cwd())
    return _agreed(_config(values), "the configuration" if path is None else str(path))


def _parse(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ConfigError(f"{path}: the configuration cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a zero byte in the path
        raise ConfigError(f"{str(path)!r}: the configuration cannot be read: {error}") from None
    if len(raw) > LARGEST_FILE:
        raise ConfigError(f"{path}: a configuration has at most {LARGEST_FILE} bytes, this file has more")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: a configuration is UTF-8 text, byte {error.start} is not") from None
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{path}: tables and lists are nested too deeply for a configuration") from None
    except ValueError as error:  # TOMLDecodeError, or int() refusing thousands of digits
        what, _, where = str(error).partition(" (at ")
        found = re.fullmatch(r"line (\d+), column (\d+)\)", where)
        if found:
            place = f"line {found[1]}, column {found[2]}"
        elif where:
            place = f"line {text.rstrip().count(chr(10)) + 1}, at the end"
        else:
            raise ConfigError(f"{path}: this is not TOML: {what}") from None
        raise ConfigError(f"{path}, {place}: this is not TOML: {what[:1].lower()}{what[1:]}") from None


def _sections(
    document: Mapping[str, Any], place: str, renamed: Mapping[str, str]
) -> Iterable[tuple[str, Mapping[str, Any]]]:
    for section, table in document.items():
        if section in RULES and isinstance(table, dict):
            yield section, table
        elif section in RULES:
            raise ConfigError(
                f"{place}: {section} is {shown(table)}, but must be a section: write [{section}] and below it its keys"
            )
        elif section in renamed:
            raise ConfigError(f"{place}: {titled(section, table)} is now called {titled(renamed[section], table)}")
        elif isinstance(table, dict):
            near = difflib.get_close_matches(section, RULES, n=1)
            hint = f"; did you mean [{near[0]}]?" if near else ""
            raise ConfigError(f"{place}: there is no section [{named(section)}]{hint} (there are {_all_sections()})")
        else:
            hint = did_you_mean(section, _all_keys())
            raise ConfigError(
                f"{place}: {named(section)} stands before the first section, but every key has one{hint} "
                f"(there are {_all_sections()})"
            )


def _rule(section: str, key: str, place: str, renamed: Mapping[str, str]) -> Rule:
    rules = RULES[section]
    if key in rules:
        return rules[key]
    name = f"{section}.{key}"
    if name in renamed:
        raise ConfigError(f"{place}: {name} is now called {renamed[name]}")
    hint = did_you_mean(key, rules) or did_you_mean(key, _all_keys())
    raise ConfigError(f"{place}: there is no key {section}.{named(key)}{hint} ([{section}] has {', '.join(rules)})")


def _read(rule: Rule, value: object, name: str, place: str, base: Path) -> Any:
    try:
        return rule.read(value, base)
    except InvalidItem as invalid:
        raise ConfigError(
            f"{place}: item {invalid.position} of {name} is {shown(invalid.item)}, but {name} must be {rule.allowed}"
        ) from None
    except InvalidValue as invalid:
        raise ConfigError(f"{place}: {name} is {shown(value)}, but must be {rule.allowed}{invalid}") from None


def _config(values: Mapping[str, Mapping[str, Any]]) -> Config:
    types = {
        "server": ServerConfig,
        "listen": ListenConfig,
        "tls": TlsConfig,
        "web": WebConfig,
        "accounts": AccountsConfig,
    }
    types |= {"games": GamesConfig, "limits": Limits, "log": LogConfig}
    return Config(**{section: types[section](**values[section]) for section in types})


def _agreed(config: Config, place: str) -> Config:
    """Return the configuration.  Raises ConfigError if its keys contradict each other."""
    if config.tls.key is not None and config.tls.certificate is None:
        raise ConfigError(f"{place}: tls.key is set, but tls.certificate is not; TLS needs both")
    if config.web.endpoint and config.web.port is not None:
        raise ConfigError(f"{place}: web.endpoint and web.port are both set; the endpoint has a port of its own")
    limits = config.limits
    if limits.unsent_bytes < limits.pause_bytes:
        raise ConfigError(
            f"{place}: limits.unsent_bytes is {limits.unsent_bytes}, "
            f"but must be at least limits.pause_bytes, which is {limits.pause_bytes}"
        )
    return config


def _all_sections() -> str:
    return ", ".join(f"[{name}]" for name in RULES)


def _all_keys() -> list[str]:
    return [f"{section}.{key}" for section, rules in RULES.items() for key in rules]

"""The configuration: a TOML file and the command line become one frozen `Config`, or one clear sentence."""

from tpserver.config.allowed import OPTIONS, RENAMED, RULES
from tpserver.config.reading import ConfigError, load
from tpserver.config.sections import (
    Accounts,
    Config,
    Games,
    Listen,
    Log,
    Server,
    Tls,
    Web,
    default_data_directory,
)

__all__ = [
    "OPTIONS",
    "RENAMED",
    "RULES",
    "Accounts",
    "Config",
    "ConfigError",
    "Games",
    "Listen",
    "Log",
    "Server",
    "Tls",
    "Web",
    "default_data_directory",
    "load",
]

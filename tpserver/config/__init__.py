"""The configuration: reads a TOML file and the command line into a frozen `Config`, or reports one error."""

from tpserver.config.reading import ConfigError, load
from tpserver.config.schema import OPTIONS, RENAMED, RULES
from tpserver.config.sections import (
    AccountsConfig,
    Config,
    GamesConfig,
    ListenConfig,
    LogConfig,
    ServerConfig,
    TlsConfig,
    WebConfig,
    default_data_directory,
)

__all__ = [
    "OPTIONS",
    "RENAMED",
    "RULES",
    "AccountsConfig",
    "Config",
    "ConfigError",
    "GamesConfig",
    "ListenConfig",
    "LogConfig",
    "ServerConfig",
    "TlsConfig",
    "WebConfig",
    "default_data_directory",
    "load",
]

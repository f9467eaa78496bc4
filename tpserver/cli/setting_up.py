"""``tpserver init``: create the files of a server for other players."""

from __future__ import annotations

import argparse
import getpass
import os
import pwd
import shlex
import sys
from pathlib import Path

from tpserver import files
from tpserver.cli.options import Failed
from tpserver.cli.output import say
from tpserver.config import ConfigError, load
from tpserver.config_file import complete
from tpserver.wire.net.limits import SPARE_FILES, Limits

SYSTEM_USER = "tpserver"
"""The account in the unit if root calls ``init`` without one."""

HEAD = """\
# The configuration of tpserver.  After a change: tpserver doctor --config {config}
# Every key may be left out. A key behind # shows its default, or an example. The pages are in tpserver/docs.

"""

UNIT = """\
# systemd: copy this to /etc/systemd/system/, then: systemctl daemon-reload; systemctl enable --now tpserver
[Unit]
Description=tpserver ({name})
Wants=network-online.target
After=network-online.target

[Service]
Type=notify
ExecStart={program} run --config {config}
ExecReload=/bin/kill -HUP $MAINPID
User={user}
Restart=on-failure
RestartSec=5
WatchdogSec=30
KillMode=mixed
TimeoutStopSec=90
LimitNOFILE={files}
UMask=0077

# All but this directory is read only to the server: add where [backup] directory is, if that is elsewhere.
ProtectSystem=strict
ReadWritePaths={directory}
ProtectHome={home}
PrivateTmp=yes
PrivateDevices=yes
ProtectProc=invisible
ProcSubset=pid
# What the server never does.  For a port below 1024 write CAP_NET_BIND_SERVICE twice: behind CapabilityBoundingSet= and
# in a line AmbientCapabilities=, and remove PrivateUsers.
CapabilityBoundingSet=
PrivateUsers=yes
NoNewPrivileges=yes
LockPersonality=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RemoveIPC=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallErrorNumber=EPERM
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
# Not MemoryDenyWriteExecute=yes: TLS by pyOpenSSL makes callbacks as it runs.

[Install]
WantedBy=multi-user.target
"""


def init(options: argparse.Namespace) -> int:
    """Write the files. Raises Failed without any change of files."""
    directory: Path = options.directory.absolute()
    config, unit, data = directory / "tpserver.toml", directory / "tpserver.service", directory / "data"
    for there in (config, unit, data):
        if there.exists():
            raise Failed(f"{there} exists, and is not overwritten; name another directory, or move it away")
    if options.key is not None and options.certificate is None:
        raise Failed("--key is given, but --certificate is not; TLS needs both")
    certificate, key = (None if one is None else one.absolute() for one in (options.certificate, options.key))
    if certificate is not None:
        _check_certificate(certificate, key)
    chosen = {
        "server.data": "data",
        "server.name": options.name,
        "listen.address": options.address,
        "games.clock": "interval:86400",
        "backup.every_hours": 24,
    }
    if options.origin is not None:
        chosen["web.origins"] = [options.origin]
    if certificate is not None:
        chosen |= {"tls.certificate": str(certificate), "tls.address": options.address}
    if key is not None:
        chosen["tls.key"] = str(key)
    content = HEAD.format(config=config) + complete(chosen)
    program = Path(sys.executable).with_name("tpserver")
    caller = getpass.getuser()
    user = options.user or (SYSTEM_USER if os.geteuid() == 0 else caller)
    service = UNIT.format(
        name=_literal(options.name),
        program=_quoted(program),
        config=_quoted(config),
        user=_literal(user),
        files=Limits().connections + SPARE_FILES,
        directory=_quoted(directory),
        home=protect_home(directory, program, Path(__file__), *(one for one in (certificate, key) if one is not None)),
    )
    made = not directory.exists()
    written: list[Path] = []
    try:
        files.make_directory(directory, 0o755)
        for file, text in ((config, content), (unit, service)):
            with file.open("x", encoding="utf-8") as opened:
                written.append(file)
                opened.write(text)
            files.sync(file)
        load(config)
        files.make_directory(data, 0o700)  # this includes the names of the two files
    except (OSError, ConfigError) as error:
        for file in written:
            file.unlink(missing_ok=True)
        if made and directory.is_dir():
            directory.rmdir()
        if isinstance(error, ConfigError):
            raise Failed(str(error)) from None
        raise Failed(
            f"{error.filename or directory} cannot be written: {(error.strerror or str(error)).lower()}"
        ) from None
    other = user != caller
    as_user = f"sudo -u {shlex.quote(user)} {shlex.quote(str(program))}" if other else "tpserver"
    say(
        f"Written: {config}",
        f"         {unit}",
        f"         {data}/",
        "Next:",
        *_steps_of_root(user, directory, caller),
        f"  {as_user} doctor --config {config}",
        f"  {as_user} account add YOU --config {config}",
        f"  {as_user} run --config {config}",
        f"or, to have systemd run it: sudo cp {unit} /etc/systemd/system/ && sudo systemctl enable --now tpserver",
    )
    return 0


def _steps_of_root(user: str, directory: Path, caller: str) -> list[str]:
    """Return the steps that root must take before the server can run as a user, with a warning if that is root."""
    if user == "root":
        return ["  # The unit runs the server as root, which it never needs: better say --user NAME."]
    if user == caller:
        return []
    name, place = shlex.quote(user), shlex.quote(str(directory))
    lines = [f"  # The unit runs the server as {user}."]
    try:
        pwd.getpwnam(user)
    except KeyError:
        lines.append(f"  sudo useradd --system --home-dir {place} --shell /usr/sbin/nologin {name}")
    return [*lines, f"  sudo chown -R {name} {place}"]


def protect_home(*needed: Path) -> str:
    """Return the access of the service to home directories: none, unless it needs files there."""
    homes = (Path("/home"), Path("/root"), Path("/run/user"))
    is_there = any(path.resolve().is_relative_to(home) for path in needed for home in homes)
    return "read-only" if is_there else "yes"


def _check_certificate(certificate: Path, key: Path | None) -> None:
    from tpserver.cli.log import be_quiet
    from tpserver.wire.net.errors import CertificateError
    from tpserver.wire.net.tls import certificate_options

    be_quiet()
    try:
        certificate_options(certificate, key)
    except CertificateError as error:
        raise Failed(str(error)) from None


def _literal(text: str) -> str:
    """Return a text for a value of a unit: on one line, with literal % (systemd.unit(5))."""
    return " ".join(text.split()).replace("%", "%%")


def _quoted(path: Path) -> str:
    """Return a path as one word of a unit."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"' if any(letter.isspace() or letter in "\"'\\;" for letter in text) else text

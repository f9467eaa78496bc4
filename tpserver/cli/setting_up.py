"""``tpserver init``: what a server that others play on begins with."""

from __future__ import annotations

import argparse
import getpass
import json
import shlex
import sys
from pathlib import Path

from tpserver import files
from tpserver.cli.options import Failed
from tpserver.cli.output import say
from tpserver.config import ConfigError, load
from tpserver.net.limits import SPARE_FILES, Limits

CONFIGURATION = """\
# The configuration of tpserver.  After a change: tpserver doctor --config {config}
# Every key may be left out; tpserver/README.md has all of them.

[server]
data = "data"                   # accounts and games; paths are relative to this file
name = {name}
# keep_connections = true       # tpserver restart is a pause of a second for players, and ends no connection

[listen]                        # programs: TP03, TP04 and Protocol Buffers, without TLS
address = {address}             # "0.0.0.0": everybody's, "127.0.0.1": only of this machine
port = 6923
{tls}
[web]                           # browsers: put a proxy with TLS before it
address = "127.0.0.1"
port = 8080
{origins}

# [proxy]                       # whose word about the true address is believed
# addresses = ["127.0.0.1"]     # where the proxy connects from

[accounts]
policy = "register"             # "closed": only "tpserver account add" makes accounts
# guests = true                 # people play without an account, in games made with --guests yes

# [oidc]                        # sign-in through other servers; pip install 'tpserver[oidc]'
# site = "https://games.example.org/"   # they send browsers back to site + "sign-in/back/" + id
# [[oidc.providers]]
# id = "club"
# name = "Our Club"
# issuer = "https://login.example.org/realms/club"
# client_id = "tpserver"
# secret = "club.secret"        # a file with the secret in its first line
# accounts = "make"             # "known": only who has connected an account comes in

[games]                         # what new games get if nothing else is said
clock = "interval:86400"        # a turn a day, or as soon as all have finished it
join = "open"
create = "accounts"             # "operator": only you make games

[backup]                        # copies of the database, each proven; tpserver restore FILE puts one back
every_hours = 24
keep = 14
# directory = "/another/disk"   # best on another disk; in the systemd unit ReadWritePaths has to name it, too

# [notices]                     # telling players of their games while they are not there
# site = "https://games.example.org/"   # where browsers find the page; for links
# mail_server = "smtp.example.org"      # host, or host:port; mail resets forgotten passwords, too
# mail_tls = "starttls"
# mail_from = "games@example.org"
# mail_user = "games@example.org"
# mail_password = "mail.password"       # a file with the password in its first line
# webhooks = "on"               # Discord, Slack, Matrix and programs of players
# push = "on"                   # browsers; pip install 'tpserver[push]'
# operator = ["ntfys://ntfy.sh/topic"]  # where you are told what should not wait; pip install 'tpserver[operator]'

[log]
level = "info"
format = "text"                 # "json": an object a line

# [metrics]                     # for Prometheus; pip install 'tpserver[metrics]'
# port = 9123

# [admin]                       # administration consoles, on this machine
# user = "operator"
# password = "admin.password"   # a file with a password of 12 characters at least

# [lan]                         # telling the local network of the games; pip install 'tpserver[lan]'
# announce = "on"

# [metaserver]                  # telling the world of the games
# url = "http://meta.example.org:8090/"
# host = "games.example.org"    # where players reach this server
"""

TLS = """
[tls]                           # the same with TLS; renewed files are read by: tpserver reload
certificate = {certificate}
{key}address = {address}
port = 6924
"""

NO_TLS = """
# [tls]                         # the same with TLS
# certificate = "server.pem"    # with the chain behind the certificate
# key = "server.key"
# address = "0.0.0.0"
# port = 6924
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
NoNewPrivileges=yes
PrivateTmp=yes
ProtectSystem=strict
# All else is read only to the server: add here where [backup] directory is, if that is elsewhere.
ReadWritePaths={directory}

[Install]
WantedBy=multi-user.target
"""


def init(options: argparse.Namespace) -> int:
    """Write the files.  Raises Failed; then none has been written, and none that was there is changed."""
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
    address = json.dumps(options.address)
    tls = NO_TLS
    if certificate is not None:
        named = "" if key is None else f"key = {json.dumps(str(key))}\n"
        tls = TLS.format(certificate=json.dumps(str(certificate)), key=named, address=address)
    origins = '# origins = ["https://games.example.org"]   # where browsers find the proxy'
    if options.origin is not None:
        origins = f"origins = [{json.dumps(options.origin)}]"
    content = CONFIGURATION.format(
        config=config, name=json.dumps(options.name, ensure_ascii=False), address=address, tls=tls, origins=origins
    )
    program = Path(sys.executable).with_name("tpserver")
    service = UNIT.format(
        name=_literal(options.name),
        program=_quoted(program),
        config=_quoted(config),
        user=_literal(options.user or getpass.getuser()),
        files=Limits().connections + SPARE_FILES,
        directory=_quoted(directory),
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
        files.make_directory(data, 0o700)  # and with it the names of the two files
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
    other = options.user is not None and options.user != getpass.getuser()
    say(
        f"Written: {config}",
        f"         {unit}",
        f"         {data}/",
        "Next:",
        *([f"  sudo chown -R {shlex.quote(options.user)} {shlex.quote(str(directory))}"] if other else []),
        f"  tpserver doctor --config {config}",
        f"  tpserver account add YOU --config {config}",
        f"  tpserver run --config {config}",
        f"or, to have systemd run it: sudo cp {unit} /etc/systemd/system/ && sudo systemctl enable --now tpserver",
    )
    return 0


def _check_certificate(certificate: Path, key: Path | None) -> None:
    from tpserver.cli.log import be_quiet
    from tpserver.net.errors import CertificateError
    from tpserver.net.tls import certificate_options

    be_quiet()
    try:
        certificate_options(certificate, key)
    except CertificateError as error:
        raise Failed(str(error)) from None


def _literal(text: str) -> str:
    """Return a text for a value of a unit: on one line, and % means itself (systemd.unit(5))."""
    return " ".join(text.split()).replace("%", "%%")


def _quoted(path: Path) -> str:
    """Return a path as one word of a unit."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"' if any(letter.isspace() or letter in "\"'\\;" for letter in text) else text

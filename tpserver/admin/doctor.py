"""Checks for the operator of all parts of a server.

They change nothing.
"""

from __future__ import annotations

import ctypes
import os
import re
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Literal

from tprules.printable import LONGEST_LINE, printable
from tpserver.accounts.oidc.terms import NoSecret, Provider
from tpserver.addresses import bind_error, is_loopback
from tpserver.admin import backups, exposure, lost_database
from tpserver.admin.columns import when
from tpserver.admin.console import ConsoleError, read_password
from tpserver.admin.offline import backup_directory, has_data, store_url
from tpserver.admin.socket_client import somebody_listens
from tpserver.admin.socket_protocol import PathTooLong, SocketPath
from tpserver.config import Config, NoticesConfig
from tpserver.games.stored.compat import too_new
from tpserver.games.terms.clock import duration, parse_clock
from tpserver.rules.discovery import Rulesets
from tpserver.store import StoreError, Transaction, future_times
from tpserver.store.copies import database_copy
from tpserver.store.database import ReadOnly
from tpserver.store.games import outbox, readable
from tpserver.store.games import rows as stored_games
from tpserver.store.schema import newest_version, version_of
from tpserver.wire.net import PLAIN_PORT, WEB_PORT, client_header
from tpserver.wire.net.errors import CertificateError
from tpserver.wire.net.limits import SPARE_FILES

OLDEST_PYTHON = (3, 11)

FREE_BYTES = 256 * 1024 * 1024
"""Bytes of free disk below which a server is in danger. Below four times as many it needs attention."""

CERTIFICATE_DAYS = 21
"""Minimum days until the end of a certificate; with fewer it should be renewed."""

OLD_NOTICE_SECONDS = 6 * 3600.0
"""Seconds of failed tries of a notification after which the operator should check it."""

CLOCK_SECONDS = 60.0
"""Seconds by which a time may seem to be in the future."""

PROVIDER_SECONDS, PROVIDER_BYTES = 10.0, 32 * 1024
"""Maximum seconds of a provider's response, and maximum bytes of it that are read."""

_TIME_ERROR = 5  # adjtimex(2): the clock is not synchronised


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a check: its status, and a sentence. A warning or failure contains the remedy."""

    level: Literal["ok", "warn", "FAIL"]
    subject: str
    sentence: str


Findings = Iterator[Finding]


def examine(config: Config, rulesets: Callable[[], Rulesets], *, send_test: bool = False) -> Findings:
    """Run all checks in the order of possible failures. Nothing is changed.

    With ``send_test`` a test notification is sent to each address of the operator.
    """
    yield _python()
    yield from _libraries()
    found = rulesets()
    yield from _rulesets(found)
    yield from _data_directory(config)
    yield from _database(config, found)
    yield from _disks(config)
    yield from _backups(config)
    yield from _ports(config)
    yield from _certificate(config)
    yield from _proxies(config)
    yield from _consoles(config)
    yield from _exposed(config)
    yield from _reach(config)
    yield from _sign_ins(config)
    yield from _operator(config, send_test)
    yield from _notices(config)
    yield from _files(config)
    yield from _clock(config)
    yield from _clock_of_games(config)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST_PYTHON:
        return Finding(
            "FAIL", "python", f"{version} is too old; {'.'.join(map(str, OLDEST_PYTHON))} or newer is needed."
        )
    return Finding("ok", "python", f"{version} ({sys.executable})")


def _libraries() -> Findings:
    try:
        wanted = metadata.requires("tpserver") or []
    except metadata.PackageNotFoundError:
        yield Finding("FAIL", "libraries", "tpserver is not installed as a package: pip install it.")
        return
    there = []
    for line in wanted:
        # PEP 508, in the form of pip: Twisted[tls]<27,>=26.10
        name = re.match(r"[\w.-]+", line)
        if name is None or "extra ==" in line:
            continue
        try:
            version = metadata.version(name[0])
        except metadata.PackageNotFoundError:
            yield Finding("FAIL", "libraries", f"{name[0]} is missing: pip install '{line}'")
            continue
        there.append(f"{name[0]} {version}")
        low, high = (re.search(rf"{sign}\s*([\d.]+)", line) for sign in (">=", "<"))
        if (low is not None and _numbers(version) < _numbers(low[1])) or (
            high is not None and _numbers(version) >= _numbers(high[1])
        ):
            yield Finding("warn", "libraries", f"{name[0]} is {version}, and this tpserver was made for '{line}'.")
    yield Finding("ok", "libraries", ", ".join(there))


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version.partition("+")[0])]


def _rulesets(found: Rulesets) -> Findings:
    names = ", ".join(f"{name} {rules.version}" for name, rules in sorted(found.usable.items()))
    yield Finding("ok" if names else "FAIL", "rulesets", names or "There is none, so there is nothing to play.")
    for name, problem in sorted(found.problems.items()):
        yield Finding("FAIL", "rulesets", f"{name} cannot be used: {problem}")


def _data_directory(config: Config) -> Findings:
    data = config.server.data
    if not data.exists():
        yield Finding("warn", "data", f"{data} is not there yet; the first start makes it.")
        return
    if not data.is_dir() or not os.access(data, os.R_OK | os.W_OK | os.X_OK):
        yield Finding("FAIL", "data", f"{data} is not a directory that this user ({os.geteuid()}) can write.")
        return
    mode = data.stat().st_mode & 0o777
    if mode & 0o077:
        yield Finding("warn", "data", f"{data} can be read by other users of this machine (mode {mode:o}): chmod 700")
    else:
        yield Finding("ok", "data", f"{data}, for its owner only")
    try:
        SocketPath(data).close()
    except PathTooLong as error:
        yield Finding("FAIL", "data", f"{error}.")


def _database(config: Config, rulesets: Rulesets) -> Findings:
    try:
        if not has_data(config):
            if lost := lost_database.refusal(config, store_url(config), backup_directory(config)):
                yield Finding("FAIL", "database", lost)
            else:
                yield Finding("ok", "database", "There is none yet; the first start makes it.")
            return
        with closing(ReadOnly(store_url(config))) as source:
            version = source.read(version_of)
            damage = [] if config.server.store else source.read(database_copy.faults)
            if damage:
                yield Finding("FAIL", "database", f"{source.label} is damaged: {'; '.join(damage)}. Restore a backup.")
                return
            amount = source.read(database_copy.content)
            text = f"{source.label}: {amount.games} games, {amount.accounts} accounts"
            yield Finding("ok", "database", f"{text}{'' if config.server.store else ', whole'}")
            if version == newest_version():
                yield Finding("ok", "migrations", f"Tables of version {version}, the newest.")
            else:
                yield Finding(
                    "warn",
                    "migrations",
                    f"Tables of version {version}; the next start copies the database and brings them up to "
                    f"{newest_version()}.",
                )
            if version == newest_version() and (late := source.read(future_times.count_all, time.time())):
                what = ", ".join(f"{table}: {number}" for table, number in sorted(late.items()))
                text = f"Stored times are in the future ({what}). Set the clock; then the server bounds them."
                yield Finding("warn", "clock", text)
            yield from source.read(_games, rulesets)
            yield from _unreadable_games(source)
    except StoreError as error:
        lost = lost_database.refusal(config, store_url(config), backup_directory(config)) if has_data(config) else ""
        if error.code == "empty" and config.server.store.startswith("postgresql") and not lost:
            # An empty file had other content before. A server requires an empty database.
            yield Finding("ok", "database", f"{error.sentence} The first start makes its tables.")
            return
        yield Finding("FAIL", "database", lost or error.sentence)


def _games(connection: Transaction, rulesets: Rulesets) -> list[Finding]:
    found = []
    for row in stored_games.all(connection):
        rules = rulesets.usable.get(row.ruleset)
        if row.state == "held":
            text = f"{row.name} is held: {row.held_reason}; to try again: tpserver game resume {row.name}"
            found.append(Finding("warn", "games", text))
        elif row.state != "over" and rules is None:
            found.append(Finding("FAIL", "games", f"{row.name} needs the ruleset {row.ruleset}, which is not usable."))
        elif row.state != "over" and (problem := too_new(row, rules)):
            found.append(Finding("FAIL", "games", problem))
    return found


def _unreadable_games(source: ReadOnly) -> Findings:
    for number, name in source.read(readable.names).items():
        try:
            source.read(readable.check, number)
        except Exception as error:  # the stored data differs from the saved data
            why = error.sentence if isinstance(error, StoreError) else f"what is stored is damaged ({error!r:.100})."
            yield Finding("FAIL", "games", f"{name} cannot be read: {why} Restore a backup.")


def _disks(config: Config) -> Findings:
    places = {"data": config.server.data, "backups": backup_directory(config)}
    for what, place in places.items():
        while not place.exists():
            place = place.parent
        free = shutil.disk_usage(place).free
        text = f"{free / 1e9:.1f} GB are free for {what} ({place})"
        if free < FREE_BYTES:
            yield Finding("FAIL", "disk", f"{text}: with a full disk nothing is saved. Free some.")
        else:
            yield Finding("warn" if free < 4 * FREE_BYTES else "ok", "disk", f"{text}.")


def _backups(config: Config) -> Findings:
    directory = backup_directory(config)
    made, now = backups.made_until(directory, time.time()), time.time()
    future = [backup for backup in backups.made_in(directory) if backup not in made]
    if future:
        text = f"{future[0]} is dated in the future ({len(future)} in all), so it counts for nothing."
        yield Finding("warn", "backups", f"{text} Set the clock, or rename the file to the time of its content.")
    hours = config.backup.every_hours
    if not made:
        how = (
            "the running server makes the first"
            if hours
            else "make one with tpserver backup, or set backup.every_hours"
        )
        yield Finding("warn", "backups", f"There is none in {directory}: {how}.")
        return
    age = (now - backups.time_of(made[0])) / 3600
    text = f"{len(made)} in {directory}, the newest of {when(backups.time_of(made[0]))}"
    if hours and age > 2 * hours:
        yield Finding("FAIL", "backups", f"{text}, though there should be one every {hours:g} hours: see the log.")
    elif not hours and age > 7 * 24:
        yield Finding("warn", "backups", f"{text}: that is {age / 24:.0f} days ago.")
    else:
        yield Finding("ok", "backups", f"{text}.")


def _ports(config: Config) -> Findings:
    places = _places(config)
    for (address, port, section), (other_address, other_port, other) in combinations(places, 2):
        if port == other_port != 0 and (address == other_address or {address, other_address} & {"0.0.0.0", "::"}):
            yield Finding("FAIL", "ports", f"{section} and {other} both say port {port}: give one of them another.")
    if config.server.data.is_dir() and _serves(config.server.data):
        yield Finding("ok", "ports", "A server runs on this data and has its ports.")
        return
    for address, port, section in places:
        error = bind_error(address, port)
        if error is not None:
            problem = (error.strerror or str(error)).lower()
            yield Finding("FAIL", "ports", f"{section} {address} port {port}: {problem}.")
        else:
            yield Finding("ok", "ports", f"{section} {address} port {port} is free.")


def _places(config: Config) -> list[tuple[str, int, str]]:
    """Return the listening places except endpoints: address, port and section."""
    listen, web = config.listen, config.web
    places = []
    if listen.port is not None or not listen.endpoints:
        places.append((listen.address, PLAIN_PORT if listen.port is None else listen.port, "[listen]"))
    if config.tls.certificate is not None:
        places.append((config.tls.address, config.tls.port, "[tls]"))
    if not web.endpoint:
        places.append((web.address, WEB_PORT if web.port is None else web.port, "[web]"))
    if config.admin.user:
        places.append((config.admin.address, config.admin.port, "[admin]"))
    if config.metrics.port is not None:
        places.append((config.metrics.address, config.metrics.port, "[metrics]"))
    return places


def _consoles(config: Config) -> Findings:
    path = config.admin.password
    if not config.admin.user or path is None:
        return
    try:
        read_password(path)
        others = path.stat().st_mode & 0o077
    except (ConsoleError, OSError) as error:
        yield Finding("FAIL", "consoles", f"{error}.")
        return
    if others:
        yield Finding("warn", "consoles", f"Others on this machine may read {path}: chmod 600 {path}.")
    elif is_loopback(config.admin.address):
        yield Finding("ok", "consoles", f"Consoles log in as {config.admin.user}.")


def _exposed(config: Config) -> Findings:
    subjects = {"admin": "consoles"}
    for section, problem in exposure.warnings(config):
        yield Finding("warn", subjects.get(section, section), problem)


def _reach(config: Config) -> Findings:
    """Check the publishing of the games."""
    if config.lan.announce == "on":
        if find_spec("zeroconf") is None:
            yield Finding("FAIL", "lan", "Announcing the games needs zeroconf: pip install 'tpserver[lan]'.")
        else:
            yield Finding("ok", "lan", "The games are announced on the local network.")
    if config.metaserver.url:
        yield Finding("ok", "metaserver", f"The games are published at {config.metaserver.url}.")


def _serves(data: Path) -> bool:
    try:
        return somebody_listens(data)
    except PathTooLong:
        return False


def _certificate(config: Config) -> Findings:
    chosen = config.tls
    if chosen.certificate is None:
        yield Finding("ok", "certificate", "None, so no TLS here; a proxy may offer it.")
        return
    from tpserver.wire.net.tls import Validity, certificate_options, days_left

    try:
        certificate_options(chosen.certificate, chosen.key)
        days, problem = days_left(chosen.certificate), Validity.of(chosen.certificate).problem()
    except CertificateError as error:
        yield Finding("FAIL", "certificate", f"{error}.")
        return
    if problem:
        text = f"{chosen.certificate} {problem}; clients refuse it. Renew it; a server keeps a valid one until then."
        yield Finding("FAIL", "certificate", text)
    elif days < CERTIFICATE_DAYS:
        yield Finding("warn", "certificate", f"{chosen.certificate} ends in {days:.0f} days; renew it.")
    else:
        yield Finding("ok", "certificate", f"{chosen.certificate} is good for {days:.0f} days.")


def _proxies(config: Config) -> Findings:
    """Check the sources of client addresses."""
    chosen = config.proxy
    if not chosen.addresses:
        return
    if (warning := client_header.noted(config.server.data)) is not None:
        yield Finding("warn", "proxy", warning)
        return
    text = f"Requests of {', '.join(chosen.addresses)} name their clients in {chosen.client_header} only."
    yield Finding("ok", "proxy", text)


def _sign_ins(config: Config) -> Findings:
    """Check the providers of OpenID Connect."""
    if not config.oidc.providers:
        return
    if find_spec("joserfc") is None:
        text = "oidc.providers is set, but joserfc is not installed: pip install 'tpserver[oidc]'"
        yield Finding("FAIL", "sign-in", text)
    if config.web.endpoint == "off":
        yield Finding(
            "FAIL", "sign-in", "oidc.providers is set, but there is no page to sign in at: [web] endpoint is off."
        )
    site = (config.oidc.site or config.notices.site).rstrip("/")
    for one in config.oidc.providers:
        yield _provider(one, f"{site}/sign-in/back/{one.id}")


def _provider(terms: Provider, back: str) -> Finding:
    from tpserver.accounts.oidc.discovery import ProviderFault, address_of, endpoints_of

    try:
        terms.read_secret()
        others = terms.secret is not None and terms.secret.stat().st_mode & 0o077
    except (NoSecret, OSError) as error:
        return Finding("FAIL", "sign-in", f"{terms.name}: {error}.")
    try:
        endpoints_of(terms, _read(address_of(terms)))
    except ProviderFault as fault:
        return Finding("FAIL", "sign-in", f"{terms.name} {fault}: compare oidc.providers with what it documents.")
    except (OSError, ValueError) as error:
        why = getattr(error, "reason", None) or error
        return Finding("FAIL", "sign-in", f"{terms.name} cannot be asked at {address_of(terms)}: {why}.")
    if others:
        text = f"Others on this machine may read {terms.secret}: chmod 600 {terms.secret}."
        return Finding("warn", "sign-in", text)
    return Finding("ok", "sign-in", f"{terms.name} can be reached; it has to know {back}")


def _read(url: str) -> bytes:
    """Return the beginning of the content at an address, without redirects, as the server reads it. Raises OSError."""
    import urllib.request  # it loads TLS
    from http.client import HTTPException

    class NoRedirect(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *words: object) -> None:
            return None

    try:
        with urllib.request.build_opener(NoRedirect).open(url, timeout=PROVIDER_SECONDS) as answer:
            return bytes(answer.read(PROVIDER_BYTES))
    except HTTPException as error:
        raise OSError(f"it does not answer as HTTP has it ({type(error).__name__})") from None


def _operator(config: Config, send_test: bool) -> Findings:
    """Check the operator's addresses, shown by number and kind, as they contain passwords."""
    addresses = config.notices.operator
    if not addresses:
        if send_test:
            yield Finding("FAIL", "operator", "No test notice is sent: notices.operator names no address.")
        return
    if find_spec("apprise") is None:
        text = "notices.operator is set, but Apprise is not installed: pip install 'tpserver[operator]'"
        yield Finding("FAIL", "operator", text)
        return
    from tpserver.admin.operator_message import problems_of

    title = f"{config.server.name}: test notice"
    body = "Sent by tpserver doctor --send-test. Nothing is wrong." if send_test else ""
    for number, (address, problem) in enumerate(zip(addresses, problems_of(addresses, title, body), strict=True), 1):
        which = f"Address {number} of notices.operator ({address.partition('://')[0]})"
        if problem:
            yield Finding("FAIL", "operator", printable(f"{which}: {problem}.", LONGEST_LINE))
        elif send_test:
            yield Finding("ok", "operator", f"{which} has taken a test notice; look whether it arrived.")
        else:
            yield Finding("ok", "operator", f"{which} has a form that Apprise knows; --send-test sends a notice there.")


def _notices(config: Config) -> Findings:
    chosen = config.notices
    ways = [*(["mail"] if chosen.mail_server else []), *(["webhooks"] if chosen.webhooks == "on" else [])]
    ways += ["push"] if chosen.push == "on" else []
    if not ways:
        yield Finding("ok", "notices", "None are sent: neither notices.mail_server nor notices.webhooks is set.")
        return
    yield Finding("ok", "notices", f"They go by {' and '.join(ways)}.")
    if chosen.mail_server:
        yield from _mail_server(chosen)
    try:
        if not has_data(config):
            return
        with closing(ReadOnly(store_url(config))) as source:
            found = source.read(outbox.state_of, time.time()) if source.read(version_of) == newest_version() else None
    except StoreError:
        return  # the database check reports that
    if found is None:
        return
    age = 0.0 if found.oldest is None else time.time() - found.oldest
    text = f"{found.waiting} wait, {found.due} of them are due; {found.failed} were tried in vain"
    if found.failed:
        text += f", the oldest for {duration(max(0.0, age))}"
    if found.due and not _serves(config.server.data):
        text += "; no server runs that sends them"
    late = found.failed and age > OLD_NOTICE_SECONDS
    yield Finding("warn" if late else "ok", "notices", f"{text}{': see the log' if late else ''}.")
    if found.given_up:
        sentence = f"{found.given_up} addresses no longer get notices, as none arrived there; their players know."
        yield Finding("warn", "notices", sentence)


def _mail_server(chosen: NoticesConfig) -> Findings:
    from tpserver.notices import mail

    where = mail.mail_server(
        chosen.mail_server, chosen.mail_tls, chosen.mail_from, chosen.mail_user, chosen.mail_password
    )
    at = f"{where.host} port {where.port}"
    if problem := mail.greeted(where):
        yield Finding("FAIL", "notices", f"No mail goes by {at}: {problem}.")
    else:
        yield Finding("ok", "notices", f"{at} takes mail.")
    if not chosen.site:
        yield Finding("warn", "notices", "notices.site is not set, so mail cannot say how to get no more of it.")


def _files(config: Config) -> Findings:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = config.limits.connections + SPARE_FILES
    if hard != resource.RLIM_INFINITY and hard < wanted:
        yield Finding(
            "warn",
            "files",
            f"The system allows a process {hard} open files, and limits.connections = {config.limits.connections} "
            f"needs {wanted}: with systemd LimitNOFILE={wanted}",
        )
    else:
        yield Finding("ok", "files", f"{config.limits.connections} connections may be open.")


def _clock(config: Config) -> Findings:
    now = time.time()
    newest = max(_times([config.server.data, *backups.made_until(backup_directory(config), now)[:1]]), default=0.0)
    if newest > now + CLOCK_SECONDS:
        text = (
            f"It is {when(now)} by the clock of this machine, but something here is of {when(newest)}. Set the clock."
        )
        yield Finding("FAIL", "clock", text)
    elif _unsynchronised():
        yield Finding("warn", "clock", f"{when(now)}; the system does not say that a time service keeps it.")
    else:
        yield Finding("ok", "clock", when(now))


def _clock_of_games(config: Config) -> Findings:
    for note in parse_clock(config.games.clock).notes():
        yield Finding("warn", "games.clock", f"{config.games.clock}: {note}. Leave it out.")


def _times(places: Sequence[Path]) -> Iterator[float]:
    """Return the times of the last change of directories and of the files in them."""
    for place in places:
        try:
            yield place.stat().st_mtime
            if place.is_dir():
                yield from [entry.stat().st_mtime for entry in os.scandir(place)]
        except OSError:
            continue


def _unsynchronised() -> bool:
    """Return whether the system reports an unsynchronized clock; False if unknown."""
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "adjtimex"):
        return False
    asked = ctypes.create_string_buffer(512)  # struct timex has some 200 bytes; all zero: change nothing
    return bool(library.adjtimex(asked) == _TIME_ERROR)

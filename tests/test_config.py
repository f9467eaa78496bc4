"""The configuration: its result, and one sentence for each possible error."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.config_page import PAGE, written
from tpserver import config
from tpserver.admin import reloading
from tpserver.config import Config, ConfigError, default_data_directory, load
from tpserver.config_file import complete
from tpserver.wire.net.limits import Limits

Loaded = Callable[..., Config]

NODE, STORE = '[cluster]\naddress = "127.0.0.1:6926"\n', 'store = "postgresql+psycopg://host/name"\n'
"""A node of a cluster, and below [server] its database."""


@pytest.fixture
def toml(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(text: str | bytes) -> Path:
        path = tmp_path / "server.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def sentence(path: Path | str | None, overrides: Mapping[str, object] | None = None, **more: Any) -> str:
    """The one sentence with which loading fails, without the directory of the file."""
    with pytest.raises(ConfigError) as caught:
        load(path, overrides, **more)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 400
    return text if path is None else text.replace(f"{Path(path).parent}{os.sep}", "")


# --- what is right


def test_without_a_file_everything_has_a_default() -> None:
    loaded = load()
    assert loaded == Config()
    assert loaded.limits == Limits()
    assert (loaded.listen.address, loaded.listen.port, loaded.tls.certificate) == ("127.0.0.1", None, None)
    assert loaded.accounts.policy == "register"


def test_an_empty_file_changes_nothing(toml: Any) -> None:
    assert load(toml("# nothing\n")) == Config()


def test_a_file_sets_what_it_names_and_nothing_else(toml: Any, tmp_path: Path) -> None:
    loaded = load(
        toml(
            """
            [server]
            data = "here"
            name = "Ottawa"
            store = "postgresql+psycopg://localhost/tp"
            [listen]
            endpoints = ["tcp:6923:interface=0.0.0.0", "unix:/run/tp"]
            [tls]
            certificate = "/etc/tp/fullchain.pem"
            key = "key.pem"
            [accounts]
            policy = "open"
            [games]
            clock = "interval:3600"
            join = "invited"
            [limits]
            frame_bytes = 65536
            frame_seconds = 2.5
            idle_seconds = 0
            [log]
            level = "debug"
            """
        )
    )
    assert loaded.server == config.ServerConfig(tmp_path / "here", "Ottawa", "postgresql+psycopg://localhost/tp")
    assert loaded.listen == config.ListenConfig(endpoints=("tcp:6923:interface=0.0.0.0", "unix:/run/tp"))
    assert loaded.tls == config.TlsConfig(Path("/etc/tp/fullchain.pem"), tmp_path / "key.pem")
    assert loaded.accounts.policy == "open"
    assert loaded.games == config.GamesConfig("interval:3600", "invited")
    assert loaded.limits == Limits(frame_bytes=65536, frame_seconds=2.5)
    assert loaded.log.level == "debug"


def test_the_command_line_goes_before_the_file_and_silence_before_nothing(toml: Any) -> None:
    path = toml('[accounts]\npolicy = "open"\n[listen]\nport = 7000\n')
    loaded = load(path, {"accounts.policy": "closed", "listen.port": None, "listen.endpoints": ["tcp:1"]})
    assert (loaded.accounts.policy, loaded.listen.port, loaded.listen.endpoints) == ("closed", 7000, ("tcp:1",))


def test_paths_are_relative_to_where_they_were_written(
    toml: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = toml('[server]\ndata = "games"\n')
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert load("../server.toml").server.data.resolve() == tmp_path / "games"
    assert load(path, {"server.data": "games"}).server.data == elsewhere / "games"
    assert load(path, {"server.data": Path("/srv/tp")}).server.data == Path("/srv/tp")
    monkeypatch.setenv("HOME", "/home/ann")
    assert load(None, {"server.data": "~/tp"}).server.data == Path("/home/ann/tp")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"XDG_DATA_HOME": "/data"}, "/data/tpserver"),
        ({"XDG_DATA_HOME": ""}, "/home/ann/.local/share/tpserver"),
        ({"XDG_DATA_HOME": "relative"}, "/home/ann/.local/share/tpserver"),
        ({}, "/home/ann/.local/share/tpserver"),
    ],
)
def test_the_default_data_directory(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert default_data_directory(environment) == Path(expected)


def test_the_default_data_directory_is_that_of_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/one")
    assert load().server.data == Path("/one/tpserver")
    monkeypatch.setenv("XDG_DATA_HOME", "/two")
    assert load().server.data == Path("/two/tpserver")


TABLE = Path(__file__).with_name("config_keys.txt")


def applied_by(name: str) -> str:
    """The event at which a changed key counts, by the lines for the operator and by what the server then has."""
    section, _, key = name.partition(".")
    old = Config()
    new = dataclasses.replace(old, **{section: dataclasses.replace(getattr(old, section), **{key: "other"})})
    found = []
    for by_tls in (True, False):
        (line,) = reloading.told(reloading.changed(old, new), new, by_tls=by_tls, kept=True)
        waits = line.partition(", which waits ")[2]
        found.append({"": "reload", "for a restart": "restart"}.get(waits, "portal"))
        after = getattr(getattr(reloading.taken_over(old, new, by_tls=by_tls), section), key)
        assert (after == "other") == (waits == ""), line
        assert reloading.waits_for_edge(name, by_tls=by_tls) == (found[-1] == "portal")
    return found[0] if found[0] == found[1] else f"{found[0]} with TLS, {found[1]} without"


def test_the_table_of_keys_is_what_operators_know(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, its type, default, values and when a change of it counts are promises."""
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    usual = Config()
    lines = []
    for section, keys in config.KEYS.items():
        types = get_type_hints(type(getattr(usual, section)))
        for key, declared in keys.items():
            name, default = f"{section}.{key}", getattr(getattr(usual, section), key)
            kind = types[key].__name__ if isinstance(types[key], type) else str(types[key])
            value = str(default) if isinstance(default, Path) else repr(default)
            lines.append(" | ".join((name, kind, value, declared.rule.allowed, applied_by(name), declared.option)))
    assert [line.rstrip() for line in lines] == TABLE.read_text(encoding="utf-8").splitlines()


def test_every_default_is_allowed_by_its_own_rule() -> None:
    for section, keys in config.KEYS.items():
        for key, declared in keys.items():
            default = getattr(getattr(Config(), section), key)
            if default is not None:
                assert declared.rule.read(default, Path("/")) == default


def test_what_is_done_once_is_done_by_the_first_process(toml: Any) -> None:
    """The others have the ports after its, where each has its own, and all else like it."""
    text = (
        f"{NODE}processes = 3\n[server]\n{STORE}[metrics]\nport = 9100\n[backup]\nevery_hours = 1\n"
        '[lan]\nannounce = "on"\n[admin]\nuser = "op"\npassword = "file"\n'
        '[metaserver]\nurl = "http://m.example/"\nhost = "g.example"\n[listen]\nport = 7000'
    )
    whole = load(toml(text))
    assert config.of_process(whole, 0) is whole
    other = config.of_process(whole, 2)
    assert (other.cluster.address, other.metrics.port) == ("127.0.0.1:6928", 9102)
    assert (other.backup.every_hours, other.lan.announce, other.admin.user, other.metaserver.url) == (0, "off", "", "")
    same = {"server", "listen", "tls", "web", "proxy", "accounts", "games", "notices", "limits", "log", "oidc"}
    assert all(getattr(other, section) == getattr(whole, section) for section in same)
    assert config.of_process(load(toml(f"{NODE}[server]\n{STORE}[metrics]\nport = 0")), 1).metrics.port == 0


def test_a_configuration_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        load().accounts.policy = "open"  # type: ignore[misc] # which is what is tested


# --- what is wrong


@pytest.mark.parametrize(
    ("text", "says"),
    [
        # wrong values: the key, what it is, what is allowed
        (
            '[accounts]\npolicy = "opne"',
            (
                "server.toml: accounts.policy is 'opne', but must be open, register, closed or lockdown; "
                "did you mean open?"
            ),
        ),
        ("[accounts]\npolicy = 5", "server.toml: accounts.policy is 5, but must be open, register, closed or lockdown"),
        (
            "[accounts]\npolicy = []",
            "server.toml: accounts.policy is a list, but must be open, register, closed or lockdown",
        ),
        ("[listen]\nport = 65536", "server.toml: listen.port is 65536, but must be a whole number from 0 to 65535"),
        ("[listen]\nport = -1", "listen.port is -1, but must be a whole number"),
        ("[listen]\nport = true", "listen.port is true, but must be a whole number"),
        ("[listen]\nport = 69.23", "listen.port is 69.23, but must be a whole number"),
        ('[listen]\nport = "6923"', "listen.port is '6923', but must be a whole number"),
        ('[listen]\nendpoints = "tcp:1"', "listen.endpoints is 'tcp:1', but must be a list of endpoint strings"),
        ('[listen]\nendpoints = ["tcp:1", 2]', 'must be a list of endpoint strings such as "tcp:6923:interface=0'),
        (
            '[listen]\nendpoints = ["tcp:1", 2]',
            "server.toml: item 2 of listen.endpoints is 2, but listen.endpoints must be a list of endpoint strings",
        ),
        ('[listen]\naddress = ""', "listen.address is '', but must be an address of this machine"),
        ("[limits]\nframe_seconds = 0", "limits.frame_seconds is 0, but must be a number of seconds from 1 to 3600"),
        ("[limits]\nframe_seconds = nan", "limits.frame_seconds is nan, but must be a number of seconds"),
        ("[limits]\nidle_seconds = inf", "limits.idle_seconds is inf, but must be a number of seconds from 1"),
        ("[limits]\nidle_seconds = -1", "or 0 for no limit"),
        ("[limits]\nframe_bytes = 10", "limits.frame_bytes is 10, but must be a whole number from 1024 to 67108864"),
        (f"[limits]\nframe_bytes = {'9' * 200}", "limits.frame_bytes is 99999"),
        ("[limits.frame_bytes]\na = 1", "limits.frame_bytes is a table, but must be a whole number"),
        ('[server]\nname = "two\\nlines"', "server.name is 'two\\nlines', but must be a text of 1 to 64"),
        (f'[server]\nname = "{"x" * 200}"', f"server.name is '{'x' * 60}…', but must be a text of 1 to 64"),
        ("[server]\ndata = 1979-05-27", "server.data is 1979-05-27, but must be the path of a directory"),
        ('[server]\ndata = ""', "server.data is '', but must be the path of a directory"),
        ('[server]\ndata = "a\\u0000b"', "but must be the path of a directory"),
        ('[server]\ndata = "~nobody-at-all/x"', "there is no user with that home"),
        ('[server]\nstore = "tp.sqlite"', "server.store is 'tp.sqlite', but must be a database URL such as sqlite:"),
        (
            '[games]\nclock = "hourly"',
            "games.clock is 'hourly', but must be manual, all-done, interval:SECONDS, threshold:PERCENT:SECONDS or",
        ),
        ('[games]\nclock = "interval:0"', "seconds go from 1 to"),
        # unknown names: what was meant, and what there is
        (
            '[accounts]\npolcy = "open"',
            "there is no key accounts.polcy; did you mean policy? ([accounts] has policy, created_per_hour, guests,",
        ),
        ("[server]\nport = 1", "there is no key server.port; did you mean listen.port? ("),
        (
            "[server]\nxyzzy = 1",
            "there is no key server.xyzzy ([server] has data, name, store, keep_connections, order_entries)",
        ),
        ("[acounts]\n", "server.toml: there is no section [acounts]; did you mean [accounts]? (there are [server], "),
        ('"a\\nb" = 1', "server.toml: 'a\\nb' stands before the first section"),
        ('[server]\n"" = 1', "server.toml: there is no key server.''"),
        ('["a\\nb"]', "server.toml: there is no section ['a\\nb']"),
        ("[plover]\n", "server.toml: there is no section [plover] (there are [server], [listen], [tls], "),
        (
            'policy = "open"',
            "server.toml: policy stands before the first section, but every key has one; did you mean accounts.policy?",
        ),
        (
            "xyzzy = 1",
            "[notices], [limits], [backup], [log], [metrics], [admin], [lan], [metaserver], [cluster])",
        ),
        ("accounts = 3", "server.toml: accounts is 3, but must be a section: write [accounts] and below it its keys"),
        ("[[accounts]]\n", "server.toml: accounts is a list, but must be a section"),
        # keys that do not agree
        ('[tls]\nkey = "key.pem"', "server.toml: tls.key is set, but tls.certificate is not; TLS needs both"),
        (
            '[cluster]\naddress = "10.0.0.5:6926"',
            "server.toml: cluster.address is set, but server.store is no PostgreSQL database; SQLite is for one server",
        ),
        # several processes: what cannot be shared, or is for one
        (
            "[cluster]\nprocesses = 3",
            "server.toml: cluster.processes is 3, but cluster.address is not set; each process is a node of a cluster",
        ),
        ("[cluster]\nprocesses = 0", "cluster.processes is 0, but must be a whole number from 1 to 64"),
        ("[cluster]\nprocesses = 65", "cluster.processes is 65, but must be a whole number from 1 to 64"),
        (
            f'{NODE}processes = 2\n[server]\nstore = "sqlite:////x.sqlite"',
            "cluster.address is set, but server.store is no PostgreSQL database; SQLite is for one server",
        ),
        (
            f"{NODE}processes = 2\n[server]\n{STORE}keep_connections = true",
            "server.keep_connections and cluster.address are set, but a node does not keep its connections",
        ),
        (
            f'{NODE}processes = 2\n[server]\n{STORE}[listen]\nendpoints = ["tcp:1", "unix:/run/tp"]',
            "cluster.processes is 2, but listen.endpoints has 'unix:/run/tp'; processes share only what begins with",
        ),
        (
            f'{NODE}processes = 2\n[server]\n{STORE}[web]\nendpoint = "ssl:8443:privateKey=key.pem"',
            "cluster.processes is 2, but web.endpoint has 'ssl:8443:privateKey=key.pem'; processes share only what",
        ),
        (
            f"{NODE}processes = 64\n[server]\n{STORE}[metrics]\nport = 65473",
            "cluster.processes is 64, but metrics.port has the port 65473: there are not as many after it",
        ),
        (
            '[cluster]\naddress = "127.0.0.1:65535"\nprocesses = 2\n[server]\n' + STORE,
            "cluster.processes is 2, but cluster.address has the port 65535: there are not as many after it",
        ),
        (
            '[cluster]\naddress = "10.0.0.5"',
            "cluster.address is '10.0.0.5', but must be a host and port such as ",
        ),
        (
            '[server]\nstore = "postgresql:///tp"\n[cluster]\naddress = "127.0.0.1:6926"\nlisten = "0.0.0.0:6926"',
            "cluster.listen is 0.0.0.0:6926, which other machines reach, so that cluster.certificate and ",
        ),
        (
            "[limits]\nunsent_bytes = 2000\npause_bytes = 3000",
            "server.toml: limits.unsent_bytes is 2000, but must be at least limits.pause_bytes, which is 3000",
        ),
        # no TOML at all
        ("[accounts]\npolicy = open", "server.toml, line 2, column 10: this is not TOML: invalid value"),
        ("a\nb = [1,", "server.toml, line 1, column 2: this is not TOML: expected '=' after a key"),
        ("[server]\nname = [1,", "server.toml, line 2, at the end: this is not TOML: "),
        ("[server]\n[server]\n", "server.toml, line 2, column 8: this is not TOML: cannot declare"),
        ("[listen]\nport = 1\nport = 2\n", "server.toml, line 3"),
        (b"[server]\nname = '\xff'", "server.toml, line 2: a configuration is UTF-8 text, byte 17 is not"),
        (f"a = {'9' * 6000}", "server.toml: this is not TOML: "),
        ("a = " + "[" * 5000, "server.toml: tables and lists are nested too deeply for a configuration"),
        (b"#" * (1 << 20) + b"\n", "server.toml: a configuration has at most 1048576 bytes, this file has more"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(toml: Any, text: str | bytes, says: str) -> None:
    assert says in sentence(toml(text))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    assert sentence(missing) == "missing.toml: the configuration cannot be read: No such file or directory"
    assert "Is a directory" in sentence(tmp_path)
    assert "null byte" in sentence("\0")


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ({"listen.port": 99999}, "command line: --port is 99999, but must be a whole number from 0 to 65535"),
        ({"accounts.policy": "o"}, "command line: --accounts is 'o', but must be open, register, closed or lockdown"),
        ({"server.data": ""}, "command line: --data is '', but must be the path of a directory"),
        (
            {"listen.endpoints": [""]},
            "command line: item 1 of --listen is '', but --listen must be a list of endpoint strings",
        ),
        ({"log.level": "loud"}, "command line: log.level is 'loud', but must be debug, info, warn, error or critical"),
        ({"accounts.polcy": "open"}, "command line: there is no key accounts.polcy; did you mean policy?"),
        ({"sever.data": "x"}, "command line: there is no key sever.data; did you mean server.data?"),
        ({"tls.key": "x"}, "the configuration: tls.key is set, but tls.certificate is not"),
    ],
)
def test_what_is_wrong_with_the_command_line_is_one_sentence(overrides: dict[str, object], says: str) -> None:
    assert says in sentence(None, overrides)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.dates() | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from([f"{section}.{key}" for section, keys in config.KEYS.items() for key in keys]) | st.text()


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_any_values_at_all_make_a_configuration_or_a_sentence(overrides: dict[str, object]) -> None:
    try:
        loaded = load(None, overrides)
    except ConfigError as error:
        assert "\n" not in str(error)
    else:
        assert isinstance(loaded, Config)


def test_the_page_is_what_the_declarations_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == written(), "run python -m tests.config_page"


def test_a_complete_file_has_the_defaults(toml: Any) -> None:
    """A key whose default depends on the machine, or is nothing, has an example. Its comment names the default."""
    found, usual = load(toml(complete())), Config()
    for section, keys in config.KEYS.items():
        for key, declared in keys.items():
            is_default = getattr(getattr(found, section), key) == getattr(getattr(usual, section), key)
            if (section, key) not in {("cluster", "certificate"), ("cluster", "authority")}:
                assert is_default or "default" in declared.comment, key


GOOD = {"id": "ours", "name": "Ours", "issuer": "https://x.example/a", "client_id": "c"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"id": "Ours"}, "provider 1: id is 'Ours', but must be a word of small letters"),
        ({"name": ""}, "provider 1: name is '', but must be 1 to 40 characters"),
        (
            {"issuer": "http://x.example"},
            "oidc.providers: provider 1: issuer is 'http://x.example', but must begin with",
        ),
        ({"issuer": "javascript:1"}, "must be the address of the issuer"),
        ({"client_id": None}, "provider 1: client_id is missing"),
        ({"accounts": "some"}, "must be make or known"),
        ({"scopes": ["profile"]}, "scopes must have openid among them"),
        ({"scopes": ["openid", "a b"]}, "must be a list of words"),
        ({"secret": "a", "secret_env": "B"}, "secret and secret_env are both there"),
        ({"own_network": 1}, "must be true or false"),
        ({"isuer": "x"}, "there is no key isuer; did you mean issuer?"),
    ],
)
def test_what_is_wrong_with_a_provider_is_one_sentence(toml: Any, more: dict[str, Any], words: str) -> None:
    told = {key: value for key, value in {**GOOD, **more}.items() if value is not None}
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in told.items())
    with pytest.raises(ConfigError) as refused:
        load(toml(f'[oidc]\nsite = "https://g.example/"\n[[oidc.providers]]\n{lines}\n'))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_providers_are_told_apart_and_bounded_and_send_browsers_back_somewhere(toml: Any) -> None:
    one = "[[oidc.providers]]\n" + "\n".join(f"{key} = {json.dumps(value)}" for key, value in GOOD.items()) + "\n"
    site = '[oidc]\nsite = "https://g.example/"\n'
    (found,) = load(toml(site + one)).oidc.providers
    assert (found.scopes, found.makes_accounts, found.secret) == (("openid", "profile"), True, None)
    for text, words in (
        (one, "oidc.site, to which they send browsers back, is not"),
        (site + one + one, "two providers have the same id"),
        (site + one + one.replace('"ours"', '"more"'), "two providers have the same issuer"),
        (site + one * 17, "oidc.providers: there are 17, but at most 16 are allowed"),
    ):
        with pytest.raises(ConfigError, match=re.escape(words)):
            load(toml(text))

"""The JavaScript client library in Node: the table and the bot of its page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.node import node
from tests.support.process import Process, run
from tests.support.server import ServerProcess

CLIENTS = Path(__file__).parents[2] / "clients"
CORE = CLIENTS / "tpclient" / "web" / "core"
BOT = CLIENTS / "bot.mjs"
TURN = re.compile(r"turn \d+: (?!Refusal|nothing)\w.*; You are done with this turn")
ALONE = ("push.js",)
"""Files that are no modules: the worker that shows notifications."""
PAGE = (CLIENTS / "docs" / "javascript.md").read_text(encoding="utf-8")
EXPORTED = re.findall(r'^export \{ (.+) \} from "\./(\w+\.js)";$', (CORE / "index.js").read_text("utf-8"), re.MULTILINE)
EXPORTS = sorted((name, module) for names, module in EXPORTED for name in names.split(", "))


def test_the_table_of_the_readme_has_every_export() -> None:
    """The names in the first column are those that the module exports, as Node sees them."""
    shown = run(
        *node(),
        "--input-type=module",
        "-e",
        f"console.log(Object.keys(await import('{(CORE / 'index.js').as_uri()}')).join())",
    )
    assert shown.code == 0, shown.err
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    told = [name for row in rows for name in re.findall(r"`(\w+)[`(]", row)]
    assert sorted(told) == sorted(shown.out.strip().split(",")) == sorted(name for name, _ in EXPORTS)


LINK = """
import { readFileSync } from "node:fs";
import { SourceTextModule } from "node:vm";
const modules = new Map();
const module = (url) => {
  const read = () => new SourceTextModule(readFileSync(new URL(url), "utf-8"), { identifier: url });
  if (!modules.has(url)) modules.set(url, read());
  return modules.get(url);
};
const linked = (name, from) => module(new URL(name, from.identifier).href);
for (const url of process.argv.slice(1)) if (module(url).status === "unlinked") await module(url).link(linked);
console.log(modules.size);
"""
"""Reads modules, and those that they import, without running them."""


def test_every_module_of_the_page_can_be_read_and_has_what_others_import() -> None:
    """Those as well that are loaded when a dialog is opened first."""
    web = CORE.parent
    files = [file for file in sorted(web.rglob("*.js")) if file.name not in ALONE]
    urls = [file.as_uri() for file in files]
    read = run(*node(), "--experimental-vm-modules", "--no-warnings", "--input-type=module", "-e", LINK, *urls)
    assert (read.code, read.err, int(read.out or 0)) == (0, "", len(files))


def test_every_export_is_documented() -> None:
    """Each has a comment that tools can read. That of a function has all parameters and the result."""
    for name, module in EXPORTS:
        source = (CORE / module).read_text(encoding="utf-8")
        comment = r"/\*\*(?:(?!\*/).)*\*/\n"
        found = re.search(
            rf"({comment})export (?:(?:const|class) {name}\b|(?:async )?function\*? {name}\((.*?)\) {{\n)",
            source,
            re.DOTALL,
        )
        assert found, f"{name} of {module} has no comment"
        if found[2] is not None:
            parameters = re.sub(r"\{.*?\}|\[.*?\]", "", found[2]).split(",")
            assert found[1].count("@param") == len(parameters), f"{name} of {module} has {parameters}"
            assert "@returns" in found[1], f"what comes out of {name} of {module} is not said"


def test_the_bot_of_the_readme_is_the_file_beside_it() -> None:
    """It is shown as it is, and as short as promised, imports and blank lines not counted."""
    (shown,) = re.findall(r"```js\n(import.*?)```", PAGE, re.DOTALL)
    assert shown == BOT.read_text(encoding="utf-8")
    assert len([line for line in shown.splitlines() if line.strip() and not line.startswith("import")]) <= 20


@pytest.mark.thorough
def test_the_bot_of_the_readme_plays_a_game_to_the_end(live: Callable[..., ServerProcess], directory: Path) -> None:
    """Against the bot of the server, over a real WebSocket: it ends without an error when the game is over."""
    server = live()
    server.start()
    words = ("first", "--ruleset", "antshouse", "--seats", "2", "--bots", "1", "--clock", "all-done", "--seed", "7")
    server.command("game", "create", *words)
    address = server.url.replace("http", "ws") + "ws"
    with Process(*node(), BOT, address, "ann", "secret", "first", log=directory / "ann.log") as bot:
        bot.spawn()
        assert bot.end() == 0, bot.tail()
        lines = bot.said.splitlines()
    assert len(lines) > 1
    assert [line for line in lines if not line.startswith("turn ")] == []
    assert any(TURN.match(line) for line in lines)
    assert "over" in server.command("game", "show", "first")

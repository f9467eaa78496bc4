"""The client library in JavaScript as a stranger meets it: the table and the bot of the README, in Node."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.support.node import node
from tests.support.process import Process, run
from tests.support.server import ServerProcess

CLIENTS = Path(__file__).parents[2] / "clients"
CORE = CLIENTS / "tpclient" / "web" / "core"
BOT = CLIENTS / "bot.mjs"
TURN = re.compile(r"turn \d+: (?!Refusal|nothing)\w.*; You are done with this turn")
TENTH = re.compile(r"^turn \d\d:", re.MULTILINE)
ALONE = ("push.js",)
"""What is no module: the worker that shows notices."""
README = (CLIENTS / "README.md").read_text(encoding="utf-8")
SECTION = README[README.index("\n## Write a client in JavaScript\n") :].split("\n## ")[1]
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
    rows = re.findall(r"^\| (`.*?) \|", SECTION, re.MULTILINE)
    told = [name for row in rows for name in re.findall(r"`(\w+)[`(]", row)]
    assert sorted(told) == sorted(shown.out.strip().split(",")) == sorted(name for name, _ in EXPORTS)


LINK = """
import { readFileSync } from "node:fs";
import { SourceTextModule } from "node:vm";
const modules = new Map();
const module = (url) => {
  if (!modules.has(url)) {
    modules.set(url, new SourceTextModule(readFileSync(new URL(url), "utf-8"), { identifier: url }));
  }
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
    """Each has a comment that tools can read; of a function it tells all parameters and what comes out."""
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
    (shown,) = re.findall(r"```js\n(import.*?)```", SECTION, re.DOTALL)
    assert shown == BOT.read_text(encoding="utf-8")
    assert len([line for line in shown.splitlines() if line.strip() and not line.startswith("import")]) <= 20


Playing = tuple[ServerProcess, list[Process]]
"""A server, and the bots of ann and ben."""


@pytest.fixture
def playing(live: Callable[..., ServerProcess], directory: Path) -> Iterator[Callable[[str], Playing]]:
    """Start a server and two bots in a new game of a ruleset, over real WebSockets."""
    with ExitStack() as stack:

        def start(ruleset: str) -> Playing:
            server = live()
            server.start()
            server.create_game("first", ruleset, 2, seed="7")
            address = server.url.replace("http", "ws") + "ws"
            words = [(*node(), BOT, address, user, "secret", "first") for user in ("ann", "ben")]
            made = [Process(*command, log=directory / f"{command[-3]}.log") for command in words]
            for one in made:
                stack.enter_context(one).spawn()
            return server, made

        yield start


@pytest.mark.thorough
def test_the_bot_of_the_readme_plays_a_game_to_its_end(playing: Callable[[str], Playing]) -> None:
    """Two of them in Antshouse: each gives an order that is accepted in every turn, and ends when the game is over."""
    _, bots = playing("antshouse")
    for bot in bots:
        assert bot.end() == 0, bot.tail()
        lines = bot.said.splitlines()
        assert [line for line in lines if not TURN.match(line)] == []
        assert len(lines) > 1


def _has_played(bot: Process) -> bool:
    return not bot.is_running or TENTH.search(bot.said) is not None


@pytest.mark.thorough
@pytest.mark.parametrize("ruleset", ["swarm", "colony_battle", "taller_ants"])
def test_the_bot_of_the_readme_plays_any_game(playing: Callable[[str], Playing], ruleset: str) -> None:
    """Ten turns or more of every other game, or all of one that chance ends earlier, without an error."""
    server, bots = playing(ruleset)
    for bot in bots:
        bot.wait_until(partial(_has_played, bot), "does not play")
        if not TENTH.search(bot.said):
            assert bot.end() == 0
            assert "over" in server.command("game", "show", "first")
        assert "Error" not in bot.said
        assert TURN.match(bot.said)


@pytest.mark.thorough
def test_the_bot_of_the_readme_plays_on_when_the_server_is_back(playing: Callable[[str], Playing]) -> None:
    """The power fails in a game of TaE; the connections are made again, and no turn is left out."""
    server, bots = playing("tae")
    for bot in bots:
        bot.wait_for(r"^turn 3:")
    server.kill()
    server.start()
    for bot in bots:
        bot.wait_for(r"^turn 1\d:")
        finished = [int(turn) for turn in re.findall(r"^turn (\d+):.*You are done", bot.said, re.MULTILINE)]
        assert finished[:10] == list(range(10))

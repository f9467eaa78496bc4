"""The command that finds servers: `tpclient servers`.

It connects to none of them.
"""

import argparse
import json
import time
from dataclasses import asdict

from tpclient.columns import counted, table
from tpclient.finding import FoundGame, from_metaserver, on_lan


def servers(options: argparse.Namespace) -> int:
    """List the games of a metaserver and of the local network. Raises ClientError."""
    found: list[FoundGame] = []
    for url in options.metaserver or ():
        found += from_metaserver(url, options.timeout)
    if options.lan or not options.metaserver:
        found += on_lan(options.seconds, options.interface)
    if options.json:
        for game in found:
            print(json.dumps({**asdict(game), "address": game.address}))
        return 0
    if not found:
        print("No server was found.")
        return 0
    for line in table(
        ("GAME", "RULES", "PLAYERS", "TURN", "NEXT TURN", "ABOUT", "--address", "--user"), map(_row, found)
    ):
        print(line)
    print(f"{counted(len(found), 'game')}; join with: tpclient play --address ... --user NAME@...")
    return 0


def _row(game: FoundGame) -> tuple[str, ...]:
    facts = game.facts
    login = f"NAME@{game.login}" if game.login else "NAME"
    where = game.address or ", ".join(map(str, game.ways))
    return (
        game.name,
        f"{game.rule} {game.rule_version}".strip(),
        facts.get("plys", ""),
        facts.get("turn", ""),
        _moment(facts.get("next", "")),
        facts.get("cmt", ""),
        where,
        login,
    )


def _moment(text: str) -> str:
    if not text.isascii() or not text.isdigit() or len(text) > 10:
        return ""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(int(text)))

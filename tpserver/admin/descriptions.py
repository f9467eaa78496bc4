"""What the operations do, in words: for the help of the command line, and for administration consoles."""

from __future__ import annotations

from collections.abc import Mapping

from tpserver.games.clock import FORMS, SETTINGS

DOES: Mapping[str, str] = {
    "account add": "add an account",
    "account list": "list all accounts",
    "account reset-password": "give an account another password",
    "account rename": "give an account another name, also in its games",
    "account disable": "let nobody log in to an account, from now on",
    "account enable": "let an account log in again",
    "account role": "say what an account is: others see who is a bot",
    "account silence": "let an account write to nobody for some days",
    "account unsilence": "let an account write again",
    "account export": "write all that is stored of an account to a file",
    "account remove": "remove an account, and all of it that is personal, after an export; its games stay as they are",
    "report list": "show the letters that were reported; the audit has who looked",
    "report close": "decide about a letter that was reported; both are told why",
    "audit": "show what operators and moderators have done",
    "game create": "make a game",
    "game list": "list all games",
    "game show": "show a game",
    "game start": "start a game whose seats are taken",
    "game pause": "stop a game's clock",
    "game resume": "let a paused or held game go on",
    "game close-turn": "close the turn now",
    "game extend": "give the turn more time; the players are told",
    "game set-clock": "give a game another clock; no turn ends earlier by that, and the players are told",
    "game seats": "tell who plays, who is awaited and who has missed turns; with options, change what is done then",
    "game players": "tell which accounts play, also in an anonymous game; that and why goes into the audit",
    "game remove": "take a seat from its player, or offer a bot's to people; it seeks somebody then",
    "game give": "have an account decide about a game, as if it had made it",
    "game rename": "give a game another name; the players are told",
    "game close": "close a game to newcomers: invited players only, also to watch",
    "game open": "open a game to everybody",
    "game watch-delay": "show a game later to spectators; once it has begun only later still, and the players are told",
    "game abort": "end a game without a result; the players are told why",
    "game delete": "delete a game that is over, or has not begun, and all that is stored of it",
    "game invite": "give an account a seat in a game, also an invited one",
    "game import": "add the game of such a file, after it was run again",
    "game archive": "write games that are over to a file each, and prove these; with --delete, delete the games then",
    "restart": "replace the process of the running server, by one of the present release; connections are kept",
    "node drain": "have this node hand its games over to the others, and take none; connections stay",
    "node undrain": "have this node take games again",
    "reload": "have the running server read its configuration and certificates again",
}
"""By operation: what it does."""

CLOCKS = f"{FORMS}; after it, with spaces between (quote it): {SETTINGS}"

ARGUMENTS: Mapping[str, str] = {
    "name": "its name",
    "password": "the password",
    "ruleset": "see tpserver ruleset list",
    "seats": "how many players there are",
    "options": "options of the ruleset: K=V, with commas between",
    "seed": "decides all chance; without it nobody knows",
    "clock": CLOCKS,
    "join": "who may take a seat: open or invited",
    "bots": "how many seats bots take",
    "press": "what players may write to each other: none, public (to everybody only) or private (also to each other)",
    "anonymous": "yes: nobody is told who plays before the game is over",
    "watch_delay": "how many turns later spectators see it: 0 to 50, or closed: not before its end",
    "guests": "whether guests may join: no, yes, or silent (they write to nobody)",
    "days": "for how many days",
    "number": "which one, as the list has it",
    "decision": "dismissed, warned or silenced",
    "closed": "anything: those about which something was decided",
    "account": "the name of an account",
    "seconds": "how many seconds more",
    "player": "the name of a player, or the number of the seat",
    "new_name": "its new name",
    "reason": "why, for the audit",
    "most": "only the newest so many",
}
"""By argument of operations: what it is."""

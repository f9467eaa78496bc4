"""The command that lists proposals of the players, proposes and votes."""

from typing import Any

from tpclient.agreements import AGREE, POLICY, REFUSE, SEATS, WITHDRAW, offer_words, proposal_facts, proposal_words
from tpclient.columns import shown
from tpclient.errors import BadArgument
from tpclient.names import marked_name
from tpclient.plain.context import CommandContext
from tpclient.plain.seats import changed_policy, changes_policy
from tpclient.vacations import vacation_words


async def proposals(context: CommandContext) -> int:
    """List proposals with their votes, and those that I can make.

    After a proposal or a vote also the server's response.
    """
    options, connection = context.options, context.connection
    if options.seconds is not None and options.propose is None:
        raise BadArgument("--seconds goes with --propose: how much more time is proposed.")
    if changes_policy(options) and options.propose != SEATS:
        raise BadArgument("An option about absent players goes with --propose seats.")
    if options.propose == SEATS and not changes_policy(options):
        raise BadArgument("Say what --propose seats is to change, as --absent-after 2.")
    universe = await context.meet()
    told = await connection.proposals()
    said = ""
    if options.propose is not None:
        named = {"clock": options.clock, "player": options.player, "reason": options.reason}
        arguments: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        if options.propose == SEATS:
            arguments[POLICY] = changed_policy((await connection.game_seats(told.game)).policy, options)
        await context.ask_clock()
        turn = context.clock.turn
        said = await connection.propose(told.game, options.propose, options.seconds or 0, turn, **arguments)
    for vote, number in ((AGREE, options.agree), (REFUSE, options.refuse), (WITHDRAW, options.withdraw)):
        if number is not None:
            said = await connection.vote(told.game, number, vote)
    if said:
        told = await connection.proposals()

    def name_of(number: int) -> str:
        return marked_name(universe, number)

    lines = [shown(f"{said}.")] if said else []
    lines += [f"{one.id:>3}  {shown(proposal_words(one, name_of))}" for one in told.proposals]
    if not told.proposals:
        lines.append("Nothing is proposed.")
    lines += [f"On vacation: {shown(name_of(one.player))}, {vacation_words(one)}" for one in told.vacations]
    if told.offers:
        lines.append("To be proposed with --propose:")
        lines += [f"  {shown(offer_words(one))}" for one in told.offers]
    facts = {
        "game": told.game,
        "said": said,
        "proposals": [proposal_facts(one, name_of) for one in told.proposals],
        "vacations": [
            {"player": one.player, "name": name_of(one.player), "begins": one.begins, "ends": one.ends}
            for one in told.vacations
        ],
        "offers": [
            {
                "kind": one.kind,
                "help": one.help,
                "alone": one.alone,
                "problem": one.problem,
                "most": one.most,
                "final": one.final,
                "asks": one.asks,
            }
            for one in told.offers
        ],
    }
    context.tell(facts, lines)
    return 0

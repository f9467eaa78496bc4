"""The command that tells what the players of a game have proposed to each other, proposes something, and votes."""

from ..agreements import AGREE, REFUSE, WITHDRAW, offer_words, proposal_facts, proposal_words
from ..columns import shown
from ..errors import BadArgument
from ..names import marked_name
from ..vacations import vacation_words
from .context import CommandContext


async def proposals(context: CommandContext) -> int:
    """What is proposed, with who has voted how, and what I can propose; after a proposal or a vote also its answer."""
    options, connection = context.options, context.connection
    if options.seconds is not None and options.propose is None:
        raise BadArgument("--seconds goes with --propose: how much more time is proposed.")
    universe = await context.meet()
    told = await connection.proposals()
    said = ""
    if options.propose is not None:
        said = await connection.propose(told.game, options.propose, options.seconds or 0)
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
            }
            for one in told.offers
        ],
    }
    context.tell(facts, lines)
    return 0

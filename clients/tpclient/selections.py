"""What a list parameter of an order offers, and what of it was chosen by typing ids or names."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .columns import listed, shown
from .errors import BadArgument, UnknownName
from .names import number_in


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that a list parameter offers: its id, its name, and how many of it may be chosen; -1: any number."""

    id: int
    name: str
    most: int


def selection_of(about: str, options: Sequence[Option], texts: Iterable[str]) -> dict[int, int]:
    """What was chosen: how many by id. `about` begins the sentences of errors: the order type and the parameter.

    Each text is ids or names with commas between them, NAME=2 for two; a name that has a comma itself is found as well.
    Options of one name are as good as each other, so a number of them is taken from the first ones. Raises UnknownName
    for what is not offered, BadArgument for more of it than there is.
    """
    chosen: dict[int, int] = {}
    for text in texts:
        for word in [text] if _named(options, text) else _words(options, text):
            name, count = _counted(options, word)
            fitting = _named(options, name)
            if not fitting:
                raise UnknownName(f"{about}: {word!r} cannot be chosen; {offer(options)}.")
            if not count:
                raise BadArgument(f"{about}: {word!r} asks for none of it; leave it out.")
            left = count
            for option in fitting:
                free = left if option.most < 0 else max(0, option.most - chosen.get(option.id, 0))
                taken = min(left, free)
                if taken:
                    chosen[option.id] = chosen.get(option.id, 0) + taken
                left -= taken
            if left:
                there = sum(option.most for option in fitting)
                raise BadArgument(f"{about}: there are {there} of {name!r}, not more.")
    return chosen


def offer(options: Sequence[Option]) -> str:
    """What can be chosen, in words."""
    if not options:
        return "nothing can be chosen now"
    return "choose from: " + listed(
        f"{shown(option.name)} ({option.id})" + ("" if option.most == 1 else f" up to {limit(option)}")
        for option in options
    )


def limit(option: Option) -> str:
    """How many of an option may be chosen, in words."""
    return "any number" if option.most < 0 else str(option.most)


def _named(options: Sequence[Option], text: str) -> list[Option]:
    """The option with this id, or all with this name."""
    number = number_in(text)
    by_id = [option for option in options if option.id == number]
    return (
        by_id
        or [option for option in options if option.name == text.strip()]
        or [option for option in options if option.name.casefold() == text.strip().casefold()]
    )


def _words(options: Sequence[Option], text: str) -> list[str]:
    """The selections of a text with commas, of which a name may have some itself: the longest that fit are taken."""
    parts = text.split(",")
    words: list[str] = []
    while parts:
        for length in range(len(parts), 0, -1):
            word = ",".join(parts[:length])
            if length == 1 or _named(options, _counted(options, word)[0]):
                break
        if word.strip():
            words.append(word.strip())
        parts = parts[length:]
    return words


def _counted(options: Sequence[Option], word: str) -> tuple[str, int]:
    """NAME=2 as name and number; the whole word is the name if there is such an option."""
    name, found, number = word.rpartition("=")
    count = number_in(number)
    if _named(options, word) or not found or count is None:
        return word.strip(), 1
    return name.strip(), count

"""Errors of the store: a sentence for the operator, and a code for programs."""

_FAULTS = frozenset({"full", "unavailable", "damaged", "foreign", "empty", "in-use", "closed", "gone", "unknown"})


class StoreError(Exception):
    """The database cannot be opened, read or written.

    ``sentence`` names the problem, the database, and the remedy. ``code`` is one of

    - when opening: ``url``, ``driver``, ``directory``, ``foreign``, ``newer``, ``in-use``, ``migration``; to read only:
      ``empty`` (it has no tables);
    - when copying or restoring: ``exists`` (a file that would be overwritten);
    - at any time: ``full``, ``unavailable``, ``damaged``, ``in-use`` (locked by another program), ``closed``,
      ``unknown`` (it is unknown whether the change was saved), ``gone`` (the file was removed, moved or replaced; in a
      cluster, the database has lost changes; it also occurs when opening);
    - for the data given: ``entry`` (a journal entry), ``number`` (a message), ``name-taken``, ``seat-taken``,
      ``no-such-game``, ``repeated`` (the request was carried out before), ``changed`` (a game differs from its
      archive);
    - in a cluster: ``fenced`` (this node no longer holds the game, and no part of the change was saved), ``clock`` (the
      clocks of the node and of the database differ too much).
    """

    def __init__(self, sentence: str, *, code: str = "unavailable") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code

    @property
    def is_fault(self) -> bool:
        """True if the database itself failed, not the data of the caller."""
        return self.code in _FAULTS

    @property
    def is_unknown(self) -> bool:
        """True if the change may have been saved despite the error."""
        return self.code == "unknown"

    @property
    def for_clients(self) -> str:
        """The error as a sentence for the player who requested the change."""
        return not_saved(self.is_unknown)

    def copy(self) -> "StoreError":
        """Return an equal error for a second Deferred, as an exception must not be raised twice."""
        return StoreError(self.sentence, code=self.code)


class NameTaken(StoreError):
    """An account or a game already has this name, ignoring case."""

    def __init__(self, what: str, name: str) -> None:
        super().__init__(f"There is already {what} named {name!r}; choose another name.", code="name-taken")


def not_saved(is_unknown: bool) -> str:
    """Return a sentence for the player whose change was not saved, or may not have been saved."""
    if is_unknown:
        return "The database has not said whether this was saved; look at what there is now before you ask again."
    return "This could not be saved, so nothing was changed; try again."


def gone_back(label: str) -> StoreError:
    """Return the error of a database without confirmed changes. A process that has them in memory must end."""
    return StoreError(
        f"The database {label} has gone back: it lacks what it had confirmed to this server. It was restored from an "
        "older backup, or another server of it has taken over that lacked the end. What was played since then is gone: "
        "tell the players.",
        code="gone",
    )

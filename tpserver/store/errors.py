"""Errors of the store: a sentence for the operator, a code for programs."""

_FAULTS = frozenset({"full", "unavailable", "damaged", "foreign", "empty", "in-use", "closed", "gone", "unknown"})


class StoreError(Exception):
    """The database cannot be opened, read or written.

    ``sentence`` says what happened, to which database, and what to do. ``code`` is one of

    - when opening: ``url``, ``driver``, ``directory``, ``foreign``, ``newer``, ``in-use``, ``migration``; to read only:
      ``empty`` (it has no tables);
    - when copying or restoring: ``exists`` (something that would be overwritten);
    - at any time: ``full``, ``unavailable``, ``damaged``, ``in-use`` (locked by another program), ``closed``, ``gone``
      (the file was removed, moved or replaced; also when opening; in a cluster: the database has gone back),
      ``unknown`` (it is unknown whether the change was saved);
    - for the data given: ``entry`` (a journal entry), ``number`` (a message), ``name-taken``, ``seat-taken``,
      ``no-such-game``, ``repeated`` (a request that was answered already), ``changed`` (a game differs from its
      archive);
    - in a cluster: ``fenced`` (this node no longer holds the game, and nothing of the change was saved), ``clock`` (the
      clocks of the node and of the database differ too much).
    """

    def __init__(self, sentence: str, *, code: str = "unavailable") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code

    @property
    def is_fault(self) -> bool:
        """True if the database itself failed, rather than the data given to it."""
        return self.code in _FAULTS

    @property
    def is_unknown(self) -> bool:
        """True if the change may have been saved in spite of the error."""
        return self.code == "unknown"

    @property
    def for_clients(self) -> str:
        """The error as a sentence for the player who requested the change."""
        return not_saved(self.is_unknown)

    def copy(self) -> "StoreError":
        """Return an equal error, for a second Deferred (an exception must not be raised in two places)."""
        return StoreError(self.sentence, code=self.code)


class NameTaken(StoreError):
    """An account or a game of this name (ignoring case) exists already."""

    def __init__(self, what: str, name: str) -> None:
        super().__init__(f"There is already {what} named {name!r}; choose another name.", code="name-taken")


def not_saved(is_unknown: bool) -> str:
    """Return a sentence for the player whose change was not saved, or may not have been saved."""
    if is_unknown:
        return "The database has not said whether this was saved; look at what there is now before you ask again."
    return "This could not be saved, so nothing was changed; try again."


def gone_back(label: str) -> StoreError:
    """Return the error of a database that lacks confirmed changes: a process that has them in memory must end."""
    return StoreError(
        f"The database {label} has gone back: it lacks what it had confirmed to this server. It was restored from an "
        "older backup, or another server of it has taken over that lacked the end. What was played since then is gone: "
        "tell the players.",
        code="gone",
    )

"""Class attributes that follow from others unless a class declares them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Derived:
    def __init__(self, derive: Callable[[type[Any]], Any]) -> None:
        self._derive = derive

    def __get__(self, instance: object, owner: type) -> Any:
        return self._derive(owner)


def derived(derive: Callable[[type[Any]], Any]) -> Any:
    """Return a class attribute whose value ``derive`` returns for the class."""
    return _Derived(derive)

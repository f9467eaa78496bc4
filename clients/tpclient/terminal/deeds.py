"""Work that changes something, guarded against a second key press."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from textual import work
from textual.dom import DOMNode

P = ParamSpec("P")
N = TypeVar("N", bound=DOMNode)


def deed(
    group: str,
) -> Callable[[Callable[Concatenate[N, P], Coroutine[Any, Any, None]]], Callable[Concatenate[N, P], None]]:
    """Have a method done as a worker, as `work` does; while one of its group is being done another call does nothing.

    What was asked for stays on its way when a worker is canceled, so an exclusive worker would ask twice.
    """

    def decorate(method: Callable[Concatenate[N, P], Coroutine[Any, Any, None]]) -> Callable[Concatenate[N, P], None]:
        begin: Any = work(group=group)(method)

        @wraps(method)
        def press(self: N, *args: P.args, **more: P.kwargs) -> None:
            if not any(one.group == group and one.node is self and not one.is_finished for one in self.workers):
                begin(self, *args, **more)

        return cast("Callable[Concatenate[N, P], None]", press)

    return decorate

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
    """Run a method as a worker, as `work` does. While a worker of its group runs, further calls do nothing.

    A canceled worker may already have sent its request, so an exclusive worker would send it twice.
    """

    def decorate(method: Callable[Concatenate[N, P], Coroutine[Any, Any, None]]) -> Callable[Concatenate[N, P], None]:
        begin: Any = work(group=group)(method)

        @wraps(method)
        def press(self: N, *args: P.args, **more: P.kwargs) -> None:
            if not any(one.group == group and one.node is self and not one.is_finished for one in self.workers):
                begin(self, *args, **more)

        return cast("Callable[Concatenate[N, P], None]", press)

    return decorate

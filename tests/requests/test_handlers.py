"""Registration of the handlers of requests."""

from __future__ import annotations

import pytest

from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.session.handlers import HANDLERS, handles


@pytest.mark.parametrize(
    ("name", "problem"),
    [("ping", "two handlers"), ("pong", "no request"), ("okay", "no request")],
    ids=["twice", "unknown", "response"],
)
def test_a_handler_is_for_one_request_of_the_schema_that_has_no_other(name: str, problem: str) -> None:
    """A response is no request."""
    before = dict(HANDLERS)
    with pytest.raises(ValueError, match=f"{problem}.*{name}|{name}.*{problem}"):
        handles(name)(lambda session, message: [])
    assert before == HANDLERS


def test_each_registered_handler_is_in_the_table() -> None:
    assert {request.kind.field: request.handle for request in REQUESTS.values()} == {
        name: handler.handle for name, handler in HANDLERS.items()
    }

"""The memory for the last plan."""

from __future__ import annotations

from tprules.api import Order, Plan
from tprules.kit.once_per_plan import once_per_plan


def test_a_plan_is_asked_once():
    """An equal plan is another one, as its world may have changed."""
    asked = []

    @once_per_plan
    def orders_of(plan: Plan[str]) -> int:
        asked.append(plan)
        return len(plan.before)

    plan = Plan("world", "phase", 0)
    longer = plan._replace(before=(Order(0, 1, "Move"),))
    assert [orders_of(one) for one in (plan, plan, longer, longer, plan)] == [0, 0, 1, 1, 0]
    assert len(asked) == 3
    assert orders_of(Plan("world", "phase", 0)) == 0
    assert len(asked) == 4

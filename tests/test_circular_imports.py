"""No circular imports, not even for the types of annotations."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp


def test_no_two_modules_import_each_other() -> None:
    graph = grimp.build_graph("tpserver", "tpproto", "tprules", "tpclient")
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imported) > 200
    order = list(TopologicalSorter(imported).static_order())  # raises CycleError, which names them
    assert order.index("tpserver.store.errors") < order.index("tpserver.server.assembly")

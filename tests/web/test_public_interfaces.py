"""The server uses only public interfaces of other libraries.

A name with a leading underscore is private. Tolerated uses are listed with their reasons.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import tpserver

pytestmark = pytest.mark.thorough

DOCUMENTED = {
    "_replace": "of named tuples: the underscore keeps it apart from the names of fields",
    "_asdict": "of named tuples, and of SQLAlchemy's rows, which are like them",
    "_exit": "of os: ends the process without cleaning up",
}

TOLERATED = {
    "tpserver.cli.arguments": {"Parser": ["_actions"]},  # argparse does not tell in any other way what was added to it
}

MODULES = [
    module.name
    for module in pkgutil.walk_packages(tpserver.__path__, "tpserver.")
    if not module.name.endswith(("__main__", "_pb2"))  # those are generated
]


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_attributes(tree: ast.AST) -> Iterator[ast.Attribute]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            yield node


def is_own(node: ast.Attribute) -> bool:
    """Return True if it is an attribute of self, or of the class."""
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def defined(tree: ast.ClassDef) -> set[str]:
    """The private names that a class defines: methods, attributes, slots, and what is assigned to self."""
    names = {node.attr for node in private_attributes(tree) if is_own(node) and isinstance(node.ctx, ast.Store)}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
            if node.value is not None and "__slots__" in names:
                names |= {leaf.value for leaf in ast.walk(node.value) if isinstance(leaf, ast.Constant)}
    return {name for name in names if is_private(str(name))}


@cache
def source_of(class_: type) -> ast.ClassDef | None:
    """None for what is not written in Python."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(class_))).body[0]
    except (OSError, TypeError):
        return None
    return tree if isinstance(tree, ast.ClassDef) else None


def is_ours(class_: type) -> bool:
    return class_.__module__.partition(".")[0] == "tpserver"


def misused(class_: type, is_ours: Callable[[type], bool] = is_ours) -> set[str]:
    """Private names of its library that a class uses, or has as its own without knowing."""
    tree = source_of(class_)
    if tree is None:
        return set()
    ours, theirs = defined(tree), set[str]()
    for base in class_.__mro__[1:]:
        base_tree = source_of(base)
        if is_ours(base):
            ours |= set() if base_tree is None else defined(base_tree)
        else:
            theirs |= {name for name in vars(base) if is_private(name)}
            theirs |= set() if base_tree is None else defined(base_tree)
    used = {node.attr for node in private_attributes(tree) if is_own(node)}
    inherited = {node.attr for node in private_attributes(tree) if ast.unparse(node.value) == "super()"}
    return (used - ours) | (inherited - ours) | (defined(tree) & theirs)


@pytest.mark.parametrize("name", MODULES)
def test_nothing_private_of_other_objects_is_used(name: str) -> None:
    module = importlib.import_module(name)
    tree = ast.parse(Path(str(module.__file__)).read_text())
    found = [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for node in private_attributes(tree)
        if not is_own(node) and ast.unparse(node.value) != "super()" and node.attr not in DOCUMENTED
    ]
    assert found == []


@pytest.mark.parametrize("name", MODULES)
def test_no_class_uses_or_hides_what_its_library_keeps_private(name: str) -> None:
    """Neither by calling it, nor by a name of its own that happens to be one of the library's."""
    module = importlib.import_module(name)
    classes = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == name]
    found = {each.__name__: names for each in classes if (names := sorted(misused(each)))}
    assert found == TOLERATED.get(name, {})


def test_such_use_is_noticed() -> None:
    """A private name that is called, one that is overridden, one that is assigned; own ones are not."""

    class Library:
        def __init__(self) -> None:
            self._buffer = b""

        def _send(self) -> None: ...

        def _fail(self) -> None: ...

    class Ours(Library):
        def __init__(self) -> None:
            super().__init__()
            self._own = 1

        def use(self) -> int:
            self._send()
            return self._own

        def _fail(self) -> None:
            super()._fail()

        def forget(self) -> None:
            self._buffer = b""

    assert misused(Ours, lambda class_: class_ is Ours) == {"_send", "_fail", "_buffer"}

"""Lines by room, the longest classes, and callbacks between rooms: `python -m tests.lab.structure`.

    python -m tests.lab.structure [ROOT]

A callback is a function that an object gets from another one after it was constructed. It is assigned to an attribute,
or appended to a list. It counts if a class of the product declares this attribute as a callable or a list of them.
A constructor that assigns it to a third object counts, too. Attributes that only libraries declare do not count.

Only names are compared. Where the attribute has the name of data elsewhere, a value that is a variable has to be a
parameter or an inner function.
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("tpserver", "protocol/tpproto", "rulesets/tprules", "clients/tpclient")
LONGEST = 15
"""The number of classes that are printed."""

MOST_CALLBACKS = {"assigned": 3, "appended": 0}
"""The callbacks that are left. Lower a number with each that goes; both end at 0."""

Functions = (ast.FunctionDef, ast.AsyncFunctionDef)
Names = tuple[set[str], set[str], set[str], set[str]]
"""Names of types of functions, of callable attributes, of methods, and of attributes with data."""


def sources(root: Path, folders: Iterable[str] = PACKAGES) -> dict[Path, str]:
    """Return the Python files that are not generated, with their text."""
    paths = (path for folder in folders for path in sorted((root / folder).rglob("*.py")))
    return {path: path.read_text(encoding="utf-8") for path in paths if not path.stem.endswith("_pb2")}


def room(path: Path) -> str:
    """Return the room of a file, whose path is relative to the root."""
    parts = path.parts
    depth = 2 if parts[0] in ("tpserver", "tests") else 3
    return "/".join(parts[: min(depth, len(parts) - 1)])


def lines_by_room(root: Path) -> Counter[str]:
    """Count the lines of all Python files."""
    counts: Counter[str] = Counter()
    for path, text in sources(root, (*PACKAGES, "tests")).items():
        counts[room(path.relative_to(root))] += text.count("\n")
    return counts


def classes(root: Path, trees: Mapping[Path, ast.Module]) -> list[tuple[int, str]]:
    """Return the lines and names of all classes, the longest first."""
    found = []
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.end_lineno is not None:
                found.append((node.end_lineno - node.lineno + 1, f"{path.relative_to(root)}: {node.name}"))
    return sorted(found, reverse=True)


def callbacks(root: Path, trees: Mapping[Path, ast.Module]) -> Iterator[tuple[str, str]]:
    """Yield each callback that is assigned or appended after construction: "assigned" or "appended", and its place."""
    names = _names(trees.values())
    for path, tree in trees.items():
        for node, function in _with_function(tree):
            match node:
                case ast.Assign(targets=[ast.Attribute(value=owner, attr=name)], value=value) if not _is_own(owner):
                    kind = "assigned"
                case ast.Call(
                    func=ast.Attribute(value=ast.Attribute(attr=name, value=owner), attr="append"), args=[value]
                ) if not _is_own(owner):
                    kind = "appended"
                case _:
                    continue
            if _is_callback(name, value, function, names):
                yield kind, f"{path.relative_to(root)}:{node.lineno}: {ast.unparse(node)}"


def _names(trees: Iterable[ast.Module]) -> Names:
    """Collect the names that tell functions from data."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    aliases = {"Callable"}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript) and "Callable[" in ast.unparse(node):
            aliases |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.ClassDef) and "__call__" in _methods(node):
            aliases.add(node.name)
    hooks: set[str] = set()
    methods: set[str] = set()
    data: set[str] = set()
    for node in nodes:
        match node:
            case ast.AnnAssign(target=ast.Attribute(attr=name) | ast.Name(id=name), annotation=annotation):
                (hooks if _words(annotation) & aliases else data).add(name)
            case ast.ClassDef():
                for name, is_data in _methods(node).items():
                    (data if is_data else methods).add(name)
            case ast.FunctionDef(name="__init__", args=arguments):
                called = {one.arg for one in arguments.args + arguments.kwonlyargs if _words(one.annotation) & aliases}
                for inner in ast.walk(node):
                    match inner:
                        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                            is_hook = isinstance(value, ast.Name) and value.id in called
                            (hooks if is_hook or isinstance(value, ast.Lambda) else data).add(name)
    return aliases, hooks, methods, data


def _methods(node: ast.ClassDef) -> dict[str, bool]:
    """Return the methods of a class, and whether each is a property."""
    own = [one for one in node.body if isinstance(one, Functions)]
    return {one.name: any("property" in ast.unparse(decorator) for decorator in one.decorator_list) for one in own}


def _words(annotation: ast.expr | None) -> set[str]:
    """Return the outermost types of an annotation, without their arguments: those of a union, and items of a list."""
    match annotation:
        case ast.BinOp(left=left, right=right):
            return _words(left) | _words(right)
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return _words(item)
        case ast.Subscript(value=value):
            return _words(value)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return {name}
    return set()


def _with_function(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Yield all nodes, each with the function around it."""
    waiting: list[tuple[ast.AST, ast.AST | None]] = [(tree, None)]
    while waiting:
        node, function = waiting.pop()
        yield node, function
        inner = node if isinstance(node, Functions) else function
        waiting += reversed([(child, inner) for child in ast.iter_child_nodes(node)])


def _is_own(owner: ast.expr) -> bool:
    return isinstance(owner, ast.Name) and owner.id in ("self", "cls")


def _is_callback(name: str, value: ast.expr, function: ast.AST | None, names: Names) -> bool:
    aliases, hooks, methods, data = names
    if name not in hooks:
        return False
    inside = list(ast.walk(function)) if function else []
    functions = {node.name for node in inside if isinstance(node, Functions)}
    functions |= {node.arg for node in inside if isinstance(node, ast.arg) and _words(node.annotation) & aliases}
    match value:
        case ast.Lambda():
            return True
        case ast.Attribute(attr=attribute):
            return attribute in methods | hooks or not {name, attribute} & data
        case ast.Name(id=variable):
            return variable in functions or name not in data
    return False


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.structure", description="Measure the source tree.")
    parser.add_argument("root", nargs="?", type=Path, default=ROOT, metavar="ROOT", help="another tree of the project")
    root = parser.parse_args().root
    rooms = lines_by_room(root)
    for title, is_test in (("product", False), ("tests", True)):
        own = {name: lines for name, lines in rooms.items() if (name.split("/")[0] == "tests") == is_test}
        print(f"{sum(own.values()):7} lines of {title}", *(f"{own[name]:7} {name}" for name in sorted(own)), sep="\n")
    trees = {path: ast.parse(text) for path, text in sources(root).items()}
    print("The longest classes:", *(f"{lines:7} {name}" for lines, name in classes(root, trees)[:LONGEST]), sep="\n")
    found = list(callbacks(root, trees))
    for kind in ("assigned", "appended"):
        places = [place for known, place in found if known == kind]
        print(f"{len(places)} callbacks {kind} after construction:", *places, sep="\n")


if __name__ == "__main__":
    main()

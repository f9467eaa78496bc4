"""Names of ``tprules`` that a game uses: `python -m tests.lab.api_names PATH...`.

    python -m tests.lab.api_names tests/plugins/reversi

The paths are the modules of one game, or its folder. A name is one that its author had to learn:

- what the game imports from a module of ``tprules``, or reads from one;
- a member of a class of ``tprules``: overridden in a subclass, read, called, or given as a keyword argument;
- a keyword argument of a function;
- a string to which ``tprules`` gives a meaning, such as ``ends_after="each"``.

A name counts once, under the class that declares it first: ``help`` of every parameter is ``Param.help``. Aliases,
names in a mapping that a call unpacks, and names in ``getattr`` and the like count, too. A mapping that cannot be
followed counts with all arguments that it may have. A value of unknown type has every class of ``tprules.api``, and an
annotation helps. Modules do not count.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import dataclasses
import importlib
import inspect
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, Literal

from tprules import api

GROUPS = {
    "exports": "Exported names",
    "members": "Members of classes",
    "keywords": "Keyword arguments",
    "strings": "Strings with a meaning",
}

PLAIN = {name for kind in (str, int, list, dict, set, tuple, bytes) for name in dir(kind)}
"""Attributes of values of unknown type that are Python's own."""

MEANINGS: Mapping[str, Iterable[str]] = {
    "Places.words": ("{board}", "{column}", "{row}"),
    "Group.name": ("Informational",),
}
"""Strings that are no ``Literal`` in the api: member -> its words, and the placeholders in its text."""


@dataclass(frozen=True)
class Thing:
    """A module, class or function of ``tprules``. A method has the class that declares it in ``owner``."""

    value: Any
    owner: type | None = None


@dataclass(frozen=True)
class Instance:
    """A value of a class of ``tprules``; also of a subclass in the game."""

    cls: type


@dataclass(frozen=True)
class OwnClass:
    """A subclass in the game of a class of ``tprules``."""

    cls: type


@dataclass(frozen=True)
class Many:
    """A collection: the meaning of its elements, or of its keys and of its values."""

    element: Meaning
    value: Meaning


Meaning = Thing | Instance | OwnClass | Many | Literal["own"] | None
"""The meaning of an expression. "own": of the game or the standard library. None: unknown."""


@dataclass
class Scope:
    """The names of a module, class or function, with all that is bound to each."""

    parent: Scope | None = None
    bound: dict[str, list[Callable[[], Meaning]]] = field(default_factory=dict)
    values: dict[str, list[tuple[ast.expr, Scope]]] = field(default_factory=dict)
    """The expressions of assignments."""
    cls: type | None = None
    """The class of ``tprules`` from which the class around derives."""

    def bind(self, name: str, meaning: Callable[[], Meaning]) -> None:
        self.bound.setdefault(name, []).append(meaning)

    def lookup(self, name: str) -> tuple[Scope, list[Callable[[], Meaning]]] | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bound:
                return scope, scope.bound[name]
            scope = scope.parent
        return None


@cache
def members(cls: type) -> Mapping[str, type]:
    """Return the public members of a class: name -> the class that declares it first."""
    found = {}
    for one in cls.__mro__:
        if one.__module__.startswith("tprules"):
            names = {*vars(one), *vars(one).get("__annotations__", {}), *getattr(one, "__members__", ())}
            found.update({name: one for name in names if not name.startswith("_")})
    return found


@cache
def parameters(function: Any) -> Mapping[str, Any]:
    """Return the parameters of a class or function in their order, with their hints."""
    if not isinstance(function, type):
        hints = _hints(function)
        declared = inspect.signature(function).parameters.values()
        named = [one.name for one in declared if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        return {name: hints.get(name, Any) for name in named if name != "self"}
    if dataclasses.is_dataclass(function):
        return {one.name: _hints(function).get(one.name, Any) for one in dataclasses.fields(function) if one.init}
    if hasattr(function, "_fields"):
        return {name: _hints(function).get(name, Any) for name in function._fields}
    return parameters(function.__init__) if function.__init__ is not object.__init__ else {}  # type: ignore[misc]


@cache
def _hints(value: Any) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(value, localns={**vars(typing), **vars(api)})
    except (NameError, TypeError):
        return {}


def meaning_of(hint: Any) -> Meaning:
    """Return the meaning of a value with this hint of ``tprules``."""
    origin, args = typing.get_origin(hint) or hint, typing.get_args(hint)
    if isinstance(origin, type) and origin.__module__.startswith("tprules"):
        return Instance(origin)
    if origin is type and args:
        inner = meaning_of(args[0])
        return Thing(inner.cls) if isinstance(inner, Instance) else "own"
    if isinstance(origin, type) and args and issubclass(origin, Iterable):
        return Many(meaning_of(args[0]), meaning_of(args[1 if issubclass(origin, Mapping) else 0]))
    return united(map(meaning_of, args)) if args and origin not in (Literal,) and not callable(origin) else "own"


def united(meanings: Iterable[Meaning]) -> Meaning:
    """Return one of ``tprules`` if there is any, else unknown if one is."""
    found: Meaning = "own"
    for meaning in meanings:
        if meaning not in ("own", None):
            return meaning
        found = found and meaning
    return found


def literals(hint: Any) -> set[str]:
    """Return all strings in the Literals of a hint."""
    if typing.get_origin(hint) is Literal:
        return {text for text in typing.get_args(hint) if isinstance(text, str)}
    return {text for one in typing.get_args(hint) if not isinstance(one, list) for text in literals(one)}


class Game:
    """The names that the modules of a game use: ``names`` maps each to its group."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.names: dict[str, str] = {}
        self.uncounted: set[str] = set()
        """Imported modules that are neither counted nor of the standard library."""
        self._unknown: dict[str, list[str]] = {}
        self._modules = {path: Scope() for path in paths}
        self._attributes = Scope()
        """All that the game binds to an attribute of any name, with or without a class."""
        self._hinted: dict[ast.AST, Sequence[Meaning]] = {}
        """Functions that a call of ``tprules`` got as arguments -> the meanings of their parameters."""
        self._busy: set[ast.AST] = set()
        self._classes = [one for one in vars(api).values() if isinstance(one, type) and members(one)]
        trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in self._modules}
        for path, tree in trees.items():
            self._bind_all(tree.body, self._modules[path])
            self._bind_attributes(tree, self._modules[path])
        for _ in range(2):  # the second time, functions that were given to ``tprules`` are known
            for path, tree in trees.items():
                self._visit_all(tree.body, self._modules[path])
        for name, candidates in self._unknown.items():
            if not any(one in self.names for one in candidates):
                self.names[name] = "members"

    # --- bindings

    def _bind_all(self, body: Sequence[ast.AST], scope: Scope) -> None:
        """Bind all names of a body, without those of functions and classes in it."""
        for node in body:
            self._bind(node, scope)

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                scope.bind(name, lambda: "own")
                scope.values.setdefault(name, []).append((node, scope))  # type: ignore[arg-type]
                return
            case ast.ClassDef(name=name):
                scope.bind(name, lambda: self._class(node, scope))
                return
            case ast.Lambda():
                return
            case ast.Import(names=names):
                for alias in names:
                    known = self._module(alias.name if alias.asname else alias.name.split(".")[0])
                    scope.bind(alias.asname or alias.name.split(".")[0], lambda known=known: known)  # type: ignore[misc]
            case ast.ImportFrom():
                self._bind_import(node, scope)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind_target(target, value, scope)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=hint, value=value):
                scope.bind(name, lambda: self._annotated(hint, scope))
                if value is not None:
                    scope.values.setdefault(name, []).append((value, scope))
            case ast.NamedExpr(target=target, value=value):
                self._bind_target(target, value, scope)
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                self._bind_element(target, value, scope)
            case ast.Name(id=name, ctx=ast.Store()):
                if name not in scope.bound:
                    scope.bind(name, lambda: None)
                return
        self._bind_all(list(ast.iter_child_nodes(node)), scope)

    def _bind_attributes(self, tree: ast.Module, scope: Scope) -> None:
        """Bind what stands in bodies of classes, is assigned to attributes, or is a keyword argument."""
        for node in ast.walk(tree):
            match node:
                case ast.ClassDef(body=body):
                    inner = Scope(scope)
                    self._bind_all(body, inner)
                    for name, meanings in inner.bound.items():
                        self._attributes.bound.setdefault(name, []).extend(meanings)
                case (
                    ast.Assign(targets=[ast.Attribute(attr=name)], value=value)
                    | ast.keyword(arg=str() as name, value=value)
                ):
                    self._attributes.bind(name, lambda value=value: self._meaning(value, scope))  # type: ignore[misc]

    def _bind_import(self, node: ast.ImportFrom, scope: Scope) -> None:
        source = "." * node.level + (node.module or "")
        module = self._module(source)
        for alias in node.names:
            name = alias.asname or alias.name
            if isinstance(module, Thing) and alias.name == "*":
                for public in getattr(module.value, "__all__", vars(module.value)):
                    scope.bind(public, lambda public=public: _attribute(module, public))  # type: ignore[misc]
            elif isinstance(module, Thing):
                found = _attribute(module, alias.name) or self._module(f"{source}.{alias.name}")
                scope.bind(name, lambda found=found: found)  # type: ignore[misc]
            else:
                other = self._own_module(source) or self._own_module(f"{source}.{alias.name}")
                if other is None and module is None:
                    self.uncounted.add(source)
                scope.bind(name, lambda other=other, it=alias.name: self._exported(other, it, module))  # type: ignore[misc]

    def _exported(self, other: Scope | None, name: str, module: Meaning) -> Meaning:
        return module if other is None else self._named(name, other) if name in other.bound else "own"

    def _module(self, name: str) -> Meaning:
        if self._own_module(name):
            return "own"
        if name.split(".")[0] == "tprules":
            try:
                return Thing(importlib.import_module(name))
            except ImportError:
                return None
        return "own" if name.split(".")[0] in sys.stdlib_module_names else None

    def _own_module(self, name: str) -> Scope | None:
        """Return the given module of this dotted name; its last parts are enough."""
        parts = name.lstrip(".").split(".")
        for path, scope in self._modules.items():
            dotted = [*path.with_suffix("").parts]
            if (dotted[:-1] if dotted[-1] == "__init__" else dotted)[-len(parts) :] == parts:
                return scope
        return None

    def _bind_target(self, target: ast.expr, value: ast.expr, scope: Scope) -> None:
        match target, value:
            case ast.Name(id=name), _:
                scope.bind(name, lambda: self._meaning(value, scope))
                scope.values.setdefault(name, []).append((value, scope))
            case ((ast.Tuple(elts=targets) | ast.List(elts=targets)), (ast.Tuple(elts=values) | ast.List(elts=values))):
                for one, part in zip(targets, values, strict=False):
                    self._bind_target(one, part, scope)

    def _bind_element(self, target: ast.expr, value: ast.expr, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.bind(target.id, lambda: _element(self._meaning(value, scope)))

    def _class(self, node: ast.ClassDef, scope: Scope) -> Meaning:
        for base in node.bases:
            match self._meaning(base, scope):
                case Thing(value=type() as cls) | OwnClass(cls=cls):
                    return OwnClass(cls)
        return "own"

    # --- meanings

    def _named(self, name: str, scope: Scope) -> Meaning:
        found = scope.lookup(name)
        if found is None:
            return "own" if hasattr(builtins, name) else None
        return united([meaning() for meaning in found[1]])

    def _annotated(self, node: ast.expr | None, scope: Scope) -> Meaning:
        """Return the meaning of a value with this annotation."""
        match node:
            case None:
                return None
            case ast.Constant(value=str() as text):
                return self._annotated(ast.parse(text, mode="eval").body, scope)
            case ast.BinOp(left=left, right=right):
                return united([self._annotated(left, scope), self._annotated(right, scope)])
            case ast.Subscript(value=value, slice=inner) if not isinstance(self._meaning(value, scope), Thing):
                parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                meanings = [self._annotated(part, scope) for part in parts]
                return Many(meanings[0], meanings[-1 if len(meanings) == 2 else 0])
            case ast.Subscript(value=value):
                return self._annotated(value, scope)
        match self._meaning(node, scope):
            case Thing(value=type() as cls) | OwnClass(cls=cls):
                return Instance(cls)
            case Thing(value=alias):
                return meaning_of(alias)
            case found:
                return found

    def _meaning(self, node: ast.AST, scope: Scope) -> Meaning:
        if node in self._busy:  # a name that is assigned from itself
            return "own"
        self._busy.add(node)
        try:
            return self._evaluated(node, scope)
        finally:
            self._busy.discard(node)

    def _evaluated(self, node: ast.AST, scope: Scope) -> Meaning:
        match node:
            case ast.Name(id=name):
                return self._named(name, scope)
            case ast.Attribute(value=value, attr=attr):
                return self._attribute_of(self._meaning(value, scope), attr)
            case ast.Subscript(value=value, slice=index):
                found = self._meaning(value, scope)
                if isinstance(found, Many):
                    return found if isinstance(index, ast.Slice) else found.value
                return found if isinstance(found, Thing | OwnClass) else "own" if found else None
            case ast.Call():
                return self._called(node, scope)
            case ast.IfExp(body=body, orelse=other):
                return united([self._meaning(body, scope), self._meaning(other, scope)])
            case ast.BoolOp(values=values):
                return united([self._meaning(value, scope) for value in values])
            case ast.BinOp(left=left, right=right):
                return united([self._meaning(left, scope), self._meaning(right, scope)])
            case ast.NamedExpr(value=value) | ast.Starred(value=value):
                return self._meaning(value, scope)
            case ast.List(elts=values) | ast.Tuple(elts=values) | ast.Set(elts=values):
                inner = united([self._meaning(value, scope) for value in values])
                return Many(inner, inner)
            case ast.Dict(values=values):
                return Many("own", united([self._meaning(value, scope) for value in values]))
            case ast.ListComp(elt=value) | ast.GeneratorExp(elt=value) | ast.SetComp(elt=value):
                inner = self._meaning(value, scope)
                return Many(inner, inner)
        return "own"

    def _attribute_of(self, base: Meaning, attr: str) -> Meaning:
        if base is None and attr not in PLAIN:
            known = [one for one in self._classes if attr in members(one)]
            return united([_attribute(Instance(one), attr) for one in known]) if known else None
        found = _attribute(base, attr)
        is_own = found == "own" and not (isinstance(base, Instance | OwnClass) and attr in members(base.cls))
        if is_own and attr in self._attributes.bound:
            hidden = self._named(attr, self._attributes)
            return hidden if hidden is not None else "own"
        return found

    def _called(self, node: ast.Call, scope: Scope) -> Meaning:
        match node.func, node.args:
            case ast.Name(id="super"), _:
                return Instance(scope.cls) if scope.cls else None
            case ast.Name(id="getattr"), [value, ast.Constant(value=str() as attr), *_]:
                return self._attribute_of(self._meaning(value, scope), attr)
            case ast.Name(id="sorted" | "list" | "tuple" | "set" | "reversed" | "iter"), [value, *_]:
                return self._meaning(value, scope)
            case ast.Name(id="next" | "min" | "max"), [value, *_]:
                return _element(self._meaning(value, scope))
            case ast.Name(id="type"), [_, ast.Tuple(elts=bases), _]:
                base = united([self._meaning(base, scope) for base in bases])
                return OwnClass(base.value) if isinstance(base, Thing) else base
            case (
                (ast.Name(id="import_module") | ast.Attribute(attr="import_module")),
                [ast.Constant(value=str() as name)],
            ):
                return self._module(name)
            case ((ast.Name(id=name) | ast.Attribute(attr=name)), [value, *_]) if name in (
                "partial",
                "replace",
                "copy",
            ):
                return self._meaning(value, scope)
        match self._meaning(node.func, scope):
            case Thing(value=type() as cls) | OwnClass(cls=cls):
                return Instance(cls)
            case Thing(value=function) if callable(function):
                return meaning_of(_hints(function).get("return", Any))
            case "own" if isinstance(node.func, ast.Name) and (own := self._function(node.func.id, scope)):
                return self._annotated(own.returns, self._modules_scope(scope))
            case "own":
                return "own"
        return None

    def _function(self, name: str, scope: Scope) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        found = scope.lookup(name)
        values = found[0].values.get(name, []) if found else []
        return next((node for node, _ in values if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)), None)

    def _modules_scope(self, scope: Scope) -> Scope:
        while scope.parent is not None:
            scope = scope.parent
        return scope

    # --- counting

    def _count(self, name: str, group: str) -> None:
        self.names.setdefault(name, group)

    def _count_member(self, cls: type, name: str, group: str = "members") -> None:
        if name in members(cls):
            self._count(f"{members(cls)[name].__name__}.{name}", group)

    def _count_attribute(self, base: Meaning, attr: str) -> None:
        match base:
            case Thing(value=ModuleType() as module):
                if not isinstance(getattr(module, attr, None), ModuleType) and not attr.startswith("_"):
                    self._count(attr, "exports")
            case Thing(value=type() as cls) | OwnClass(cls=cls) | Instance(cls=cls):
                self._count_member(cls, attr)
            case None if attr not in PLAIN:
                known = [one for one in self._classes if attr in members(one)]
                if known:
                    self._unknown[f"?.{attr}"] = [f"{members(one)[attr].__name__}.{attr}" for one in known]

    def _visit_all(self, body: Iterable[ast.AST], scope: Scope) -> None:
        for node in body:
            self._visit(node, scope)

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        match node:
            case ast.ImportFrom(names=names):
                module = self._module("." * node.level + (node.module or ""))
                for alias in names:
                    if alias.name != "*":
                        self._count_attribute(module, alias.name)
            case ast.Name(id=name, ctx=ast.Load()):
                self._visit_star_import(name, scope)
            case ast.Attribute(value=value, attr=attr):
                self._count_attribute(self._meaning(value, scope), attr)
            case ast.Call():
                self._visit_call(node, scope)
            case ast.MatchClass(cls=matched, kwd_attrs=attrs):
                for attr in attrs:
                    self._count_attribute(self._annotated(matched, scope), attr)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._visit_function(node, scope)
                return
            case ast.ClassDef():
                self._visit_class(node, scope)
                return
            case ast.arg(annotation=ast.Constant(value=str() as text)):
                self._visit(ast.parse(text, mode="eval"), scope)
        self._visit_all(ast.iter_child_nodes(node), scope)

    def _visit_star_import(self, name: str, scope: Scope) -> None:
        """Count a name that is imported with ``*``: no import names it."""
        match self._named(name, scope):
            case Thing(value=value, owner=None) if not isinstance(value, ModuleType):
                found = scope.lookup(name)
                if found and name not in found[0].values and vars(api).get(name) is value:
                    self._count(name, "exports")

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope) -> None:
        inner = Scope(scope, cls=scope.cls)
        given = [*node.args.posonlyargs, *node.args.args]
        hinted = self._hinted.get(node)
        is_method = scope.cls is not None and scope is not self._modules_scope(scope) and hinted is None
        if is_method and not isinstance(node, ast.Lambda) and scope.cls is not None:
            hinted = [Instance(scope.cls)]
            if inspect.isfunction(base := inspect.getattr_static(scope.cls, node.name, None)):
                hinted += map(meaning_of, parameters(base).values())
        for number, one in enumerate(given):
            known = hinted[number] if hinted is not None and number < len(hinted) else None
            inner.bind(one.arg, lambda one=one, known=known: self._annotated(one.annotation, scope) or known)  # type: ignore[misc]
        for other in (*node.args.kwonlyargs, node.args.vararg, node.args.kwarg):
            if other is not None:
                inner.bind(other.arg, lambda one=other: self._annotated(one.annotation, scope))  # type: ignore[misc]
        body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
        self._bind_all(body, inner)
        outside: list[ast.AST] = [node.args] if isinstance(node, ast.Lambda) else [node.args, *node.decorator_list]
        if not isinstance(node, ast.Lambda) and node.returns is not None:
            outside.append(node.returns)
        self._visit_all(outside, scope)
        self._visit_all(body, Scope(inner, inner.bound, inner.values, scope.cls))

    def _visit_class(self, node: ast.ClassDef, scope: Scope) -> None:
        meaning = self._class(node, scope)
        inner = Scope(scope, cls=meaning.cls if isinstance(meaning, OwnClass) else None)
        self._bind_all(node.body, inner)
        if inner.cls is not None:
            for name in inner.bound:
                self._count_member(inner.cls, name)
                for value, where in inner.values.get(name, ()):
                    self._count_strings(inner.cls, name, _hints(inner.cls).get(name), value, where)
        self._visit_all([*node.bases, *node.keywords, *node.decorator_list, *node.body], inner)

    def _visit_call(self, node: ast.Call, scope: Scope) -> None:
        match node.func, node.args:
            case ast.Name(id="getattr" | "setattr" | "hasattr"), [value, ast.Constant(value=str() as attr), *_]:
                self._count_attribute(self._meaning(value, scope), attr)
            case ((ast.Name(id=name) | ast.Attribute(attr=name)), _) if name in ("attrgetter", "methodcaller"):
                for attr in chain.from_iterable(_strings(one, scope) for one in node.args):
                    self._count_attribute(None, attr)
            case ast.Name(id="type"), [_, ast.Tuple(), mapping]:
                meaning = self._called(node, scope)
                items = self._items(mapping, scope)
                every = members(meaning.cls) if isinstance(meaning, OwnClass | Instance) else ()
                for name in every if items is None else dict(items):
                    self._count_attribute(meaning, name)
        target = self._target(node, scope)
        if target is None:
            return
        function, owner = target
        declared = parameters(function)
        positional = list(declared.items())
        for (name, hint), value in zip(positional, node.args, strict=False):
            self._count_strings(owner, name, hint, value, scope)
        for keyword in node.keywords:
            pairs = [(keyword.arg, keyword.value)] if keyword.arg else self._items(keyword.value, scope)
            if pairs is None:
                given = {one.arg for one in node.keywords}
                pairs = [(name, keyword.value) for name, _ in positional[len(node.args) :] if name not in given]
            for name, value in pairs:
                if isinstance(function, type) and name in members(function):
                    self._count_member(function, name, "keywords")
                elif name in declared:
                    self._count(f"{function.__qualname__}({name}=)", "keywords")
                self._count_strings(owner, name, declared.get(name), value, scope)

    def _target(self, node: ast.Call, scope: Scope) -> tuple[Any, type | None] | None:
        """Return the class or function of ``tprules`` that gets the arguments of a call, and its class."""
        match node.func, node.args:
            case ((ast.Name(id="partial" | "replace") | ast.Attribute(attr="partial" | "replace")), [value, *_]):
                meaning = self._meaning(value, scope)
            case ast.Attribute(value=value, attr="_replace"), _:
                meaning = self._meaning(value, scope)
            case _:
                meaning = self._meaning(node.func, scope)
                if isinstance(meaning, Instance):
                    return None
        match meaning:
            case Thing(value=type() as cls) | OwnClass(cls=cls) | Instance(cls=cls):
                return cls, cls
            case Thing(value=function, owner=owner) if inspect.isfunction(function):
                return function, owner
        return None

    def _items(self, node: ast.expr, scope: Scope) -> list[tuple[str, ast.expr]] | None:
        """Return the keys and values of a mapping, or None if they cannot be followed."""
        match node:
            case ast.Dict(keys=keys, values=values):
                found: list[tuple[str, ast.expr]] = []
                for key, value in zip(keys, values, strict=True):
                    part = self._items(value, scope) if key is None else [(one, value) for one in _strings(key, scope)]
                    if (not part and key is not None) or part is None:
                        return None
                    found += part
                return found
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
                names = [ast.Constant(one.arg) if one.arg else None for one in keywords]
                return self._items(ast.Dict([*names], [one.value for one in keywords]), scope)
            case ast.BinOp(left=left, right=right):
                return self._items(ast.Dict([None, None], [left, right]), scope)
            case ast.Name(id=name):
                lookup = scope.lookup(name)
                assigned = lookup[0].values.get(name, []) if lookup else []
                if len(assigned) == 1:
                    return self._items(*assigned[0])
        return None

    def _count_strings(self, cls: type | None, name: str, hint: Any, node: ast.AST, scope: Scope) -> None:
        """Count the strings with a meaning in the value of a parameter or member, and note functions in it."""
        self._note_functions(hint, node, scope)
        member = f"{members(cls)[name].__name__}.{name}" if cls and name in members(cls) else name
        words = {*literals(hint), *MEANINGS.get(member, ())}
        if not words:
            return
        for text in _strings(node, scope):
            for word in words:
                if text == word or (word.startswith("{") and word in text):
                    self._count(f'{member}: "{word}"', "strings")

    def _note_functions(self, hint: Any, node: ast.AST, scope: Scope) -> None:
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if isinstance(node, ast.Tuple | ast.List) and args and origin in (tuple, list):
            for one in node.elts:
                self._note_functions(args[0], one, scope)
        elif origin in (typing.Union, UnionType):
            for one in args:
                self._note_functions(one, node, scope)
        elif args and isinstance(args[0], list):
            function = self._function(node.id, scope) if isinstance(node, ast.Name) else node
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                self._hinted[function] = [*map(meaning_of, args[0])]


def _attribute(base: Meaning, attr: str) -> Meaning:
    match base:
        case Thing(value=ModuleType() as module):
            found = getattr(module, attr, None)
            return None if found is None else Thing(found)
        case Thing(value=type() as cls) | OwnClass(cls=cls) | Instance(cls=cls):
            found = inspect.getattr_static(cls, attr, None)
            if isinstance(found, property):
                return meaning_of(_hints(found.fget).get("return", Any))
            if isinstance(found, classmethod | staticmethod):
                found = found.__func__
            if inspect.isfunction(found) and attr in members(cls):
                return Thing(found, members(cls)[attr])
            return meaning_of(_hints(cls).get(attr, Any)) if attr in members(cls) else "own"
        case Many() if attr == "values":
            return base
    return None if base is None else "own"


def _element(meaning: Meaning) -> Meaning:
    return meaning.element if isinstance(meaning, Many) else meaning if meaning in (None, "own") else None


def _strings(node: ast.AST, scope: Scope, depth: int = 3) -> Iterator[str]:
    """Yield the strings in an expression, also in the values of the names in it."""
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value
        elif isinstance(one, ast.Name) and depth:
            found = scope.lookup(one.id)
            for value, where in found[0].values.get(one.id, []) if found else []:
                if isinstance(value, ast.expr):
                    yield from _strings(value, where, depth - 1)


def ruleset_members() -> list[str]:
    """Return the public members of ``Ruleset``."""
    return sorted(members(api.Ruleset))


def modules(paths: Iterable[Path]) -> list[Path]:
    """Return the modules in folders and files."""
    return [one for path in paths for one in ([path] if path.is_file() else sorted(path.rglob("*.py")))]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.api_names", description="Count the names of a game.")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="its modules, or its folder")
    game = Game(modules(parser.parse_args().paths))
    for group, title in GROUPS.items():
        names = sorted(name for name, known in game.names.items() if known == group)
        print(f"{title}: {len(names)}", *(f"    {name}" for name in names), sep="\n")
    print(f"All names: {len(game.names)}")
    if game.uncounted:
        print(f"Not counted are names by way of {', '.join(sorted(game.uncounted))}.")
    print(f"Members of Ruleset: {len(ruleset_members())}")


if __name__ == "__main__":
    main()

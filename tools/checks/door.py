# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Refuses ways round ``kreactor/jdk``, the only door of a broker to the system.

A simulated world stands behind that door. So no module above may reach threads, clocks, random numbers,
sockets or files in another way, nor store a function that a replaced floor would no longer reach.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.checks.origins import ROOT, Problem

# Modules of Python that only the floor imports.
CLOSED = frozenset({
    "_io", "_queue", "_random", "_socket", "_ssl", "_thread", "builtins", "concurrent", "fcntl", "mmap", "nt",
    "pathlib", "posix", "queue", "random", "secrets", "select", "selectors", "shutil", "signal", "socket",
    "ssl", "tempfile", "threading", "time"})
# Files of an owner's settings and of the command line, which are none of a broker's data.
PATHS = frozenset({
    "common/security/oauthbearer/internals/secured/configuration_utils.py",
    "common/security/oauthbearer/internals/secured/file_token_retriever.py",
    "common/security/oauthbearer/internals/secured/jwks_file_verification_key_resolver.py",
    "editions/command.py", "editions/compare/script.py"})
# The attributes of ``os`` that are free above the floor: names, and what never changes while a process runs.
OS = frozenset({"DirEntry", "F_OK", "PathLike", "R_OK", "W_OK", "X_OK", "environ", "fsdecode", "fsencode",
                "fspath", "getpid", "linesep", "name", "path", "pathsep", "sep", "stat_result"})
OS_PATH = frozenset({"abspath", "basename", "commonpath", "dirname", "isabs", "join", "normpath", "split",
                     "splitext"})
IO = frozenset({"FileIO", "open", "open_code", "OpenWrapper"})
# Classes and objects of the floor whose functions are called, and never stored.
DOORS = frozenset({"Clock", "Floor", "NANO_CLOCK", "NanoClock", "RANDOM", "Thread"})
# Methods of the floor's queues, locks, conditions and latches.
METHODS = frozenset({
    "acquire", "await_", "await_timeout", "count_down", "epoch_ms", "epoch_ns", "get_nowait", "lock",
    "nanoseconds", "notify", "notify_all", "poll_timeout", "put", "put_nowait", "release", "take", "try_lock",
    "unlock", "wait_for"})
# Code that is made from tables of ours, which import nothing.
GENERATED = frozenset({("common/protocol/message_codec.py", "exec")})
FREE = re.compile(r"(jdk|conformance|pipeline)/|(cli|cli_\w+|__main__)\.py$")


def check_door(sources: Iterable[tuple[str, str]] | None = None) -> list[str]:
    """Return the problems of modules: pairs of a path below kreactor/ and a source."""
    return [Problem(f"kreactor/{path}", f"kreactor/{path}:{line}: {text}")
            for path, source in (_sources() if sources is None else sources) if not FREE.match(path)
            for line, text in sorted(set(_Module(path, source).problems()))]


def _sources() -> Iterator[tuple[str, str]]:
    root = Path(ROOT) / "kreactor"
    for path in sorted(root.rglob("*.py")):
        yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


class _Module:
    """The tree of one module."""

    def __init__(self, path: str, source: str) -> None:
        self._path = path
        self._tree = ast.parse(source)
        self._parents = {child: node for node in ast.walk(self._tree) for child in ast.iter_child_nodes(node)}
        self._imported = {alias.asname or alias.name.partition(".")[0]
                          for node in ast.walk(self._tree) if isinstance(node, (ast.Import, ast.ImportFrom))
                          for alias in node.names}
        # The names of kreactor's modules in this one.
        self._modules = {alias.asname or alias.name for node in ast.walk(self._tree)
                         if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kreactor")
                         for alias in node.names if _is_module(f"{node.module}.{alias.name}")}
        annotations = (part for node in ast.walk(self._tree) for part in (
            getattr(node, "annotation", None), getattr(node, "returns", None)) if part is not None)
        self._in_annotations = {node for part in annotations for node in ast.walk(part)}

    def problems(self) -> Iterator[tuple[int, str]]:
        """Yield lines with their problems."""
        for node in ast.walk(self._tree):
            found: Iterable[str] = ()
            if isinstance(node, ast.Import):
                found = self._import(node)
            elif isinstance(node, ast.ImportFrom):
                found = self._import_from(node)
            elif isinstance(node, ast.Call):
                found = self._call(node)
            elif isinstance(node, ast.Name):
                found = self._name(node)
            elif isinstance(node, ast.Attribute):
                found = self._attribute(node)
            for text in found:
                yield getattr(node, "lineno"), text

    def _import(self, node: ast.Import) -> Iterator[str]:
        for alias in node.names:
            if self._is_closed(alias.name):
                yield f"imports {alias.name}: take it from kreactor.jdk"
            elif alias.name.partition(".")[0] in ("os", "io") and (alias.asname or "." in alias.name):
                yield f"imports {alias.name} by another name: write import {alias.name.partition('.')[0]}"

    def _import_from(self, node: ast.ImportFrom) -> Iterator[str]:
        module = node.module or ""
        if self._is_closed(module):
            yield f"imports from {module}: take it from kreactor.jdk"
            return
        for alias in node.names:
            if (module == "os" and not _is_pure(alias.name)
                    or module == "os.path" and alias.name not in OS_PATH):
                yield f"imports {alias.name} from {module}: call Floor.os.{alias.name}"
            elif module == "io" and alias.name in IO:
                yield f"imports {alias.name} from io: call Floor.io.{alias.name}"
            elif module.startswith("kreactor") and alias.name in CLOSED | {"os", "io"} and not _is_module(
                    f"{module}.{alias.name}"):
                yield f"imports {alias.name} from {module}: take a class of the floor"

    def _call(self, node: ast.Call) -> Iterator[str]:
        function = ast.unparse(node.func)
        if function.rpartition(".")[2] in ("import_module", "find_spec"):
            name = _text(node.args[0]) if node.args else ""
            if self._is_closed(name) or name.partition(".")[0] in ("os", "io"):
                yield f"imports {name}: take it from kreactor.jdk"
        elif function in ("sys.modules.get", "sys.modules.pop") and node.args and _text(
                node.args[0]) in CLOSED | {"os", "io"}:
            yield f"takes {_text(node.args[0])} from sys.modules: take it from kreactor.jdk"

    def _name(self, node: ast.Name) -> Iterator[str]:
        parent = self._parents.get(node)
        if node.id in ("__import__", "eval", "exec") and (self._path, node.id) not in GENERATED:
            yield f"uses {node.id}: write an import"
        elif node.id == "open" and isinstance(node.ctx, ast.Load):
            yield "opens a file: call Floor.io.open"
        elif node.id == "os" and "os" in self._imported and not isinstance(parent, ast.Attribute) and not (
                _asks_for_constant(parent)):
            yield "passes os on: call Floor.os"
        elif node.id in DOORS & self._imported and _stores(parent, node):
            if node.id == "Floor":
                yield "stores Floor: name it where it is used"

    def _attribute(self, node: ast.Attribute) -> Iterator[str]:
        parent, chain = self._parents.get(node), _chain(node)
        if chain[:1] == ["os"] and "os" in self._imported:
            if len(chain) == 2 and not _is_pure(chain[1]) or (
                    len(chain) == 3 and chain[1] == "path" and chain[2] not in OS_PATH):
                yield f"uses {'.'.join(chain)}: call Floor.{'.'.join(chain)}"
        elif chain[:1] == ["io"] and "io" in self._imported and len(chain) == 2 and chain[1] in IO:
            yield f"uses io.{chain[1]}: call Floor.io.{chain[1]}"
        elif chain[:2] == ["sys", "modules"] and isinstance(parent, ast.Subscript) and _text(
                parent.slice) in CLOSED | {"os", "io"}:
            yield f"takes {_text(parent.slice)} from sys.modules: take it from kreactor.jdk"
        elif chain and chain[0] not in DOORS and chain[0] in self._modules and set(chain[1:]) & (
                CLOSED | {"os"}):
            yield f"takes a module of Python from {chain[0]}: take a class of the floor"
        if node in self._in_annotations or isinstance(parent, ast.Attribute):
            return
        if chain and chain[0] in DOORS & self._imported:
            called = isinstance(parent, ast.Call) and parent.func is node
            is_class = isinstance(parent, (ast.ClassDef, ast.ExceptHandler)) or chain[-1][:1].isupper()
            if chain[:2] == ["Floor", "threading"]:
                yield "uses Floor.threading: take Lock, ReentrantLock, Condition or Thread of the floor"
            elif not called and not is_class and not _asks_for_constant(parent):
                yield f"stores {'.'.join(chain)}: call it where its result is needed"
        elif node.attr in METHODS and _stores(parent, node, self._parents):
            yield f"stores the method {node.attr}: call it where its result is needed"

    def _is_closed(self, module: str) -> bool:
        top = module.partition(".")[0]
        return top in CLOSED and not (top == "pathlib" and self._path in PATHS)


def _text(node: ast.AST) -> str:
    """Return the value of a string constant, or nothing."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _is_pure(name: str) -> bool:
    return name in OS or name.startswith("O_")


def _is_module(name: str) -> bool:
    path = Path(ROOT, *name.split("."))
    return path.with_suffix(".py").is_file() or path.is_dir()


def _asks_for_constant(node: ast.AST | None) -> bool:
    """Return whether a call asks a module for a constant by its name."""
    return (isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr")
            and len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
            and re.match("[A-Z]", str(node.args[1].value)) is not None)


def _chain(node: ast.AST) -> list[str]:
    """Return the names of ``a.b.c``, or nothing for another expression."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def _stores(parent: ast.AST | None, node: ast.AST, parents: dict[ast.AST, ast.AST] | None = None) -> bool:
    """Return whether a function that is not called becomes the value of a name or attribute, or a part of it.

    A function that is passed to a call counts if the call's result is stored, as with ``staticmethod``.
    """
    while parent is not None:
        if isinstance(parent, ast.Call) and parent.func is node:
            return False
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            return parent.value is node
        if isinstance(parent, ast.arguments):
            return node in parent.defaults or node in parent.kw_defaults
        if parents is None or not isinstance(parent, (
                ast.BoolOp, ast.Call, ast.Dict, ast.IfExp, ast.List, ast.Set, ast.Starred, ast.Tuple,
                ast.keyword)):
            return False
        node, parent = parent, parents.get(parent)
    return False

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which functions may call themselves, by the calls and annotations in their source.

A function's call of its own name counts unless the source tells that another class is called. A circle of
several functions counts if the source tells the class of each call in it. Calls of callbacks do not count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

KREACTOR = Path(__file__).resolve().parent.parent / "kreactor"
# The annotation of these names the classes of the elements.
_CONTAINERS = frozenset(("dict", "list", "deque", "set", "tuple", "Mapping", "Sequence", "Iterable",
                         "Collection", "OrderedDict", "Iterator", "MutableMapping", "ReadMostlyDict"))

Names = set[str] | None


class _Class:
    def __init__(self, module: str, node: ast.ClassDef) -> None:
        self.module = module
        self.name = node.name
        self.bases = [name for base in node.bases for name in _names(base) or ()]
        self.methods = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
        self.attributes: dict[str, Names] = {}
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                self.attributes[each.target.id] = _names(each.annotation)
        assigned = [part for method in self.methods.values() for part in ast.walk(method)
                    if isinstance(part, (ast.Assign, ast.AnnAssign))]
        for part in assigned:
            target = part.target if isinstance(part, ast.AnnAssign) else part.targets[0]
            if isinstance(target, ast.Attribute) and _is_self(target.value):
                if isinstance(part, ast.AnnAssign):
                    self.attributes[target.attr] = _names(part.annotation)
        for method in self.methods.values():
            parameters = _parameters(method)
            for part in ast.walk(method):
                if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Attribute) and _is_self(
                        part.targets[0].value):
                    self.attributes.setdefault(part.targets[0].attr, _plain_type(part.value, parameters))


class Calls:
    """The calls of each function in some folders. A function is named "module:Class.function"."""

    def __init__(self, *folders: str) -> None:
        self._classes: dict[str, list[_Class]] = {}
        self._derived: dict[str, set[str]] = {}
        self._functions: dict[str, tuple[str, _Class | None, ast.FunctionDef]] = {}
        self._methods: dict[str, set[str]] = {}
        for path in (path for folder in folders for path in sorted((KREACTOR / folder).rglob("*.py"))):
            module = path.relative_to(KREACTOR).with_suffix("").as_posix()
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in tree.body:
                if isinstance(node, ast.FunctionDef):
                    self._functions[f"{module}:{node.name}"] = module, None, node
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    owner = _Class(module, node)
                    self._classes.setdefault(owner.name, []).append(owner)
                    for base in owner.bases:
                        self._derived.setdefault(base, set()).add(owner.name)
                    for name, method in owner.methods.items():
                        self._functions[f"{module}:{owner.name}.{name}"] = module, owner, method
                        self._methods.setdefault(name, set()).add(f"{module}:{owner.name}.{name}")

    def itself(self) -> set[str]:
        """Return the functions that may call themselves directly."""
        return {name for name in self._functions if name in self._targets(name, guess=True)}

    def circles(self) -> set[frozenset[str]]:
        """Return the groups of several functions that call each other."""
        edges = {name: self._targets(name, guess=False) for name in self._functions}
        return {frozenset(group) for group in _components(edges) if len(group) > 1}

    def _targets(self, caller: str, guess: bool) -> set[str]:
        """Return the functions that ``caller`` calls. With ``guess`` an object of an unknown class has each
        class."""
        module, owner, function = self._functions[caller]
        variables = self._variables(owner, function)
        found: set[str] = set()
        for part in ast.walk(function):
            if not isinstance(part, ast.Call):
                continue
            if isinstance(part.func, ast.Name):
                found.add(f"{module}:{part.func.id}")
            elif isinstance(part.func, ast.Attribute) and not _is_super(part.func.value):
                known = self._types(part.func.value, owner, variables)
                if known is None:
                    found |= self._methods.get(part.func.attr, set()) if guess else set()
                else:
                    found |= {f"{each.module}:{each.name}.{part.func.attr}"
                              for each in self._family(known) if part.func.attr in each.methods}
        return found

    def _family(self, names: set[str]) -> list[_Class]:
        """Return classes, those above them and those below them."""
        found = set(names)
        for up in (True, False):
            waiting = list(names)
            while waiting:
                each = waiting.pop()
                more = ({base for known in self._classes.get(each, ()) for base in known.bases} if up
                        else self._derived.get(each, set())) - found
                waiting += more
                found |= more
        return [known for each in found for known in self._classes.get(each, ())]

    def _variables(self, owner: _Class | None, function: ast.FunctionDef) -> dict[str, Names]:
        variables = _parameters(function)
        for part in ast.walk(function):
            if isinstance(part, (ast.For, ast.comprehension)):
                types = self._types(part.iter, owner, variables)
                for target in ast.walk(part.target):
                    if isinstance(target, ast.Name):
                        variables[target.id] = types
            elif isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
                variables.setdefault(part.targets[0].id, self._types(part.value, owner, variables))
            elif isinstance(part, ast.NamedExpr):
                variables.setdefault(part.target.id, self._types(part.value, owner, variables))
        return variables

    def _types(self, node: ast.AST, owner: _Class | None, variables: dict[str, Names]) -> Names:
        """Return the names of the classes that a value or its elements may have, None if unknown."""
        if _is_self(node):
            return {owner.name} if owner else None
        if isinstance(node, ast.Attribute):
            if node.attr[:1].isupper():
                return {node.attr}
            above = self._types(node.value, owner, variables)
            known = [] if above is None else [
                each.attributes[node.attr] for each in self._family(above) if node.attr in each.attributes]
            return known[0] if known else None
        if isinstance(node, ast.Subscript):
            return self._types(node.value, owner, variables)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in (
                "list", "tuple", "reversed", "sorted", "iter", "next", "enumerate"):
            return self._types(node.args[0], owner, variables) if node.args else set()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.func.attr[
                :1].isupper():
            above = self._types(node.func.value, owner, variables)
            if above is None:
                return None
            methods = [each.methods[node.func.attr] for each in self._family(above)
                       if node.func.attr in each.methods]
            if methods:
                return _names(methods[0].returns)
            return above if above & _CONTAINERS else None
        return _plain_type(node, variables)


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _parameters(function: ast.FunctionDef) -> dict[str, Names]:
    """Return the class names of parameters and of annotated variables."""
    arguments = function.args
    found: dict[str, Names] = {
        each.arg: _names(each.annotation) if each.annotation else None
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    for part in ast.walk(function):
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            found[part.target.id] = _names(part.annotation)
    return found


def _plain_type(node: ast.AST, variables: dict[str, Names]) -> Names:
    if isinstance(node, ast.Name):
        return variables.get(node.id, {node.id} if node.id[:1].isupper() else None)
    if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        return {name} if name.lstrip("_")[:1].isupper() or name in _CONTAINERS else None
    if isinstance(node, (ast.Constant, ast.JoinedStr)):
        return set()
    return None


def _names(node: ast.AST | None) -> Names:
    """Return the names in an annotation, None without one."""
    if node is None:
        return None
    if isinstance(node, ast.Constant):
        return _names(ast.parse(node.value, mode="eval").body) if isinstance(node.value, str) else set()
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Attribute):
            found.add(part.attr)
    return None if found & {"Any", "object"} else found


def _components(edges: dict[str, set[str]]) -> Iterator[set[str]]:
    """Return the groups of functions that reach each other."""
    order: list[str] = []
    seen: set[str] = set()
    for start in edges:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(edges[start]))]
        while stack:
            node, targets = stack[-1]
            target = next((each for each in targets if each in edges and each not in seen), None)
            if target is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(target)
                stack.append((target, iter(edges[target])))
    callers: dict[str, set[str]] = {node: set() for node in edges}
    for node, targets_of in edges.items():
        for target in targets_of & edges.keys():
            callers[target].add(node)
    assigned: set[str] = set()
    for start in reversed(order):
        if start not in assigned:
            group, waiting = {start}, [start]
            while waiting:
                more = callers[waiting.pop()] - assigned - group
                group |= more
                waiting += more
            assigned |= group
            yield group

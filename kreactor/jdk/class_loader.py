# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.lang.ClassLoader``: finds a class by its name; each thread has a loader that its look-ups use.

A look-up imports the class's module, and so runs its code. A Java class path holds only what the operator
put there. Python's path holds the working folder and the whole standard library as well, so that a name from
a client could run any of that. ``NamedClassLoader`` finds only classes that it was made for.

Any thread may use a loader. ``use_class_loader`` puts one in force for its own thread and its own block.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar


class ClassLoader:
    """Finds any class that Python finds."""

    def load_class(self, name: str) -> type:
        """Return the class of this name, ``package.module.Class``.

        Raises ImportError if there is no such class, or whatever the import of its module raises.
        """
        module_name, _, rest = name.rpartition(".")
        attributes = [rest]
        loaded: object = None
        while module_name:
            try:
                loaded = importlib.import_module(module_name)
                break
            except ModuleNotFoundError as e:
                # Only what was asked for may be missing; what it imports in turn may not.
                if e.name is None or not (module_name == e.name or module_name.startswith(e.name + ".")):
                    raise
                module_name, _, rest = module_name.rpartition(".")
                attributes.insert(0, rest)
        for attribute in attributes:
            loaded = getattr(loaded, attribute, None)
        if not isinstance(loaded, type):
            raise ImportError(f"there is no class {name}", name=name)
        return loaded


class NamedClassLoader(ClassLoader):
    """Finds the classes of some packages, and those that are named to it. It imports nothing else."""

    def __init__(self, packages: Sequence[str], names: Iterable[str] = ()) -> None:
        """``packages`` are whole packages, with those below; ``names`` are names of classes."""
        self._prefixes = tuple(f"{package}." for package in packages)
        # Replaced, never changed, so that a reader needs no lock.
        self._names = frozenset(names)

    def add_allowed_names(self, names: Iterable[str]) -> None:
        """Find these classes, too."""
        self._names |= frozenset(names)

    def load_class(self, name: str) -> type:
        """As ``ClassLoader``. Raises ImportError for a class that may not be found, and imports nothing."""
        if name in self._names:
            return super().load_class(name)
        # A __main__ is a program, which runs when it is imported.
        if not name.startswith(self._prefixes) or any(part.startswith("__") for part in name.split(".")):
            raise ImportError(f"class {name} is not one that may be named here", name=name)
        loaded = super().load_class(name)
        # A module of ours has names of other modules in it.
        if not loaded.__module__.startswith(self._prefixes):
            raise ImportError(f"class {name} is not one that may be named here", name=name)
        return loaded


_ANY = ClassLoader()
_context: ContextVar[ClassLoader] = ContextVar("class_loader", default=_ANY)


def context_class_loader() -> ClassLoader:
    """Return the loader that is in force on this thread."""
    return _context.get()


@contextlib.contextmanager
def use_class_loader(loader: ClassLoader) -> Iterator[None]:
    """Have ``loader`` in force on this thread for as long as the block lasts."""
    token = _context.set(loader)
    try:
        yield
    finally:
        _context.reset(token)

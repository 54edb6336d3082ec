# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.lang.ClassLoader``: finds a class by its name. Each thread's look-ups use its context loader.

A look-up imports the class's module, and so runs the module's code. A Java class path holds only what the
operator put there. Python's path also holds the working folder and the whole standard library, so a name from
a client could run any of their modules. ``NamedClassLoader`` finds only the classes that it was made for.

Any thread may use a loader. ``use_class_loader`` sets the calling thread's loader for one block.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar


class ClassLoader:
    """Finds every class that Python finds."""

    def load_class(self, name: str) -> type:
        """Return the class of this name, ``package.module.Class``.

        Raises ImportError if there is no such class, or the exception of the module's import.
        """
        module_name, _, rest = name.rpartition(".")
        attributes = [rest]
        loaded: object = None
        while module_name:
            try:
                loaded = importlib.import_module(module_name)
                break
            except ModuleNotFoundError as e:
                # Only the named module may be missing; a missing module that it imports is an error.
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
    """Finds the classes of given packages, and given classes. It imports nothing else."""

    def __init__(self, packages: Sequence[str], names: Iterable[str] = ()) -> None:
        """``packages`` are packages including their subpackages; ``names`` are names of classes."""
        self._prefixes = tuple(f"{package}." for package in packages)
        # Replaced, never changed, so that readers need no lock.
        self._names = frozenset(names)

    def add_allowed_names(self, names: Iterable[str]) -> None:
        """Allow these classes, too."""
        self._names |= frozenset(names)

    def load_class(self, name: str) -> type:
        """As ``ClassLoader``. Raises ImportError for a class that is not allowed, and imports nothing."""
        if name in self._names:
            return super().load_class(name)
        # A ``__main__`` module is a program that runs when it is imported.
        if not name.startswith(self._prefixes) or any(part.startswith("__") for part in name.split(".")):
            raise ImportError(f"class {name} is not allowed here", name=name)
        loaded = super().load_class(name)
        # A module of kreactor also has names that it imported from other modules.
        if not loaded.__module__.startswith(self._prefixes):
            raise ImportError(f"class {name} is not allowed here", name=name)
        return loaded


_ANY = ClassLoader()
_context: ContextVar[ClassLoader] = ContextVar("class_loader", default=_ANY)


def context_class_loader() -> ClassLoader:
    """Return the current thread's loader."""
    return _context.get()


@contextlib.contextmanager
def use_class_loader(loader: ClassLoader) -> Iterator[None]:
    """Make ``loader`` the current thread's loader for the block."""
    token = _context.set(loader)
    try:
        yield
    finally:
        _context.reset(token)

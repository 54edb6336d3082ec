# Licensed under the Apache License, Version 2.0; see LICENSE.
"""How a tool gets an environment with the packages that it needs."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "tools"
NEEDED = ("click", "crc32c", "rich")


def ensure_environment() -> None:
    """Continue in the environment of tools/test if this Python lacks kreactor's requirements."""
    if not sys.platform.startswith("linux"):
        raise SystemExit("This measures on Linux only: it uses epoll and /proc.")
    ensure_packages(*NEEDED)


def ensure_packages(*names: str, extras: Sequence[str] = ("demo", "test")) -> None:
    """Go on, in the environment with the extras if this Python lacks one of the packages.

    Where only the help is asked for, prints the head of the script instead of making the environment.
    """
    if _are_there(names):
        return
    if {"-h", "--help"}.intersection(sys.argv[1:]):
        print((sys.modules["__main__"].__doc__ or "").strip())
        raise SystemExit(0)
    made = subprocess.run([TOOLS / "environment", *extras], stdout=subprocess.PIPE, text=True)
    if made.returncode:
        raise SystemExit(made.returncode)
    python = os.path.join(made.stdout.strip(), "python")
    importlib.invalidate_caches()
    if os.path.realpath(sys.prefix) == os.path.realpath(ROOT / ".venv") and not _are_there(names):
        raise SystemExit(f"{python} has not all of {', '.join(names)}.")
    os.execv(python, [python, *sys.argv])


def _are_there(names: Iterable[str]) -> bool:
    return all(importlib.util.find_spec(name) for name in names)


def script(name: str) -> ModuleType:
    """Return a tool without a suffix, such as ``checks/sidebyside``, as a module."""
    module = f"tools.{name.replace('/', '.')}"
    if module not in sys.modules:
        spec = importlib.util.spec_from_loader(module, SourceFileLoader(module, str(TOOLS / name)))
        assert spec is not None and spec.loader is not None
        sys.modules[module] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[module])
    return sys.modules[module]

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The scripts in tools/ as modules."""

from __future__ import annotations

from types import ModuleType

from tools.environments import TOOLS, script

__all__ = ["TOOLS", "load"]


def load(name: str) -> ModuleType:
    """Return the script ``name`` of tools/, such as ``checks/fidelity``, without running it."""
    return script(name)

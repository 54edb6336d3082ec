# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The scripts in tools/: their names, and each as a module, which ``load`` does not run."""

from __future__ import annotations

import os

from tools.environments import TOOLS, script as load

__all__ = ["TOOLS", "load", "names"]


def names() -> list[str]:
    """Return the names of the scripts, such as ``checks/fidelity``."""
    return sorted(path.relative_to(TOOLS).as_posix() for path in TOOLS.rglob("*")
                  if path.is_file() and not path.suffix and os.access(path, os.X_OK))

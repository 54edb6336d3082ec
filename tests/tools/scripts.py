# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The scripts in tools/ as modules."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def load(name: str) -> ModuleType:
    """Return the script of that name, which has no suffix, without running it."""
    if str(TOOLS) not in sys.path:
        sys.path.append(str(TOOLS))
    module_name = f"tools_{name}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_loader(module_name, SourceFileLoader(module_name, str(TOOLS / name)))
        assert spec is not None and spec.loader is not None
        module = sys.modules[module_name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[module_name]

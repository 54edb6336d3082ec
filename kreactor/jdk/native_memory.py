# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Accounts for memory of C libraries, which PyPy's collector does not see.

PyPy collects when its own heap has grown. So a small object that owns a mapping or a codec's state is freed
late, and such objects accumulate. CPython's reference counting frees them at once.
"""

__all__ = ["account"]

try:
    from __pypy__ import add_memory_pressure as account  # type: ignore[import-not-found]
except ImportError:
    def account(size: int) -> None:
        """Tell the collector that a new object owns ``size`` bytes outside its heap."""

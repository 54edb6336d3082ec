# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Memory that libraries in C allocate, which the collector of PyPy does not see.

PyPy collects when its own heap has grown. An object of a few bytes that owns a mapping, or the state of a
codec, is freed late: such objects pile up. CPython's count of references frees them at once.
"""

__all__ = ["account"]

try:
    from __pypy__ import add_memory_pressure as account  # type: ignore[import-not-found]
except ImportError:
    def account(size: int) -> None:
        """Tell the collector that a new object owns ``size`` bytes outside its heap."""

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A Kafka broker inside a test's process, and a clock that the test moves.

Python imports a name's module when the name is first used. A pytest run without a broker loads none.
The word PYTEST_DONT_REWRITE is explained in ``pytest_plugin``.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kreactor.testing.broker import Broker, Snapshot
    from kreactor.testing.cluster import Cluster
    from kreactor.testing.faults import Close, Delay, Drop, Error, SlowReader, Split, Truncate
    from kreactor.testing.mock_time import MockTime
    from kreactor.testing.received import ReceivedRequest
    from kreactor.testing.record import Record

    __all__ = ["Broker", "Close", "Cluster", "Delay", "Drop", "Error", "MockTime", "ReceivedRequest",
               "Record", "SlowReader", "Snapshot", "Split", "Truncate"]

_MODULES = {
    **dict.fromkeys(("Broker", "Snapshot"), "broker"),
    **dict.fromkeys(("Close", "Delay", "Drop", "Error", "SlowReader", "Split", "Truncate"), "faults"),
    "Cluster": "cluster",
    "MockTime": "mock_time",
    "ReceivedRequest": "received",
    "Record": "record",
}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        # pdoc looks up these names in the module's dictionary.
        for each in _MODULES:
            globals()[each] = __getattr__(each)
        return __dir__()
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(load(module), name)


def load(module: str) -> ModuleType:
    """Import a module of this folder."""
    import gc
    from importlib import import_module

    # An import leaves almost no garbage, but the collector would take a sixth of its time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return import_module(f"{__name__}.{module}")
    finally:
        if was_enabled:
            gc.enable()


def __dir__() -> list[str]:
    return sorted(_MODULES)

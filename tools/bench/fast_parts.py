# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Runs `kreactor` with one part of kreactor.fast alone.

    python -m tools.bench.fast_parts PART serve --fast ...

PART is one of PARTS.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from kreactor.cli import main
from kreactor.core.server.api_version_manager import DefaultApiVersionManager
from kreactor.fast import socket_server
from kreactor.fast.api_version_manager import FastApiVersionManager
from kreactor.fast.nio_selector import LazyNioSelector
from kreactor.fast.selector import FastSelector
from kreactor.fast.sensor_feed import SensorFeed
from kreactor.jdk.concurrent import ArrayBlockingQueue
from kreactor.jdk.nio_selector import Selector


def _without_queue() -> None:
    setattr(socket_server, "OneAtATimeQueue", ArrayBlockingQueue)


def _without_write() -> None:
    FastSelector._write_first = lambda self: False  # type: ignore[method-assign]


def _without_interest() -> None:
    LazyNioSelector._apply_interest = Selector._apply_interest  # type: ignore[method-assign]


def _without_sensors() -> None:
    SensorFeed.feed = lambda self, sensor: sensor  # type: ignore[method-assign]


def _without_encoding() -> None:
    FastApiVersionManager.api_version_response = (  # type: ignore[method-assign]
        DefaultApiVersionManager.api_version_response)


# The function that takes each part out, by the part's name.
PARTS: Mapping[str, Callable[[], None]] = {
    "queue": _without_queue, "write": _without_write, "interest": _without_interest,
    "sensors": _without_sensors, "encoding": _without_encoding}


def keep_only(part: str) -> None:
    """Take all other parts out. Raises KeyError for an unknown part."""
    kept = PARTS[part]
    for take_out in PARTS.values():
        if take_out is not kept:
            take_out()


if __name__ == "__main__":
    keep_only(sys.argv.pop(1))
    main(prog_name="kreactor")

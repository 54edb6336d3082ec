# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker with one of the fast parts, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.bench.fast_parts import PARTS

ROOT = Path(__file__).parents[3]

# Prints which parts a fast broker has.
SAID = """
import sys
from tools.bench import fast_parts
fast_parts.keep_only(sys.argv[1])
from kreactor.fast.api_version_manager import SharedApiVersionsResponse
from kreactor.fast.nio_selector import LazyNioSelector
from kreactor.fast.request_queue import OneAtATimeQueue
from kreactor.jdk.nio_selector import Selector
from kreactor.testing import Broker
with Broker(fast=True) as broker:
    server = broker.server().socket_server()
    [processor] = server._data_plane_processors()
    selector = processor.selector
    found = {
        "queue": isinstance(server.data_plane_request_channel._request_queue, OneAtATimeQueue),
        "write": selector._write_first.__name__ == "_write_first",
        "interest": LazyNioSelector._apply_interest is not Selector._apply_interest,
        "sensors": type(selector._sensors.select_time).__name__ == "_FedSensor",
        "encoding": type(server.api_version_manager.api_version_response(0)) is SharedApiVersionsResponse}
print(*(part for part, is_there in found.items() if is_there))
"""


@pytest.mark.parametrize("part", PARTS)
def test_one_part_is_left(part: str) -> None:
    done = subprocess.run([sys.executable, "-c", SAID, part], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                          check=True)
    assert done.stdout.split() == [part]

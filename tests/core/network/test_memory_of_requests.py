# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The memory that a client makes resident in the broker is bounded by the bytes that it has sent.

A process of its own says how much it grew: what other tests had is no part of it.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.core.server.kafka_config import KafkaConfig

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

MB = 1 << 20

BEGIN = """
    import os, socket, struct, sys
    from kreactor.common.protocol.api_keys import ApiKeys
    from kreactor.testing import Broker

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def peak():
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))

    def answer(connection):
        size = connection.recv(4, socket.MSG_WAITALL)
        left = struct.unpack(">i", size)[0] if size else 0
        length = left
        while left:
            left -= len(connection.recv(min(left, 1 << 20)))
        return length

    def ask_api_versions(connection):
        connection.sendall(struct.pack(">ihhih", 10, 18, 0, 7, -1))
        assert answer(connection)
"""


def run(program: str, *arguments: object) -> int:
    """Return the number that a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(BEGIN) + textwrap.dedent(program), *map(str, arguments)],
        stdout=subprocess.PIPE, timeout=300, check=True)
    return int(done.stdout)


@pytest.mark.parametrize("size", [100_000, 900_000, 4_000_000])
def test_sizes_alone_make_nothing_resident(size: int) -> None:
    grown = run("""
        with Broker() as broker:
            address = (broker.host, broker.port)
            asking = socket.create_connection(address)
            ask_api_versions(asking)
            before = resident()
            connections = []
            for _ in range(300):
                connections.append(socket.create_connection(address))
                connections[-1].sendall(struct.pack(">i", int(sys.argv[1])))
            broker.wait_for(lambda: len(broker.connections()) == 301, 120)
            # The first may be answered before the sizes are read, the next ones come in later rounds.
            for _ in range(3):
                ask_api_versions(asking)
            print(resident() - before)
            for connection in [*connections, asking]:
                connection.close()
    """, size)
    assert grown < min(25 * MB, 300 * size // 2)


@pytest.mark.parametrize("elements, most", [(3_300_000, 60 * MB), (249_000, 250 * MB)])
def test_an_array_of_many_elements(elements: int, most: int) -> None:
    # Three bytes for each of a request's topics. Beside the memory for the request itself, the client has it.
    grown = run("""
        elements = int(sys.argv[1])
        count, rest = b"", elements + 1
        while rest > 127:
            count, rest = count + bytes([rest & 127 | 128]), rest >> 7
        body = (struct.pack(">hhihbib", 2, 8, 1, -1, 0, -1, 0) + count + bytes([rest])
                + bytes([1, 1, 0]) * elements + bytes([0]))
        with Broker(max_requests=1) as broker:
            with socket.create_connection((broker.host, broker.port)) as connection:
                before = peak()
                connection.sendall(struct.pack(">i", len(body)) + body)
                is_answered = answer(connection) > 0
                assert is_answered is (elements < 250_000)
            print(peak() - before)
    """, elements)
    assert grown < most


def test_the_limit_is_a_setting() -> None:
    def limit(**props: str) -> int:
        return KafkaConfig.from_props({
            "broker.id": "1", "listeners": "PLAINTEXT://:0", **props}).request_max_elements()

    name = "kreactor.request.max.elements"
    assert limit() == 250_000
    assert limit(**{name: "7"}) == 7
    for wrong in ("0", "-1", "many"):
        with pytest.raises(ConfigException, match=name):
            limit(**{name: wrong})

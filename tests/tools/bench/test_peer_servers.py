# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import importlib.util
import socket
import sys

import pytest

from tools import servers
from tools.bench import peer_servers

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures on Linux only")

REQUEST = servers.API_VERSIONS[4:]
ID = b"\0\0\0\x07"


@pytest.mark.parametrize("work, size, expected", [
    ("answer", 11, b"\0\0\0\x07" + ID + bytes(3)),
    ("echo", 12, b"\0\0\0\x08" + ID + b"test"),
    ("frame", 18, servers.API_VERSIONS),
])
def test_work(work, size, expected):
    assert b"".join(peer_servers.handler(work, size)(REQUEST)) == expected


@pytest.mark.parametrize("work, expected", [("answer", ID + bytes(4)), ("echo", ID + b"test")])
@pytest.mark.parametrize("name", peer_servers.PEERS)
def test_peers(name, work, expected):
    if name.startswith("uvloop") and importlib.util.find_spec("uvloop") is None:
        pytest.skip("uvloop is not installed")
    with servers.peer(name, 12, work) as server:
        for _ in range(2):
            with socket.create_connection((server.host, server.port)) as connection:
                for _ in range(2):
                    connection.sendall(servers.API_VERSIONS)
                    assert servers.read_frame(connection) == expected

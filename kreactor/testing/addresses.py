# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The addresses of a broker in tests, as its settings have them before the start."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping

from kreactor.jdk.floor import Floor

# The host of a broker without ``listeners``.
HOST = "127.0.0.1"
_WILDCARDS = ("", "0.0.0.0", "::", "0:0:0:0:0:0:0:0")
_LISTENER = re.compile(r"[^:/,]*://\[?([^,/\]]*)\]?:(\d+)\s*")
_HIGHEST_PORT = 65_535


def check_port(name: str, port: int) -> int:
    """Return ``port``. Raises TypeError or ValueError, with the argument's name, if it is not a port."""
    if not isinstance(port, int) or isinstance(port, bool):
        raise TypeError(f"{name}: {port!r} is not a number")
    if not 0 <= port <= _HIGHEST_PORT:
        raise ValueError(f"{name}: {port} is not between 0 and {_HIGHEST_PORT}")
    return port


def client_host(host: str) -> str:
    """Return the host at which clients of this machine reach a listener: 127.0.0.1 for a wildcard."""
    return HOST if host in _WILDCARDS else host


def first_address(properties: Mapping[str, str]) -> tuple[str, int]:
    """Return host and port of the first of ``listeners``; 0 for a port that the start chooses."""
    found = _addresses(properties, "listeners")
    return (client_host(found[0][0]), found[0][1]) if found else (HOST, 0)


def certificate_hosts(properties: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names and the IP addresses under which clients reach the broker, for its certificate."""
    names, addresses = ["localhost"], [HOST]
    for host, _ in (*_addresses(properties, "listeners"), *_addresses(properties, "advertised.listeners")):
        try:
            addresses.append(str(ipaddress.ip_address(host)))
        except ValueError:
            # The broker advertises a listener without a host by the machine's name.
            names.append(host or Floor.socket.getfqdn())
    return tuple(dict.fromkeys(names)), tuple(dict.fromkeys(addresses))


def _addresses(properties: Mapping[str, str], name: str) -> list[tuple[str, int]]:
    """Return the addresses of a list of listeners, [] if it is malformed: the start raises the error."""
    found = [_LISTENER.fullmatch(each) for each in properties.get(name, "").split(",")]
    return [(each[1], int(each[2])) for each in found if each is not None] if all(found) else []

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The registry of editions: their names, their releases, and the settings that each does not support.

Importing this module loads no edition. ``Edition.open`` loads its edition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from kreactor.common.config.config_exception import ConfigException

if TYPE_CHECKING:
    from kreactor.editions.edition_server import EditionSocketServer, Surroundings

# The settings of the network layer that came after 0.10.1.1, with the release that brought each.
_SINCE: Mapping[str, str] = {
    "inter.broker.listener.name": "0.10.2",
    "listener.security.protocol.map": "0.10.2",
    "queued.max.request.bytes": "1.0",
    "connection.failed.authentication.delay.ms": "2.1",
    "connections.max.reauth.ms": "2.2",
    "control.plane.listener.name": "2.2",
    "max.connections": "2.3",
    "max.connection.creation.rate": "2.7",
    "socket.listen.backlog.size": "3.2",
    "early.start.listeners": "3.3",
    "kreactor.fast": "3.8",
}
_LISTENER_PREFIX = "listener.name."
# These belong to the broker, not to one listener. Settings of TLS and SASL do not depend on the edition.
_OF_A_LISTENER_SINCE: Mapping[str, str] = {"num.network.threads": "3.2"}


@dataclass(frozen=True)
class Edition:
    """A release whose network layer kreactor can run."""

    # The name for users, such as "0.10.2".
    name: str
    # The ported release, such as "0.10.2.2".
    tag: str
    # The module with ``open_server``; "" for 3.8.0, the main port.
    module: str
    # Whether the selector looks for bytes that TLS has buffered; without that, TLS 1.3 stalls after its
    # handshake.
    has_tls_1_3: bool = True

    def unknown_properties(self) -> Mapping[str, str]:
        """Return the settings that this release lacks, with the release that introduced each."""
        return {name: since for name, since in _SINCE.items() if _version(since) > _version(self.name)}

    def check(self, properties: Iterable[str]) -> None:
        """Raise ConfigException if a later release introduced one of ``properties``."""
        for name in properties:
            since = _since(name)
            if _version(since) > _version(self.name):
                raise ConfigException(
                    f"{name}: the network layer of Kafka {self.tag} does not know it, which came with "
                    f"{since}. Leave it out, or run a later edition")

    def open(self, surroundings: Surroundings) -> EditionSocketServer:
        """Return the bound listeners, with running threads. Raises KafkaException, OSError."""
        server: EditionSocketServer = import_module(self.module).open_server(surroundings)
        return server


def _since(name: str) -> str:
    """Return the release that introduced a setting, "0" if it is older than all editions."""
    if not name.startswith(_LISTENER_PREFIX):
        return _SINCE.get(name, "0")
    found = [since for known, since in (*_SINCE.items(), *_OF_A_LISTENER_SINCE.items())
             if name.endswith("." + known)]
    return max(("0", *found), key=_version)


def _version(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.split("."))


# The name of the main port's edition.
CURRENT = "3.8"

EDITIONS: Mapping[str, Edition] = {edition.name: edition for edition in (
    Edition("0.10.1", "0.10.1.1", "kreactor.editions.v0_10_1.edition", False),
    Edition("0.10.2", "0.10.2.2", "kreactor.editions.v0_10_2.edition", False),
    Edition("1.0", "1.0.2", "kreactor.editions.v1_0.edition"),
    Edition("2.2", "2.2.2", "kreactor.editions.v2_2.edition"),
    Edition(CURRENT, "3.8.0", ""),
)}

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The broker of ``kreactor serve --control``: the user's properties and data folder, and a control port."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kreactor.common.network.listener_name import ListenerName
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing.broker import HOST, Broker, Snapshot
from kreactor.testing.control import Control, check_address
from kreactor.testing.inside import Inside

if TYPE_CHECKING:
    from kreactor.common.security.scram.scram_credential import ScramCredential
    from kreactor.embedded.scram_credentials import Key


class _FolderBroker(Broker):
    """A broker that keeps its folder. The port is not reserved while it is stopped."""

    def __init__(self, properties: Mapping[str, str], scram_users: Mapping[Key, ScramCredential]) -> None:
        super().__init__()
        self._properties = dict(properties)
        self._scram_users = dict(scram_users)

    def start(self) -> Broker:
        with self._lock:
            if self._inside is not None:
                raise IllegalStateException("the broker runs")
            # After the first start with the ports that were free.
            bound = {} if self._listeners is None else {"listeners": self._listeners}
            self._inside = Inside({**self._properties, **bound}, self._requests, self.faults, self.time,
                                  self._scram_users)
            listeners = self._inside.listeners()
            self._listeners = ",".join(f"{name}://{host}:{port}" for name, host, port in listeners)
            _, host, self.port = listeners[0]
            # A client cannot connect to an address of all interfaces.
            self.host = HOST if host in ("", "0.0.0.0", "::") else host
            self.partitions = self._inside.server.config().num_partitions()
        return self

    def close(self) -> None:
        self.stop(0)

    @property
    def folder(self) -> str | None:
        return self._properties.get("log.dirs") or self._properties.get("log.dir")

    def snapshot(self) -> Snapshot:
        raise IllegalStateException("snapshots are for brokers whose folder goes with the test")


class ServedBroker:
    """A broker and its control port, which start and stop as a BrokerServer does."""

    def __init__(self, config: KafkaConfig, properties: Mapping[str, str],
                 scram_users: Mapping[Key, ScramCredential], host: str, port: int, token: str | None) -> None:
        """Touch nothing yet. ``config`` is made of ``properties``. Raises ValueError as Control."""
        check_address(host, token)
        self._config = config
        self._broker = _FolderBroker(properties, scram_users)
        self._address = host, port, token
        self._control: Control | None = None

    def startup(self) -> None:
        """Serve. Raises as BrokerServer, and ValueError or OSError for the control port."""
        host, port, token = self._address
        self._broker.start()
        try:
            self._control = Control(self._broker, host, port, token)
        except BaseException:
            self._broker.close()
            raise

    def shutdown(self) -> None:
        """Stop both."""
        control, self._control = self._control, None
        if control is not None:
            control.close()
        self._broker.stop()

    def config(self) -> KafkaConfig:
        """Return the settings."""
        return self._config

    def bound_port(self, listener_name: ListenerName | str) -> int:
        """Return the port of a listener."""
        return self._broker.server().bound_port(listener_name)

    def control_url(self) -> str:
        """Return where the control port is. Raises IllegalStateException before the start."""
        if self._control is None:
            raise IllegalStateException("the control port is not open")
        return self._control.url

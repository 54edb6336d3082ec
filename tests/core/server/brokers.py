# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Brokers for tests: on a port of their own, with a data folder of the test's."""

from __future__ import annotations

import os
from collections.abc import Mapping

from kreactor.common.utils.time import Time
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.wire import Wire

HOST = "127.0.0.1"


def broker_config(folder: str | os.PathLike[str], overrides: Mapping[str, str] | None = None) -> KafkaConfig:
    """Return the settings of a small broker."""
    return KafkaConfig.from_props({
        "broker.id": "1",
        "listeners": f"PLAINTEXT://{HOST}:0",
        "log.dirs": str(folder),
        "num.network.threads": "1",
        "num.io.threads": "2",
        "background.threads": "1",
        "offsets.topic.num.partitions": "5",
        **(overrides or {}),
    })


def new_broker(folder: str | os.PathLike[str], overrides: Mapping[str, str] | None = None,
               time: Time = Time.SYSTEM) -> BrokerServer:
    """Return a broker that has not started; it is a context manager that starts and stops it."""
    return BrokerServer(broker_config(folder, overrides), time)


def connect(broker: BrokerServer, listener: str = "PLAINTEXT", timeout_s: float = 120.0) -> Wire:
    """Return a connection to a broker."""
    return Wire(HOST, broker.bound_port(listener), timeout_s)

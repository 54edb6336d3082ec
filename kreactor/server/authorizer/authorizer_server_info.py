# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.authorizer.AuthorizerServerInfo of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The facts about the broker that an authorizer gets."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from kreactor.common.endpoint import Endpoint


class AuthorizerServerInfo(NamedTuple):
    """The cluster, the broker and its listeners. ``early_start_listeners`` start without waiting for the
    authorizer.

    :origin: server.authorizer.AuthorizerServerInfo
    :origin: server.authorizer.AuthorizerServerInfo#brokerId()
    :origin: server.authorizer.AuthorizerServerInfo#endpoints()
    :origin: server.authorizer.AuthorizerServerInfo#interBrokerEndpoint()
    :origin: server.authorizer.AuthorizerServerInfo#earlyStartListeners()
    """

    cluster_id: str
    broker_id: int
    endpoints: Collection[Endpoint]
    inter_broker_endpoint: Endpoint | None
    early_start_listeners: Collection[str]

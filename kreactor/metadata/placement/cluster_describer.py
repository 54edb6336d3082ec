# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.placement.ClusterDescriber of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The brokers of a cluster, as a placer sees them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from kreactor.metadata.placement.default_dir_provider import DefaultDirProvider
from kreactor.metadata.placement.usable_broker import UsableBroker


class ClusterDescriber(DefaultDirProvider, Protocol):
    """:origin: metadata.placement.ClusterDescriber
    :origin: metadata.placement.ClusterDescriber#defaultDir(int)
    """

    def usable_brokers(self) -> Iterator[UsableBroker]:
        """Return the brokers on which replicas can be placed, including fenced ones.

        :origin: metadata.placement.ClusterDescriber#usableBrokers()
        """
        ...

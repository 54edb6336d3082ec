# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.ClusterResourceListener of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""How an interceptor, a metrics reporter or a serializer gets to know the cluster's id."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.cluster_resource import ClusterResource


class ClusterResourceListener(ABC):
    """Implemented, beside its own interface, by a plugin that wants to know the cluster's id.

    :origin: common.ClusterResourceListener
    """

    @abstractmethod
    def on_update(self, cluster_resource: ClusterResource) -> None:
        """Take the id, each time that new metadata has come. Called by the client's network thread.

        :origin: common.ClusterResourceListener#onUpdate(ClusterResource)
        """

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.ClusterResourceListener of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface by which interceptors, metrics reporters and serializers receive the cluster's id."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.cluster_resource import ClusterResource


class ClusterResourceListener(ABC):
    """A plug-in implements this besides its own interface to receive the cluster's id.

    :origin: common.ClusterResourceListener
    """

    @abstractmethod
    def on_update(self, cluster_resource: ClusterResource) -> None:
        """Receive the id. Called by the client's network thread for each new metadata.

        :origin: common.ClusterResourceListener#onUpdate(ClusterResource)
        """

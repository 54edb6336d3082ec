# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.internals.ClusterResourceListeners of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The plug-ins of a client that receive the cluster's id."""

from __future__ import annotations

from collections.abc import Iterable

from kreactor.common.cluster_resource import ClusterResource
from kreactor.common.cluster_resource_listener import ClusterResourceListener


class ClusterResourceListeners:
    """Listeners in the order of their addition. The thread that creates the client fills it.

    :origin: common.internals.ClusterResourceListeners
    """

    def __init__(self) -> None:
        """Start without listeners.

        :origin: common.internals.ClusterResourceListeners#ClusterResourceListeners()
        """
        self._cluster_resource_listeners: list[ClusterResourceListener] = []

    def maybe_add(self, candidate: object) -> None:
        """Add the candidate if it is a ClusterResourceListener.

        :origin: common.internals.ClusterResourceListeners#maybeAdd(Object)
        """
        if isinstance(candidate, ClusterResourceListener):
            self._cluster_resource_listeners.append(candidate)

    def maybe_add_all(self, candidate_list: Iterable[object]) -> None:
        """Add the candidates that are ClusterResourceListeners.

        :origin: common.internals.ClusterResourceListeners#maybeAddAll(List<?>)
        """
        for candidate in candidate_list:
            self.maybe_add(candidate)

    def on_update(self, cluster: ClusterResource) -> None:
        """Call all listeners. After an exception of one, the later ones are not called.

        :origin: common.internals.ClusterResourceListeners#onUpdate(ClusterResource)
        """
        for cluster_resource_listener in self._cluster_resource_listeners:
            cluster_resource_listener.on_update(cluster)

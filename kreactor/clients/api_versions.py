# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.ApiVersions of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The API versions of each node. NetworkClient fills them, other classes read them.

Called by any thread; one lock guards both fields.
"""

from __future__ import annotations

from kreactor.clients.node_api_versions import NodeApiVersions
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.jdk.locks import ReentrantLock


class ApiVersions:
    """The versions by node id, and the newest batch format that every node takes.

    :origin: clients.ApiVersions
    """

    def __init__(self) -> None:
        """Start without nodes."""
        self._lock = ReentrantLock()
        self._node_api_versions: dict[str, NodeApiVersions] = {}
        self._max_usable_produce_magic = RecordBatch.CURRENT_MAGIC_VALUE

    def update(self, node_id: str, node_api_versions: NodeApiVersions) -> None:
        """Set the versions of a node.

        :origin: clients.ApiVersions#update(String, NodeApiVersions)
        """
        with self._lock:
            self._node_api_versions[node_id] = node_api_versions
            self._max_usable_produce_magic = self._compute_max_usable_produce_magic()

    def remove(self, node_id: str) -> None:
        """Remove a node; does nothing for an unknown node.

        :origin: clients.ApiVersions#remove(String)
        """
        with self._lock:
            self._node_api_versions.pop(node_id, None)
            self._max_usable_produce_magic = self._compute_max_usable_produce_magic()

    def get(self, node_id: str) -> NodeApiVersions | None:
        """Return the versions of a node, or None for an unknown node.

        :origin: clients.ApiVersions#get(String)
        """
        with self._lock:
            return self._node_api_versions.get(node_id)

    def _compute_max_usable_produce_magic(self) -> int:
        """Return the newest batch format that every known node accepts. The caller holds the lock.

        :origin: clients.ApiVersions#computeMaxUsableProduceMagic()
        """
        # A controller of a Raft quorum does not serve Produce, so its versions do not count.
        known = [ProduceRequest.required_magic_for_version(versions.latest_usable_version(ApiKeys.PRODUCE))
                 for versions in self._node_api_versions.values()
                 if versions.api_version(ApiKeys.PRODUCE) is not None]
        return min(RecordBatch.CURRENT_MAGIC_VALUE, min(known, default=RecordBatch.CURRENT_MAGIC_VALUE))

    def max_usable_produce_magic(self) -> int:
        """Return the newest batch format that every known node accepts.

        :origin: clients.ApiVersions#maxUsableProduceMagic()
        """
        # A read of one field needs no lock.
        return self._max_usable_produce_magic

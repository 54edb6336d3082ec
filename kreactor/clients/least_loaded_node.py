# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.LeastLoadedNode of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The node for a client's next request, if there is one. Immutable."""

from __future__ import annotations

from kreactor.common.node import Node


class LeastLoadedNode:
    """A node, and whether any connection is ready.

    :origin: clients.LeastLoadedNode
    """

    __slots__ = ("_node", "_at_least_one_connection_ready")

    def __init__(self, node: Node | None, at_least_one_connection_ready: bool) -> None:
        """Store both arguments; ``node`` is None if no node can take a request now.

        :origin: clients.LeastLoadedNode#LeastLoadedNode(Node, boolean)
        """
        self._node = node
        self._at_least_one_connection_ready = at_least_one_connection_ready

    def node(self) -> Node | None:
        """Return the node, or None.

        :origin: clients.LeastLoadedNode#node()
        """
        return self._node

    def has_node_available_or_connection_ready(self) -> bool:
        """Return whether there is such a node, or a ready connection that is only too busy now.

        :origin: clients.LeastLoadedNode#hasNodeAvailableOrConnectionReady()
        """
        return self._node is not None or self._at_least_one_connection_ready

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.Node of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker as clients and other brokers know it."""

from __future__ import annotations


class Node:
    """The id of a broker with its host, port and rack. Immutable.

    :origin: common.Node
    """

    __slots__ = ("_id", "_id_string", "_host", "_port", "_rack", "_hash")

    _NO_NODE: Node

    def __init__(self, id_: int, host: str | None, port: int, rack: str | None = None) -> None:
        """Keep the fields. ``rack`` is None for no rack.

        :origin: common.Node#Node(int, String, int)
        :origin: common.Node#Node(int, String, int, String)
        """
        self._id = id_
        self._id_string = str(id_)
        self._host = host
        self._port = port
        self._rack = rack
        self._hash: int | None = None

    @staticmethod
    def no_node() -> Node:
        """Return the node that represents "no node" in responses.

        :origin: common.Node#noNode()
        """
        return Node._NO_NODE

    def is_empty(self) -> bool:
        """Return whether the node has no host or no port, as in ``no_node``.

        :origin: common.Node#isEmpty()
        """
        return not self._host or self._port < 0

    def id(self) -> int:
        """Return the id.

        :origin: common.Node#id()
        """
        return self._id

    def id_string(self) -> str:
        """Return the id as text, which a client uses as the id of the connection.

        :origin: common.Node#idString()
        """
        return self._id_string

    def host(self) -> str | None:
        """Return the host.

        :origin: common.Node#host()
        """
        return self._host

    def port(self) -> int:
        """Return the port.

        :origin: common.Node#port()
        """
        return self._port

    def has_rack(self) -> bool:
        """Return whether the node has a rack.

        :origin: common.Node#hasRack()
        """
        return self._rack is not None

    def rack(self) -> str | None:
        """Return the rack, or None.

        :origin: common.Node#rack()
        """
        return self._rack

    def __hash__(self) -> int:
        """Return the cached hash of the compared fields.

        :origin: common.Node#hashCode()
        """
        result = self._hash
        if result is None:
            self._hash = result = hash((self._host, self._id, self._port, self._rack))
        return result

    def __eq__(self, other: object) -> bool:
        """Compare id, host, port and rack.

        :origin: common.Node#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, Node):
            return False
        return (self._id == other._id and self._port == other._port and self._host == other._host
                and self._rack == other._rack)

    def __str__(self) -> str:
        """Return host, port, id and rack.

        :origin: common.Node#toString()
        """
        host = "null" if self._host is None else self._host
        rack = "null" if self._rack is None else self._rack
        return f"{host}:{self._port} (id: {self._id_string} rack: {rack})"

    __repr__ = __str__


Node._NO_NODE = Node(-1, "", -1)

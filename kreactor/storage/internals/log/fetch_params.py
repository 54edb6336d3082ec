# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.FetchParams of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The parameters of a fetch for all its partitions."""

from __future__ import annotations

from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.replica.client_metadata import ClientMetadata
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation

# CPython 3.11 takes 90 ns to look up an attribute of an enum.
_READ_COMMITTED, _HIGH_WATERMARK = IsolationLevel.READ_COMMITTED, FetchIsolation.HIGH_WATERMARK


class FetchParams:
    """Immutable. ``min_bytes`` and ``max_bytes`` are for the whole response.

    :origin: storage.internals.log.FetchParams
    """

    __slots__ = ("request_version", "replica_id", "replica_epoch", "max_wait_ms", "min_bytes", "max_bytes",
                 "isolation", "client_metadata")

    def __init__(self, request_version: int, replica_id: int, replica_epoch: int, max_wait_ms: int,
                 min_bytes: int, max_bytes: int, isolation: FetchIsolation,
                 client_metadata: ClientMetadata | None = None) -> None:
        """
        :origin: storage.internals.log.FetchParams#FetchParams(short, int, long, long, int, int, FetchIsolation, Optional<ClientMetadata>)
        """  # noqa: E501
        self.request_version = request_version
        self.replica_id = replica_id
        self.replica_epoch = replica_epoch
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.isolation = isolation
        # None if the client cannot be redirected to another replica.
        self.client_metadata = client_metadata

    def is_from_follower(self) -> bool:
        """Return whether the reader is a replica.

        :origin: storage.internals.log.FetchParams#isFromFollower()
        """
        return self.replica_id >= 0

    def is_from_consumer(self) -> bool:
        """Return whether the reader is a consumer.

        :origin: storage.internals.log.FetchParams#isFromConsumer()
        """
        return FetchRequest.is_consumer(self.replica_id)

    def fetch_only_leader(self) -> bool:
        """Return whether only the leader may respond.

        :origin: storage.internals.log.FetchParams#fetchOnlyLeader()
        """
        return self.is_from_follower() or (self.is_from_consumer() and self.client_metadata is None)

    def hard_max_bytes_limit(self) -> bool:
        """Return whether even the first batch is cut at the size limit: the oldest clients expect that.

        :origin: storage.internals.log.FetchParams#hardMaxBytesLimit()
        """
        return self.request_version <= 2

    def __str__(self) -> str:
        """:origin: storage.internals.log.FetchParams#toString()"""
        return (f"FetchParams(requestVersion={self.request_version}, replicaId={self.replica_id}, "
                f"replicaEpoch={self.replica_epoch}, maxWaitMs={self.max_wait_ms}, "
                f"minBytes={self.min_bytes}, maxBytes={self.max_bytes}, isolation={self.isolation.name}, "
                f"clientMetadata={self.client_metadata})")


def isolation_of(request: FetchRequest) -> FetchIsolation:
    """Return the isolation of a request. Raises IllegalArgumentException for an unknown isolation level.

    :origin: storage.internals.log.FetchIsolation#of(FetchRequest)
    :origin: storage.internals.log.FetchIsolation#of(int, IsolationLevel)
    """
    isolation_level = request.isolation_level()
    if not FetchRequest.is_consumer(request.replica_id()):
        return FetchIsolation.LOG_END
    if isolation_level is _READ_COMMITTED:
        return FetchIsolation.TXN_COMMITTED
    return _HIGH_WATERMARK

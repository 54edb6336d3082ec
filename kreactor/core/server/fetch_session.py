# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.FetchSession of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What a fetch request means: all its partitions, as this node keeps no sessions.

KIP-227 lets a client ask for a session, so that it need not name all its partitions each time, and lets a
broker refuse by giving it the number 0. This one always does, as Kafka's does when its cache is full. A
client that goes on in a session it believes to have is told that there is none, and asks anew.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import Callable

from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.fetch_metadata import FetchMetadata
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.core.utils.logging import Logging

_SESSIONS = "no sessions are kept"

OMITTED = {
    "kafka.server.FetchSession": _SESSIONS,
    "kafka.server.CachedPartition": _SESSIONS,
    "kafka.server.FullFetchContext": _SESSIONS,
    "kafka.server.IncrementalFetchContext": _SESSIONS,
    "kafka.server.LastUsedKey": _SESSIONS,
    "kafka.server.EvictableKey": _SESSIONS,
    "kafka.server.FetchSessionCacheShard": _SESSIONS,
    "kafka.server.FetchSessionCache": _SESSIONS,
}

ReqMap = Mapping[TopicIdPartition, FetchRequest.PartitionData]
RespMap = Mapping[TopicIdPartition, FetchResponseData.PartitionData]
PartitionFunction = Callable[[TopicIdPartition, FetchRequest.PartitionData], object]


def partitions_to_log_string(partitions: Collection[TopicIdPartition], trace_enabled: bool) -> str:
    """Return which they are, or at least how many.

    :origin: kafka.server.FetchSession#partitionsToLogString
    """
    if trace_enabled:
        return f"({', '.join(map(str, partitions))})"
    return f"{len(partitions)} partition(s)"


class FetchContext(Logging, ABC):
    """One fetch request: what it asks for, and what its answer looks like. Used by one thread at a time.

    :origin: kafka.server.FetchContext
    """

    __slots__ = ()

    @abstractmethod
    def get_fetch_offset(self, part: TopicIdPartition) -> int | None:
        """Return from where a partition is to be read.

        :origin: kafka.server.FetchContext#getFetchOffset
        """

    @abstractmethod
    def foreach_partition(self, fun: PartitionFunction) -> None:
        """Call ``fun`` with each partition in turn.

        :origin: kafka.server.FetchContext#foreachPartition
        """

    @abstractmethod
    def get_response_size(self, updates: RespMap, version_id: int) -> int:
        """Return how large the answer with ``updates`` will be, in bytes.

        :origin: kafka.server.FetchContext#getResponseSize
        """

    @abstractmethod
    def update_and_generate_response_data(self, updates: RespMap) -> FetchResponse:
        """Return the answer with ``updates``, which may have to be converted yet.

        :origin: kafka.server.FetchContext#updateAndGenerateResponseData
        """

    def partitions_to_log_string(self, partitions: Collection[TopicIdPartition]) -> str:
        """:origin: kafka.server.FetchContext#partitionsToLogString"""
        return partitions_to_log_string(partitions, self.is_trace_enabled())

    def get_throttled_response(self, throttle_time_ms: int) -> FetchResponse:
        """Return the answer to a client that has to wait: nothing.

        :origin: kafka.server.FetchContext#getThrottledResponse
        """
        return FetchResponse.of(Errors.NONE, throttle_time_ms, FetchMetadata.INVALID_SESSION_ID, {})


class SessionErrorContext(FetchContext):
    """A request in a session that there is not.

    :origin: kafka.server.SessionErrorContext
    """

    __slots__ = ("error_", "req_metadata")

    def __init__(self, error: Errors, req_metadata: FetchMetadata) -> None:
        """:origin: kafka.server.SessionErrorContext#SessionErrorContext"""
        self.error_ = error
        self.req_metadata = req_metadata

    def get_fetch_offset(self, part: TopicIdPartition) -> int | None:
        """:origin: kafka.server.SessionErrorContext#getFetchOffset"""
        return None

    def foreach_partition(self, fun: PartitionFunction) -> None:
        """:origin: kafka.server.SessionErrorContext#foreachPartition"""

    def get_response_size(self, updates: RespMap, version_id: int) -> int:
        """:origin: kafka.server.SessionErrorContext#getResponseSize"""
        return FetchResponse.size_of(version_id, ())

    def update_and_generate_response_data(self, updates: RespMap) -> FetchResponse:
        """Which partitions the request meant is not known.

        :origin: kafka.server.SessionErrorContext#updateAndGenerateResponseData
        """
        self.debug("session error fetch context returning %s", self.error_)
        return FetchResponse.of(self.error_, 0, FetchMetadata.INVALID_SESSION_ID, {})


class SessionlessFetchContext(FetchContext):
    """A request that names all its partitions.

    :origin: kafka.server.SessionlessFetchContext
    """

    __slots__ = ("fetch_data",)

    def __init__(self, fetch_data: ReqMap) -> None:
        """:origin: kafka.server.SessionlessFetchContext#SessionlessFetchContext"""
        self.fetch_data = fetch_data

    def get_fetch_offset(self, part: TopicIdPartition) -> int | None:
        """:origin: kafka.server.SessionlessFetchContext#getFetchOffset"""
        data = self.fetch_data.get(part)
        return None if data is None else data.fetch_offset

    def foreach_partition(self, fun: PartitionFunction) -> None:
        """:origin: kafka.server.SessionlessFetchContext#foreachPartition"""
        for tp, data in self.fetch_data.items():
            fun(tp, data)

    def get_response_size(self, updates: RespMap, version_id: int) -> int:
        """:origin: kafka.server.SessionlessFetchContext#getResponseSize"""
        return FetchResponse.size_of(version_id, updates.items())

    def update_and_generate_response_data(self, updates: RespMap) -> FetchResponse:
        """:origin: kafka.server.SessionlessFetchContext#updateAndGenerateResponseData"""
        if self.is_debug_enabled():
            self.debug("sessionless fetch context returning %s",
                       self.partitions_to_log_string(updates.keys()))
        return FetchResponse.of(Errors.NONE, 0, FetchMetadata.INVALID_SESSION_ID, updates)


class FetchManager(Logging):
    """Makes the context of a request. For use by any thread.

    :origin: kafka.server.FetchManager
    """

    def __init__(self, time: Time) -> None:
        """:origin: kafka.server.FetchManager#FetchManager"""
        self._time = time

    def new_context(self, req_version: int, req_metadata: FetchMetadata, is_follower: bool,
                    fetch_data: ReqMap, to_forget: Collection[TopicIdPartition],
                    topic_names: Mapping[Uuid, str]) -> FetchContext:
        """Return what a request of ``req_version`` with this place in a session means.

        :origin: kafka.server.FetchManager#newContext
        """
        # DEVIATION D84: one that asks for a session is answered as one that asks for none.
        if req_metadata.is_full():
            if self.is_debug_enabled():
                self.debug("created a new full fetch context with %s",
                           self._partitions_to_log_string(fetch_data.keys()))
            return SessionlessFetchContext(fetch_data)
        self.debug("session error for %d: no such session ID found", req_metadata.session_id())
        return SessionErrorContext(Errors.FETCH_SESSION_ID_NOT_FOUND, req_metadata)

    def _partitions_to_log_string(self, partitions: Collection[TopicIdPartition]) -> str:
        """:origin: kafka.server.FetchManager#partitionsToLogString"""
        return partitions_to_log_string(partitions, self.is_trace_enabled())

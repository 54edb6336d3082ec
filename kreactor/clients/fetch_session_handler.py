# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.FetchSessionHandler of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The client's side of a fetch session: the partitions that a request to a node has to name.

A broker with sessions (KIP-227) remembers the partitions of a client's first request, which is full. The next
requests are incremental: they name the new, the changed and the dropped partitions. The handler keeps the
partitions that the broker should remember, and begins a new session when the two may differ.

Owner: the thread that polls the client of the node, or the thread that holds that client's lock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, KeysView, Mapping, Set
from types import MappingProxyType
from typing import TypeVar

from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.fetch_metadata import FetchMetadata
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalStateException

T = TypeVar("T")


class FetchSessionHandler:
    """The session with one node.

    :origin: clients.FetchSessionHandler
    """

    def __init__(self, log_context: LogContext, node: int) -> None:
        """Start without a session; ``node`` is the id of the broker.

        :origin: clients.FetchSessionHandler#FetchSessionHandler(LogContext, int)
        """
        self._log = log_context.logger(FetchSessionHandler)
        self._node = node
        # The session id and the epoch of the next request.
        self._next_metadata = FetchMetadata.INITIAL
        # The partitions that the broker should remember, in the order of sending.
        self._session_partitions: dict[TopicPartition, FetchRequest.PartitionData] = {}
        # Empty while the session uses topic names instead of topic ids.
        self._session_topic_names: Mapping[Uuid, str] = {}

    def session_id(self) -> int:
        """Return the id of the session of the next request. For tests.

        :origin: clients.FetchSessionHandler#sessionId()
        """
        return self._next_metadata.session_id()

    def session_topic_names(self) -> Mapping[Uuid, str]:
        """Return the names of the session's topics by id; empty if the session uses no ids.

        :origin: clients.FetchSessionHandler#sessionTopicNames()
        """
        return self._session_topic_names

    class FetchRequestData:
        """The partitions of a request. Immutable, except for a session that is not copied.

        :origin: clients.FetchSessionHandler.FetchRequestData
        """

        __slots__ = ("_to_send", "_to_forget", "_to_replace", "_session_partitions", "_metadata",
                     "_can_use_topic_ids")

        def __init__(self, to_send: Mapping[TopicPartition, FetchRequest.PartitionData],
                     to_forget: list[TopicIdPartition], to_replace: list[TopicIdPartition],
                     session_partitions: Mapping[TopicPartition, FetchRequest.PartitionData],
                     metadata: FetchMetadata, can_use_topic_ids: bool) -> None:
            """:origin: clients.FetchSessionHandler.FetchRequestData#FetchRequestData(
                Map<TopicPartition,PartitionData>, List<TopicIdPartition>, List<TopicIdPartition>,
                Map<TopicPartition,PartitionData>, FetchMetadata, boolean)
            """
            self._to_send = to_send
            self._to_forget = to_forget
            self._to_replace = to_replace
            self._session_partitions = session_partitions
            self._metadata = metadata
            self._can_use_topic_ids = can_use_topic_ids

        def to_send(self) -> Mapping[TopicPartition, FetchRequest.PartitionData]:
            """Return the partitions to name, in the order in which the broker should serve them.

            :origin: clients.FetchSessionHandler.FetchRequestData#toSend()
            """
            return self._to_send

        def to_forget(self) -> list[TopicIdPartition]:
            """Return the partitions that the broker should forget.

            :origin: clients.FetchSessionHandler.FetchRequestData#toForget()
            """
            return self._to_forget

        def to_replace(self) -> list[TopicIdPartition]:
            """Return the partitions of recreated topics, with their old topic ids.

            :origin: clients.FetchSessionHandler.FetchRequestData#toReplace()
            """
            return self._to_replace

        def session_partitions(self) -> Mapping[TopicPartition, FetchRequest.PartitionData]:
            """Return all partitions of the session.

            :origin: clients.FetchSessionHandler.FetchRequestData#sessionPartitions()
            """
            return self._session_partitions

        def metadata(self) -> FetchMetadata:
            """Return the session and its epoch.

            :origin: clients.FetchSessionHandler.FetchRequestData#metadata()
            """
            return self._metadata

        def can_use_topic_ids(self) -> bool:
            """Return whether every topic of the session has an id.

            :origin: clients.FetchSessionHandler.FetchRequestData#canUseTopicIds()
            """
            return self._can_use_topic_ids

        def __str__(self) -> str:
            """:origin: clients.FetchSessionHandler.FetchRequestData#toString()"""
            to_send = _joined(self._to_send)
            if self._metadata.is_full():
                text = f"FullFetchRequest(toSend=({to_send}"
            else:
                implied = _joined(partition for partition in self._session_partitions
                                  if partition not in self._to_send)
                text = (f"IncrementalFetchRequest(toSend=({to_send}), toForget=({_joined(self._to_forget)}), "
                        f"toReplace=({_joined(self._to_replace)}), implied=({implied}")
            return f"{text}), canUseTopicIds={self._can_use_topic_ids})"

    class Builder:
        """Collects the partitions that a client wants to fetch, for one request.

        :origin: clients.FetchSessionHandler.Builder
        """

        def __init__(self, handler: FetchSessionHandler, copy_session_partitions: bool = True) -> None:
            """:origin: clients.FetchSessionHandler.Builder#Builder()
            :origin: clients.FetchSessionHandler.Builder#Builder(int, boolean)
            """
            self._handler = handler
            # None once the request is built.
            self._next: dict[TopicPartition, FetchRequest.PartitionData] | None = {}
            self._topic_names: dict[Uuid, str] = {}
            self._copy_session_partitions = copy_session_partitions
            self._partitions_without_topic_ids = 0

        def add(self, topic_partition: TopicPartition, data: FetchRequest.PartitionData) -> None:
            """Add a partition; a second call for it keeps its place. Raises IllegalStateException once built.

            :origin: clients.FetchSessionHandler.Builder#add(TopicPartition, PartitionData)
            """
            self._partitions_to_build()[topic_partition] = data
            if data.topic_id == Uuid.ZERO_UUID:
                self._partitions_without_topic_ids += 1
            else:
                self._topic_names.setdefault(data.topic_id, topic_partition.topic())

        def build(self) -> FetchSessionHandler.FetchRequestData:
            """Return the request, and store its partitions as those of the session.

            Raises IllegalStateException at a second call.

            :origin: clients.FetchSessionHandler.Builder#build()
            """
            handler = self._handler
            log = handler._log
            next_ = self._partitions_to_build()
            can_use_topic_ids = self._partitions_without_topic_ids == 0

            if handler._next_metadata.is_full():
                if log.is_debug_enabled():
                    log.debug("full fetch %s of node %d: %s", handler._next_metadata, handler._node,
                              handler._topic_partitions_to_log_string(next_))
                handler._session_partitions = next_
                self._next = None
                handler._session_topic_names = self._topic_names if can_use_topic_ids else {}
                to_send = MappingProxyType(dict(handler._session_partitions))
                return FetchSessionHandler.FetchRequestData(
                    to_send, [], [], to_send, handler._next_metadata, can_use_topic_ids)

            added: list[TopicIdPartition] = []
            removed: list[TopicIdPartition] = []
            altered: list[TopicIdPartition] = []
            replaced: list[TopicIdPartition] = []
            for topic_partition, prev_data in list(handler._session_partitions.items()):
                next_data = next_.pop(topic_partition, None)
                if next_data is not None:
                    # A changed partition moves to the end of the partitions to send, behind the new ones. If
                    # its topic has another id, the request also forgets the old one, from version 13 on.
                    if (prev_data.topic_id != next_data.topic_id
                            and prev_data.topic_id != Uuid.ZERO_UUID
                            and next_data.topic_id != Uuid.ZERO_UUID):
                        next_[topic_partition] = next_data
                        handler._session_partitions[topic_partition] = next_data
                        replaced.append(TopicIdPartition(prev_data.topic_id, topic_partition))
                    elif prev_data != next_data:
                        next_[topic_partition] = next_data
                        handler._session_partitions[topic_partition] = next_data
                        altered.append(TopicIdPartition(next_data.topic_id, topic_partition))
                else:
                    del handler._session_partitions[topic_partition]
                    removed.append(TopicIdPartition(prev_data.topic_id, topic_partition))
                    # A request with topic ids can forget a partition only by its topic id.
                    if can_use_topic_ids and prev_data.topic_id == Uuid.ZERO_UUID:
                        can_use_topic_ids = False
            for topic_partition, next_data in next_.items():
                if topic_partition in handler._session_partitions:
                    # Session partitions come last, so no new partition follows.
                    break
                handler._session_partitions[topic_partition] = next_data
                added.append(TopicIdPartition(next_data.topic_id, topic_partition))

            # The broker detects wrong ids, and a session that changes between ids and names.
            handler._session_topic_names = self._topic_names if can_use_topic_ids else {}

            if log.is_debug_enabled():
                log.debug("incremental fetch %s of node %d: added %s, altered %s, removed %s, replaced %s, "
                          "in the session %s", handler._next_metadata, handler._node,
                          handler._topic_id_partitions_to_log_string(added),
                          handler._topic_id_partitions_to_log_string(altered),
                          handler._topic_id_partitions_to_log_string(removed),
                          handler._topic_id_partitions_to_log_string(replaced),
                          handler._topic_partitions_to_log_string(handler._session_partitions))
            cur_session_partitions = MappingProxyType(
                dict(handler._session_partitions) if self._copy_session_partitions
                else handler._session_partitions)
            self._next = None
            return FetchSessionHandler.FetchRequestData(
                MappingProxyType(next_), removed, replaced, cur_session_partitions, handler._next_metadata,
                can_use_topic_ids)

        def _partitions_to_build(self) -> dict[TopicPartition, FetchRequest.PartitionData]:
            """Return the partitions. Raises IllegalStateException once the request is built."""
            if self._next is None:
                raise IllegalStateException("the request is built already")
            return self._next

    def new_builder(self, copy_session_partitions: bool = True) -> Builder:
        """Return a builder of the next request.

        Without ``copy_session_partitions`` the request's view of the session changes with the next request.

        :origin: clients.FetchSessionHandler#newBuilder()
        :origin: clients.FetchSessionHandler#newBuilder(int, boolean)
        """
        return FetchSessionHandler.Builder(self, copy_session_partitions)

    def _topic_partitions_to_log_string(self, partitions: Collection[TopicPartition]) -> str:
        """:origin: clients.FetchSessionHandler#topicPartitionsToLogString(Collection<TopicPartition>)"""
        if not self._log.is_trace_enabled():
            return f"{len(partitions)} partition(s)"
        return f"({_joined(partitions)})"

    def _topic_id_partitions_to_log_string(self, partitions: Collection[TopicIdPartition]) -> str:
        """:origin: clients.FetchSessionHandler#topicIdPartitionsToLogString(Collection<TopicIdPartition>)"""
        if not self._log.is_trace_enabled():
            return f"{len(partitions)} partition(s)"
        return f"({_joined(partitions)})"

    @staticmethod
    def find_missing(to_find: Iterable[T], to_search: Set[T]) -> list[T]:
        """Return the elements of one set that are not in another, in the order of the first.

        :origin: clients.FetchSessionHandler#findMissing(Set<T>, Set<T>)
        """
        return [to_find_item for to_find_item in to_find if to_find_item not in to_search]

    def verify_full_fetch_response_partitions(self, topic_partitions: Set[TopicPartition], ids: Set[Uuid],
                                              version: int) -> str | None:
        """Return the problem of a full response, or None if it has exactly the session's partitions.

        :origin: clients.FetchSessionHandler#verifyFullFetchResponsePartitions(
            Set<TopicPartition>, Set<Uuid>, short)
        """
        extra = self.find_missing(topic_partitions, self._session_partitions.keys())
        omitted = self.find_missing(self._session_partitions, topic_partitions)
        extra_ids = self.find_missing(ids, self._session_topic_names.keys()) if version >= 13 else []
        text = ""
        if omitted:
            text += f"omittedPartitions=({_joined(omitted)}), "
        if extra:
            text += f"extraPartitions=({_joined(extra)}), "
        if extra_ids:
            text += f"extraIds=({_joined(extra_ids)}), "
        if omitted or extra or extra_ids:
            return f"{text}response=({_joined(topic_partitions)})"
        return None

    def verify_incremental_fetch_response_partitions(self, topic_partitions: Set[TopicPartition],
                                                     ids: Set[Uuid], version: int) -> str | None:
        """Return the problem of an incremental response, or None if it has only session partitions.

        :origin: clients.FetchSessionHandler#verifyIncrementalFetchResponsePartitions(
            Set<TopicPartition>, Set<Uuid>, short)
        """
        extra_ids = self.find_missing(ids, self._session_topic_names.keys()) if version >= 13 else []
        extra = self.find_missing(topic_partitions, self._session_partitions.keys())
        text = ""
        if extra:
            text += f"extraPartitions=({_joined(extra)}), "
        if extra_ids:
            text += f"extraIds=({_joined(extra_ids)}), "
        if extra or extra_ids:
            return f"{text}response=({_joined(topic_partitions)})"
        return None

    def _response_data_to_log_string(self, topic_partitions: Set[TopicPartition]) -> str:
        """:origin: clients.FetchSessionHandler#responseDataToLogString(Set<TopicPartition>)"""
        if not self._log.is_trace_enabled():
            implied = len(self._session_partitions) - len(topic_partitions)
            if implied > 0:
                return (f" with {len(topic_partitions)} response partition(s), "
                        f"{implied} implied partition(s)")
            return f" with {len(topic_partitions)} response partition(s)"
        implied_partitions = [
            partition for partition in self._session_partitions if partition not in topic_partitions]
        suffix = f", implied=({_joined(implied_partitions)})" if implied_partitions else ""
        return f" with response=({_joined(topic_partitions)}){suffix}"

    def handle_response(self, response: FetchResponse, version: int) -> bool:
        """Update the session from a response; return whether the response can be used.

        :origin: clients.FetchSessionHandler#handleResponse(FetchResponse, short)
        """
        log, node = self._log, self._node
        if response.error() is not Errors.NONE:
            log.info("node %d refuses fetch %s: %s", node, self._next_metadata, response.error())
            if response.error() is Errors.FETCH_SESSION_ID_NOT_FOUND:
                self._next_metadata = FetchMetadata.INITIAL
            else:
                self._next_metadata = self._next_metadata.next_close_existing_attempt_new()
            return False
        topic_partitions = response.response_data(self._session_topic_names, version).keys()
        if self._next_metadata.is_full():
            if not topic_partitions and response.throttle_time_ms() > 0:
                # This is not an error: a broker that throttles the client sends this response (KIP-219), and
                # makes no session.
                if log.is_debug_enabled():
                    log.debug("node %d answers a full fetch with nothing, to throttle this client for %d ms",
                              node, response.throttle_time_ms())
                self._next_metadata = FetchMetadata.INITIAL
                return False
            problem = self.verify_full_fetch_response_partitions(
                topic_partitions, response.topic_ids(), version)
            if problem is not None:
                log.info("node %d answers a full fetch wrongly: %s", node, problem)
                self._next_metadata = FetchMetadata.INITIAL
                return False
            if response.session_id() == FetchMetadata.INVALID_SESSION_ID:
                if log.is_debug_enabled():
                    log.debug("node %d answers a full fetch%s", node,
                              self._response_data_to_log_string(topic_partitions))
                self._next_metadata = FetchMetadata.INITIAL
                return True
            if log.is_debug_enabled():
                log.debug("node %d answers a full fetch, and begins session %d%s", node,
                          response.session_id(), self._response_data_to_log_string(topic_partitions))
            self._next_metadata = FetchMetadata.new_incremental(response.session_id())
            return True
        problem = self.verify_incremental_fetch_response_partitions(
            topic_partitions, response.topic_ids(), version)
        if problem is not None:
            log.info("node %d answers an incremental fetch wrongly: %s", node, problem)
            self._next_metadata = self._next_metadata.next_close_existing_attempt_new()
            return False
        if response.session_id() == FetchMetadata.INVALID_SESSION_ID:
            if log.is_debug_enabled():
                log.debug("node %d answers an incremental fetch, and ends session %d%s", node,
                          self._next_metadata.session_id(),
                          self._response_data_to_log_string(topic_partitions))
            self._next_metadata = FetchMetadata.INITIAL
            return True
        # The response may be empty because the broker throttles the client; an incremental response is valid
        # even then.
        if log.is_debug_enabled():
            log.debug("node %d answers an incremental fetch of session %d, with a throttle time of %d ms%s",
                      node, response.session_id(), response.throttle_time_ms(),
                      self._response_data_to_log_string(topic_partitions))
        self._next_metadata = self._next_metadata.next_incremental()
        return True

    def handle_error(self, t: BaseException) -> None:
        """Handle a failed request: the next request begins a new session.

        :origin: clients.FetchSessionHandler#handleError(Throwable)
        """
        self._log.info("fetch %s of node %d fails", self._next_metadata, self._node, exc=t)
        self._next_metadata = self._next_metadata.next_close_existing_attempt_new()

    def session_topic_partitions(self) -> KeysView[TopicPartition]:
        """Return a live view of the session's partitions.

        :origin: clients.FetchSessionHandler#sessionTopicPartitions()
        """
        return self._session_partitions.keys()


def _joined(items: Iterable[object]) -> str:
    return ", ".join(map(str, items))

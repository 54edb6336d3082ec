# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.ProducerMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A producer's metadata of the topics that it writes to. Idle topics expire.

Threads that call ``send`` add topics and wait here; the Sender stores responses and wakes them. The lock of
Metadata guards all fields. The condition on this lock is notified when the version, the fatal error or the
closed flag changes. No wake-up is lost, because a waiting thread reads all three under the lock before it
waits.
"""

from __future__ import annotations

from collections.abc import KeysView, Set

from kreactor.clients.metadata import Metadata
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.locks import Condition

_LONG_MAX_VALUE = 2**63 - 1


class ProducerMetadata(Metadata):
    """Metadata of topics that expire when idle. Called by any thread.

    :origin: clients.producer.internals.ProducerMetadata
    """

    def __init__(self, refresh_backoff_ms: int, refresh_backoff_max_ms: int, metadata_expire_ms: int,
                 metadata_idle_ms: int, log_context: LogContext,
                 cluster_resource_listeners: ClusterResourceListeners, time: Time) -> None:
        """Start without topics. A topic expires ``metadata_idle_ms`` after its last ``add``.

        :origin: clients.producer.internals.ProducerMetadata#ProducerMetadata(
            long, long, long, long, LogContext, ClusterResourceListeners, Time)
        """
        super().__init__(refresh_backoff_ms, refresh_backoff_max_ms, metadata_expire_ms, log_context,
                         cluster_resource_listeners)
        self._metadata_idle_ms = metadata_idle_ms
        # The expiry time of each topic.
        self._topics: dict[str, int] = {}
        # Topics without a response so far, in the order in which they were added.
        self._new_topics: dict[str, None] = {}
        # :origin: clients.producer.internals.ProducerMetadata#log
        self._producer_log = log_context.logger(ProducerMetadata)
        self._time = time
        self._changed = Condition(self._lock)

    def new_metadata_request_builder(self) -> MetadataRequest.Builder:
        """Return the request for all topics of the producer.

        :origin: clients.producer.internals.ProducerMetadata#newMetadataRequestBuilder()
        """
        with self._lock:
            return MetadataRequest.Builder.for_topics(list(self._topics), True)

    def new_metadata_request_builder_for_new_topics(self) -> MetadataRequest.Builder:
        """Return the request for the new topics.

        :origin: clients.producer.internals.ProducerMetadata#newMetadataRequestBuilderForNewTopics()
        """
        with self._lock:
            return MetadataRequest.Builder.for_topics(list(self._new_topics), True)

    def add(self, topic: str, now_ms: int) -> None:
        """Renew a topic's expiry time; request its metadata at once if it is new.

        :origin: clients.producer.internals.ProducerMetadata#add(String, long)
        """
        expire_ms = now_ms + self._metadata_idle_ms
        if self._topics.get(topic) == expire_ms:
            # Another record of this millisecond has renewed it already.
            return
        with self._lock:
            known = topic in self._topics
            self._topics[topic] = expire_ms
            if not known:
                self._new_topics[topic] = None
                self.request_update_for_new_topics()

    def request_update_for_topic(self, topic: str) -> int:
        """Request an update: of the new topics at once if this topic is new, else of all.

        Return the current version.

        :origin: clients.producer.internals.ProducerMetadata#requestUpdateForTopic(String)
        """
        with self._lock:
            if topic in self._new_topics:
                return self.request_update_for_new_topics()
            return self.request_update(False)

    def topics(self) -> KeysView[str]:
        """Return the topics, as a live view. For tests.

        :origin: clients.producer.internals.ProducerMetadata#topics()
        """
        with self._lock:
            return self._topics.keys()

    def new_topics(self) -> Set[str]:
        """Return the new topics, as a live view. For tests.

        :origin: clients.producer.internals.ProducerMetadata#newTopics()
        """
        with self._lock:
            return self._new_topics.keys()

    def contains_topic(self, topic: str) -> bool:
        """Return whether a topic was added and has not expired.

        :origin: clients.producer.internals.ProducerMetadata#containsTopic(String)
        """
        with self._lock:
            return topic in self._topics

    def retain_topic(self, topic: str, is_internal: bool, now_ms: int) -> bool:
        """Return whether a topic is new, or has not expired; remove it if it has.

        :origin: clients.producer.internals.ProducerMetadata#retainTopic(String, boolean, long)
        """
        with self._lock:
            expire_ms = self._topics.get(topic)
            if expire_ms is None:
                return False
            if topic in self._new_topics:
                return True
            if expire_ms <= now_ms:
                self._producer_log.debug("%s: not used any more, its metadata expired at %s, now %s", topic,
                                         expire_ms, now_ms)
                del self._topics[topic]
                return False
            return True

    def await_update(self, last_version: int, timeout_ms: int) -> None:
        """Wait for a version after ``last_version``, for at most ``timeout_ms``.

        Raises TimeoutException after the time-out, KafkaException once closed, and the fatal error.

        :origin: clients.producer.internals.ProducerMetadata#awaitUpdate(int, long)
        """
        with self._lock:
            current_time_ms = self._time.milliseconds()
            deadline_ms = min(current_time_ms + timeout_ms, _LONG_MAX_VALUE)

            def updated() -> bool:
                # The caller handles the errors of topics, because it knows its topic.
                self.maybe_throw_fatal_exception()
                return self.update_version() > last_version or self.is_closed()

            self._time.wait_object(self._changed, updated, deadline_ms)

            if self.is_closed():
                raise KafkaException("Requested metadata update after close")

    def update(self, request_version: int, response: MetadataResponse, is_partial_update: bool,
               now_ms: int) -> None:
        """Process a response, and wake all waiting threads.

        :origin: clients.producer.internals.ProducerMetadata#update(int, MetadataResponse, boolean, long)
        """
        with self._lock:
            super().update(request_version, response, is_partial_update, now_ms)

            # A topic with an error is not new any more, because the error has requested a full update.
            if self._new_topics:
                for metadata in response.topic_metadata():
                    self._new_topics.pop(metadata.topic(), None)

            self._changed.notify_all()

    def fatal_error(self, exception: KafkaException) -> None:
        """Store a fatal error, and wake all waiting threads.

        :origin: clients.producer.internals.ProducerMetadata#fatalError(KafkaException)
        """
        with self._lock:
            super().fatal_error(exception)
            self._changed.notify_all()

    def close(self) -> None:
        """Refuse further updates, and wake all waiting threads.

        :origin: clients.producer.internals.ProducerMetadata#close()
        """
        with self._lock:
            super().close()
            self._changed.notify_all()

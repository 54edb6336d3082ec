# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.Metadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client's metadata of its cluster, and the time of the next request for them.

The network thread asks brokers and stores the responses here; the user's threads read them and request
updates. One reentrant lock guards all fields but ``_metadata_snapshot``, which is replaced under the lock and
read without it.

A response has news if it has an unknown partition or a newer leader epoch. Responses without news are
counted, and the wait before the next update grows with their number. So a client does not repeatedly ask a
broker whose metadata are old. Failed attempts have a separate count.

Metadata with an older epoch than the last seen epoch never replace a partition's metadata, because brokers
learn of new leaders at different times. A partition's last seen epoch outlives its entry in the snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Callable

from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.metadata_snapshot import MetadataSnapshot
from kreactor.common.cluster import Cluster
from kreactor.common.cluster_resource_listener import ClusterResourceListener
from kreactor.common.errors import (
    InvalidMetadataException,
    InvalidTopicException,
    TopicAuthorizationException,
)
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.node import Node
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.exponential_backoff import ExponentialBackoff
from kreactor.common.utils.log_context import LogContext
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.text import java_text

_NO_TOPICS: frozenset[str] = frozenset()


class Metadata:
    """The metadata of a client, for use by any thread. Times are in milliseconds.

    :origin: clients.Metadata
    """

    def __init__(self, refresh_backoff_ms: int, refresh_backoff_max_ms: int, metadata_expire_ms: int,
                 log_context: LogContext, cluster_resource_listeners: ClusterResourceListeners) -> None:
        """Start without metadata; metadata are requested again ``metadata_expire_ms`` after each response.

        The wait between two requests is at least ``refresh_backoff_ms``. After failures it grows, up to
        ``refresh_backoff_max_ms``.

        :origin: clients.Metadata#Metadata(long, long, long, LogContext, ClusterResourceListeners)
        """
        self._log = log_context.logger(Metadata)
        self._refresh_backoff = ExponentialBackoff(
            refresh_backoff_ms, CommonClientConfigs.RETRY_BACKOFF_EXP_BASE, refresh_backoff_max_ms,
            CommonClientConfigs.RETRY_BACKOFF_JITTER)
        self._metadata_expire_ms = metadata_expire_ms
        # Incremented by each response; threads wait for a higher version.
        self._update_version = 0
        # Incremented by each new topic: a response to an older request lacks the topic.
        self._request_version = 0
        self._last_refresh_ms = 0
        self._last_successful_refresh_ms = 0
        self._attempts = 0
        self._fatal_exception: KafkaException | None = None
        self._invalid_topics = _NO_TOPICS
        self._unauthorized_topics = _NO_TOPICS
        self._metadata_snapshot = MetadataSnapshot.empty()
        self._need_full_update = False
        self._need_partial_update = False
        self._equivalent_response_count = 0
        self._cluster_resource_listeners = cluster_resource_listeners
        self._is_closed = False
        self._last_seen_leader_epochs: dict[TopicPartition, int] = {}
        self._bootstrap_addresses: Sequence[InetSocketAddress] = ()
        self._lock = ReentrantLock()

    def fetch(self) -> Cluster:
        """Return the current cluster.

        :origin: clients.Metadata#fetch()
        """
        return self._metadata_snapshot.cluster()

    def fetch_metadata_snapshot(self) -> MetadataSnapshot:
        """Return the current metadata snapshot.

        :origin: clients.Metadata#fetchMetadataSnapshot()
        """
        return self._metadata_snapshot

    def time_to_allow_update(self, now_ms: int) -> int:
        """Return the time in which no request may be sent, after failures or responses without news.

        :origin: clients.Metadata#timeToAllowUpdate(long)
        """
        with self._lock:
            backoff_for_attempts = max(
                self._last_refresh_ms
                + self._refresh_backoff.backoff(self._attempts - 1 if self._attempts > 0 else 0) - now_ms, 0)

            # An update that is due because of the metadata's age does not count as a response without news.
            if max(self._last_successful_refresh_ms + self._metadata_expire_ms - now_ms, 0) == 0:
                self._equivalent_response_count = 0

            backoff_for_equivalent_response_count = max(
                self._last_refresh_ms
                + (self._refresh_backoff.backoff(self._equivalent_response_count - 1)
                   if self._equivalent_response_count > 0 else 0) - now_ms, 0)

            return max(backoff_for_attempts, backoff_for_equivalent_response_count)

    def time_to_next_update(self, now_ms: int) -> int:
        """Return the time until the next request: until it is allowed, and is requested or due.

        :origin: clients.Metadata#timeToNextUpdate(long)
        """
        with self._lock:
            time_to_expire = 0 if self.update_requested() else max(
                self._last_successful_refresh_ms + self._metadata_expire_ms - now_ms, 0)
            return max(time_to_expire, self.time_to_allow_update(now_ms))

    def metadata_expire_ms(self) -> int:
        """Return the age at which metadata are requested again.

        :origin: clients.Metadata#metadataExpireMs()
        """
        return self._metadata_expire_ms

    def request_update(self, reset_equivalent_response_backoff: bool) -> int:
        """Request an update of all topics; return the current version, which the update increments.

        The argument is False if an operation is retried, so that the next response may also have no news. It
        is True if something new is requested, and in doubt.

        :origin: clients.Metadata#requestUpdate(boolean)
        """
        with self._lock:
            self._need_full_update = True
            if reset_equivalent_response_backoff:
                self._equivalent_response_count = 0
            return self._update_version

    def request_update_for_new_topics(self) -> int:
        """Request an immediate update of the new topics; return the current version, which the update
        increments.

        :origin: clients.Metadata#requestUpdateForNewTopics()
        """
        with self._lock:
            self._last_refresh_ms = 0
            self._need_partial_update = True
            self._equivalent_response_count = 0
            self._request_version += 1
            return self._update_version

    def update_last_seen_epoch_if_newer(self, topic_partition: TopicPartition, leader_epoch: int) -> bool:
        """Store a leader epoch from another response; if it is newer, request an update and return True.

        An epoch of a partition without a known epoch is not stored. Raises IllegalArgumentException for a
        negative epoch.

        :origin: clients.Metadata#updateLastSeenEpochIfNewer(TopicPartition, int)
        """
        with self._lock:
            if leader_epoch < 0:
                raise IllegalArgumentException(
                    f"Invalid leader epoch {leader_epoch} (must be non-negative)")

            old_epoch = self._last_seen_leader_epochs.get(topic_partition)
            self._log.trace("%s: leader epoch %s was seen last, now %s", topic_partition, old_epoch,
                            leader_epoch)

            if old_epoch is None:
                self._log.debug("%s: leader epoch %s is not kept, there was none before", topic_partition,
                                leader_epoch)
                updated = False
            elif leader_epoch > old_epoch:
                self._log.debug("%s: leader epoch %s replaces %s", topic_partition, leader_epoch, old_epoch)
                self._last_seen_leader_epochs[topic_partition] = leader_epoch
                updated = True
            else:
                self._log.debug("%s: leader epoch %s is not newer than %s", topic_partition, leader_epoch,
                                old_epoch)
                updated = False

            self._need_full_update = self._need_full_update or updated
            return updated

    def last_seen_leader_epoch(self, topic_partition: TopicPartition) -> int | None:
        """Return the last seen epoch of a partition's leader, or None.

        :origin: clients.Metadata#lastSeenLeaderEpoch(TopicPartition)
        """
        return self._last_seen_leader_epochs.get(topic_partition)

    def update_requested(self) -> bool:
        """Return whether an update is requested.

        :origin: clients.Metadata#updateRequested()
        """
        with self._lock:
            return self._need_full_update or self._need_partial_update

    def add_cluster_update_listener(self, listener: ClusterResourceListener) -> None:
        """Add a listener, which is called after each update.

        :origin: clients.Metadata#addClusterUpdateListener(ClusterResourceListener)
        """
        with self._lock:
            self._cluster_resource_listeners.maybe_add(listener)

    def partition_metadata_if_current(
            self, topic_partition: TopicPartition) -> MetadataResponse.PartitionMetadata | None:
        """Return a partition's metadata; None if there are none, or if a newer epoch was seen.

        :origin: clients.Metadata#partitionMetadataIfCurrent(TopicPartition)
        """
        with self._lock:
            epoch = self._last_seen_leader_epochs.get(topic_partition)
            partition_metadata = self._metadata_snapshot.partition_metadata(topic_partition)
            if epoch is None or partition_metadata is None:
                # There is no epoch if the broker is too old to send one.
                return partition_metadata
            leader_epoch = partition_metadata.leader_epoch
            current = (RecordBatch.NO_PARTITION_LEADER_EPOCH if leader_epoch is None
                       else leader_epoch) == epoch
            return partition_metadata if current else None

    def topic_ids(self) -> Mapping[str, Uuid]:
        """Return the ids of topics by name.

        :origin: clients.Metadata#topicIds()
        """
        return self._metadata_snapshot.topic_ids()

    def current_leader(self, topic_partition: TopicPartition) -> Metadata.LeaderAndEpoch:
        """Return a partition's leader and leader epoch, as far as they are known.

        :origin: clients.Metadata#currentLeader(TopicPartition)
        """
        with self._lock:
            partition_metadata = self.partition_metadata_if_current(topic_partition)
            if partition_metadata is None:
                return Metadata.LeaderAndEpoch(None, self._last_seen_leader_epochs.get(topic_partition))

            leader_id = partition_metadata.leader_id
            leader_node = None if leader_id is None else self._metadata_snapshot.node_by_id(leader_id)
            return Metadata.LeaderAndEpoch(leader_node, partition_metadata.leader_epoch)

    def bootstrap(self, addresses: Sequence[InetSocketAddress]) -> None:
        """Drop all metadata, and start with nodes at these addresses.

        :origin: clients.Metadata#bootstrap(List<InetSocketAddress>)
        """
        with self._lock:
            self._need_full_update = True
            self._update_version += 1
            self._metadata_snapshot = MetadataSnapshot.bootstrap(addresses)
            self._bootstrap_addresses = addresses

    def rebootstrap(self) -> None:
        """Start again with the bootstrap addresses.

        :origin: clients.Metadata#rebootstrap()
        """
        with self._lock:
            self._log.info("no known node is left: starting again with %s",
                           java_text(self._bootstrap_addresses))
            self.bootstrap(self._bootstrap_addresses)

    def update_with_current_request_version(self, response: MetadataResponse, is_partial_update: bool,
                                            now_ms: int) -> None:
        """Process a response as if its request had the current version. For tests.

        :origin: clients.Metadata#updateWithCurrentRequestVersion(MetadataResponse, boolean, long)
        """
        with self._lock:
            self.update(self._request_version, response, is_partial_update, now_ms)

    def update(self, request_version: int, response: MetadataResponse, is_partial_update: bool,
               now_ms: int) -> None:
        """Process the response to a request of a version, for some topics or for all.

        Raises IllegalStateException once closed.

        :origin: clients.Metadata#update(int, MetadataResponse, boolean, long)
        """
        with self._lock:
            if self.is_closed():
                raise IllegalStateException("Update requested after metadata close")

            self._need_partial_update = request_version < self._request_version
            self._last_refresh_ms = now_ms
            self._attempts = 0
            self._update_version += 1
            if not is_partial_update:
                self._need_full_update = False
                self._last_successful_refresh_ms = now_ms

            # Until _update_latest_metadata finds news, which sets it to 0.
            self._equivalent_response_count += 1

            previous_cluster_id = self._metadata_snapshot.cluster_resource().cluster_id()

            self._metadata_snapshot = self._handle_metadata_response(response, is_partial_update, now_ms)

            cluster = self._metadata_snapshot.cluster()
            self._maybe_set_metadata_error(cluster)

            for tp in [tp for tp in self._last_seen_leader_epochs
                       if not self.retain_topic(tp.topic(), False, now_ms)]:
                del self._last_seen_leader_epochs[tp]

            new_cluster_id = self._metadata_snapshot.cluster_resource().cluster_id()
            if previous_cluster_id != new_cluster_id:
                self._log.info("the cluster's id is %s", new_cluster_id)
            self._cluster_resource_listeners.on_update(self._metadata_snapshot.cluster_resource())

            self._log.debug("metadata of version %s: %s", self._update_version, self._metadata_snapshot)

    def update_partition_leadership(
            self, partition_leaders: Mapping[TopicPartition, Metadata.LeaderIdAndEpoch],
            leader_nodes: Iterable[Node]) -> set[TopicPartition]:
        """Process the leaders and nodes of a Produce or Fetch response; return the partitions with a new
        leader.

        :origin: clients.Metadata#updatePartitionLeadership(Map<TopicPartition,LeaderIdAndEpoch>, List<Node>)
        """
        with self._lock:
            new_nodes = {node.id(): node for node in leader_nodes}
            for node in self._metadata_snapshot.cluster().nodes():
                new_nodes.setdefault(node.id(), node)

            update_partition_metadata: list[MetadataResponse.PartitionMetadata] = []
            for partition, new_leader in partition_leaders.items():
                current_leader = self.current_leader(partition)
                if new_leader.epoch is None or new_leader.leader_id is None:
                    self._log.debug("%s: %s is not a whole leader", partition, new_leader)
                    continue
                if current_leader.epoch is not None and new_leader.epoch <= current_leader.epoch:
                    self._log.debug("%s: leader %s is not newer than the known %s", partition, new_leader,
                                    current_leader)
                    continue
                if new_leader.leader_id not in new_nodes:
                    self._log.debug("%s: leader %s is none of the known nodes", partition, new_leader)
                    continue
                existing_metadata = self._metadata_snapshot.partition_metadata(partition)
                if existing_metadata is None:
                    self._log.debug("%s: leader %s is of a partition that is unknown by now", partition,
                                    new_leader)
                    continue

                updated_metadata = MetadataResponse.PartitionMetadata(
                    existing_metadata.error, partition, new_leader.leader_id, new_leader.epoch,
                    existing_metadata.replica_ids, existing_metadata.in_sync_replica_ids,
                    existing_metadata.offline_replica_ids)
                update_partition_metadata.append(updated_metadata)

                self._last_seen_leader_epochs[partition] = new_leader.epoch

            if not update_partition_metadata:
                self._log.debug("no leader is new")
                return set()

            updated_topics = {metadata.topic() for metadata in update_partition_metadata}

            existing_topic_ids = self._metadata_snapshot.topic_ids()
            topic_ids_for_updated_topics = {
                topic: existing_topic_ids[topic] for topic in updated_topics if topic in existing_topic_ids}

            if self._log.is_debug_enabled():
                for metadata in update_partition_metadata:
                    self._log.debug("%s: new leader, now %s", metadata.topic_partition, metadata)

            self._metadata_snapshot = self._metadata_snapshot.merge_with(
                self._metadata_snapshot.cluster_resource().cluster_id(), new_nodes, update_partition_metadata,
                _NO_TOPICS, _NO_TOPICS, _NO_TOPICS, self._metadata_snapshot.cluster().controller(),
                topic_ids_for_updated_topics, lambda topic, is_internal: True)
            self._cluster_resource_listeners.on_update(self._metadata_snapshot.cluster_resource())

            return {metadata.topic_partition for metadata in update_partition_metadata}

    def _maybe_set_metadata_error(self, cluster: Cluster) -> None:
        """Store the topics' errors for later calls, replacing the earlier errors.

        :origin: clients.Metadata#maybeSetMetadataError(Cluster)
        """
        self._clear_recoverable_errors()
        self._check_invalid_topics(cluster)
        self._check_unauthorized_topics(cluster)

    def _check_invalid_topics(self, cluster: Cluster) -> None:
        """:origin: clients.Metadata#checkInvalidTopics(Cluster)"""
        if cluster.invalid_topics():
            self._log.error("these are no names of topics: %s", java_text(cluster.invalid_topics()))
            self._invalid_topics = cluster.invalid_topics()

    def _check_unauthorized_topics(self, cluster: Cluster) -> None:
        """:origin: clients.Metadata#checkUnauthorizedTopics(Cluster)"""
        if cluster.unauthorized_topics():
            self._log.error("not authorized for the topics %s", java_text(cluster.unauthorized_topics()))
            self._unauthorized_topics = cluster.unauthorized_topics()

    def _handle_metadata_response(self, metadata_response: MetadataResponse, is_partial_update: bool,
                                  now_ms: int) -> MetadataSnapshot:
        """Return the snapshot of a response's retained topics.

        :origin: clients.Metadata#handleMetadataResponse(MetadataResponse, boolean, long)
        """
        topics: set[str] = set()

        internal_topics: set[str] = set()
        unauthorized_topics: set[str] = set()
        invalid_topics: set[str] = set()

        partitions: list[MetadataResponse.PartitionMetadata] = []
        topic_ids: dict[str, Uuid] = {}
        old_topic_ids = self._metadata_snapshot.topic_ids()
        for metadata in metadata_response.topic_metadata():
            topic_name = metadata.topic()
            topic_id: Uuid | None = metadata.topic_id()
            topics.add(topic_name)
            # Two ids can be compared only if both are known.
            old_topic_id: Uuid | None = None
            if topic_id is not None and topic_id != Uuid.ZERO_UUID:
                topic_ids[topic_name] = topic_id
                old_topic_id = old_topic_ids.get(topic_name)
            else:
                topic_id = None

            if not self.retain_topic(topic_name, metadata.is_internal(), now_ms):
                continue

            if metadata.is_internal():
                internal_topics.add(topic_name)

            if metadata.error() is Errors.NONE:
                for partition_metadata in metadata.partition_metadata():
                    # Even a partition with an error may have a newer epoch.
                    latest = self._update_latest_metadata(
                        partition_metadata, metadata_response.has_reliable_leader_epochs(), topic_id,
                        old_topic_id)
                    if latest is not None:
                        partitions.append(latest)

                    if isinstance(partition_metadata.error.exception(), InvalidMetadataException):
                        self._log.debug("%s: asking for metadata again because of %s",
                                        partition_metadata.topic_partition, partition_metadata.error)
                        self.request_update(False)
            else:
                if isinstance(metadata.error().exception(), InvalidMetadataException):
                    self._log.debug("%s: asking for metadata again because of %s", topic_name,
                                    metadata.error())
                    self.request_update(False)

                if metadata.error() is Errors.INVALID_TOPIC_EXCEPTION:
                    invalid_topics.add(topic_name)
                elif metadata.error() is Errors.TOPIC_AUTHORIZATION_FAILED:
                    unauthorized_topics.add(topic_name)

        nodes = metadata_response.brokers_by_id()
        if is_partial_update:
            return self._metadata_snapshot.merge_with(
                metadata_response.cluster_id(), nodes, partitions, unauthorized_topics, invalid_topics,
                internal_topics, metadata_response.controller(), topic_ids,
                lambda topic, is_internal:
                    topic not in topics and self.retain_topic(topic, is_internal, now_ms))
        return MetadataSnapshot(
            metadata_response.cluster_id(), nodes, partitions, unauthorized_topics, invalid_topics,
            internal_topics, metadata_response.controller(), topic_ids)

    def _update_latest_metadata(
            self, partition_metadata: MetadataResponse.PartitionMetadata, has_reliable_leader_epoch: bool,
            topic_id: Uuid | None, old_topic_id: Uuid | None) -> MetadataResponse.PartitionMetadata | None:
        """Return the newer metadata of a partition, by reliable epochs, and store the epoch.

        :origin: clients.Metadata#updateLatestMetadata(
            MetadataResponse.PartitionMetadata, boolean, Uuid, Uuid)
        """
        tp = partition_metadata.topic_partition
        if has_reliable_leader_epoch and partition_metadata.leader_epoch is not None:
            new_epoch = partition_metadata.leader_epoch
            current_epoch = self._last_seen_leader_epochs.get(tp)
            if current_epoch is None:
                self._log.debug("%s: the first leader epoch is %s", tp, new_epoch)
                self._last_seen_leader_epochs[tp] = new_epoch
                self._equivalent_response_count = 0
                return partition_metadata
            if topic_id is not None and topic_id != old_topic_id:
                # A topic was deleted and recreated, so its epochs start again. The old id may be unknown,
                # because it is dropped between the two.
                self._log.info("%s: the leader epoch is %s again, because the topic's id %s became %s", tp,
                               new_epoch, old_topic_id, topic_id)
                self._last_seen_leader_epochs[tp] = new_epoch
                self._equivalent_response_count = 0
                return partition_metadata
            if new_epoch >= current_epoch:
                self._log.debug("%s: leader epoch %s follows %s", tp, new_epoch, current_epoch)
                self._last_seen_leader_epochs[tp] = new_epoch
                if new_epoch > current_epoch:
                    self._equivalent_response_count = 0
                return partition_metadata
            self._log.debug("%s: metadata of leader epoch %s are older than those of %s", tp, new_epoch,
                            current_epoch)
            return self._metadata_snapshot.partition_metadata(tp)
        # The response is from an old broker, or has an error without a leader.
        self._last_seen_leader_epochs.pop(tp, None)
        self._equivalent_response_count = 0
        return partition_metadata.without_leader_epoch()

    def maybe_throw_any_exception(self) -> None:
        """Raise the fatal error, or else the error of any topic, if there is one; clear all errors.

        :origin: clients.Metadata#maybeThrowAnyException()
        """
        with self._lock:
            self._clear_errors_and_maybe_throw_exception(self._recoverable_exception)

    def maybe_throw_fatal_exception(self) -> None:
        """Raise the fatal error if there is one, and clear it.

        :origin: clients.Metadata#maybeThrowFatalException()
        """
        with self._lock:
            metadata_exception = self._fatal_exception
            if metadata_exception is not None:
                self._fatal_exception = None
                raise metadata_exception

    def maybe_throw_exception_for_topic(self, topic: str) -> None:
        """Raise the fatal error, or else the error of one topic, if there is one; clear all errors.

        :origin: clients.Metadata#maybeThrowExceptionForTopic(String)
        """
        with self._lock:
            self._clear_errors_and_maybe_throw_exception(
                lambda: self._recoverable_exception_for_topic(topic))

    def _clear_errors_and_maybe_throw_exception(
            self, recoverable_exception_supplier: Callable[[], KafkaException | None]) -> None:
        """Clear all errors; raise the fatal error, or else the supplied one.

        :origin: clients.Metadata#clearErrorsAndMaybeThrowException(Supplier<KafkaException>)
        """
        metadata_exception = self._fatal_exception
        if metadata_exception is None:
            metadata_exception = recoverable_exception_supplier()
        self._fatal_exception = None
        self._clear_recoverable_errors()
        if metadata_exception is not None:
            raise metadata_exception

    def _recoverable_exception(self) -> KafkaException | None:
        """Return the error of all topics, or None. It is recoverable: it ends with the need for the topics.

        :origin: clients.Metadata#recoverableException()
        """
        if self._unauthorized_topics:
            return TopicAuthorizationException(unauthorized_topics=self._unauthorized_topics)
        if self._invalid_topics:
            return InvalidTopicException(invalid_topics=self._invalid_topics)
        return None

    def _recoverable_exception_for_topic(self, topic: str) -> KafkaException | None:
        """Return the error of one topic, or None.

        :origin: clients.Metadata#recoverableExceptionForTopic(String)
        """
        if topic in self._unauthorized_topics:
            return TopicAuthorizationException(unauthorized_topics=frozenset((topic,)))
        if topic in self._invalid_topics:
            return InvalidTopicException(invalid_topics=frozenset((topic,)))
        return None

    def _clear_recoverable_errors(self) -> None:
        """:origin: clients.Metadata#clearRecoverableErrors()"""
        self._invalid_topics = _NO_TOPICS
        self._unauthorized_topics = _NO_TOPICS

    def failed_update(self, now: int) -> None:
        """Count a failed request, so that the next request waits.

        :origin: clients.Metadata#failedUpdate(long)
        """
        with self._lock:
            self._last_refresh_ms = now
            self._attempts += 1
            self._equivalent_response_count = 0

    def fatal_error(self, exception: KafkaException) -> None:
        """Store the error of all later calls: metadata are not available at all.

        :origin: clients.Metadata#fatalError(KafkaException)
        """
        with self._lock:
            self._fatal_exception = exception

    def update_version(self) -> int:
        """Return the number of updates so far.

        :origin: clients.Metadata#updateVersion()
        """
        with self._lock:
            return self._update_version

    def last_successful_update(self) -> int:
        """Return the time of the last update of all topics.

        :origin: clients.Metadata#lastSuccessfulUpdate()
        """
        with self._lock:
            return self._last_successful_refresh_ms

    def close(self) -> None:
        """Refuse further updates.

        :origin: clients.Metadata#close()
        """
        with self._lock:
            self._is_closed = True

    def is_closed(self) -> bool:
        """Return whether ``close`` was called.

        :origin: clients.Metadata#isClosed()
        """
        with self._lock:
            return self._is_closed

    def new_metadata_request_and_version(self, now_ms: int) -> Metadata.MetadataRequestAndVersion:
        """Return the request to send now: for the new topics if that suffices, else for all.

        :origin: clients.Metadata#newMetadataRequestAndVersion(long)
        """
        with self._lock:
            request: MetadataRequest.Builder | None = None
            is_partial_update = False

            if (not self._need_full_update
                    and self._last_successful_refresh_ms + self._metadata_expire_ms > now_ms):
                request = self.new_metadata_request_builder_for_new_topics()
                is_partial_update = True
            if request is None:
                request = self.new_metadata_request_builder()
                is_partial_update = False
            return Metadata.MetadataRequestAndVersion(request, self._request_version, is_partial_update)

    def new_metadata_request_builder(self) -> MetadataRequest.Builder:
        """Return the request for all topics of this client; here all topics of the cluster.

        :origin: clients.Metadata#newMetadataRequestBuilder()
        """
        return MetadataRequest.Builder.all_topics()

    def new_metadata_request_builder_for_new_topics(self) -> MetadataRequest.Builder | None:
        """Return the request for the new topics; None, as here, if only all topics can be requested.

        :origin: clients.Metadata#newMetadataRequestBuilderForNewTopics()
        """
        return None

    def topic_names(self) -> Mapping[Uuid, str]:
        """Return the names of topics by id.

        :origin: clients.Metadata#topicNames()
        """
        return self._metadata_snapshot.topic_names()

    def retain_topic(self, topic: str, is_internal: bool, now_ms: int) -> bool:
        """Return whether the metadata of a topic are kept; here all topics are kept.

        :origin: clients.Metadata#retainTopic(String, boolean, long)
        """
        return True

    class MetadataRequestAndVersion:
        """A request, and the arguments of its ``update``. Immutable.

        :origin: clients.Metadata.MetadataRequestAndVersion
        """

        __slots__ = ("request_builder", "request_version", "is_partial_update")

        def __init__(self, request_builder: MetadataRequest.Builder, request_version: int,
                     is_partial_update: bool) -> None:
            """Store all arguments.

            :origin: clients.Metadata.MetadataRequestAndVersion#MetadataRequestAndVersion(
                MetadataRequest.Builder, int, boolean)
            """
            self.request_builder = request_builder
            self.request_version = request_version
            self.is_partial_update = is_partial_update

    class LeaderAndEpoch:
        """A leader and its epoch, each None if it is unknown. Immutable.

        The epoch is unknown if the broker is old. The leader is unknown if the epoch comes from a committed
        offset.

        :origin: clients.Metadata.LeaderAndEpoch
        """

        __slots__ = ("leader", "epoch")

        def __init__(self, leader: Node | None, epoch: int | None) -> None:
            """Store both arguments.

            :origin: clients.Metadata.LeaderAndEpoch#LeaderAndEpoch(Optional<Node>, Optional<Integer>)
            """
            self.leader = leader
            self.epoch = epoch

        def __eq__(self, other: object) -> bool:
            """Compare leader and epoch.

            :origin: clients.Metadata.LeaderAndEpoch#equals(Object)
            """
            if self is other:
                return True
            if not isinstance(other, Metadata.LeaderAndEpoch):
                return False
            return self.leader == other.leader and self.epoch == other.epoch

        def __hash__(self) -> int:
            """Hash leader and epoch.

            :origin: clients.Metadata.LeaderAndEpoch#hashCode()
            """
            return hash((self.leader, self.epoch))

        def __str__(self) -> str:
            """Return leader and epoch as text.

            :origin: clients.Metadata.LeaderAndEpoch#toString()
            """
            leader = "Optional.empty" if self.leader is None else f"Optional[{self.leader}]"
            epoch = "absent" if self.epoch is None else self.epoch
            return f"LeaderAndEpoch{{leader={leader}, epoch={epoch}}}"

        __repr__ = __str__

    class LeaderIdAndEpoch:
        """A leader's id and its epoch, each None if it is unknown. Immutable.

        :origin: clients.Metadata.LeaderIdAndEpoch
        """

        __slots__ = ("leader_id", "epoch")

        def __init__(self, leader_id: int | None, epoch: int | None) -> None:
            """Store both arguments.

            :origin: clients.Metadata.LeaderIdAndEpoch#LeaderIdAndEpoch(Optional<Integer>, Optional<Integer>)
            """
            self.leader_id = leader_id
            self.epoch = epoch

        def __str__(self) -> str:
            """Return leader id and epoch as text.

            :origin: clients.Metadata.LeaderIdAndEpoch#toString()
            """
            leader_id = "absent" if self.leader_id is None else self.leader_id
            epoch = "absent" if self.epoch is None else self.epoch
            return f"LeaderIdAndEpoch{{leaderId={leader_id}, epoch={epoch}}}"

        __repr__ = __str__

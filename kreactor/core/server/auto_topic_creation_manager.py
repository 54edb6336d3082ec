# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.AutoTopicCreationManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Creates the topics that clients ask for before they exist."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kreactor.common.internals.topic import Topic
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.coordinator.group.group_coordinator import GroupCoordinator
from kreactor.core.coordinator.transaction.transaction_coordinator import TransactionCoordinator
from kreactor.core.server.controller_apis import ControllerApis
from kreactor.core.server.controller_mutation_quota import (
    ControllerMutationQuota,
    UnboundedControllerMutationQuota,
)
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.utils.logging import Logging
from kreactor.jdk.locks import Lock
from kreactor.server.config.group_coordinator_config import GroupCoordinatorConfig

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

MetadataResponseTopic = MetadataResponseData.MetadataResponseTopic
CreatableTopic = CreateTopicsRequestData.CreatableTopic


class AutoTopicCreationManager(ABC):
    """
    :origin: kafka.server.AutoTopicCreationManager
    :origin: kafka.server.AutoTopicCreationManager
    """

    __slots__ = ()

    @abstractmethod
    def create_topics(
        self, topic_names: Iterable[str], controller_mutation_quota: ControllerMutationQuota,
        metadata_request_context: RequestContext | None,
    ) -> list[MetadataResponseTopic]:
        """Begin to create topics, and return the Metadata response's entries for them.

        ``metadata_request_context`` is the context of the client's request, None if this node needs the
        topic.

        :origin: kafka.server.AutoTopicCreationManager#createTopics
        """


class DefaultAutoTopicCreationManager(Logging, AutoTopicCreationManager):
    """For use by any thread.

    :origin: kafka.server.DefaultAutoTopicCreationManager
    """

    def __init__(self, config: KafkaConfig, controller_apis: ControllerApis,
                 group_coordinator: GroupCoordinator, txn_coordinator: TransactionCoordinator,
                 is_in_cluster: bool = False) -> None:
        """:origin: kafka.server.DefaultAutoTopicCreationManager#DefaultAutoTopicCreationManager"""
        self._is_in_cluster = is_in_cluster
        self._config = config
        self._controller_apis = controller_apis
        self._group_coordinator = group_coordinator
        self._txn_coordinator = txn_coordinator
        self._lock = Lock()
        # The topics that some thread is creating now. Guarded by the lock.
        self._inflight_topics: set[str] = set()

    def create_topics(
        self, topic_names: Iterable[str], controller_mutation_quota: ControllerMutationQuota,
        metadata_request_context: RequestContext | None,
    ) -> list[MetadataResponseTopic]:
        """:origin: kafka.server.DefaultAutoTopicCreationManager#createTopics"""
        creatable_topics, uncreatable_topic_responses = self._filter_creatable_topics(topic_names)
        creatable_topic_responses = (
            self._send_create_topic_request(
                creatable_topics, controller_mutation_quota, metadata_request_context)
            if creatable_topics else [])
        return uncreatable_topic_responses + creatable_topic_responses

    def _send_create_topic_request(
        self, creatable_topics: dict[str, CreatableTopic], controller_mutation_quota: ControllerMutationQuota,
        metadata_request_context: RequestContext | None,
    ) -> list[MetadataResponseTopic]:
        """Have the controller create topics. Their entries in the Metadata response say unknown topic, as in
        Kafka.

        :origin: kafka.server.DefaultAutoTopicCreationManager#sendCreateTopicRequest
        """
        # DEVIATION D86: the controller is in this process, and the topics exist when its call returns. The
        # client still learns of them with its next request, as from a KRaft broker, which has only sent its
        # request by then.
        request = CreateTopicsRequestData(
            timeout_ms=self._config.request_timeout_ms(), topics=list(creatable_topics.values()))
        # The broker creates its internal topics for itself, so no client's quota counts.
        context = (
            ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, UnboundedControllerMutationQuota.record)
            if metadata_request_context is None
            else ControllerRequestContext(
                metadata_request_context.principal, None, controller_mutation_quota.record))

        def all_of(names: Iterable[str]) -> AbstractSet[str]:
            # The caller has checked that the client may create the topics.
            return set(names)

        try:
            response = self._controller_apis.create_topics(context, request, True, all_of, all_of)
            self.debug("auto topic creation completed for %s: %s", list(creatable_topics), response)
        except Exception as e:
            self.warn("auto topic creation failed for %s", list(creatable_topics), exc=e)
        finally:
            self._clear_inflight_requests(creatable_topics)

        return [_unknown(topic) for topic in creatable_topics]

    def _clear_inflight_requests(self, creatable_topics: dict[str, CreatableTopic]) -> None:
        """:origin: kafka.server.DefaultAutoTopicCreationManager#clearInflightRequests"""
        with self._lock:
            self._inflight_topics.difference_update(creatable_topics)

    def _creatable_topic(self, topic: str) -> CreatableTopic:
        """:origin: kafka.server.DefaultAutoTopicCreationManager#creatableTopic"""
        config = self._config
        if topic == Topic.GROUP_METADATA_TOPIC_NAME:
            # DEVIATION D128: the default is one replica, where Kafka's is three.
            is_given = self._is_in_cluster or (
                GroupCoordinatorConfig.OFFSETS_TOPIC_REPLICATION_FACTOR_CONFIG in config.originals())
            return CreatableTopic(
                name=topic, num_partitions=config.offsets_topic_partitions(),
                replication_factor=config.offsets_topic_replication_factor() if is_given else 1,
                configs=self._convert_to_topic_config_collections(
                    self._group_coordinator.group_metadata_topic_configs()))
        if topic == Topic.TRANSACTION_STATE_TOPIC_NAME:
            return CreatableTopic(
                name=topic,
                num_partitions=config.transaction_topic_partitions(),
                # DEVIATION D142: transaction.state.log.replication.factor, 3 by default, is ignored on a node
                # of its own. A single Kafka broker has no transactions until that setting is 1. A cluster
                # applies it.
                replication_factor=(
                    config.transaction_topic_replication_factor() if self._is_in_cluster else 1),
                configs=self._convert_to_topic_config_collections(
                    self._txn_coordinator.transaction_topic_configs()))
        return CreatableTopic(name=topic, num_partitions=config.num_partitions(),
                              replication_factor=config.default_replication_factor())

    @staticmethod
    def _convert_to_topic_config_collections(
        config: Mapping[str, str],
    ) -> list[CreateTopicsRequestData.CreateableTopicConfig]:
        """:origin: kafka.server.DefaultAutoTopicCreationManager#convertToTopicConfigCollections"""
        return [CreateTopicsRequestData.CreateableTopicConfig(name=name, value=value)
                for name, value in config.items()]

    def _is_valid_topic_name(self, topic: str) -> bool:
        """:origin: kafka.server.DefaultAutoTopicCreationManager#isValidTopicName"""
        return Topic.is_valid(topic)

    def _filter_creatable_topics(
        self, topics: Iterable[str],
    ) -> tuple[dict[str, CreatableTopic], list[MetadataResponseTopic]]:
        """:origin: kafka.server.DefaultAutoTopicCreationManager#filterCreatableTopics"""
        creatable_topics: dict[str, CreatableTopic] = {}
        uncreatable_topics: list[MetadataResponseTopic] = []
        for topic in topics:
            if not self._is_valid_topic_name(topic):
                uncreatable_topics.append(MetadataResponseTopic(
                    error_code=Errors.INVALID_TOPIC_EXCEPTION.code, name=topic,
                    is_internal=Topic.is_internal(topic)))
                continue
            with self._lock:
                is_new = topic not in self._inflight_topics
                self._inflight_topics.add(topic)
            if is_new:
                creatable_topics[topic] = self._creatable_topic(topic)
            else:
                uncreatable_topics.append(_unknown(topic))
        return creatable_topics, uncreatable_topics


def _unknown(topic: str) -> MetadataResponseTopic:
    return MetadataResponseTopic(error_code=Errors.UNKNOWN_TOPIC_OR_PARTITION.code, name=topic,
                                 is_internal=Topic.is_internal(topic))

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.QuotaFactory of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Makes the quota managers of a broker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kreactor.common.metrics.metrics import Metrics
from kreactor.common.utils.time import Time
from kreactor.core.server.client_quota_manager import ClientQuotaManager
from kreactor.core.server.client_request_quota_manager import ClientRequestQuotaManager
from kreactor.core.server.controller_mutation_quota_manager import ControllerMutationQuotaManager
from kreactor.core.server.quota_type import QuotaType
from kreactor.server.config.client_quota_manager_config import ClientQuotaManagerConfig
from kreactor.server.config.quota_configs import QuotaConfigs
from kreactor.server.quota.client_quota_callback import ClientQuotaCallback

if TYPE_CHECKING:
    from kreactor.common.topic_partition import TopicPartition
    from kreactor.core.server.kafka_config import KafkaConfig


class QuotaFactory:
    """Static methods only.

    :origin: kafka.server.QuotaFactory
    """

    __slots__ = ()

    @staticmethod
    def instantiate(cfg: KafkaConfig, metrics: Metrics, time: Time, thread_name_prefix: str) -> QuotaManagers:
        """Return the managers. Raises KafkaException, an exception of the plug-in, or RuntimeError if a
        thread cannot start.

        :origin: kafka.server.QuotaFactory#instantiate
        """
        client_quota_callback = cfg.get_configured_instance(
            QuotaConfigs.CLIENT_QUOTA_CALLBACK_CLASS_CONFIG,
            ClientQuotaCallback)  # type: ignore[type-abstract]  # asked for by its base
        client_config = QuotaFactory.client_config(cfg)
        started: list[ClientQuotaManager] = []
        try:
            fetch = ClientQuotaManager(
                client_config, metrics, QuotaType.Fetch, time, thread_name_prefix, client_quota_callback)
            started.append(fetch)
            produce = ClientQuotaManager(
                client_config, metrics, QuotaType.Produce, time, thread_name_prefix, client_quota_callback)
            started.append(produce)
            request = ClientRequestQuotaManager(
                client_config, metrics, time, thread_name_prefix, client_quota_callback)
            started.append(request)
            controller_mutation = ControllerMutationQuotaManager(
                QuotaFactory._client_controller_mutation_config(cfg), metrics, time, thread_name_prefix,
                client_quota_callback)
        except BaseException:
            # DEVIATION D213: threads that were started are ended.
            for manager in started:
                manager.shutdown()
            if client_quota_callback is not None:
                client_quota_callback.close()
            raise
        return QuotaManagers(fetch, produce, request, controller_mutation, client_quota_callback)

    @staticmethod
    def client_config(cfg: KafkaConfig) -> ClientQuotaManagerConfig:
        """:origin: kafka.server.QuotaFactory#clientConfig"""
        return ClientQuotaManagerConfig(
            cfg.num_quota_samples(), cfg.quota_window_size_seconds(), cfg.is_strict())

    @staticmethod
    def _client_controller_mutation_config(cfg: KafkaConfig) -> ClientQuotaManagerConfig:
        """:origin: kafka.server.QuotaFactory#clientControllerMutationConfig"""
        return ClientQuotaManagerConfig(
            cfg.num_controller_quota_samples(), cfg.controller_quota_window_size_seconds(), cfg.is_strict())


class _UnboundedQuota:
    """:origin: kafka.server.QuotaFactory.UnboundedQuota"""

    __slots__ = ()

    def is_throttled(self, topic_partition: TopicPartition) -> bool:
        """:origin: kafka.server.QuotaFactory.UnboundedQuota#isThrottled"""
        return False

    def is_quota_exceeded(self) -> bool:
        """:origin: kafka.server.QuotaFactory.UnboundedQuota#isQuotaExceeded"""
        return False

    def record(self, value: int) -> None:
        """:origin: kafka.server.QuotaFactory.UnboundedQuota#record"""


# Scala's object: one instance.
UnboundedQuota = _UnboundedQuota()


@dataclass(slots=True)
class QuotaManagers:
    """Owns the managers, each of which has a thread.

    :origin: kafka.server.QuotaFactory.QuotaManagers
    """

    fetch: ClientQuotaManager
    produce: ClientQuotaManager
    request: ClientRequestQuotaManager
    controller_mutation: ControllerMutationQuotaManager
    client_quota_callback: ClientQuotaCallback | None

    def shutdown(self) -> None:
        """End the managers' threads.

        :origin: kafka.server.QuotaFactory.QuotaManagers#shutdown
        """
        self.fetch.shutdown()
        self.produce.shutdown()
        self.request.shutdown()
        self.controller_mutation.shutdown()
        if self.client_quota_callback is not None:
            self.client_quota_callback.close()

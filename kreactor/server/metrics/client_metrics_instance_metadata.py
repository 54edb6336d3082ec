# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.ClientMetricsInstanceMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The properties of a client that subscriptions match. Immutable."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from kreactor.common.requests.request_context import RequestContext
from kreactor.common.uuid import Uuid
from kreactor.jdk.regex import Budget, MatchLimitException, Pattern
from kreactor.server.metrics.client_metrics_configs import ClientMetricsConfigs

_LOG = logging.getLogger(__name__)
# The steps of matching one subscription with one client. A client's first request matches all subscriptions.
_MAX_STEPS = 50_000


class ClientMetricsInstanceMetadata:
    """A client's identity and address.

    :origin: server.metrics.ClientMetricsInstanceMetadata
    """

    __slots__ = ("_attributes_map",)

    def __init__(self, client_instance_id: Uuid, request_context: RequestContext) -> None:
        """
        :origin: server.metrics.ClientMetricsInstanceMetadata#ClientMetricsInstanceMetadata(Uuid, RequestContext)
        """  # noqa: E501
        information = request_context.client_information
        address = request_context.client_address
        port = request_context.client_port
        self._attributes_map: dict[str, str | None] = {
            ClientMetricsConfigs.CLIENT_INSTANCE_ID: str(client_instance_id),
            ClientMetricsConfigs.CLIENT_ID: request_context.client_id(),
            ClientMetricsConfigs.CLIENT_SOFTWARE_NAME: information.software_name() if information else None,
            ClientMetricsConfigs.CLIENT_SOFTWARE_VERSION: (
                information.software_version() if information else None),
            ClientMetricsConfigs.CLIENT_SOURCE_ADDRESS: address.get_host_address() if address else None,
            ClientMetricsConfigs.CLIENT_SOURCE_PORT: None if port is None else str(port),
        }

    def is_match(self, patterns: Mapping[str, Pattern]) -> bool:
        """Return whether the client matches all patterns; no patterns match all clients.

        :origin: server.metrics.ClientMetricsInstanceMetadata#isMatch(Map<String,Pattern>)
        """
        if patterns:
            return self._match_patterns(patterns)
        return True

    def _match_patterns(self, matching_patterns: Mapping[str, Pattern]) -> bool:
        """Return whether all patterns match.

        :origin: server.metrics.ClientMetricsInstanceMetadata#matchPatterns(Map<String,Pattern>)
        """
        budget = Budget(_MAX_STEPS)
        try:
            return all(
                (attribute := self._attributes_map.get(name)) is not None
                and pattern.matches(attribute, budget)
                for name, pattern in matching_patterns.items())
        except MatchLimitException as e:
            _LOG.warning("a subscription for client metrics does not match client id %.100r: %s",
                         self._attributes_map.get(ClientMetricsConfigs.CLIENT_ID), e)
            return False

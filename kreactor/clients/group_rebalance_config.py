# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.GroupRebalanceConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The settings of a member of a group. Immutable."""

from __future__ import annotations

from enum import Enum

from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.requests.join_group_request import JoinGroupRequest


class GroupRebalanceConfig:
    """Timeouts in milliseconds, and the member's ids.

    :origin: clients.GroupRebalanceConfig
    """

    class ProtocolType(Enum):
        """:origin: clients.GroupRebalanceConfig.ProtocolType"""

        CONSUMER = "CONSUMER"
        CONNECT = "CONNECT"

        def __str__(self) -> str:
            """Return the name in lower case.

            :origin: clients.GroupRebalanceConfig.ProtocolType#toString()
            """
            return self.name.lower()

    @staticmethod
    def of(config: AbstractConfig, protocol_type: ProtocolType) -> GroupRebalanceConfig:
        """Return the settings of ``config``.

        Raises InvalidConfigurationException for a bad group.instance.id.

        :origin: clients.GroupRebalanceConfig#GroupRebalanceConfig(AbstractConfig, ProtocolType)
        """
        consumer = protocol_type is GroupRebalanceConfig.ProtocolType.CONSUMER
        session_timeout_ms = config.get_int(CommonClientConfigs.SESSION_TIMEOUT_MS_CONFIG)

        # Connect has another name for this setting.
        rebalance_timeout_ms = config.get_int(
            CommonClientConfigs.MAX_POLL_INTERVAL_MS_CONFIG if consumer
            else CommonClientConfigs.REBALANCE_TIMEOUT_MS_CONFIG)

        heartbeat_interval_ms = config.get_int(CommonClientConfigs.HEARTBEAT_INTERVAL_MS_CONFIG)
        group_id = config.get_string(CommonClientConfigs.GROUP_ID_CONFIG)

        # Connect has no static members, and its members always leave the group at close.
        group_instance_id: str | None = None
        if consumer:
            group_instance_id = config.get_string(CommonClientConfigs.GROUP_INSTANCE_ID_CONFIG)
            if group_instance_id is not None:
                JoinGroupRequest.validate_group_instance_id(group_instance_id)

        retry_backoff_ms = config.get_long(CommonClientConfigs.RETRY_BACKOFF_MS_CONFIG)
        retry_backoff_max_ms = config.get_long(CommonClientConfigs.RETRY_BACKOFF_MAX_MS_CONFIG)
        leave_group_on_close = config.get_boolean("internal.leave.group.on.close") if consumer else True
        return GroupRebalanceConfig(
            session_timeout_ms, rebalance_timeout_ms, heartbeat_interval_ms, group_id, group_instance_id,
            retry_backoff_ms, retry_backoff_max_ms, leave_group_on_close)

    def __init__(self, session_timeout_ms: int, rebalance_timeout_ms: int, heartbeat_interval_ms: int,
                 group_id: str | None, group_instance_id: str | None, retry_backoff_ms: int,
                 retry_backoff_max_ms: int, leave_group_on_close: bool) -> None:
        """Store all arguments.

        :origin: clients.GroupRebalanceConfig#GroupRebalanceConfig(
            int, int, int, String, Optional<String>, long, long, boolean)
        """
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.group_id = group_id
        self.group_instance_id = group_instance_id
        self.retry_backoff_ms = retry_backoff_ms
        self.retry_backoff_max_ms = retry_backoff_max_ms
        self.leave_group_on_close = leave_group_on_close

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.ConsumerGroupMigrationPolicy of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Whether a group may change from one rebalance protocol to the other."""

from __future__ import annotations

from enum import Enum


class ConsumerGroupMigrationPolicy(Enum):
    """A policy: its name in settings, and whether it allows an upgrade and a downgrade.

    :origin: coordinator.group.ConsumerGroupMigrationPolicy
    """

    BIDIRECTIONAL = ("bidirectional", True, True)
    UPGRADE = ("upgrade", True, False)
    DOWNGRADE = ("downgrade", False, True)
    DISABLED = ("disabled", False, False)

    def __init__(self, config: str, is_upgrade_enabled: bool, is_downgrade_enabled: bool) -> None:
        """
        :origin: coordinator.group.ConsumerGroupMigrationPolicy#ConsumerGroupMigrationPolicy(String, boolean, boolean)
        """  # noqa: E501
        self._name = config
        self._is_upgrade_enabled = is_upgrade_enabled
        self._is_downgrade_enabled = is_downgrade_enabled

    def is_upgrade_enabled(self) -> bool:
        """Return whether a classic group may become a consumer group.

        :origin: coordinator.group.ConsumerGroupMigrationPolicy#isUpgradeEnabled()
        """
        return self._is_upgrade_enabled

    def is_downgrade_enabled(self) -> bool:
        """Return whether a consumer group may become a classic group.

        :origin: coordinator.group.ConsumerGroupMigrationPolicy#isDowngradeEnabled()
        """
        return self._is_downgrade_enabled

    def __str__(self) -> str:
        """:origin: coordinator.group.ConsumerGroupMigrationPolicy#toString()"""
        return self._name

    @staticmethod
    def parse(name: str | None) -> ConsumerGroupMigrationPolicy:
        """Return the policy of this name, in any case; DISABLED for an unknown name.

        :origin: coordinator.group.ConsumerGroupMigrationPolicy#parse(String)
        """
        if name is None:
            return ConsumerGroupMigrationPolicy.DISABLED
        return _NAME_TO_ENUM.get(name.lower(), ConsumerGroupMigrationPolicy.DISABLED)


# :origin: coordinator.group.ConsumerGroupMigrationPolicy#NAME_TO_ENUM
_NAME_TO_ENUM = {str(policy).lower(): policy for policy in ConsumerGroupMigrationPolicy}

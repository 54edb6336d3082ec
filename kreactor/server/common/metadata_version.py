# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.common.MetadataVersion of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The versions on which the brokers of a cluster agree: ``inter.broker.protocol.version``.

All brokers of a cluster run in one process, so they agree without a negotiation. Settings contain these
versions, and Kafka refuses settings that contradict them.
"""

from __future__ import annotations

from enum import Enum

from kreactor.common.record.record_version import RecordVersion
from kreactor.jdk.exceptions import IllegalArgumentException


class MetadataVersion(Enum):
    """A version: the level of the feature ``metadata.version``, the release, and the step within the release.

    Level -1 means before KRaft. Versions are ordered by age.

    :origin: server.common.MetadataVersion
    """

    IBP_0_8_0 = (-1, "0.8.0", "")
    IBP_0_8_1 = (-1, "0.8.1", "")
    IBP_0_8_2 = (-1, "0.8.2", "")
    IBP_0_9_0 = (-1, "0.9.0", "")
    IBP_0_10_0_IV0 = (-1, "0.10.0", "IV0")
    IBP_0_10_0_IV1 = (-1, "0.10.0", "IV1")
    IBP_0_10_1_IV0 = (-1, "0.10.1", "IV0")
    IBP_0_10_1_IV1 = (-1, "0.10.1", "IV1")
    IBP_0_10_1_IV2 = (-1, "0.10.1", "IV2")
    IBP_0_10_2_IV0 = (-1, "0.10.2", "IV0")
    IBP_0_11_0_IV0 = (-1, "0.11.0", "IV0")
    IBP_0_11_0_IV1 = (-1, "0.11.0", "IV1")
    IBP_0_11_0_IV2 = (-1, "0.11.0", "IV2")
    IBP_1_0_IV0 = (-1, "1.0", "IV0")
    IBP_1_1_IV0 = (-1, "1.1", "IV0")
    IBP_2_0_IV0 = (-1, "2.0", "IV0")
    IBP_2_0_IV1 = (-1, "2.0", "IV1")
    IBP_2_1_IV0 = (-1, "2.1", "IV0")
    IBP_2_1_IV1 = (-1, "2.1", "IV1")
    IBP_2_1_IV2 = (-1, "2.1", "IV2")
    IBP_2_2_IV0 = (-1, "2.2", "IV0")
    IBP_2_2_IV1 = (-1, "2.2", "IV1")
    IBP_2_3_IV0 = (-1, "2.3", "IV0")
    IBP_2_3_IV1 = (-1, "2.3", "IV1")
    IBP_2_4_IV0 = (-1, "2.4", "IV0")
    IBP_2_4_IV1 = (-1, "2.4", "IV1")
    IBP_2_5_IV0 = (-1, "2.5", "IV0")
    IBP_2_6_IV0 = (-1, "2.6", "IV0")
    IBP_2_7_IV0 = (-1, "2.7", "IV0")
    IBP_2_7_IV1 = (-1, "2.7", "IV1")
    IBP_2_7_IV2 = (-1, "2.7", "IV2")
    IBP_2_8_IV0 = (-1, "2.8", "IV0")
    IBP_2_8_IV1 = (-1, "2.8", "IV1")
    IBP_3_0_IV0 = (-1, "3.0", "IV0")
    IBP_3_0_IV1 = (1, "3.0", "IV1")
    IBP_3_1_IV0 = (2, "3.1", "IV0")
    IBP_3_2_IV0 = (3, "3.2", "IV0")
    IBP_3_3_IV0 = (4, "3.3", "IV0")
    IBP_3_3_IV1 = (5, "3.3", "IV1")
    IBP_3_3_IV2 = (6, "3.3", "IV2")
    IBP_3_3_IV3 = (7, "3.3", "IV3")
    IBP_3_4_IV0 = (8, "3.4", "IV0")
    IBP_3_5_IV0 = (9, "3.5", "IV0")
    IBP_3_5_IV1 = (10, "3.5", "IV1")
    IBP_3_5_IV2 = (11, "3.5", "IV2")
    IBP_3_6_IV0 = (12, "3.6", "IV0")
    IBP_3_6_IV1 = (13, "3.6", "IV1")
    IBP_3_6_IV2 = (14, "3.6", "IV2")
    IBP_3_7_IV0 = (15, "3.7", "IV0")
    IBP_3_7_IV1 = (16, "3.7", "IV1")
    IBP_3_7_IV2 = (17, "3.7", "IV2")
    IBP_3_7_IV3 = (18, "3.7", "IV3")
    IBP_3_7_IV4 = (19, "3.7", "IV4")
    IBP_3_8_IV0 = (20, "3.8", "IV0")
    IBP_3_9_IV0 = (21, "3.9", "IV0")

    def __init__(self, feature_level: int, release: str, sub_version: str) -> None:
        """:origin: server.common.MetadataVersion#MetadataVersion(int, String, String)"""
        self._feature_level = feature_level
        self._release = release
        self._ibp_version = f"{release}-{sub_version}" if sub_version else release
        self._ordinal = len(type(self).__members__)

    def feature_name(self) -> str:
        """Return the name of the feature.

        :origin: server.common.MetadataVersion#featureName()
        """
        return FEATURE_NAME

    def feature_level(self) -> int:
        """Return the level of the feature.

        :origin: server.common.MetadataVersion#featureLevel()
        """
        return self._feature_level

    def is_sasl_inter_broker_handshake_request_enabled(self) -> bool:
        """Return whether brokers send a SASL handshake to each other.

        :origin: server.common.MetadataVersion#isSaslInterBrokerHandshakeRequestEnabled()
        """
        return self.is_at_least(MetadataVersion.IBP_0_10_0_IV1)

    def is_directory_assignment_supported(self) -> bool:
        """Return whether a KRaft broker may have several log directories.

        :origin: server.common.MetadataVersion#isDirectoryAssignmentSupported()
        """
        return self.is_at_least(MetadataVersion.IBP_3_7_IV2)

    def is_kraft_supported(self) -> bool:
        """Return whether a KRaft cluster can have this version.

        :origin: server.common.MetadataVersion#isKRaftSupported()
        """
        return self._feature_level > 0

    def highest_supported_record_version(self) -> RecordVersion:
        """Return the newest format of records.

        :origin: server.common.MetadataVersion#highestSupportedRecordVersion()
        """
        if self.is_less_than(MetadataVersion.IBP_0_10_0_IV0):
            return RecordVersion.V0
        if self.is_less_than(MetadataVersion.IBP_0_11_0_IV0):
            return RecordVersion.V1
        return RecordVersion.V2

    def is_migration_supported(self) -> bool:
        """Return whether a ZooKeeper cluster can become a KRaft cluster.

        :origin: server.common.MetadataVersion#isMigrationSupported()
        """
        return self.is_at_least(MetadataVersion.IBP_3_4_IV0)

    def is_production(self) -> bool:
        """Return whether the version is released.

        :origin: server.common.MetadataVersion#isProduction()
        """
        return self._ordinal <= LATEST_PRODUCTION._ordinal

    def short_version(self) -> str:
        """Return the release.

        :origin: server.common.MetadataVersion#shortVersion()
        """
        return self._release

    def version(self) -> str:
        """Return the release with its step.

        :origin: server.common.MetadataVersion#version()
        """
        return self._ibp_version

    @staticmethod
    def from_version_string(version_string: str) -> MetadataVersion:
        """Return the version of a setting's text.

        A release without a step means its last released step. Further text is ignored: ``2.8.1`` means
        ``2.8``, and ``0.10.2.1`` means ``0.10.2``. Raises IllegalArgumentException.

        :origin: server.common.MetadataVersion#fromVersionString(String)
        """
        version_segments = version_string.split(".")
        num_segments = 3 if version_string.startswith("0.") else 2
        if num_segments >= len(version_segments):
            key = version_string
        else:
            key = ".".join(version_segments[:num_segments])
        version = _IBP_VERSIONS.get(key)
        if version is None:
            raise IllegalArgumentException(f"Version {version_string} is not a valid version")
        return version

    @staticmethod
    def from_feature_level(version: int) -> MetadataVersion:
        """Return the first version of a level of the feature. Raises IllegalArgumentException.

        :origin: server.common.MetadataVersion#fromFeatureLevel(short)
        """
        for metadata_version in MetadataVersion:
            if metadata_version._feature_level == version:
                return metadata_version
        raise IllegalArgumentException(f"No MetadataVersion with feature level {version}")

    @staticmethod
    def min_supported_for(record_version: RecordVersion) -> MetadataVersion:
        """Return the first version that supports a format of records.

        :origin: server.common.MetadataVersion#minSupportedFor(RecordVersion)
        """
        if record_version is RecordVersion.V0:
            return MetadataVersion.IBP_0_8_0
        if record_version is RecordVersion.V1:
            return MetadataVersion.IBP_0_10_0_IV0
        return MetadataVersion.IBP_0_11_0_IV0

    @staticmethod
    def latest_testing() -> MetadataVersion:
        """Return the last version, released or not.

        :origin: server.common.MetadataVersion#latestTesting()
        """
        return VERSIONS[-1]

    @staticmethod
    def latest_production() -> MetadataVersion:
        """Return the last released version.

        :origin: server.common.MetadataVersion#latestProduction()
        """
        return LATEST_PRODUCTION

    def is_at_least(self, other_version: MetadataVersion) -> bool:
        """Return whether this is ``other_version`` or a later version.

        :origin: server.common.MetadataVersion#isAtLeast(MetadataVersion)
        """
        return self._ordinal >= other_version._ordinal

    def is_less_than(self, other_version: MetadataVersion) -> bool:
        """Return whether this is earlier than ``other_version``.

        :origin: server.common.MetadataVersion#isLessThan(MetadataVersion)
        """
        return self._ordinal < other_version._ordinal

    def __str__(self) -> str:
        """:origin: server.common.MetadataVersion#toString()"""
        return self._ibp_version


# Class constants, as in Java; as attributes of an Enum they would be members.
FEATURE_NAME = "metadata.version"
MINIMUM_KRAFT_VERSION = MetadataVersion.IBP_3_0_IV1
MINIMUM_BOOTSTRAP_VERSION = MetadataVersion.IBP_3_3_IV0
LATEST_PRODUCTION = MetadataVersion.IBP_3_8_IV0
VERSIONS = tuple(MetadataVersion)

# By release and step; a release alone means its last released step.
_IBP_VERSIONS = {version.version(): version for version in VERSIONS}
_IBP_VERSIONS.update((version.short_version(), version) for version in VERSIONS if version.is_production())

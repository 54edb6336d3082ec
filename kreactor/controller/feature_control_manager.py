# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.FeatureControlManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The features and their levels, and the errors of changes that are not possible.

The only feature is ``metadata.version``, at the level of 3.8. A higher level is unknown to this software. A
lower level is not supported, so nothing has to be stored.
"""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.update_features_request import UpgradeType
from kreactor.common.utils.log_context import LogContext
from kreactor.server.common.metadata_version import MetadataVersion

log = LogContext("[FeatureControlManager] ").logger(f"{__name__}.FeatureControlManager")


class FeatureControlManager:
    """For use by any thread.

    :origin: controller.FeatureControlManager
    """

    FINALIZED = MetadataVersion.latest_production()
    # The first metadata version in which brokers know levels of features.
    MINIMUM = MetadataVersion.from_feature_level(1)
    # The first metadata version whose level a metadata log can store.
    MINIMUM_BOOTSTRAP = MetadataVersion.IBP_3_3_IV0

    def __init__(self, node_id: int) -> None:
        """:origin: controller.FeatureControlManager#FeatureControlManager(
            LogContext, QuorumFeatures, SnapshotRegistry, MetadataVersion, MetadataVersion,
            ClusterFeatureSupportDescriber)
        """
        self._node_id = node_id

    @staticmethod
    def supported_features() -> dict[str, tuple[int, int]]:
        """Return the lowest and highest level of each feature.

        :origin: controller.QuorumFeatures#defaultFeatureMap(boolean)
        """
        c = FeatureControlManager
        return {c.FINALIZED.feature_name(): (c.MINIMUM.feature_level(), c.FINALIZED.feature_level())}

    def update_features(self, updates: Mapping[str, tuple[int, UpgradeType]]) -> dict[str, ApiError]:
        """Return the result of changing each feature's level, in the order of their names.

        :origin: controller.FeatureControlManager#updateFeatures(Map<String,Short>, Map<String,UpgradeType>, boolean)
        """  # noqa: E501
        return {name: self._update_feature(name, *updates[name]) for name in sorted(updates)}

    def _update_feature(self, feature_name: str, new_version: int, upgrade_type: UpgradeType) -> ApiError:
        """
        :origin: controller.FeatureControlManager#updateFeature(String, short, UpgradeType, List<ApiMessageAndVersion>)
        """  # noqa: E501
        if upgrade_type is UpgradeType.UNKNOWN:
            return self._invalid_update_version(
                feature_name, new_version, "The controller does not support the given upgrade type.")
        current_version = self.finalized_features().get(feature_name, 0)
        if new_version < 0:
            return self._invalid_update_version(
                feature_name, new_version, "A feature version cannot be less than 0.")
        reason_not_supported = self._reason_not_supported(feature_name, new_version)
        if reason_not_supported is not None:
            return self._invalid_update_version(feature_name, new_version, reason_not_supported)
        if new_version < current_version and upgrade_type is UpgradeType.UPGRADE:
            return self._invalid_update_version(
                feature_name, new_version,
                "Can't downgrade the version of this feature without setting the upgrade type to either safe "
                "or unsafe downgrade.")
        if new_version == current_version:
            return ApiError.NONE
        # All other features are at level 0, their only level.
        return self._update_metadata_version(new_version, upgrade_type is UpgradeType.UNSAFE_DOWNGRADE)

    def _reason_not_supported(self, feature_name: str, new_version: int) -> str | None:
        """Return why a feature does not support a level, or None.

        :origin: controller.FeatureControlManager#reasonNotSupported(String, short)
        """
        what = f"Local controller {self._node_id}"
        lowest, highest = self.supported_features().get(feature_name, (0, 0))
        if lowest <= new_version <= highest:
            return None
        if highest == 0:
            return f"{what} does not support this feature."
        return f"{what} only supports versions {lowest}-{highest}"

    def _invalid_update_version(self, feature: str, version: int, message: str) -> ApiError:
        """:origin: controller.FeatureControlManager#invalidUpdateVersion(String, short, String)"""
        error_message = f"Invalid update version {version} for feature {feature}. {message}"
        log.warn("%s", error_message)
        return ApiError(Errors.INVALID_UPDATE_VERSION, error_message)

    def _update_metadata_version(self, new_version_level: int, allow_unsafe_downgrade: bool) -> ApiError:
        """
        :origin: controller.FeatureControlManager#updateMetadataVersion(short, boolean, Consumer<ApiMessageAndVersion>)
        """  # noqa: E501
        new_version = MetadataVersion.from_feature_level(new_version_level)
        if new_version.is_less_than(self.MINIMUM_BOOTSTRAP):
            return self._invalid_metadata_version(
                new_version_level,
                f"Unable to set a metadata.version less than {self.MINIMUM_BOOTSTRAP}")
        # DEVIATION D151: Kafka can downgrade to 3.7-IV2, because the records have not changed since then.
        if allow_unsafe_downgrade:
            return self._invalid_metadata_version(
                new_version_level, "Unsafe metadata downgrade is not supported in this version.")
        return self._invalid_metadata_version(
            new_version_level, "Refusing to perform the requested downgrade because it might delete metadata "
            "information.")

    def _invalid_metadata_version(self, version: int, message: str) -> ApiError:
        """:origin: controller.FeatureControlManager#invalidMetadataVersion(short, String)"""
        error_message = f"Invalid metadata.version {version}. {message}"
        log.warn("%s", error_message)
        return ApiError(Errors.INVALID_UPDATE_VERSION, error_message)

    @staticmethod
    def finalized_features() -> dict[str, int]:
        """Return the level of each feature.

        :origin: controller.FeatureControlManager#finalizedFeatures(long)
        """
        finalized = FeatureControlManager.FINALIZED
        return {finalized.feature_name(): finalized.feature_level()}

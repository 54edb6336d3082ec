# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.FeatureControlManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A feature's level stays what it is: each other level is refused, in Kafka's words."""

from __future__ import annotations

import pytest

from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.update_features_request import UpgradeType
from kreactor.controller.feature_control_manager import FeatureControlManager
from kreactor.server.common.metadata_version import MetadataVersion

FEATURE_NAME = MetadataVersion.latest_production().feature_name()

OUT_OF_RANGE = "Local controller 0 only supports versions 1-20"


def update(level: int, upgrade_type: UpgradeType, name: str = FEATURE_NAME) -> dict[str, ApiError]:
    return FeatureControlManager(0).update_features({name: (level, upgrade_type)})


def refused(message: str, name: str = FEATURE_NAME) -> dict[str, ApiError]:
    return {name: ApiError(Errors.INVALID_UPDATE_VERSION, message)}


def test_update_features() -> None:
    assert FeatureControlManager.finalized_features() == {FEATURE_NAME: 20}
    assert update(21, UpgradeType.SAFE_DOWNGRADE) == refused(
        f"Invalid update version 21 for feature {FEATURE_NAME}. {OUT_OF_RANGE}")
    assert FeatureControlManager(0).update_features({
        FEATURE_NAME: (20, UpgradeType.UPGRADE), "bar": (1, UpgradeType.UPGRADE)}) == {
        FEATURE_NAME: ApiError.NONE,
        **refused("Invalid update version 1 for feature bar. Local controller 0 does not support this "
                  "feature.", "bar")}


def test_cannot_downgrade_to_version_before_minimum_supported_kraft_version() -> None:
    assert update(0, UpgradeType.UNSAFE_DOWNGRADE) == refused(
        f"Invalid update version 0 for feature {FEATURE_NAME}. {OUT_OF_RANGE}")


@pytest.mark.parametrize("upgrade_type", [UpgradeType.SAFE_DOWNGRADE, UpgradeType.UNSAFE_DOWNGRADE])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_cannot_downgrade_before_3_3_iv0(level: int, upgrade_type: UpgradeType) -> None:
    assert update(level, upgrade_type) == refused(
        f"Invalid {FEATURE_NAME} {level}. Unable to set a metadata.version less than 3.3-IV0")


def test_cannot_upgrade_to_lower_version() -> None:
    assert update(4, UpgradeType.UPGRADE) == refused(
        f"Invalid update version 4 for feature {FEATURE_NAME}. Can't downgrade the version of this feature "
        "without setting the upgrade type to either safe or unsafe downgrade.")


def test_cannot_use_safe_downgrade_if_metadata_changed() -> None:
    assert update(4, UpgradeType.SAFE_DOWNGRADE) == refused(
        f"Invalid {FEATURE_NAME} 4. Refusing to perform the requested downgrade because it might delete "
        "metadata information.")


def test_unsafe_downgrade_is_temporarily_disabled() -> None:
    assert update(4, UpgradeType.UNSAFE_DOWNGRADE) == refused(
        f"Invalid {FEATURE_NAME} 4. Unsafe metadata downgrade is not supported in this version.")

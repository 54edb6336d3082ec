# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.QuorumFeaturesTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The features of a release, and what is said of a level that it does not have."""

from __future__ import annotations

from kreactor.controller.feature_control_manager import FeatureControlManager
from kreactor.server.common.metadata_version import LATEST_PRODUCTION, MINIMUM_KRAFT_VERSION, MetadataVersion

FEATURE_NAME = LATEST_PRODUCTION.feature_name()


def test_default_feature_map() -> None:
    assert FeatureControlManager.supported_features() == {
        FEATURE_NAME: (MINIMUM_KRAFT_VERSION.feature_level(), LATEST_PRODUCTION.feature_level())}


def test_reason_not_supported() -> None:
    manager = FeatureControlManager(0)
    too_high = MetadataVersion.latest_testing().feature_level()
    assert manager._reason_not_supported(FEATURE_NAME, too_high) == (
        "Local controller 0 only supports versions 1-20")
    assert manager._reason_not_supported(FEATURE_NAME, LATEST_PRODUCTION.feature_level()) is None
    assert manager._reason_not_supported("quux", 1) == "Local controller 0 does not support this feature."

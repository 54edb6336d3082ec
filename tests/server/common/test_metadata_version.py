# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The names and the order of versions."""

from __future__ import annotations

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.record.record_version import RecordVersion
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.server.common.metadata_version import (
    LATEST_PRODUCTION,
    MINIMUM_KRAFT_VERSION,
    VERSIONS,
    MetadataVersion,
)
from kreactor.server.common.metadata_version_validator import MetadataVersionValidator


def test_k_raft_feature_levels_before_3_0_iv1() -> None:
    for version in VERSIONS:
        if version.is_less_than(MINIMUM_KRAFT_VERSION):
            assert version.feature_level() == -1


def test_k_raft_feature_levels_at_and_after_3_0_iv1() -> None:
    kraft = [version for version in VERSIONS if version.is_at_least(MINIMUM_KRAFT_VERSION)]
    assert [version.feature_level() for version in kraft] == list(range(1, len(kraft) + 1))
    for version in kraft:
        assert MetadataVersion.from_feature_level(version.feature_level()) is version
    with pytest.raises(IllegalArgumentException):
        MetadataVersion.from_feature_level(100)


@pytest.mark.parametrize("text, name", [
    ("0.8.0", "0_8_0"), ("0.8.0.0", "0_8_0"), ("0.8.1.1", "0_8_1"), ("0.8.2.1", "0_8_2"), ("0.9.0.1",
                                                                                           "0_9_0"),
    ("0.10.0-IV0", "0_10_0_IV0"), ("0.10.0", "0_10_0_IV1"), ("0.10.0.0-IV0", "0_10_0_IV1"),
    ("0.10.1-IV1", "0_10_1_IV1"), ("0.10.1.1", "0_10_1_IV2"), ("0.10.2.1", "0_10_2_IV0"),
    ("0.11.0-IV1", "0_11_0_IV1"), ("0.11.0.1", "0_11_0_IV2"), ("1.0", "1_0_IV0"), ("1.0.0-IV0", "1_0_IV0"),
    ("1.0.1", "1_0_IV0"), ("1.1-IV0", "1_1_IV0"), ("2.0", "2_0_IV1"), ("2.0-IV0", "2_0_IV0"), ("2.1",
                                                                                               "2_1_IV2"),
    ("2.2", "2_2_IV1"), ("2.3", "2_3_IV1"), ("2.4", "2_4_IV1"), ("2.5", "2_5_IV0"), ("2.6", "2_6_IV0"),
    ("2.7", "2_7_IV2"), ("2.8", "2_8_IV1"), ("3.0", "3_0_IV1"), ("3.1", "3_1_IV0"), ("3.2", "3_2_IV0"),
    ("3.3", "3_3_IV3"), ("3.4", "3_4_IV0"), ("3.5", "3_5_IV2"), ("3.6", "3_6_IV2"), ("3.7", "3_7_IV4"),
    ("3.8", "3_8_IV0"), ("3.9-IV0", "3_9_IV0"),
])
def test_from_version_string(text: str, name: str) -> None:
    assert MetadataVersion.from_version_string(text) is MetadataVersion[f"IBP_{name}"]


@pytest.mark.parametrize("text", ["0.1.0", "0.1.0.0", "0.1.0-IV0", "0.1.0.0-IV0", "3.9", "foo", ""])
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(IllegalArgumentException, match=f"Version {text} is not a valid version"):
        MetadataVersion.from_version_string(text)


def test_min_supported_version_for() -> None:
    assert MetadataVersion.min_supported_for(RecordVersion.V0) is MetadataVersion.IBP_0_8_0
    assert MetadataVersion.min_supported_for(RecordVersion.V1) is MetadataVersion.IBP_0_10_0_IV0
    assert MetadataVersion.min_supported_for(RecordVersion.V2) is MetadataVersion.IBP_0_11_0_IV0
    for version in RecordVersion:
        minimum = MetadataVersion.min_supported_for(version)
        assert minimum.highest_supported_record_version() is version


def test_short_version() -> None:
    assert MetadataVersion.IBP_0_8_0.short_version() == "0.8.0"
    assert MetadataVersion.IBP_0_11_0_IV2.short_version() == "0.11.0"
    assert MetadataVersion.IBP_3_7_IV4.short_version() == "3.7"


def test_version() -> None:
    assert MetadataVersion.IBP_0_8_0.version() == "0.8.0"
    for version in VERSIONS:
        assert version.name == "IBP_" + version.version().replace(".", "_").replace("-", "_")
        assert MetadataVersion.from_version_string(version.version()) is version
        assert str(version) == version.version()


def test_k_raft_versions() -> None:
    for version in VERSIONS:
        assert version.is_kraft_supported() == version.is_at_least(MetadataVersion.IBP_3_0_IV1)
        assert version.is_kraft_supported() == (version.feature_level() > 0)


def test_directory_assignment_supported() -> None:
    for version in VERSIONS:
        assert (version.is_directory_assignment_supported()
                == version.is_at_least(MetadataVersion.IBP_3_7_IV2))


def test_assert_latest_production_is_less_than_latest() -> None:
    assert VERSIONS.index(LATEST_PRODUCTION) < VERSIONS.index(MetadataVersion.latest_testing())


def test_assert_latest_production_is_production() -> None:
    assert LATEST_PRODUCTION.is_production()


def test_assert_latest_is_not_production() -> None:
    assert not MetadataVersion.latest_testing().is_production()


def test_production() -> None:
    assert [version for version in VERSIONS if not version.is_production()] == [MetadataVersion.IBP_3_9_IV0]
    assert MetadataVersion.latest_production() is LATEST_PRODUCTION
    assert MetadataVersion.latest_testing() is VERSIONS[-1]


def test_metadata_version_validator() -> None:
    validator = MetadataVersionValidator()
    for version in VERSIONS:
        validator.ensure_valid("test", version.version())
    with pytest.raises(ConfigException) as e:
        validator.ensure_valid("test", "a.b.c")
    assert str(e.value) == "Invalid value a.b.c for configuration test: Version a.b.c is not a valid version"
    assert str(validator).startswith("[0.8.0, 0.8.1,")

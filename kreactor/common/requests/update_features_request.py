# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.UpdateFeaturesRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to set the levels of features."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from kreactor.common.message.update_features_request_data import UpdateFeaturesRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.update_features_response import UpdateFeaturesResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class UpgradeType(Enum):
    """The allowed direction of a level change.

    In Kafka the admin client has this type. The value is the id on the wire.

    :origin: clients.admin.FeatureUpdate.UpgradeType
    """

    UNKNOWN = 0
    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3

    @staticmethod
    def from_code(code: int) -> UpgradeType:
        """Return the type of a code, or UNKNOWN.

        :origin: clients.admin.FeatureUpdate.UpgradeType#fromCode(int)
        """
        return UpgradeType(code) if 1 <= code <= 3 else UpgradeType.UNKNOWN


class UpdateFeaturesRequest(AbstractRequest):
    """:origin: common.requests.UpdateFeaturesRequest"""

    class FeatureUpdateItem(NamedTuple):
        """The requested level of a feature.

        :origin: common.requests.UpdateFeaturesRequest.FeatureUpdateItem
        """

        feature: str
        version_level: int
        upgrade_type: UpgradeType

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["UpdateFeaturesRequest"]):
        """:origin: common.requests.UpdateFeaturesRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: UpdateFeaturesRequestData) -> None:
            """:origin: common.requests.UpdateFeaturesRequest.Builder#Builder(UpdateFeaturesRequestData)"""
            super().__init__(ApiKeys.UPDATE_FEATURES)
            self._data = data

        def build_version(self, version: int) -> UpdateFeaturesRequest:
            """:origin: common.requests.UpdateFeaturesRequest.Builder#build(short)"""
            return UpdateFeaturesRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.UpdateFeaturesRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: UpdateFeaturesRequestData, version: int) -> None:
        """:origin: common.requests.UpdateFeaturesRequest#UpdateFeaturesRequest(UpdateFeaturesRequestData,
            short)
        """
        super().__init__(ApiKeys.UPDATE_FEATURES, version)
        self._data = data

    def _item_of(
        self, update: UpdateFeaturesRequestData.FeatureUpdateKey,
    ) -> UpdateFeaturesRequest.FeatureUpdateItem:
        if self.version() == 0:
            upgrade_type = UpgradeType.SAFE_DOWNGRADE if update.allow_downgrade else UpgradeType.UPGRADE
        else:
            upgrade_type = UpgradeType.from_code(update.upgrade_type)
        return self.FeatureUpdateItem(update.feature, update.max_version_level, upgrade_type)

    def feature_updates(self) -> list[UpdateFeaturesRequest.FeatureUpdateItem]:
        """Return the updates of all features in the request.

        :origin: common.requests.UpdateFeaturesRequest#featureUpdates()
        """
        updates = self._data.feature_updates
        # The first update of the feature, as in the origin.
        first_by_name = {update.feature: update for update in reversed(updates)}
        return [self._item_of(first_by_name[update.feature]) for update in updates]

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> UpdateFeaturesResponse:
        """:origin: common.requests.UpdateFeaturesRequest#getErrorResponse(int, Throwable)"""
        return UpdateFeaturesResponse.create_with_errors(ApiError.from_throwable(e), {}, throttle_time_ms)

    def data(self) -> UpdateFeaturesRequestData:
        """:origin: common.requests.UpdateFeaturesRequest#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> UpdateFeaturesRequest:
        """:origin: common.requests.UpdateFeaturesRequest#parse(ByteBuffer, short)"""
        return UpdateFeaturesRequest(UpdateFeaturesRequestData.read(buffer, version), version)

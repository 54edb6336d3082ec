# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's CompressionRatioEstimatorTest."""

from __future__ import annotations

import pytest

from kreactor.common.record.compression_ratio_estimator import CompressionRatioEstimator
from kreactor.common.record.compression_type import CompressionType


@pytest.fixture(autouse=True)
def forget():
    yield
    CompressionRatioEstimator.remove_estimation("tp")


@pytest.mark.parametrize("current, observed, expected", [
    (0.8, 0.84, 0.85), (0.6, 0.7, 0.7), (0.6, 0.4, 0.595), (0.004, 0.001, 0.001), (0.5, 0.5, 0.5)])
def test_update_estimation(current, observed, expected) -> None:
    CompressionRatioEstimator.set_estimation("tp", CompressionType.ZSTD, current)
    updated = CompressionRatioEstimator.update_estimation("tp", CompressionType.ZSTD, observed)
    assert updated >= observed
    assert updated == pytest.approx(expected)
    assert CompressionRatioEstimator.estimation("tp", CompressionType.ZSTD) == updated
    assert CompressionRatioEstimator.estimation("tp", CompressionType.LZ4) == 1.0
    CompressionRatioEstimator.reset_estimation("tp")
    assert CompressionRatioEstimator.estimation("tp", CompressionType.ZSTD) == 1.0

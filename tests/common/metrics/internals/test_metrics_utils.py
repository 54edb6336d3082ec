# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.internals.MetricsUtilsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Small helpers of the metrics."""

from __future__ import annotations

import pytest

from kreactor.common.metrics.internals.metrics_utils import MetricsUtils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.time_unit import TimeUnit


def test_creating_tags() -> None:
    tags = MetricsUtils.get_tags("k1", "v1", "k2", "v2")
    assert list(tags.items()) == [("k1", "v1"), ("k2", "v2")]


def test_creating_tags_with_odd_number_of_tags() -> None:
    with pytest.raises(IllegalArgumentException, match="^keyValue needs to be specified in pairs$"):
        MetricsUtils.get_tags("k1", "v1", "k2", "v2", "extra")


@pytest.mark.parametrize("unit", list(TimeUnit))
def test_convert(unit: TimeUnit) -> None:
    converted = MetricsUtils.convert(86_400_000, unit)
    assert type(converted) is float
    assert converted == TimeUnit.DAYS.value / unit.value

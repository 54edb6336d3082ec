# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ServerMetricsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The levels at which a broker records its metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.common.metrics.sensor import Sensor
from kreactor.core.server.broker_server import BrokerServer
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.server.config.metric_configs import MetricConfigs
from tests.core.server.brokers import new_broker


def test_metrics_config(tmp_path: Path) -> None:
    def broker(level: str) -> BrokerServer:
        return new_broker(tmp_path, {MetricConfigs.METRIC_RECORDING_LEVEL_CONFIG: level})

    for recording_level in (Sensor.RecordingLevel.DEBUG, Sensor.RecordingLevel.INFO):
        assert broker(recording_level.name)._metric_config().record_level() is recording_level
    for illegal_name in ("IllegalName", ""):
        with pytest.raises(IllegalArgumentException):
            broker(illegal_name)._metric_config()

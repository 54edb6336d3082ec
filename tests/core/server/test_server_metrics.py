# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ServerMetricsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The levels at which a broker records its metrics."""

from __future__ import annotations

import pytest

from kreactor.common.metrics.sensor import Sensor
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.server import Server
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.server.config.metric_configs import MetricConfigs


def test_metrics_config() -> None:
    def config(level: str) -> KafkaConfig:
        return KafkaConfig.from_props({
            "broker.id": "1", "listeners": "PLAINTEXT://127.0.0.1:0",
            MetricConfigs.METRIC_RECORDING_LEVEL_CONFIG: level})

    for recording_level in (Sensor.RecordingLevel.DEBUG, Sensor.RecordingLevel.INFO):
        metric_config = Server.build_metrics_config(config(recording_level.name))
        assert metric_config.record_level() is recording_level
    for illegal_name in ("IllegalName", ""):
        with pytest.raises(IllegalArgumentException):
            Server.build_metrics_config(config(illegal_name))

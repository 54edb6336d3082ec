# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.MetricConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of metrics."""

from __future__ import annotations

OMITTED = {
    "server.metrics.MetricConfigs#*_DOC": "texts of Kafka's documentation are not ported",
}


class MetricConfigs:
    """Names and defaults.

    :origin: server.metrics.MetricConfigs
    """

    METRIC_SAMPLE_WINDOW_MS_CONFIG = "metrics.sample.window.ms"
    METRIC_SAMPLE_WINDOW_MS_DEFAULT = 30_000
    METRIC_NUM_SAMPLES_CONFIG = "metrics.num.samples"
    METRIC_NUM_SAMPLES_DEFAULT = 2
    METRIC_REPORTER_CLASSES_CONFIG = "metric.reporters"
    METRIC_REPORTER_CLASSES_DEFAULT = ""
    METRIC_RECORDING_LEVEL_CONFIG = "metrics.recording.level"
    METRIC_RECORDING_LEVEL_DEFAULT = "INFO"
    AUTO_INCLUDE_JMX_REPORTER_CONFIG = "auto.include.jmx.reporter"
    AUTO_INCLUDE_JMX_REPORTER_DEFAULT = True
    KAFKA_METRICS_REPORTER_CLASSES_CONFIG = "kafka.metrics.reporters"
    KAFKA_METRIC_REPORTER_CLASSES_DEFAULT = ""
    KAFKA_METRICS_POLLING_INTERVAL_SECONDS_CONFIG = "kafka.metrics.polling.interval.secs"
    KAFKA_METRICS_POLLING_INTERVAL_SECONDS_DEFAULT = 10
    CLIENT_TELEMETRY_MAX_BYTES_CONFIG = "telemetry.max.bytes"
    CLIENT_TELEMETRY_MAX_BYTES_DEFAULT = 1024 * 1024

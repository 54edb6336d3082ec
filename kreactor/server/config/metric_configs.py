# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.MetricConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of metrics."""

from __future__ import annotations


class MetricConfigs:
    """Names and defaults.

    :origin: server.metrics.MetricConfigs
    """

    METRIC_SAMPLE_WINDOW_MS_CONFIG = "metrics.sample.window.ms"
    METRIC_SAMPLE_WINDOW_MS_DEFAULT = 30_000
    METRIC_SAMPLE_WINDOW_MS_DOC = "A sample of a metric spans this many milliseconds."
    METRIC_NUM_SAMPLES_CONFIG = "metrics.num.samples"
    METRIC_NUM_SAMPLES_DEFAULT = 2
    METRIC_NUM_SAMPLES_DOC = "A metric is computed over this many samples."
    METRIC_REPORTER_CLASSES_CONFIG = "metric.reporters"
    METRIC_REPORTER_CLASSES_DEFAULT = ""
    METRIC_REPORTER_CLASSES_DOC = (
        "Objects of these classes learn of every metric that appears, changes or goes.")
    METRIC_RECORDING_LEVEL_CONFIG = "metrics.recording.level"
    METRIC_RECORDING_LEVEL_DEFAULT = "INFO"
    METRIC_RECORDING_LEVEL_DOC = "Sensors up to this level record: INFO, DEBUG or TRACE."
    AUTO_INCLUDE_JMX_REPORTER_CONFIG = "auto.include.jmx.reporter"
    AUTO_INCLUDE_JMX_REPORTER_DEFAULT = True
    AUTO_INCLUDE_JMX_REPORTER_DOC = "In Kafka, true adds the reporter for JMX to metric.reporters."
    KAFKA_METRICS_REPORTER_CLASSES_CONFIG = "kafka.metrics.reporters"
    KAFKA_METRIC_REPORTER_CLASSES_DEFAULT = ""
    KAFKA_METRICS_REPORTER_CLASSES_DOC = (
        "In Kafka, objects of these classes report the metrics of the older Yammer library.")
    KAFKA_METRICS_POLLING_INTERVAL_SECONDS_CONFIG = "kafka.metrics.polling.interval.secs"
    KAFKA_METRICS_POLLING_INTERVAL_SECONDS_DEFAULT = 10
    KAFKA_METRICS_POLLING_INTERVAL_SECONDS_DOC = (
        "In Kafka, the reporters of the Yammer library poll every so many seconds.")
    CLIENT_TELEMETRY_MAX_BYTES_CONFIG = "telemetry.max.bytes"
    CLIENT_TELEMETRY_MAX_BYTES_DEFAULT = 1024 * 1024
    CLIENT_TELEMETRY_MAX_BYTES_DOC = (
        "A client may push metrics of at most this many bytes, after compression, in one request.")

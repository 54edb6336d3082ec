# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.SenderMetricsRegistry of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The names of the sender's metrics: of the producer as a whole, and of each topic.

Read by any thread; nothing in it changes after the constructor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kreactor.clients.producer.internals.kafka_producer_metrics import KafkaProducerMetrics
from kreactor.common.metric_name import MetricName
from kreactor.common.metric_name_template import MetricNameTemplate
from kreactor.common.metrics.measurable import Measurable, MeasurableFunction
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.sensor import Sensor


class SenderMetricsRegistry:
    """The templates and names of metrics, and their registry.

    :origin: clients.producer.internals.SenderMetricsRegistry
    """

    TOPIC_METRIC_GROUP_NAME = "producer-topic-metrics"

    def __init__(self, metrics: Metrics) -> None:
        """Make all templates, and the names of the metrics without a topic.

        :origin: clients.producer.internals.SenderMetricsRegistry#SenderMetricsRegistry(Metrics)
        """
        self._metrics = metrics
        self._tags = self._metrics.config().tags().keys()
        self._all_templates: list[MetricNameTemplate] = []

        self.batch_size_avg = self._create_metric_name(
            "batch-size-avg", "The average size of a partition's batch in a request, in bytes.")
        self.batch_size_max = self._create_metric_name(
            "batch-size-max", "The largest size of a partition's batch in a request, in bytes.")
        self.compression_rate_avg = self._create_metric_name(
            "compression-rate-avg", "The average of compressed size over uncompressed size of batches.")
        self.record_queue_time_avg = self._create_metric_name(
            "record-queue-time-avg", "The average time of a batch in the accumulator, in ms.")
        self.record_queue_time_max = self._create_metric_name(
            "record-queue-time-max", "The longest time of a batch in the accumulator, in ms.")
        self.request_latency_avg = self._create_metric_name(
            "request-latency-avg", "The average time from a request to its response, in ms.")
        self.request_latency_max = self._create_metric_name(
            "request-latency-max", "The longest time from a request to its response, in ms.")
        self.record_send_rate = self._create_metric_name(
            "record-send-rate", "Records sent per second.")
        self.record_send_total = self._create_metric_name(
            "record-send-total", "Records sent so far.")
        self.records_per_request_avg = self._create_metric_name(
            "records-per-request-avg", "The average number of records in a request.")
        self.record_retry_rate = self._create_metric_name(
            "record-retry-rate", "Records sent again per second.")
        self.record_retry_total = self._create_metric_name(
            "record-retry-total", "Records sent again so far.")
        self.record_error_rate = self._create_metric_name(
            "record-error-rate", "Records that failed per second.")
        self.record_error_total = self._create_metric_name(
            "record-error-total", "Records that failed so far.")
        self.record_size_max = self._create_metric_name(
            "record-size-max", "The size of the largest record, in bytes.")
        self.record_size_avg = self._create_metric_name(
            "record-size-avg", "The average size of the largest record of a batch, in bytes.")
        self.requests_in_flight = self._create_metric_name(
            "requests-in-flight", "Requests that wait for their responses now.")
        self.metadata_age = self._create_metric_name(
            "metadata-age", "The age of the metadata in use, in seconds.")
        self.batch_split_rate = self._create_metric_name(
            "batch-split-rate", "Batches split per second.")
        self.batch_split_total = self._create_metric_name(
            "batch-split-total", "Batches split so far.")
        self.produce_throttle_time_avg = self._create_metric_name(
            "produce-throttle-time-avg", "The average time for which a broker throttled a request, in ms.")
        self.produce_throttle_time_max = self._create_metric_name(
            "produce-throttle-time-max", "The longest time for which a broker throttled a request, in ms.")

        # The producer's tags come first, then the topic.
        self._topic_tags = (*self._tags, "topic")

        # The names are made when a topic is first sent to.
        self._topic_record_send_rate = self._create_topic_template(
            "record-send-rate", "Records sent per second to a topic.")
        self._topic_record_send_total = self._create_topic_template(
            "record-send-total", "Records sent so far to a topic.")
        self._topic_byte_rate = self._create_topic_template(
            "byte-rate", "Bytes sent per second to a topic.")
        self._topic_byte_total = self._create_topic_template(
            "byte-total", "Bytes sent so far to a topic.")
        self._topic_compression_rate = self._create_topic_template(
            "compression-rate", "The average of compressed size over uncompressed size of a topic's batches.")
        self._topic_record_retry_rate = self._create_topic_template(
            "record-retry-rate", "Records of a topic sent again per second.")
        self._topic_record_retry_total = self._create_topic_template(
            "record-retry-total", "Records of a topic sent again so far.")
        self._topic_record_error_rate = self._create_topic_template(
            "record-error-rate", "Records of a topic that failed per second.")
        self._topic_record_error_total = self._create_topic_template(
            "record-error-total", "Records of a topic that failed so far.")

    def _create_metric_name(self, name: str, description: str) -> MetricName:
        """:origin: clients.producer.internals.SenderMetricsRegistry#createMetricName(String, String)"""
        return self._metrics.metric_instance(
            self._create_template(name, KafkaProducerMetrics.GROUP, description, self._tags))

    def _create_topic_template(self, name: str, description: str) -> MetricNameTemplate:
        """:origin: clients.producer.internals.SenderMetricsRegistry#createTopicTemplate(String, String)"""
        return self._create_template(name, self.TOPIC_METRIC_GROUP_NAME, description, self._topic_tags)

    def topic_record_send_rate(self, tags: Mapping[str, str]) -> MetricName:
        """Return the name for the topic in ``tags``.

        :origin: clients.producer.internals.SenderMetricsRegistry#topicRecordSendRate(Map<String,String>)
        """
        return self._metrics.metric_instance(self._topic_record_send_rate, tags)

    def topic_record_send_total(self, tags: Mapping[str, str]) -> MetricName:
        """Return the name for the topic in ``tags``.

        :origin: clients.producer.internals.SenderMetricsRegistry#topicRecordSendTotal(Map<String,String>)
        """
        return self._metrics.metric_instance(self._topic_record_send_total, tags)

    def topic_byte_rate(self, tags: Mapping[str, str]) -> MetricName:
        """Return the name for the topic in ``tags``.

        :origin: clients.producer.internals.SenderMetricsRegistry#topicByteRate(Map<String,String>)
        """
        return self._metrics.metric_instance(self._topic_byte_rate, tags)

    def topic_byte_total(self, tags: Mapping[str, str]) -> MetricName:
        """Return the name for the topic in ``tags``.

        :origin: clients.producer.internals.SenderMetricsRegistry#topicByteTotal(Map<String,String>)
        """
        return self._metrics.metric_instance(self._topic_byte_total, tags)

    def topic_compression_rate(self, tags: Mapping[str, str]) -> MetricName:
        """Return the name for the topic in ``tags``.

        :origin: clients.producer.internals.SenderMetricsRegistry#topicCompressionRate(Map<String,String>)
        """
        return self._metrics.metric_instance(self._topic_compression_rate, tags)

    def topic_record_retry_rate(self, tags: Mapping[str, str]) -> MetricName:
        """Return the name for the topic in ``tags``.

        :origin: clients.producer.internals.SenderMetricsRegistry#topicRecordRetryRate(Map<String,String>)
        """
        return self._metrics.metric_instance(self._topic_record_retry_rate, tags)

    def topic_record_retry_total(self, tags: Mapping[str, str]) -> MetricName:
        """Return the name for the topic in ``tags``.

        :origin: clients.producer.internals.SenderMetricsRegistry#topicRecordRetryTotal(Map<String,String>)
        """
        return self._metrics.metric_instance(self._topic_record_retry_total, tags)

    def topic_record_error_rate(self, tags: Mapping[str, str]) -> MetricName:
        """Return the name for the topic in ``tags``.

        :origin: clients.producer.internals.SenderMetricsRegistry#topicRecordErrorRate(Map<String,String>)
        """
        return self._metrics.metric_instance(self._topic_record_error_rate, tags)

    def topic_record_error_total(self, tags: Mapping[str, str]) -> MetricName:
        """Return the name for the topic in ``tags``.

        :origin: clients.producer.internals.SenderMetricsRegistry#topicRecordErrorTotal(Map<String,String>)
        """
        return self._metrics.metric_instance(self._topic_record_error_total, tags)

    def all_templates(self) -> list[MetricNameTemplate]:
        """Return all templates, for documentation.

        :origin: clients.producer.internals.SenderMetricsRegistry#allTemplates()
        """
        return self._all_templates

    def sensor(self, name: str) -> Sensor:
        """Return the sensor of this name; create it if necessary.

        :origin: clients.producer.internals.SenderMetricsRegistry#sensor(String)
        """
        return self._metrics.sensor(name)

    def add_metric(self, m: MetricName, measurable: Measurable | MeasurableFunction) -> None:
        """Register a metric. Raises IllegalArgumentException if there is one of this name.

        :origin: clients.producer.internals.SenderMetricsRegistry#addMetric(MetricName, Measurable)
        """
        self._metrics.add_metric(m, measurable)

    def get_sensor(self, name: str) -> Sensor | None:
        """Return the sensor of this name, or None.

        :origin: clients.producer.internals.SenderMetricsRegistry#getSensor(String)
        """
        return self._metrics.get_sensor(name)

    def _create_template(self, name: str, group: str, description: str,
                         tags: Iterable[str]) -> MetricNameTemplate:
        """:origin: clients.producer.internals.SenderMetricsRegistry#createTemplate(String, String, String, Set<String>)
        """  # noqa: E501
        template = MetricNameTemplate(name, group, description, tags)
        self._all_templates.append(template)
        return template

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Selector.SelectorMetrics of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python, in a module of its own.
"""The sensors of one selector, and of each of its connections where that is asked for.

Owner: the selector's thread records; any thread reads the metrics. The origin is nested in the selector and
takes its channels and its log from there; here the constructor gets them.
"""

from __future__ import annotations

from typing import Mapping, Sized

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.internals.int_gauge_suite import IntGaugeSuite
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.metrics.stats.max import Max
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.metrics.stats.sampled_stat import SampledStat
from kreactor.common.metrics.stats.windowed_count import WindowedCount
from kreactor.common.network.cipher_information import CipherInformation
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.utils.log_context import Logger
from kreactor.jdk.time_unit import TimeUnit


class SelectorMetrics:
    """The measurements of a selector. Times are in nanoseconds, sizes in bytes.

    :origin: common.network.Selector.SelectorMetrics
    """

    def __init__(
        self,
        log: Logger,
        channels: Sized,
        metrics: Metrics,
        metric_grp_prefix: str,
        metric_tags: Mapping[str, str],
        metrics_per_connection: bool,
    ) -> None:
        """``channels`` is counted by the connection-count gauge; the tags go onto every metric.

        :origin: common.network.Selector.SelectorMetrics#SelectorMetrics(
            Metrics, String, Map<String,String>, boolean)
        """
        self._metrics = metrics
        self._metric_tags = metric_tags
        self._metrics_per_connection = metrics_per_connection
        self._metric_grp_name = metric_grp_prefix + "-metrics"
        self._per_connection_metric_grp_name = metric_grp_prefix + "-node-metrics"
        # The metrics that no sensor has registered.
        self._top_level_metric_names: list[MetricName] = []
        self._sensors: list[Sensor] = []
        grp_name, tags = self._metric_grp_name, self._metric_tags
        tags_suffix = ""

        for key, value in metric_tags.items():
            tags_suffix += key
            tags_suffix += "-"
            tags_suffix += value

        self.connection_closed = self._sensor("connections-closed:" + tags_suffix)
        self.connection_closed.add(self._create_meter(
            metrics, grp_name, tags, None, "connection-close", "connections closed"))

        self.connection_created = self._sensor("connections-created:" + tags_suffix)
        self.connection_created.add(self._create_meter(
            metrics, grp_name, tags, None, "connection-creation", "new connections established"))

        self.successful_authentication = self._sensor("successful-authentication:" + tags_suffix)
        self.successful_authentication.add(self._create_meter(
            metrics, grp_name, tags, None, "successful-authentication",
            "connections with successful authentication"))

        self.successful_reauthentication = self._sensor("successful-reauthentication:" + tags_suffix)
        self.successful_reauthentication.add(self._create_meter(
            metrics, grp_name, tags, None, "successful-reauthentication",
            "successful re-authentication of connections"))

        self.successful_authentication_no_reauth = self._sensor(
            "successful-authentication-no-reauth:" + tags_suffix)
        successful_authentication_no_reauth_metric_name = metrics.metric_name(
            "successful-authentication-no-reauth-total", grp_name,
            "Authentications by clients that cannot re-authenticate", tags)
        self.successful_authentication_no_reauth.add(
            successful_authentication_no_reauth_metric_name, CumulativeSum())

        self.failed_authentication = self._sensor("failed-authentication:" + tags_suffix)
        self.failed_authentication.add(self._create_meter(
            metrics, grp_name, tags, None, "failed-authentication", "connections with failed authentication"))

        self.failed_reauthentication = self._sensor("failed-reauthentication:" + tags_suffix)
        self.failed_reauthentication.add(self._create_meter(
            metrics, grp_name, tags, None, "failed-reauthentication",
            "failed re-authentication of connections"))

        self.reauthentication_latency = self._sensor("reauthentication-latency:" + tags_suffix)
        reauthentication_latency_max_metric_name = metrics.metric_name(
            "reauthentication-latency-max", grp_name, "The longest re-authentication", tags)
        self.reauthentication_latency.add(reauthentication_latency_max_metric_name, Max())
        reauthentication_latency_avg_metric_name = metrics.metric_name(
            "reauthentication-latency-avg", grp_name, "The average re-authentication", tags)
        self.reauthentication_latency.add(reauthentication_latency_avg_metric_name, Avg())

        self.bytes_transferred = self._sensor("bytes-sent-received:" + tags_suffix)
        self.bytes_transferred.add(self._create_meter(
            metrics, grp_name, tags, WindowedCount(), "network-io", "reads and writes on all connections"))

        self.bytes_sent = self._sensor("bytes-sent:" + tags_suffix, self.bytes_transferred)
        self.bytes_sent.add(self._create_meter(
            metrics, grp_name, tags, None, "outgoing-byte", "bytes sent on all connections"))

        self.requests_sent = self._sensor("requests-sent:" + tags_suffix)
        self.requests_sent.add(self._create_meter(
            metrics, grp_name, tags, WindowedCount(), "request", "requests sent"))
        metric_name = metrics.metric_name(
            "request-size-avg", grp_name, "The average size of requests sent", tags)
        self.requests_sent.add(metric_name, Avg())
        metric_name = metrics.metric_name(
            "request-size-max", grp_name, "The size of the largest request sent", tags)
        self.requests_sent.add(metric_name, Max())

        self.bytes_received = self._sensor("bytes-received:" + tags_suffix, self.bytes_transferred)
        self.bytes_received.add(self._create_meter(
            metrics, grp_name, tags, None, "incoming-byte", "bytes received on all connections"))

        self.responses_received = self._sensor("responses-received:" + tags_suffix)
        self.responses_received.add(self._create_meter(
            metrics, grp_name, tags, WindowedCount(), "response", "responses received"))

        self.select_time = self._sensor("select-time:" + tags_suffix)
        self.select_time.add(self._create_meter(
            metrics, grp_name, tags, WindowedCount(), "select", "looks for channels that are ready"))
        metric_name = metrics.metric_name(
            "io-wait-time-ns-avg", grp_name, "The average wait for a channel to be ready, in ns", tags)
        self.select_time.add(metric_name, Avg())
        self.select_time.add(self._create_io_thread_ratio_meter_legacy(
            metrics, grp_name, tags, "io-wait", "waiting"))
        self.select_time.add(self._create_io_thread_ratio_meter(
            metrics, grp_name, tags, "io-wait", "waiting"))

        self.io_time = self._sensor("io-time:" + tags_suffix)
        metric_name = metrics.metric_name(
            "io-time-ns-avg", grp_name, "The average time of input and output after a select, in ns", tags)
        self.io_time.add(metric_name, Avg())
        self.io_time.add(self._create_io_thread_ratio_meter_legacy(
            metrics, grp_name, tags, "io", "doing I/O"))
        self.io_time.add(self._create_io_thread_ratio_meter(metrics, grp_name, tags, "io", "doing I/O"))

        def cipher_metric_name(cipher_information: CipherInformation) -> MetricName:
            tags = {}
            tags["cipher"] = cipher_information.cipher()
            tags["protocol"] = cipher_information.protocol()
            tags.update(metric_tags)
            return metrics.metric_name(
                "connections", grp_name, "The connections that speak this cipher and TLS version", tags)

        self.connections_by_cipher: IntGaugeSuite[CipherInformation] = IntGaugeSuite(
            log, "sslCiphers", metrics, cipher_metric_name, 100)

        def client_metric_name(client_information: ClientInformation) -> MetricName:
            tags = {}
            tags["clientSoftwareName"] = client_information.software_name()
            tags["clientSoftwareVersion"] = client_information.software_version()
            tags.update(metric_tags)
            return metrics.metric_name(
                "connections", grp_name, "The connections of this client software and version", tags)

        self.connections_by_client: IntGaugeSuite[ClientInformation] = IntGaugeSuite(
            log, "clients", metrics, client_metric_name, 100)

        metric_name = metrics.metric_name(
            "connection-count", grp_name, "The connections there are now", tags)
        self._top_level_metric_names.append(metric_name)
        self._metrics.add_metric(metric_name, lambda _config, _now: len(channels))

    def _create_meter(
        self,
        metrics: Metrics,
        group_name: str,
        metric_tags: Mapping[str, str],
        stat: SampledStat | None,
        base_name: str,
        descriptive_name: str,
    ) -> Meter:
        """Return a meter with a rate and a total; without ``stat`` the rate is that of the sum.

        :origin: common.network.Selector.SelectorMetrics#createMeter(
            Metrics, String, Map<String,String>, SampledStat, String, String)
        :origin: common.network.Selector.SelectorMetrics#createMeter(
            Metrics, String, Map<String,String>, String, String)
        """
        rate_metric_name = metrics.metric_name(
            base_name + "-rate", group_name, f"The number of {descriptive_name} per second", metric_tags)
        total_metric_name = metrics.metric_name(
            base_name + "-total", group_name, f"The total number of {descriptive_name}", metric_tags)
        if stat is None:
            return Meter(rate_metric_name, total_metric_name)
        return Meter(rate_metric_name, total_metric_name, rate_stat=stat)

    def _create_io_thread_ratio_meter_legacy(
        self, metrics: Metrics, group_name: str, metric_tags: Mapping[str, str], base_name: str, action: str,
    ) -> Meter:
        """Return the meter of a share of time whose total keeps an old name, without dash and unit.

        :origin: common.network.Selector.SelectorMetrics#createIOThreadRatioMeterLegacy(
            Metrics, String, Map<String,String>, String, String)
        """
        rate_metric_name = metrics.metric_name(
            base_name + "-ratio", group_name, f"The share of time the I/O thread spent {action}", metric_tags)
        total_metric_name = metrics.metric_name(
            base_name + "time-total", group_name,
            f"Deprecated: the total time the I/O thread spent {action}", metric_tags)
        return Meter(rate_metric_name, total_metric_name, unit=TimeUnit.NANOSECONDS)

    def _create_io_thread_ratio_meter(
        self, metrics: Metrics, group_name: str, metric_tags: Mapping[str, str], base_name: str, action: str,
    ) -> Meter:
        """Return the meter of a share of time, with its total in nanoseconds.

        :origin: common.network.Selector.SelectorMetrics#createIOThreadRatioMeter(
            Metrics, String, Map<String,String>, String, String)
        """
        rate_metric_name = metrics.metric_name(
            base_name + "-ratio", group_name, f"The share of time the I/O thread spent {action}", metric_tags)
        total_metric_name = metrics.metric_name(
            base_name + "-time-ns-total", group_name,
            f"The total time the I/O thread spent {action}, in ns", metric_tags)
        return Meter(rate_metric_name, total_metric_name, unit=TimeUnit.NANOSECONDS)

    def _sensor(self, name: str, *parents: Sensor) -> Sensor:
        """Return the sensor called ``name``, noted for ``close``.

        :origin: common.network.Selector.SelectorMetrics#sensor(String, Sensor...)
        """
        sensor = self._metrics.sensor(name, *parents)
        self._sensors.append(sensor)
        return sensor

    def maybe_register_connection_metrics(self, connection_id: str) -> None:
        """Make the sensors of a connection, if that is asked for and they are not there.

        :origin: common.network.Selector.SelectorMetrics#maybeRegisterConnectionMetrics(String)
        """
        if connection_id and self._metrics_per_connection:
            # The sensors of a connection are made together, so one is enough to look for.
            node_request_name = "node-" + connection_id + ".requests-sent"
            node_request = self._metrics.get_sensor(node_request_name)
            if node_request is None:
                metrics, grp_name = self._metrics, self._per_connection_metric_grp_name
                tags = dict(self._metric_tags)
                tags["node-id"] = "node-" + connection_id

                node_request = self._sensor(node_request_name)
                node_request.add(self._create_meter(
                    metrics, grp_name, tags, WindowedCount(), "request", "requests sent"))
                metric_name = metrics.metric_name(
                    "request-size-avg", grp_name, "The average size of requests sent", tags)
                node_request.add(metric_name, Avg())
                metric_name = metrics.metric_name(
                    "request-size-max", grp_name, "The size of the largest request sent", tags)
                node_request.add(metric_name, Max())

                bytes_sent_name = "node-" + connection_id + ".bytes-sent"
                bytes_sent = self._sensor(bytes_sent_name)
                bytes_sent.add(self._create_meter(
                    metrics, grp_name, tags, None, "outgoing-byte", "outgoing bytes"))

                node_response_name = "node-" + connection_id + ".responses-received"
                node_response = self._sensor(node_response_name)
                node_response.add(self._create_meter(
                    metrics, grp_name, tags, WindowedCount(), "response", "responses received"))

                bytes_received_name = "node-" + connection_id + ".bytes-received"
                bytes_receive = self._sensor(bytes_received_name)
                bytes_receive.add(self._create_meter(
                    metrics, grp_name, tags, None, "incoming-byte", "incoming bytes"))

                node_time_name = "node-" + connection_id + ".latency"
                node_request_time = self._sensor(node_time_name)
                metric_name = metrics.metric_name("request-latency-avg", grp_name, "", tags)
                node_request_time.add(metric_name, Avg())
                metric_name = metrics.metric_name("request-latency-max", grp_name, "", tags)
                node_request_time.add(metric_name, Max())

    def record_bytes_sent(self, connection_id: str, bytes: int, current_time_ms: int) -> None:
        """:origin: common.network.Selector.SelectorMetrics#recordBytesSent(String, long, long)"""
        self.bytes_sent.record(bytes, current_time_ms, False)
        if connection_id:
            bytes_sent_name = "node-" + connection_id + ".bytes-sent"
            bytes_sent = self._metrics.get_sensor(bytes_sent_name)
            if bytes_sent is not None:
                bytes_sent.record(bytes, current_time_ms)

    def record_completed_send(self, connection_id: str, total_bytes: int, current_time_ms: int) -> None:
        """:origin: common.network.Selector.SelectorMetrics#recordCompletedSend(String, long, long)"""
        self.requests_sent.record(total_bytes, current_time_ms, False)
        if connection_id:
            node_request_name = "node-" + connection_id + ".requests-sent"
            node_request = self._metrics.get_sensor(node_request_name)
            if node_request is not None:
                node_request.record(total_bytes, current_time_ms)

    def record_bytes_received(self, connection_id: str, bytes: int, current_time_ms: int) -> None:
        """:origin: common.network.Selector.SelectorMetrics#recordBytesReceived(String, long, long)"""
        self.bytes_received.record(bytes, current_time_ms, False)
        if connection_id:
            bytes_received_name = "node-" + connection_id + ".bytes-received"
            bytes_received = self._metrics.get_sensor(bytes_received_name)
            if bytes_received is not None:
                bytes_received.record(bytes, current_time_ms)

    def record_completed_receive(self, connection_id: str, total_bytes: int, current_time_ms: int) -> None:
        """:origin: common.network.Selector.SelectorMetrics#recordCompletedReceive(String, long, long)"""
        self.responses_received.record(total_bytes, current_time_ms, False)
        if connection_id:
            node_request_name = "node-" + connection_id + ".responses-received"
            node_request = self._metrics.get_sensor(node_request_name)
            if node_request is not None:
                node_request.record(total_bytes, current_time_ms)

    def close(self) -> None:
        """Take everything out of the registry.

        :origin: common.network.Selector.SelectorMetrics#close()
        """
        for metric_name in self._top_level_metric_names:
            self._metrics.remove_metric(metric_name)
        for sensor in self._sensors:
            self._metrics.remove_sensor(sensor.name())
        self.connections_by_cipher.close()
        self.connections_by_client.close()

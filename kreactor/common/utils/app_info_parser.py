# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.AppInfoParser of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The version of this software, and the metrics that publish it for each client of the process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.gauge import Gauge
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.sanitizer import Sanitizer
from kreactor.jdk.forks import run_in_child
from kreactor.jdk.locks import Lock

T_co = TypeVar("T_co", covariant=True)

log = LogContext().logger(f"{__name__}.AppInfoParser")


class AppInfoParser:
    """Static methods only. Called by any thread.

    :origin: common.utils.AppInfoParser
    """

    # The Kafka version whose behaviour this software has. No Kafka commit contains this software. DEVIATION
    # D304: the origin reads both from a file that its build writes.
    _VERSION = "3.8.0"
    _COMMIT_ID = "unknown"

    DEFAULT_VALUE = "unknown"

    _lock = Lock()
    # The names of the clients with these metrics. Guarded by ``_LOCK``. DEVIATION D304: in the origin they
    # are names of MBeans, and JMX keeps them.
    _registered: set[str] = set()

    @staticmethod
    def _forget_in_child() -> None:
        """Clear the names in a forked child, and create a new lock.

        A thread of the parent may hold the old lock.
        """
        AppInfoParser._lock = Lock()
        AppInfoParser._registered = set()

    @staticmethod
    def get_version() -> str:
        """Return the version of Kafka.

        :origin: common.utils.AppInfoParser#getVersion()
        """
        return AppInfoParser._VERSION

    @staticmethod
    def get_commit_id() -> str:
        """Return the commit of the build, or "unknown".

        :origin: common.utils.AppInfoParser#getCommitId()
        """
        return AppInfoParser._COMMIT_ID

    @staticmethod
    def register_app_info(prefix: str, id_: str, metrics: Metrics | None, now_ms: int) -> None:
        """Add the metrics of a client that starts at ``now_ms``. A second client with the same id gets none.

        :origin: common.utils.AppInfoParser#registerAppInfo(String, String, Metrics, long)
        """
        with AppInfoParser._lock:
            name = AppInfoParser._object_name(prefix, id_)
            if name in AppInfoParser._registered:
                log.info("%s: another client of %s has this id, so no version metrics are added", id_,
                         prefix)
                return
            m_bean = AppInfoParser.AppInfo(now_ms)
            AppInfoParser._registered.add(name)

            AppInfoParser._register_metrics(metrics, m_bean)

    @staticmethod
    def unregister_app_info(prefix: str, id_: str, metrics: Metrics | None) -> None:
        """Remove the metrics of a client.

        :origin: common.utils.AppInfoParser#unregisterAppInfo(String, String, Metrics)
        """
        with AppInfoParser._lock:
            try:
                AppInfoParser._registered.discard(AppInfoParser._object_name(prefix, id_))

                AppInfoParser._unregister_metrics(metrics)
            finally:
                log.info("%s %s: the version metrics are removed", prefix, id_)

    @staticmethod
    def _object_name(prefix: str, id_: str) -> str:
        return f"{prefix}:type=app-info,id={Sanitizer.jmx_sanitize(id_)}"

    @staticmethod
    def _metric_name(metrics: Metrics, name: str) -> MetricName:
        """:origin: common.utils.AppInfoParser#metricName(Metrics, String)"""
        return metrics.metric_name(name, "app-info", f"Metric indicating {name}")

    @staticmethod
    def _register_metrics(metrics: Metrics | None, app_info: AppInfoParser.AppInfo) -> None:
        """:origin: common.utils.AppInfoParser#registerMetrics(Metrics, AppInfo)"""
        if metrics is not None:
            metric_name = AppInfoParser._metric_name
            immutable_value = AppInfoParser.ImmutableValue
            metrics.add_metric(metric_name(metrics, "version"), immutable_value(app_info.get_version()))
            metrics.add_metric(metric_name(metrics, "commit-id"), immutable_value(app_info.get_commit_id()))
            metrics.add_metric(metric_name(metrics, "start-time-ms"),
                               immutable_value(app_info.get_start_time_ms()))

    @staticmethod
    def _unregister_metrics(metrics: Metrics | None) -> None:
        """:origin: common.utils.AppInfoParser#unregisterMetrics(Metrics)"""
        if metrics is not None:
            metrics.remove_metric(AppInfoParser._metric_name(metrics, "version"))
            metrics.remove_metric(AppInfoParser._metric_name(metrics, "commit-id"))
            metrics.remove_metric(AppInfoParser._metric_name(metrics, "start-time-ms"))

    class AppInfoMBean(ABC):
        """The version, the commit and the start time of a client.

        :origin: common.utils.AppInfoParser.AppInfoMBean
        """

        @abstractmethod
        def get_version(self) -> str:
            """Return the version.

            :origin: common.utils.AppInfoParser.AppInfoMBean#getVersion()
            """

        @abstractmethod
        def get_commit_id(self) -> str:
            """Return the commit.

            :origin: common.utils.AppInfoParser.AppInfoMBean#getCommitId()
            """

        @abstractmethod
        def get_start_time_ms(self) -> int:
            """Return the start time of the client in milliseconds since 1970.

            :origin: common.utils.AppInfoParser.AppInfoMBean#getStartTimeMs()
            """

    class AppInfo(AppInfoMBean):
        """The version and the start time of one client. Immutable.

        :origin: common.utils.AppInfoParser.AppInfo
        """

        __slots__ = ("_start_time_ms",)

        def __init__(self, start_time_ms: int) -> None:
            """Keep the start time, and log version, commit and start time.

            :origin: common.utils.AppInfoParser.AppInfo#AppInfo(long)
            """
            self._start_time_ms = start_time_ms
            log.info("Kafka version: %s", AppInfoParser.get_version())
            log.info("Kafka commitId: %s", AppInfoParser.get_commit_id())
            log.info("Kafka startTimeMs: %s", start_time_ms)

        def get_version(self) -> str:
            """Return the version.

            :origin: common.utils.AppInfoParser.AppInfo#getVersion()
            """
            return AppInfoParser.get_version()

        def get_commit_id(self) -> str:
            """Return the commit.

            :origin: common.utils.AppInfoParser.AppInfo#getCommitId()
            """
            return AppInfoParser.get_commit_id()

        def get_start_time_ms(self) -> int:
            """Return the start time.

            :origin: common.utils.AppInfoParser.AppInfo#getStartTimeMs()
            """
            return self._start_time_ms

    class ImmutableValue(Gauge[T_co], Generic[T_co]):
        """A metric that never changes.

        :origin: common.utils.AppInfoParser.ImmutableValue
        """

        __slots__ = ("_value",)

        def __init__(self, value: T_co) -> None:
            """Keep the value.

            :origin: common.utils.AppInfoParser.ImmutableValue#ImmutableValue(T)
            """
            self._value = value

        def value(self, config: MetricConfig, now: int) -> T_co:
            """Return the value.

            :origin: common.utils.AppInfoParser.ImmutableValue#value(MetricConfig, long)
            """
            return self._value


run_in_child(AppInfoParser._forget_in_child)

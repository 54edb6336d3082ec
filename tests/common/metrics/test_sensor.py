# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.SensorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Sensors."""

from __future__ import annotations

import sys
import threading
import time as system_time
from typing import cast
from unittest.mock import Mock, call, create_autospec

import pytest

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.measurable_stat import MeasurableStat
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.quota import Quota
from kreactor.common.metrics.quota_violation_exception import QuotaViolationException
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.cumulative_count import CumulativeCount
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.metrics.stats.token_bucket import TokenBucket
from kreactor.common.metrics.stats.windowed_sum import WindowedSum
from kreactor.common.utils.system_time import SystemTime
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.time_unit import TimeUnit
from kreactor.testing.mock_time import MockTime
from tests.common.metrics.fake_metrics_reporter import FakeMetricsReporter

RecordingLevel = Sensor.RecordingLevel

INFO_CONFIG = MetricConfig().record_level_to(RecordingLevel.INFO)
DEBUG_CONFIG = MetricConfig().record_level_to(RecordingLevel.DEBUG)
TRACE_CONFIG = MetricConfig().record_level_to(RecordingLevel.TRACE)


def test_record_level_enum() -> None:
    config_level = RecordingLevel.INFO
    assert RecordingLevel.INFO.should_record(config_level.id)
    assert not RecordingLevel.DEBUG.should_record(config_level.id)
    assert not RecordingLevel.TRACE.should_record(config_level.id)

    config_level = RecordingLevel.DEBUG
    assert RecordingLevel.INFO.should_record(config_level.id)
    assert RecordingLevel.DEBUG.should_record(config_level.id)
    assert not RecordingLevel.TRACE.should_record(config_level.id)

    config_level = RecordingLevel.TRACE
    assert RecordingLevel.INFO.should_record(config_level.id)
    assert RecordingLevel.DEBUG.should_record(config_level.id)
    assert RecordingLevel.TRACE.should_record(config_level.id)

    for level in RecordingLevel:
        assert Sensor.RecordingLevel[level.name] is level


def sensor_of(config: MetricConfig, level: Sensor.RecordingLevel) -> Sensor:
    return Sensor(None, "sensor", None, config, SystemTime(), 0, level)


def test_should_record_for_info_level_sensor() -> None:
    assert sensor_of(INFO_CONFIG, RecordingLevel.INFO).should_record()
    assert sensor_of(DEBUG_CONFIG, RecordingLevel.INFO).should_record()
    assert sensor_of(TRACE_CONFIG, RecordingLevel.INFO).should_record()


def test_should_record_for_debug_level_sensor() -> None:
    assert not sensor_of(INFO_CONFIG, RecordingLevel.DEBUG).should_record()
    assert sensor_of(DEBUG_CONFIG, RecordingLevel.DEBUG).should_record()
    assert sensor_of(TRACE_CONFIG, RecordingLevel.DEBUG).should_record()


def test_should_record_for_trace_level_sensor() -> None:
    assert not sensor_of(INFO_CONFIG, RecordingLevel.TRACE).should_record()
    assert not sensor_of(DEBUG_CONFIG, RecordingLevel.TRACE).should_record()
    assert sensor_of(TRACE_CONFIG, RecordingLevel.TRACE).should_record()


def test_expired_sensor() -> None:
    config = MetricConfig()
    mock_time = MockTime()
    with Metrics(config, [FakeMetricsReporter()], mock_time, True) as metrics:
        inactive_sensor_expiration_time_seconds = 60
        sensor = Sensor(metrics, "sensor", None, config, mock_time, inactive_sensor_expiration_time_seconds,
                        RecordingLevel.INFO)

        assert sensor.add(metrics.metric_name("test1", "grp1"), Avg())

        meter = Meter(MetricName("rate", "test", "", {}), MetricName("total", "test", "", {}))
        assert sensor.add(meter)

        mock_time.sleep(TimeUnit.SECONDS.to_millis(inactive_sensor_expiration_time_seconds + 1))
        assert not sensor.add(metrics.metric_name("test3", "grp1"), Avg())
        assert not sensor.add(meter)


def test_idempotent_add() -> None:
    metrics = Metrics()
    sensor = metrics.sensor("sensor")

    assert sensor.add(metrics.metric_name("test-metric", "test-group"), Avg())

    # Again to the same sensor: nothing happens.
    assert sensor.add(metrics.metric_name("test-metric", "test-group"), Avg())

    # To another: an error.
    another_sensor = metrics.sensor("another-sensor")
    with pytest.raises(IllegalArgumentException, match="already exists, can't register another one."):
        another_sensor.add(metrics.metric_name("test-metric", "test-group"), Avg())

    # Another statistic by the same name: nothing happens either.
    assert sensor.add(metrics.metric_name("test-metric", "test-group"), WindowedSum())

    assert len(sensor.metrics()) == 1
    assert type(sensor.metrics()[0].measurable()) is Avg
    metrics.close()


def test_check_quotas_in_multi_threads() -> None:
    # Windows of a millisecond make samples come and go all the time, and 100 keeps many of them.
    metrics = Metrics(MetricConfig().quota_to(Quota.upper_bound(sys.float_info.max))
                      .time_window_to(1, TimeUnit.MILLISECONDS).samples_to(100))
    sensor = metrics.sensor("sensor")
    assert sensor.add(metrics.metric_name("test-metric", "test-group"), Rate())
    start = threading.Event()
    failures: list[BaseException] = []

    def work(index: int) -> None:
        try:
            assert start.wait(120)
            for j in range(20):
                sensor.record(j * index, system_time.time_ns() // 1_000_000 + j, False)
                sensor.check_quotas()
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(10)]
    for thread in threads:
        thread.start()
    start.set()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    assert not failures
    metrics.close()


def test_should_return_presence_of_metrics() -> None:
    metrics = Metrics()
    sensor = metrics.sensor("sensor")
    assert not sensor.has_metrics()

    sensor.add(MetricName("name1", "group1", "description1", {}), WindowedSum())
    assert sensor.has_metrics()

    sensor.add(MetricName("name2", "group2", "description2", {}), CumulativeCount())
    assert sensor.has_metrics()
    metrics.close()


def metric_named(metrics: Metrics, name: MetricName) -> KafkaMetric:
    metric = metrics.metric(name)
    assert metric is not None
    return metric


def test_strict_quota_enforcement_with_rate() -> None:
    time = MockTime()
    metrics = Metrics(time=time)
    sensor = metrics.sensor("sensor", config=MetricConfig().quota_to(Quota.upper_bound(2))
                            .time_window_to(1, TimeUnit.SECONDS).samples_to(11))
    metric_name = metrics.metric_name("rate", "test-group")
    assert sensor.add(metric_name, Rate())
    rate_metric = metric_named(metrics, metric_name)

    # 30 over 10 s are a rate of 3, above the quota.
    strict_record(sensor, 30, time.milliseconds())
    assert rate_metric.measurable_value(time.milliseconds()) == pytest.approx(3, abs=0.1)

    # By (3 - 2) / 2 * 10 it takes 5 s to be within it.
    time.sleep(5000)

    # But a rate that is sampled is still 3 then.
    assert rate_metric.measurable_value(time.milliseconds()) == pytest.approx(3, abs=0.1)
    with pytest.raises(QuotaViolationException):
        strict_record(sensor, 30, time.milliseconds())

    metrics.close()


def test_strict_quota_enforcement_with_token_bucket() -> None:
    time = MockTime()
    metrics = Metrics(time=time)
    sensor = metrics.sensor("sensor", config=MetricConfig().quota_to(Quota.upper_bound(2))
                            .time_window_to(1, TimeUnit.SECONDS).samples_to(10))
    metric_name = metrics.metric_name("credits", "test-group")
    assert sensor.add(metric_name, TokenBucket())
    bucket_metric = metric_named(metrics, metric_name)

    # The bucket holds 20.
    strict_record(sensor, 30, time.milliseconds())
    assert bucket_metric.measurable_value(time.milliseconds()) == pytest.approx(-10, abs=0.1)

    # 10 come in 5 s.
    time.sleep(5000)

    # Unlike the rate, it forgives in time.
    assert bucket_metric.measurable_value(time.milliseconds()) == pytest.approx(0, abs=0.1)
    strict_record(sensor, 30, time.milliseconds())
    assert bucket_metric.measurable_value(time.milliseconds()) == pytest.approx(-30, abs=0.1)

    with pytest.raises(QuotaViolationException):
        sensor.check_quotas(time.milliseconds())
    metrics.close()


def strict_record(sensor: Sensor, value: float, time_ms: int) -> None:
    with sensor._lock:
        sensor.check_quotas(time_ms)
        sensor.record(value, time_ms, False)


def mock_stat() -> Mock:
    stat = create_autospec(MeasurableStat, instance=True)
    stat.measure.return_value = 0.0
    return cast(Mock, stat)


def test_record_and_check_quota_use_metric_config_of_each_stat() -> None:
    metrics = Metrics(time=MockTime())
    sensor = metrics.sensor("sensor")

    stat1 = mock_stat()
    stat1_config = MetricConfig().quota_to(Quota.upper_bound(5))
    sensor.add(metrics.metric_name("stat1", "test-group"), stat1, stat1_config)

    stat2 = mock_stat()
    stat2_config = MetricConfig().quota_to(Quota.upper_bound(10))
    sensor.add(metrics.metric_name("stat2", "test-group"), stat2, stat2_config)

    sensor.record(10, 1)
    stat1.record.assert_called_once_with(stat1_config, 10, 1)
    stat2.record.assert_called_once_with(stat2_config, 10, 1)

    sensor.check_quotas(2)
    assert stat1.measure.call_args_list == [call(stat1_config, 1), call(stat1_config, 2)]
    assert stat2.measure.call_args_list == [call(stat2_config, 1), call(stat2_config, 2)]

    metrics.close()


def test_updating_metric_config_is_reflected_in_the_sensor() -> None:
    metrics = Metrics(time=MockTime())
    sensor = metrics.sensor("sensor")

    stat = mock_stat()
    stat_name = metrics.metric_name("stat", "test-group")
    stat_config = MetricConfig().quota_to(Quota.upper_bound(5))
    sensor.add(stat_name, stat, stat_config)

    sensor.record(10, 1)
    stat.record.assert_called_with(stat_config, 10, 1)

    sensor.check_quotas(2)
    stat.measure.assert_called_with(stat_config, 2)

    new_config = MetricConfig().quota_to(Quota.upper_bound(10))
    metric_named(metrics, stat_name).config_to(new_config)

    sensor.record(10, 3)
    stat.record.assert_called_with(new_config, 10, 3)

    sensor.check_quotas(4)
    stat.measure.assert_called_with(new_config, 4)

    metrics.close()


# Kafka has no cases for what follows.


def test_levels_by_id_and_name() -> None:
    assert [RecordingLevel.for_id(id) for id in range(3)] == list(RecordingLevel)
    assert RecordingLevel.MAX_RECORDING_LEVEL_KEY == 2
    assert RecordingLevel.for_name("debug") is RecordingLevel.DEBUG
    with pytest.raises(IllegalArgumentException, match="it should be between `0` and `2` .inclusive."):
        RecordingLevel.for_id(3)
    with pytest.raises(IllegalArgumentException, match="No enum constant"):
        RecordingLevel.for_name("fatal")
    with pytest.raises(IllegalStateException, match="Did not recognize recording level 7"):
        RecordingLevel.INFO.should_record(7)


def test_level_is_asked_at_each_record() -> None:
    config = MetricConfig()
    with Metrics(config) as metrics:
        sensor = metrics.sensor("sensor", recording_level=RecordingLevel.DEBUG)
        total = CumulativeSum()
        sensor.add(metrics.metric_name("total", "group"), total)
        for level in RecordingLevel:
            config.record_level_to(level)
            assert sensor.should_record() == (level is not RecordingLevel.INFO)
            sensor.record()
        assert total.measure(config, 0) == 2.0


def test_record_defaults_to_one_at_present() -> None:
    time = MockTime(current_time_ms=1_000)
    with Metrics(time=time) as metrics:
        sensor = metrics.sensor("sensor")
        stat = mock_stat()
        sensor.add(metrics.metric_name("stat", "group"), stat)
        sensor.record()
        sensor.record(5.0)
        config = metrics.config()
        assert stat.record.call_args_list == [call(config, 1.0, 1_000), call(config, 5.0, 1_000)]


def test_parents_get_no_value_that_violates_a_quota() -> None:
    with Metrics(time=MockTime()) as metrics:
        parent = metrics.sensor("parent")
        parent_total, child_total = CumulativeSum(), CumulativeSum()
        parent.add(metrics.metric_name("parent-total", "group"), parent_total)
        child = metrics.sensor("child", parent)
        child.add(metrics.metric_name("child-total", "group"), child_total,
                  MetricConfig().quota_to(Quota.upper_bound(5)))
        with pytest.raises(QuotaViolationException) as caught:
            child.record(6.0)
        assert caught.value.value() == 6.0 and caught.value.bound() == 5.0
        assert str(caught.value).endswith(
            "QuotaViolationException: 'MetricName [name=child-total, group=group, description=, tags={}]' "
            "violated quota. Actual: 6.0, Threshold: 5.0")
        assert child_total.measure(metrics.config(), 0) == 6.0
        assert parent_total.measure(metrics.config(), 0) == 0.0
        child.record(6.0, 1, False)
        assert parent_total.measure(metrics.config(), 0) == 6.0


def test_parents_check_quotas_only_if_the_child_does() -> None:
    with Metrics(time=MockTime()) as metrics:
        parent = metrics.sensor("parent", config=MetricConfig().quota_to(Quota.upper_bound(5)))
        parent.add(metrics.metric_name("total", "group"), CumulativeSum())
        child = metrics.sensor("child", parent)
        child.record(6.0, 1, False)
        with pytest.raises(QuotaViolationException):
            child.record(6.0, 1)


def test_compound_stat_keeps_the_configuration_it_was_added_with() -> None:
    with Metrics(time=MockTime()) as metrics:
        sensor = metrics.sensor("sensor")
        meter = create_autospec(Meter, instance=True)
        meter.stats.return_value = []
        config = MetricConfig()
        assert sensor.add(meter, config)
        assert sensor.add(meter, config=config)
        assert sensor.add(meter)
        sensor.record(2.0, 1)
        assert meter.record.call_args_list == [
            call(config, 2.0, 1), call(config, 2.0, 1), call(metrics.config(), 2.0, 1)]


def test_record_with_quota_check_excludes_a_strict_recorder() -> None:
    """A thread that holds the sensor's lock to check and record is not interrupted by another check."""
    with Metrics(time=MockTime()) as metrics:
        sensor = metrics.sensor("sensor")
        total = CumulativeSum()
        sensor.add(metrics.metric_name("total", "group"), total)
        thread = threading.Thread(target=sensor.record)
        with sensor._lock:
            thread.start()
            thread.join(0.05)
            assert thread.is_alive()
            assert total.measure(metrics.config(), 0) == 0.0
        thread.join(120)
        assert total.measure(metrics.config(), 0) == 1.0


def test_no_value_is_lost_between_threads() -> None:
    with Metrics(time=MockTime()) as metrics:
        parent = metrics.sensor("parent")
        parent.add(metrics.metric_name("parent", "group"), CumulativeSum())
        sensor = metrics.sensor("sensor", parent)
        sensor.add(metrics.metric_name("total", "group"), CumulativeSum())

        def work(check_quotas: bool) -> None:
            for _ in range(2_000):
                sensor.record(1.0, 1, check_quotas)

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            threads = [threading.Thread(target=work, args=(i % 2 == 0,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            sys.setswitchinterval(interval)
        assert [m.metric_value() for m in (*sensor.metrics(), *parent.metrics())] == [8_000.0, 8_000.0]


def test_stat_texts() -> None:
    with Metrics() as metrics:
        pair = Sensor.StatAndConfig(CumulativeSum(2), metrics.config())
        assert str(pair) == "StatAndConfig(stat=CumulativeSum(total=2.0))"
        assert pair.config() is metrics.config()
        assert isinstance(pair.stat(), CumulativeSum)


def test_quota_texts() -> None:
    assert str(Quota.upper_bound(10.5)) == "upper=10.5"
    assert str(Quota.lower_bound(12345678)) == "lower=1.2345678E7"
    assert Quota.upper_bound(1).is_upper_bound()
    assert not Quota.upper_bound(1).acceptable(float("nan"))
    assert not Quota.lower_bound(1).acceptable(float("nan"))
    assert Quota.lower_bound(1).acceptable(1) and not Quota.lower_bound(1).acceptable(0.5)

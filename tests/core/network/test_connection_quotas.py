# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.ConnectionQuotasTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Limits of connections and of their rates.

The origin lets real time pass, up to half a minute a test, because ``inc`` waits by the real clock. Here
that wait is on a virtual clock as well.
"""

from __future__ import annotations

from typing import Iterator, Mapping

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.quota import Quota
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.utils.time import Time
from kreactor.core.network.companions import METRICS_GROUP
from kreactor.core.network.connection_quotas import (
    ConnectionQuotas,
    ConnectionThrottledException,
    TooManyConnectionsException,
)
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.net import InetAddress
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.config.quota_configs import QuotaConfigs
from kreactor.server.metrics.yammer import Meter
from kreactor.testing.mock_time import MockTime
from tests.core.server.broker_props import create_broker_config
from tests.core.network.virtual_time import VirtualCondition, VirtualTime
from tests.stepping import Background, wait_until

NUM_QUOTA_SAMPLES = 2
QUOTA_WINDOW_SIZE_SECONDS = 1
EPS = 0.01

MAX_CONNECTIONS = "max.connections"
MAX_CONNECTION_CREATION_RATE = "max.connection.creation.rate"

KNOWN_HOST = InetAddress.get_by_name("192.168.10.0")
UNKNOWN_HOST = InetAddress.get_by_name("192.168.2.0")


class ListenerDesc:
    def __init__(self, name: str, ip: str) -> None:
        self.listener_name = ListenerName(name)
        self.default_ip = InetAddress.get_by_name(ip)


EXTERNAL = ListenerDesc("EXTERNAL", "192.168.1.1")
ADMIN = ListenerDesc("ADMIN", "192.168.1.2")
REPLICATION = ListenerDesc("REPLICATION", "192.168.1.3")
LISTENERS = (EXTERNAL, ADMIN, REPLICATION)


def broker_props_with_default_connection_limits(**overrides: str) -> dict[str, str]:
    # The inter-broker listener is not held up by the limits of the broker.
    return create_broker_config(0) | {
        "listeners": "EXTERNAL://localhost:0,REPLICATION://localhost:1,ADMIN://localhost:2",
        "inter.broker.listener.name": "REPLICATION",
        "listener.security.protocol.map": "EXTERNAL:PLAINTEXT,REPLICATION:PLAINTEXT,ADMIN:PLAINTEXT",
        "quota.window.num": str(NUM_QUOTA_SAMPLES),
        "quota.window.size.seconds": str(QUOTA_WINDOW_SIZE_SECONDS),
    } | {name.replace("_", "."): value for name, value in overrides.items()}


class Fixture:
    """The quotas of a broker, and the three listeners that come to them."""

    def __init__(self, time: Time, **overrides: str) -> None:
        self.time = time
        self.metrics = Metrics(MetricConfig(), [], time)
        self.config = KafkaConfig.from_props(broker_props_with_default_connection_limits(**overrides))
        self.quotas = ConnectionQuotas(self.config, time, self.metrics)
        if isinstance(time, VirtualTime):
            self.quotas._counts_lock = VirtualCondition(time)
        self.blocked_percent_meters = {
            listener: Meter("blocked time", TimeUnit.NANOSECONDS) for listener in LISTENERS}

    def close(self) -> None:
        self.quotas.close()
        self.metrics.close()

    def add_listeners_and_verify(self, listener_config: Mapping[str, str] = {}) -> None:
        quotas = self.quotas
        assert self.broker_conn_rate_metric() is not None
        for listener in LISTENERS:
            name = listener.listener_name
            quotas.add_listener(self.config, name)
            quotas._max_connections_per_listener[name].configure(listener_config)
            assert not quotas.max_connections_exceeded(name)
            assert quotas.get(listener.default_ip) == 0
            assert self.value(self.listener_conn_rate_metric(listener)) == 0
            assert not self.value(self.listener_conn_throttle_metric(listener)) > 0
            assert not self.value(self.ip_conn_throttle_metric(listener)) > 0
        self.verify_no_blocked_percent_recorded_on_all_listeners()
        assert self.value(self.broker_conn_rate_metric()) == 0

    def verify_no_blocked_percent_recorded_on_all_listeners(self) -> None:
        assert [meter.count() for meter in self.blocked_percent_meters.values()] == [0, 0, 0]

    def verify_non_zero_blocked_percent_and_throttle_time_on_all_listeners(self) -> None:
        for listener, meter in self.blocked_percent_meters.items():
            assert meter.count() > 0
            assert self.value(self.listener_conn_throttle_metric(listener)) > 0

    def verify_ip_throttle_time_on_listener(self, listener: ListenerDesc, expect_throttle: bool) -> None:
        assert (self.value(self.ip_conn_throttle_metric(listener)) > 0) == expect_throttle

    def verify_only_non_inter_broker_listeners_blocked_percent_recorded(self) -> None:
        for listener, meter in self.blocked_percent_meters.items():
            assert (meter.count() > 0) == (listener is not REPLICATION)

    def verify_connection_count_on_every_listener(self, expected: int) -> None:
        assert [self.quotas.get(listener.default_ip) for listener in LISTENERS] == [expected] * 3

    def metric(self, name: str, tags: Mapping[str, str]) -> KafkaMetric:
        metric = self.metrics.metric(self.metrics.metric_name(name, METRICS_GROUP, "", dict(tags)))
        assert metric is not None, f"there is no {name} {tags}"
        return metric

    def listener_conn_throttle_metric(self, listener: ListenerDesc) -> KafkaMetric:
        return self.metric("connection-accept-throttle-time", {"listener": listener.listener_name.value()})

    def ip_conn_throttle_metric(self, listener: ListenerDesc) -> KafkaMetric:
        return self.metric("ip-connection-accept-throttle-time", {"listener": listener.listener_name.value()})

    def listener_conn_rate_metric(self, listener: ListenerDesc) -> KafkaMetric:
        return self.metric("connection-accept-rate", {"listener": listener.listener_name.value()})

    def broker_conn_rate_metric(self) -> KafkaMetric:
        return self.metric("broker-connection-accept-rate", {})

    def ip_conn_rate_metric(self, ip: InetAddress) -> KafkaMetric:
        return self.metric("connection-accept-rate", {"ip": ip.get_host_address()})

    @staticmethod
    def value(metric: KafkaMetric) -> float:
        value = metric.metric_value()
        assert isinstance(value, float)
        return value

    def verify_ip_connection_quota(self, ip: InetAddress, quota: int) -> None:
        assert self.quotas.connection_rate_for_ip(ip) == quota
        bound = self.ip_conn_rate_metric(ip).config().quota()
        assert bound is not None and bound.bound() == quota

    def accept_connections(
        self, listener: ListenerDesc, num_connections: int, time_interval_ms: int = 0,
        expect_ip_throttle: bool = False, address: InetAddress | None = None,
    ) -> bool:
        """Open connections, one every so many ms or as they get through; return whether any was throttled."""
        next_send_time = self.time.milliseconds() + time_interval_ms
        ip_throttled = False
        for _ in range(num_connections):
            try:
                self.quotas.inc(listener.listener_name, address or listener.default_ip,
                                self.blocked_percent_meters[listener])
            except ConnectionThrottledException:
                if not expect_ip_throttle:
                    raise
                ip_throttled = True
            sleep_ms = max(next_send_time - self.time.milliseconds(), 0)
            if sleep_ms > 0:
                self.time.sleep(sleep_ms)
            next_send_time += time_interval_ms
        return ip_throttled

    def accept_connections_and_verify_rate(
        self, listener: ListenerDesc, num_connections: int, time_interval_ms: int, expected_rate: int,
        epsilon: int, expect_ip_throttle: bool = False,
    ) -> None:
        start_time_ms = self.time.milliseconds()
        start_num_connections = self.quotas.get(listener.default_ip)
        self.accept_connections(listener, num_connections, time_interval_ms, expect_ip_throttle)
        elapsed_seconds = (self.time.milliseconds() - start_time_ms) / 1000
        created = self.quotas.get(listener.default_ip) - start_num_connections
        assert abs(created / elapsed_seconds - expected_rate) <= epsilon


class Virtual(Fixture):
    """As above, with time that only passes where somebody waits for it."""

    time: VirtualTime

    def __init__(self, **overrides: str) -> None:
        super().__init__(VirtualTime(), **overrides)


@pytest.fixture
def new(request: pytest.FixtureRequest) -> Iterator[type]:
    """Return what makes a fixture, on virtual time unless another clock is given."""
    made: list[Fixture] = []

    def make(time: Time | None = None, **overrides: str) -> Fixture:
        made.append(Virtual(**overrides) if time is None else Fixture(time, **overrides))
        return made[-1]

    yield make  # type: ignore[misc]
    for fixture in made:
        fixture.close()


def test_fail_when_no_listeners(new) -> None:
    f = new()
    with pytest.raises(KeyError):
        f.quotas.inc(EXTERNAL.listener_name, EXTERNAL.default_ip, f.blocked_percent_meters[EXTERNAL])


def test_fail_decrement_for_unknown_ip(new) -> None:
    f = new()
    f.add_listeners_and_verify()
    with pytest.raises(IllegalArgumentException):
        f.quotas.dec(EXTERNAL.listener_name, UNKNOWN_HOST)


def test_a_connection_is_counted_in_under_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    f = Fixture(Time.SYSTEM)
    f.add_listeners_and_verify()
    was_free: list[bool] = []

    def look(*_: object) -> None:
        was_free.append(Background(lambda: f.quotas._counts_lock.acquire(blocking=False)).result())

    monkeypatch.setattr(f.quotas, "_record_ip_connection_maybe_throttle", look)
    f.quotas.inc(ADMIN.listener_name, ADMIN.default_ip, f.blocked_percent_meters[ADMIN])
    assert was_free == [False] and f.quotas._total_count == 1
    f.close()


def test_no_connection_limits_by_default(new) -> None:
    f = new()
    f.add_listeners_and_verify()
    num_connections = 3000
    f.time.run(*(lambda listener=listener: f.accept_connections(listener, num_connections)
                 for listener in LISTENERS))
    assert f.value(f.broker_conn_rate_metric()) > 0
    for listener in LISTENERS:
        assert f.quotas.get(listener.default_ip) == num_connections
        assert f.value(f.listener_conn_rate_metric(listener)) > 0
        f.quotas.dec(listener.listener_name, listener.default_ip)
        assert f.quotas.get(listener.default_ip) == num_connections - 1
    f.verify_no_blocked_percent_recorded_on_all_listeners()


def test_max_connections_per_ip(new) -> None:
    max_connections_per_ip = 17
    f = new(max_connections_per_ip=str(max_connections_per_ip))
    f.add_listeners_and_verify()
    ip = EXTERNAL.default_ip

    f.time.run(lambda: f.accept_connections(EXTERNAL, max_connections_per_ip))
    assert f.quotas.get(ip) == max_connections_per_ip

    # They are counted, and whoever gets the exception counts them out.
    for _ in range(2):
        with pytest.raises(TooManyConnectionsException):
            f.quotas.inc(EXTERNAL.listener_name, ip, f.blocked_percent_meters[EXTERNAL])
    assert f.quotas.get(ip) == max_connections_per_ip + 2

    f.time.run(lambda: f.accept_connections(EXTERNAL, max_connections_per_ip, address=KNOWN_HOST))

    for _ in range(4):
        f.quotas.dec(EXTERNAL.listener_name, ip)
    assert f.quotas.get(ip) == max_connections_per_ip - 2
    f.time.run(lambda: f.accept_connections(EXTERNAL, 2))
    assert f.quotas.get(ip) == max_connections_per_ip


def test_max_broker_wide_connection_limit(new) -> None:
    max_connections = 800
    f = new(max_connections=str(max_connections))
    f.add_listeners_and_verify()
    meter = f.blocked_percent_meters[EXTERNAL]

    # One listener may have them all.
    f.time.run(lambda: f.accept_connections(EXTERNAL, max_connections))
    assert f.quotas.get(EXTERNAL.default_ip) == max_connections
    assert meter.count() == 0
    assert not f.quotas.max_connections_exceeded(EXTERNAL.listener_name)

    # The next waits until there is room.
    [waiting] = f.time.start(lambda: f.accept_connections(EXTERNAL, 1))
    assert waiting.is_waiting()
    f.time._now_ms += 1  # the meter counts nanoseconds
    f.quotas.dec(EXTERNAL.listener_name, EXTERNAL.default_ip)
    waiting.result()
    assert f.quotas.get(EXTERNAL.default_ip) == max_connections
    assert meter.count() == 1_000_000

    # The inter-broker listener does not, and pushes others over the limit.
    f.time.run(lambda: f.accept_connections(REPLICATION, 1))
    assert f.quotas.max_connections_exceeded(EXTERNAL.listener_name)

    [waiting] = f.time.start(lambda: f.accept_connections(ADMIN, 1))
    assert waiting.is_waiting()
    f.time.run(lambda: f.accept_connections(REPLICATION, 1))

    # Now there are two too many, so that three have to go.
    for _ in range(2):
        f.quotas.dec(EXTERNAL.listener_name, EXTERNAL.default_ip)
        assert waiting.is_waiting()
    f.quotas.dec(EXTERNAL.listener_name, EXTERNAL.default_ip)
    waiting.result()


@pytest.mark.parametrize("whose", ["broker", "listener"])
def test_who_waits_for_a_slot_gets_it_when_the_limit_is_raised(new, whose: str) -> None:
    f = new(**{"max_connections": "1"} if whose == "broker" else {})
    f.add_listeners_and_verify({MAX_CONNECTIONS: "1"} if whose == "listener" else {})
    f.time.run(lambda: f.accept_connections(EXTERNAL, 1))
    [waiting] = f.time.start(lambda: f.accept_connections(EXTERNAL, 1))
    assert waiting.is_waiting()
    if whose == "broker":
        f.quotas.update_broker_max_connections(2)
    else:
        f.quotas._max_connections_per_listener[EXTERNAL.listener_name].reconfigure({MAX_CONNECTIONS: "2"})
    waiting.result()
    assert f.quotas.get(EXTERNAL.default_ip) == 2


def test_max_listener_connection_limits(new) -> None:
    listener_max_connections = 200
    # More than the sum of what the listeners may have.
    f = new(max_connections="800")
    f.add_listeners_and_verify()
    for listener in LISTENERS:
        f.quotas._max_connections_per_listener[listener.listener_name].configure(
            {MAX_CONNECTIONS: str(listener_max_connections)})

    f.time.run(*(lambda listener=listener: f.accept_connections(listener, listener_max_connections)
                 for listener in LISTENERS))
    f.verify_connection_count_on_every_listener(listener_max_connections)
    assert not [listener for listener in LISTENERS
                if f.quotas.max_connections_exceeded(listener.listener_name)]

    # A listener's own limit holds the inter-broker listener up too.
    over_limit = f.time.start(*(lambda listener=listener: f.accept_connections(listener, 1)
                                for listener in LISTENERS))
    assert all(task.is_waiting() for task in over_limit)
    for listener in LISTENERS:
        f.quotas.dec(listener.listener_name, listener.default_ip)
    for task in over_limit:
        task.result()
    f.verify_connection_count_on_every_listener(listener_max_connections)


def test_broker_connection_rate_limit_when_actual_rate_below_limit(new) -> None:
    f = new(max_connection_creation_rate="125")
    f.add_listeners_and_verify()
    # 40 a second on each listener, 120 in all.
    f.time.run(*(lambda listener=listener: f.accept_connections(listener, 200, 25) for listener in LISTENERS))
    f.verify_no_blocked_percent_recorded_on_all_listeners()
    f.verify_connection_count_on_every_listener(200)


def test_broker_connection_rate_limit_when_actual_rate_above_limit(new) -> None:
    f = new(max_connection_creation_rate="90")
    f.add_listeners_and_verify()
    f.time.run(*(lambda listener=listener: f.accept_connections(listener, 400, 10) for listener in LISTENERS))
    f.verify_only_non_inter_broker_listeners_blocked_percent_recorded()
    # Held up, not refused.
    f.verify_connection_count_on_every_listener(400)


def test_listener_connection_rate_limit_when_actual_rate_below_limit(new) -> None:
    f = new(max_connection_creation_rate="125")
    f.add_listeners_and_verify({MAX_CONNECTION_CREATION_RATE: "50"})
    f.time.run(*(lambda listener=listener: f.accept_connections(listener, 200, 25) for listener in LISTENERS))
    f.verify_no_blocked_percent_recorded_on_all_listeners()
    f.verify_connection_count_on_every_listener(200)


def test_listener_connection_rate_limit_when_actual_rate_above_limit(new) -> None:
    listener_rate_limit = 30
    f = new(max_connection_creation_rate="125")
    f.add_listeners_and_verify({MAX_CONNECTION_CREATION_RATE: str(listener_rate_limit)})
    # 40 a second are offered on each.
    f.time.run(*(lambda listener=listener: f.accept_connections_and_verify_rate(
        listener, 600, 25, listener_rate_limit, 7) for listener in LISTENERS))
    f.verify_non_zero_blocked_percent_and_throttle_time_on_all_listeners()
    f.verify_connection_count_on_every_listener(600)


def test_ip_connection_rate_when_actual_rate_below_limit(new) -> None:
    f = new(MockTime())
    f.add_listeners_and_verify()
    f.quotas.update_ip_connection_rate_quota(EXTERNAL.default_ip, 30)
    f.accept_connections_and_verify_rate(EXTERNAL, 200, 40, 25, 0)
    assert f.quotas.get(EXTERNAL.default_ip) == 200

    # No quota for this one.
    f.accept_connections_and_verify_rate(ADMIN, 200, 20, 50, 0)
    assert f.quotas.get(ADMIN.default_ip) == 200

    # Nobody waits for the rate of an address.
    f.verify_no_blocked_percent_recorded_on_all_listeners()
    for listener in LISTENERS:
        f.verify_ip_throttle_time_on_listener(listener, False)


def test_ip_connection_rate_when_actual_rate_above_limit(new) -> None:
    limit = 20
    f = new(MockTime())
    f.add_listeners_and_verify()
    f.quotas.update_ip_connection_rate_quota(EXTERNAL.default_ip, limit)
    # 40 a second.
    f.accept_connections_and_verify_rate(EXTERNAL, 80, 25, limit, 1, expect_ip_throttle=True)
    f.verify_ip_throttle_time_on_listener(EXTERNAL, True)

    # The default holds for who has no quota of their own.
    f.quotas.update_ip_connection_rate_quota(None, limit)
    f.verify_ip_throttle_time_on_listener(ADMIN, False)
    f.accept_connections_and_verify_rate(ADMIN, 80, 25, limit, 1, expect_ip_throttle=True)
    f.verify_ip_throttle_time_on_listener(ADMIN, True)

    f.verify_no_blocked_percent_recorded_on_all_listeners()
    f.verify_ip_throttle_time_on_listener(REPLICATION, False)


def test_ip_connection_rate_with_listener_connection_rate(new) -> None:
    f = new()
    # Only one of two addresses can use its rate up before the listener's is.
    f.quotas.update_ip_connection_rate_quota(None, 25)
    f.add_listeners_and_verify({MAX_CONNECTION_CREATION_RATE: "35"})
    throttled = f.time.run(*(
        lambda host=host: f.accept_connections(EXTERNAL, 35, 0, True, host)
        for host in (KNOWN_HOST, UNKNOWN_HOST)))
    assert f.blocked_percent_meters[EXTERNAL].count() > 0
    assert sum(throttled) < 2


def test_rejected_ip_connection_unrecorded_from_connection_rate_quotas(new) -> None:
    f = new(MockTime())
    f.add_listeners_and_verify()
    for listener in (EXTERNAL, REPLICATION):
        f.quotas.update_ip_connection_rate_quota(listener.default_ip, 0)

    for listener in (EXTERNAL, REPLICATION):
        with pytest.raises(ConnectionThrottledException):
            f.quotas.inc(listener.listener_name, listener.default_ip, f.blocked_percent_meters[listener])
        assert f.value(f.ip_conn_rate_metric(listener.default_ip)) == pytest.approx(0, abs=EPS)
        assert f.value(f.listener_conn_rate_metric(listener)) == pytest.approx(0, abs=EPS)
        assert f.value(f.broker_conn_rate_metric()) == pytest.approx(0, abs=EPS)


def test_max_listener_connection_listener_must_be_above_zero(new) -> None:
    f = new()
    f.quotas.add_listener(f.config, EXTERNAL.listener_name)
    quota = f.quotas._max_connections_per_listener[EXTERNAL.listener_name]
    with pytest.raises(ConfigException, match=MAX_CONNECTION_CREATION_RATE):
        quota.validate_reconfiguration({MAX_CONNECTION_CREATION_RATE: "0"})
    with pytest.raises(ConfigException, match=MAX_CONNECTIONS):
        quota.validate_reconfiguration({MAX_CONNECTIONS: "0"})
    quota.validate_reconfiguration({MAX_CONNECTION_CREATION_RATE: "1", MAX_CONNECTIONS: "1"})


def test_a_listener_without_limits_of_its_own_has_none(new) -> None:
    f = new()
    f.quotas.add_listener(f.config, EXTERNAL.listener_name)
    quota = f.quotas._max_connections_per_listener[EXTERNAL.listener_name]
    for configs in ({}, {MAX_CONNECTIONS: None, MAX_CONNECTION_CREATION_RATE: None}):
        quota.validate_reconfiguration(configs)
        quota.reconfigure({MAX_CONNECTIONS: 7, MAX_CONNECTION_CREATION_RATE: 7})
        quota.reconfigure(configs)
        assert quota.max_connections() == 2**31 - 1
        assert f.listener_conn_rate_metric(EXTERNAL).config().quota().bound() == 2**31 - 1


def test_max_listener_connection_rate_reconfiguration(new) -> None:
    f = new()
    f.quotas.add_listener(f.config, EXTERNAL.listener_name)
    quota = f.quotas._max_connections_per_listener[EXTERNAL.listener_name]
    quota.configure({MAX_CONNECTION_CREATION_RATE: "20"})

    quota.reconfigure({})
    start_ms = f.time.milliseconds()
    f.time.run(lambda: f.accept_connections(EXTERNAL, 1000))
    assert f.time.milliseconds() == start_ms
    assert f.blocked_percent_meters[EXTERNAL].count() == 0

    # The thousand are in the rate for two windows more.
    f.time.run(lambda: f.time.sleep(2000))
    quota.reconfigure({MAX_CONNECTION_CREATION_RATE: "10"})
    f.time.run(lambda: f.accept_connections_and_verify_rate(EXTERNAL, 200, 5, 10, 3))
    assert f.blocked_percent_meters[EXTERNAL].count() > 0


def test_max_broker_connection_rate_reconfiguration(new) -> None:
    f = new()
    f.quotas.add_listener(f.config, EXTERNAL.listener_name)
    f.add_listeners_and_verify()

    f.quotas.update_broker_max_connection_rate(50)
    # 200 a second.
    f.time.run(lambda: f.accept_connections_and_verify_rate(EXTERNAL, 400, 5, 50, 10))
    assert f.blocked_percent_meters[EXTERNAL].count() > 0


def test_ip_connection_rate_metric_update(new) -> None:
    f = new()
    f.quotas.add_listener(f.config, EXTERNAL.listener_name)
    f.quotas.add_listener(f.config, ADMIN.listener_name)
    external_ip, admin_ip = EXTERNAL.default_ip, ADMIN.default_ip
    unlimited = QuotaConfigs.IP_CONNECTION_RATE_DEFAULT

    # A sensor is made only where there is a limit.
    f.quotas.update_ip_connection_rate_quota(None, 50)
    for listener in (EXTERNAL, ADMIN):
        f.quotas.inc(listener.listener_name, listener.default_ip, f.blocked_percent_meters[listener])
    f.verify_ip_connection_quota(external_ip, 50)
    f.verify_ip_connection_quota(admin_ip, 50)

    f.quotas.update_ip_connection_rate_quota(external_ip, 30)
    f.verify_ip_connection_quota(external_ip, 30)

    f.quotas.update_ip_connection_rate_quota(None, 20)
    f.verify_ip_connection_quota(external_ip, 30)
    f.verify_ip_connection_quota(admin_ip, 20)

    f.quotas.update_ip_connection_rate_quota(None, None)
    f.verify_ip_connection_quota(admin_ip, unlimited)
    f.verify_ip_connection_quota(external_ip, 30)

    f.quotas.update_ip_connection_rate_quota(external_ip, None)
    f.verify_ip_connection_quota(external_ip, unlimited)


@pytest.mark.parametrize("delay_ms", [-1, 0, 1, 2])
def test_a_delay_may_be_of_one_millisecond(new, monkeypatch: pytest.MonkeyPatch, delay_ms: int) -> None:
    f = new()
    f.quotas.add_listener(f.config, EXTERNAL.listener_name)
    monkeypatch.setattr(f.quotas, "_record_connection_and_get_throttle_time_ms", lambda *_: delay_ms)
    f.time.run(lambda: f.quotas.inc(
        EXTERNAL.listener_name, KNOWN_HOST, f.blocked_percent_meters[EXTERNAL]))
    assert f.blocked_percent_meters[EXTERNAL].count() == max(delay_ms, 0) * 1_000_000


def test_a_delay_lasts_to_its_last_millisecond(new, monkeypatch: pytest.MonkeyPatch) -> None:
    f = new(MockTime())
    f.quotas.add_listener(f.config, EXTERNAL.listener_name)
    monkeypatch.setattr(f.quotas, "_record_connection_and_get_throttle_time_ms", lambda *_: 60_000)
    condition = f.quotas._counts_lock
    waiting = Background(lambda: f.quotas.inc(
        EXTERNAL.listener_name, KNOWN_HOST, f.blocked_percent_meters[EXTERNAL]))
    wait_until(lambda: condition._waiters)
    for elapsed_ms in (0, 59_998, 1):
        f.time.sleep(elapsed_ms)
        waiters = list(condition._waiters)
        with condition:
            condition.notify_all()
        wait_until(lambda: waiting.is_done() or condition._waiters and list(condition._waiters) != waiters)
        assert not waiting.is_done()
    f.time.sleep(1)
    with condition:
        condition.notify_all()
    waiting.result()
    assert f.blocked_percent_meters[EXTERNAL].count() == 60_000 * 1_000_000


def test_counts_that_cannot_be_are_logged(new, caplog: pytest.LogCaptureFixture) -> None:
    f = new()
    f.quotas.add_listener(f.config, EXTERNAL.listener_name)
    for _ in range(2):
        f.quotas.inc(EXTERNAL.listener_name, KNOWN_HOST, f.blocked_percent_meters[EXTERNAL])
    f.quotas.dec(EXTERNAL.listener_name, KNOWN_HOST)
    assert caplog.messages == []
    f.quotas._total_count = f.quotas._listener_counts[EXTERNAL.listener_name] = 0
    f.quotas.dec(EXTERNAL.listener_name, KNOWN_HOST)
    assert caplog.messages == [
        "counting out a connection of the broker, which has none",
        "counting out a connection of listener ListenerName(EXTERNAL), which has none"]


def test_a_limit_of_addresses_is_no_limit_of_other_metrics_by_address(new) -> None:
    f = new()
    others = []
    for name, group, tag in (("other-rate", METRICS_GROUP, "ip"), ("connection-accept-rate", "other", "ip"),
                             ("connection-accept-rate", METRICS_GROUP, "address")):
        metric_name = f.metrics.metric_name(name, group, "", {tag: "127.0.0.1"})
        f.metrics.add_metric(metric_name, Rate(), MetricConfig().quota_to(Quota(7, True)))
        others.append(f.metrics.metric(metric_name))
    f.quotas.update_ip_connection_rate_quota(None, 50)
    assert [metric.config().quota().bound() for metric in others] == [7, 7, 7]


def test_enforced_ip_connection_rate_quota_update(new) -> None:
    f = new(MockTime())
    f.add_listeners_and_verify()
    limit, updated_limit, connection_rate = 20, 30, 40
    external_ip, admin_ip = EXTERNAL.default_ip, ADMIN.default_ip
    f.quotas.update_ip_connection_rate_quota(external_ip, limit)
    with pytest.raises(ConnectionThrottledException):
        f.accept_connections(EXTERNAL, connection_rate)
    assert f.quotas.get(external_ip) == limit

    f.quotas.update_ip_connection_rate_quota(external_ip, updated_limit)
    with pytest.raises(ConnectionThrottledException):
        f.accept_connections(EXTERNAL, connection_rate)
    assert f.quotas.get(external_ip) == updated_limit

    f.quotas.update_ip_connection_rate_quota(external_ip, None)
    f.accept_connections(EXTERNAL, connection_rate)
    assert f.quotas.get(external_ip) == connection_rate + updated_limit

    f.accept_connections(ADMIN, connection_rate)
    assert f.quotas.get(admin_ip) == connection_rate

    f.quotas.update_ip_connection_rate_quota(None, limit)
    with pytest.raises(ConnectionThrottledException):
        f.accept_connections(ADMIN, connection_rate)
    assert f.quotas.get(admin_ip) == connection_rate + limit

    f.verify_no_blocked_percent_recorded_on_all_listeners()


def test_non_default_connection_count_limit_and_rate_limit(new) -> None:
    broker_rate_limit, max_connections = 25, 350
    f = new(max_connections=str(max_connections), max_connection_creation_rate=str(broker_rate_limit))
    f.quotas.add_listener(f.config, EXTERNAL.listener_name)
    f.add_listeners_and_verify()

    # 100 a second, for as long as there is room.
    f.time.run(lambda: f.accept_connections_and_verify_rate(
        EXTERNAL, max_connections, 10, broker_rate_limit, 8))
    assert f.blocked_percent_meters[EXTERNAL].count() > 0
    assert f.quotas.get(EXTERNAL.default_ip) == max_connections

    [waiting] = f.time.start(lambda: f.accept_connections(EXTERNAL, 1))
    assert waiting.is_waiting()
    f.quotas.dec(EXTERNAL.listener_name, EXTERNAL.default_ip)
    waiting.result()
    assert f.quotas.get(EXTERNAL.default_ip) == max_connections

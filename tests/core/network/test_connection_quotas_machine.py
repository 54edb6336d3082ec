# Licensed under the Apache License, Version 2.0; see LICENSE.
"""ConnectionQuotas against a plain model: any order of connections, limits, listeners and time.

The clock is a mock, and a wait for time moves it. A wait for a slot gives up, or finds connections counted
out meanwhile, as the model is told beforehand.
"""

from __future__ import annotations

import threading
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.network.listener_name import ListenerName
from kreactor.core.network.connection_quotas import (
    ConnectionQuotas,
    ConnectionThrottledException,
    TooManyConnectionsException,
)
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.net import InetAddress
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.yammer import Meter
from kreactor.testing.mock_time import MockTime
from tests import longer
from tests.core.server.broker_props import create_broker_config

UNLIMITED = 2**31 - 1
WINDOW_MS = 1000
NUM_SAMPLES = 3

INTER_BROKER = "REPLICATION"
LISTENERS = ["EXTERNAL", "ADMIN", INTER_BROKER]
IPS = ["10.0.0.1", "10.0.0.2", "10.0.0.3"]


class WouldWait(Exception):
    """There is no slot, and nobody frees one."""


class Removed(Exception):
    """There is no such listener any more."""


class RateModel:
    """A rate with a bound."""

    CONFIG = MetricConfig().time_window_to(WINDOW_MS, TimeUnit.MILLISECONDS).samples_to(NUM_SAMPLES)

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self.rate = Rate()

    def record(self, now: int) -> int:
        """Count one; return how long to wait until the rate is within its bound."""
        self.rate.record(self.CONFIG, 1.0, now)
        value = self.rate.measure(self.CONFIG, now)
        if value <= self.bound:
            return 0
        if self.bound == 0:
            return WINDOW_MS
        wait = (value - self.bound) / self.bound * self.rate.window_size(self.CONFIG, now)
        return min(int(wait + 0.5), WINDOW_MS)

    def unrecord(self, now: int) -> None:
        self.rate.record(self.CONFIG, -1.0, now)


class ListenerModel:
    def __init__(self) -> None:
        self.count = 0
        self.max_connections = UNLIMITED
        self.rate = RateModel(UNLIMITED)


class Model:
    """The counts and the limits. Connections are pairs of listener and address."""

    def __init__(self, time: MockTime) -> None:
        self.time = time
        self.connections: list[tuple[str, str]] = []
        self.listeners: dict[str, ListenerModel] = {}
        self.max_connections = UNLIMITED
        self.rate = RateModel(UNLIMITED)
        self.max_per_ip = UNLIMITED
        self.max_per_ip_overrides: dict[str, int] = {}
        self.ip_rate = UNLIMITED
        self.ip_rates: dict[str, int] = {}
        self.ip_rate_models: dict[str, RateModel] = {}
        self.blocked_ns = 0

    def protected(self, listener: str) -> bool:
        return listener == INTER_BROKER and len(self.listeners) > 1

    def slot_available(self, listener: str) -> bool:
        if listener not in self.listeners:
            raise Removed
        if self.listeners[listener].count >= self.listeners[listener].max_connections:
            return False
        return self.protected(listener) or len(self.connections) < self.max_connections

    def rate_of(self, ip: str) -> int:
        return self.ip_rates.get(ip, self.ip_rate)

    def count_of(self, ip: str) -> int:
        return sum(connection[1] == ip for connection in self.connections)

    def inc(self, listener: str, ip: str, now: int, freed: list[tuple[str, str]]) -> int:
        """Return the time after the call. Raises as the real one."""
        start = now
        wait = 0
        if not self.protected(listener):
            wait = self.rate.record(now)
        if listener in self.listeners:
            wait = max(wait, self.listeners[listener].rate.record(now))
        else:
            wait = 0
        if wait or not self.slot_available(listener):
            now += wait
            freed = list(freed)
            while not self.slot_available(listener):
                if not freed:
                    raise WouldWait
                self.dec(freed.pop(0))
            self.blocked_ns += (now - start) * 1_000_000

        if self.rate_of(ip) != UNLIMITED:
            rate = self.ip_rate_models.setdefault(ip, RateModel(0))
            rate.bound = self.rate_of(ip)
            if rate.record(now) > 0:
                rate.unrecord(now)
                if not self.protected(listener):
                    self.rate.unrecord(now)
                self.listeners[listener].rate.unrecord(now)
                raise ConnectionThrottledException(InetAddress.get_by_name(ip), now, 0)
        count = self.count_of(ip)
        self.connections.append((listener, ip))
        self.listeners[listener].count += 1
        if count >= self.max_per_ip_overrides.get(ip, self.max_per_ip):
            raise TooManyConnectionsException(InetAddress.get_by_name(ip), 0)
        return now

    def dec(self, connection: tuple[str, str]) -> None:
        self.connections.remove(connection)
        listener = self.listeners.get(connection[0])
        # A listener that was removed and added again knows nothing of its connections from before.
        if listener is not None and listener.count > 0:
            listener.count -= 1


class MockCondition(threading.Condition):
    """Waits for time by moving the clock, and for a slot by counting out what is to be freed meanwhile."""

    def __init__(self, machine: ConnectionQuotasMachine) -> None:
        super().__init__(threading.RLock())
        self._machine = machine
        self.freed: list[tuple[str, str]] = []

    def wait(self, timeout: float | None = None) -> bool:
        if timeout is not None:
            self._machine.time.sleep(round(timeout * 1000))
        elif not self.freed:
            raise WouldWait
        else:
            self._machine.real_dec(self.freed.pop(0))
        return True


limits = st.one_of(st.integers(1, 6), st.just(UNLIMITED))
rates = st.one_of(st.integers(1, 8), st.just(UNLIMITED))
listeners = st.sampled_from(LISTENERS)
ips = st.sampled_from(IPS)


class ConnectionQuotasMachine(RuleBasedStateMachine):
    @initialize(max_connections=limits, rate=rates, max_per_ip=limits)
    def begin(self, max_connections: int, rate: int, max_per_ip: int) -> None:
        self.time = MockTime()
        self.metrics = Metrics(time=self.time)
        self.config = KafkaConfig.from_props(create_broker_config(0) | {
            "listeners": "EXTERNAL://localhost:0,REPLICATION://localhost:1,ADMIN://localhost:2",
            "inter.broker.listener.name": INTER_BROKER,
            "listener.security.protocol.map": "EXTERNAL:PLAINTEXT,REPLICATION:PLAINTEXT,ADMIN:PLAINTEXT",
            "quota.window.num": str(NUM_SAMPLES), "quota.window.size.seconds": str(WINDOW_MS // 1000),
            "max.connections": str(max_connections), "max.connection.creation.rate": str(rate),
            "max.connections.per.ip": str(max_per_ip),
        })
        self.quotas = ConnectionQuotas(self.config, self.time, self.metrics)
        self.condition = self.quotas._counts_lock = MockCondition(self)
        self.meter = Meter("blocked time", TimeUnit.NANOSECONDS)
        self.model = Model(self.time)
        self.model.max_connections, self.model.max_per_ip = max_connections, max_per_ip
        self.model.rate.bound = rate
        self.limits_of_new = {"max_connections": max_connections, "rate": rate}
        for listener in LISTENERS:
            self.add(listener)

    def teardown(self) -> None:
        if hasattr(self, "quotas"):
            while self.model.connections:
                self.real_dec(self.model.connections[0])
                self.model.dec(self.model.connections[0])
            assert self.quotas._counts == {} and self.quotas._total_count == 0
            self.quotas.close()
            # Those of addresses expire by themselves.
            assert [name.name() for name in self.metrics.metrics()
                    if name.group() == "socket-server-metrics" and "ip" not in name.tags()] == []
            self.metrics.close()

    def real_dec(self, connection: tuple[str, str]) -> None:
        self.quotas.dec(ListenerName(connection[0]), InetAddress.get_by_name(connection[1]))

    def add(self, listener: str) -> None:
        self.quotas.add_listener(self.config, ListenerName(listener))
        if listener not in self.model.listeners:
            added = self.model.listeners[listener] = ListenerModel()
            # A listener without a setting has the broker's.
            added.max_connections = self.limits_of_new["max_connections"]
            added.rate.bound = self.limits_of_new["rate"]

    @rule(listener=listeners, ip=ips, data=st.data())
    def connect(self, listener: str, ip: str, data: st.DataObject) -> None:
        freed = data.draw(st.permutations(self.model.connections)) if self.model.connections else []
        freed = freed[:data.draw(st.integers(0, 3))]
        self.condition.freed = list(freed)
        now = self.time.milliseconds()
        expected: Any
        outcome: Any
        try:
            expected = self.model.inc(listener, ip, now, freed)
        except (WouldWait, Removed, ConnectionThrottledException, TooManyConnectionsException) as e:
            expected = type(e)
        try:
            self.quotas.inc(ListenerName(listener), InetAddress.get_by_name(ip), self.meter)
            outcome = self.time.milliseconds()
        except KeyError:
            outcome = Removed
        except ConnectionThrottledException as e:
            assert e.start_throttle_time_ms == self.time.milliseconds()
            assert 0 < e.throttle_time_ms <= WINDOW_MS
            outcome = type(e)
        except (WouldWait, TooManyConnectionsException) as e:
            outcome = type(e)
        assert outcome == expected

    @precondition(lambda self: self.model.connections)
    @rule(data=st.data())
    def disconnect(self, data: st.DataObject) -> None:
        connection = data.draw(st.sampled_from(self.model.connections))
        self.real_dec(connection)
        self.model.dec(connection)

    @rule(listener=listeners, ip=ips)
    def disconnect_nobody(self, listener: str, ip: str) -> None:
        if not self.model.count_of(ip):
            try:
                self.quotas.dec(ListenerName(listener), InetAddress.get_by_name(ip))
            except IllegalArgumentException:
                return
            raise AssertionError("what was not counted was counted out")

    @rule(ms=st.one_of(st.integers(0, 3000), st.sampled_from([1, 999, 1000, 1001, 100_000])))
    def sleep(self, ms: int) -> None:
        self.time.sleep(ms)

    @rule(listener=listeners)
    def add_listener(self, listener: str) -> None:
        self.add(listener)

    @rule(listener=listeners)
    def remove_listener(self, listener: str) -> None:
        self.quotas.remove_listener(self.config, ListenerName(listener))
        self.model.listeners.pop(listener, None)

    @rule(max_connections=limits)
    def update_broker_max_connections(self, max_connections: int) -> None:
        self.quotas.update_broker_max_connections(max_connections)
        self.model.max_connections = max_connections

    @rule(rate=rates)
    def update_broker_rate(self, rate: int) -> None:
        self.quotas.update_broker_max_connection_rate(rate)
        self.model.rate.bound = rate

    @precondition(lambda self: self.model.listeners)
    @rule(data=st.data(), max_connections=limits, rate=rates)
    def reconfigure_listener(self, data: st.DataObject, max_connections: int, rate: int) -> None:
        listener = data.draw(st.sampled_from(sorted(self.model.listeners)))
        quota = self.quotas._max_connections_per_listener[ListenerName(listener)]
        configs = {"max.connections": max_connections, "max.connection.creation.rate": rate}
        quota.validate_reconfiguration(configs)
        quota.reconfigure(configs)
        self.model.listeners[listener].max_connections = max_connections
        self.model.listeners[listener].rate.bound = rate

    @rule(max_per_ip=limits)
    def update_max_connections_per_ip(self, max_per_ip: int) -> None:
        self.quotas.update_max_connections_per_ip(max_per_ip)
        self.model.max_per_ip = max_per_ip

    @rule(overrides=st.dictionaries(ips, limits))
    def update_max_connections_per_ip_overrides(self, overrides: dict[str, int]) -> None:
        self.quotas.update_max_connections_per_ip_override(overrides)
        self.model.max_per_ip_overrides = overrides

    @rule(ip=st.one_of(st.none(), ips), rate=st.one_of(st.none(), st.integers(0, 5)))
    def update_ip_rate(self, ip: str | None, rate: int | None) -> None:
        self.quotas.update_ip_connection_rate_quota(
            None if ip is None else InetAddress.get_by_name(ip), rate)
        if ip is None:
            self.model.ip_rate = UNLIMITED if rate is None else rate
        elif rate is None:
            self.model.ip_rates.pop(ip, None)
        else:
            self.model.ip_rates[ip] = rate

    @invariant()
    def counts_are_those_of_the_model(self) -> None:
        if not hasattr(self, "model"):
            return
        quotas, model = self.quotas, self.model
        assert quotas._total_count == len(model.connections) == sum(quotas._counts.values())
        assert all(quotas.get(InetAddress.get_by_name(ip)) == model.count_of(ip) for ip in IPS)
        assert {name.value(): count for name, count in quotas._listener_counts.items()} == {
            name: listener.count for name, listener in model.listeners.items()}
        for listener in LISTENERS:
            assert quotas.max_connections_exceeded(ListenerName(listener)) == (
                len(model.connections) > model.max_connections and not model.protected(listener))
        assert all(quotas.connection_rate_for_ip(InetAddress.get_by_name(ip)) == model.rate_of(ip)
                   for ip in IPS)
        assert self.meter.count() == model.blocked_ns


TestConnectionQuotasMachine = ConnectionQuotasMachine.TestCase
TestConnectionQuotasMachine.settings = settings(max_examples=longer.examples(40, 100), stateful_step_count=40)

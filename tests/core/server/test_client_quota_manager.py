# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ClientQuotaManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Whose quota counts for whom, and how long who is above it has to wait."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

import pytest

from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.quota import Quota
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.sanitizer import Sanitizer
from kreactor.core.server.client_quota_manager import (
    ClientIdEntity,
    ClientQuotaManager,
    DefaultClientIdEntity,
    DefaultUserEntity,
    KafkaQuotaEntity,
    UserEntity,
)
from kreactor.core.server.quota_type import QuotaType
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.server.config.client_quota_manager_config import ClientQuotaManagerConfig
from kreactor.server.config.zoo_keeper_internals import ZooKeeperInternals
from kreactor.server.quota.client_quota_callback import ClientQuotaCallback
from kreactor.server.quota.client_quota_entity import ClientQuotaEntity
from kreactor.server.quota.client_quota_type import ClientQuotaType
from tests.core.server.quota_managers import QuotaTest, build_session

LONG_MAX = float(2**63 - 1)
DEFAULT = ZooKeeperInternals.DEFAULT_STRING
CONFIG = ClientQuotaManagerConfig()


@pytest.fixture
def test() -> Iterator[QuotaTest]:
    test = QuotaTest()
    yield test
    test.close()


def managing(test: QuotaTest, config: ClientQuotaManagerConfig = CONFIG,
             quota_type: QuotaType = QuotaType.Produce) -> AbstractContextManager[ClientQuotaManager]:
    return test.running(ClientQuotaManager(config, test.metrics, quota_type, test.time, ""))


@dataclass(frozen=True)
class UserClient:
    user: str
    client_id: str
    config_user: str | None = None
    config_client_id: str | None = None

    def set(self, manager: ClientQuotaManager, bound: float | None) -> None:
        set_quota(manager, self.config_user, self.config_client_id, bound)


def set_quota(manager: ClientQuotaManager, user: str | None, client_id: str | None,
              bound: float | None) -> None:
    """Set a quota, or take it away."""
    sanitized = client_id if client_id in (None, DEFAULT) else Sanitizer.sanitize(client_id)
    manager.update_quota(user, client_id, sanitized, None if bound is None else Quota(bound, True))


def quota_parsing(test: QuotaTest, client1: UserClient, client2: UserClient, random_client: UserClient,
                  default_config_client: UserClient) -> None:
    samples = CONFIG.num_quota_samples
    with managing(test) as manager:
        client1.set(manager, 2000)
        client2.set(manager, 4000)

        def quota_of(client: UserClient) -> float:
            return manager.quota(client.user, client.client_id).bound()

        assert quota_of(random_client) == LONG_MAX
        assert quota_of(client1) == 2000
        assert quota_of(client2) == 4000
        assert test.maybe_record(manager, client1.user, client1.client_id, 2500 * samples) > 0

        # The sensor is there, and gets the new quota.
        client1.set(manager, 3000)
        assert quota_of(client1) == 3000
        assert test.maybe_record(manager, client1.user, client1.client_id, 0) == 0

        client1.set(manager, 500)
        assert quota_of(client1) == 500
        assert test.maybe_record(manager, client1.user, client1.client_id, 0) > 0

        client1.set(manager, None)
        default_config_client.set(manager, 4000)
        assert quota_of(client1) == 4000
        assert test.maybe_record(manager, client1.user, client1.client_id, 1000 * samples) == 0


def test_client_id_quota_parsing(test: QuotaTest) -> None:
    quota_parsing(test, UserClient("ANONYMOUS", "p1", None, "p1"), UserClient("ANONYMOUS", "p2", None, "p2"),
                  UserClient("ANONYMOUS", "random-client-id"), UserClient("", "", None, DEFAULT))


def test_user_quota_parsing(test: QuotaTest) -> None:
    quota_parsing(test, UserClient("User1", "p1", "User1"), UserClient("User2", "p2", "User2"),
                  UserClient("RandomUser", "random-client-id"), UserClient("", "", DEFAULT))


def test_user_client_id_quota_parsing(test: QuotaTest) -> None:
    quota_parsing(test, UserClient("User1", "p1", "User1", "p1"), UserClient("User2", "p2", "User2", "p2"),
                  UserClient("RandomUser", "random-client-id"), UserClient("", "", DEFAULT, DEFAULT))


def test_user_quota_parsing_with_default_client_id_quota(test: QuotaTest) -> None:
    """The origin's default of the client id is set no more: the case is as test_user_quota_parsing."""
    quota_parsing(test, UserClient("User1", "p1", "User1"), UserClient("User2", "p2", "User2"),
                  UserClient("RandomUser", "random-client-id"), UserClient("", "", DEFAULT))


def test_user_client_quota_parsing_id_with_default_client_id_quota(test: QuotaTest) -> None:
    """The origin's default of the client id is set no more: as test_user_client_id_quota_parsing."""
    quota_parsing(test, UserClient("User1", "p1", "User1", "p1"), UserClient("User2", "p2", "User2", "p2"),
                  UserClient("RandomUser", "random-client-id"), UserClient("", "", DEFAULT, DEFAULT))


def check_quota(test: QuotaTest, manager: ClientQuotaManager, user: str, client_id: str,
                expected_bound: float, value: float, expect_throttle: bool) -> None:
    assert manager.quota(user, client_id).bound() == expected_bound
    expected_max = (CONFIG.quota_window_size_seconds * (CONFIG.num_quota_samples - 1) * expected_bound
                    if expected_bound < LONG_MAX else sys.float_info.max)
    assert manager.get_max_value_in_quota_window(build_session(user), client_id) == expected_max
    throttle_time_ms = test.maybe_record(manager, user, client_id, value * CONFIG.num_quota_samples)
    assert (throttle_time_ms > 0) is expect_throttle


def test_get_max_value_in_quota_window_with_non_default_quota_window(test: QuotaTest) -> None:
    num_full_quota_windows = 3
    with managing(test, ClientQuotaManagerConfig(num_full_quota_windows + 1), QuotaType.Fetch) as manager:
        session = build_session("userA")
        assert manager.get_max_value_in_quota_window(session, "client1") == sys.float_info.max
        set_quota(manager, DEFAULT, None, 10)
        assert manager.get_max_value_in_quota_window(session, "client1") == 10 * num_full_quota_windows


def set_and_remove(test: QuotaTest, user: str | None, client_id: str | None) -> None:
    with managing(test) as manager:
        check_quota(test, manager, "userA", "client1", LONG_MAX, 1000, False)
        set_quota(manager, user, client_id, 10)
        check_quota(test, manager, "userA", "client1", 10, 1000, True)
        set_quota(manager, user, client_id, None)
        check_quota(test, manager, "userA", "client1", LONG_MAX, 1000, False)


def test_set_and_remove_default_user_quota(test: QuotaTest) -> None:
    set_and_remove(test, DEFAULT, None)


def test_set_and_remove_user_quota(test: QuotaTest) -> None:
    set_and_remove(test, "userA", None)


def test_set_and_remove_user_client_quota(test: QuotaTest) -> None:
    set_and_remove(test, "userA", "client1")


def test_quota_config_precedence(test: QuotaTest) -> None:
    with managing(test) as manager:
        def set_(user: str | None, client_id: str | None, bound: float | None) -> None:
            set_quota(manager, user, client_id, bound)

        def check(user: str, client_id: str, bound: float, value: float, throttle: bool) -> None:
            check_quota(test, manager, user, client_id, bound, value, throttle)

        set_(DEFAULT, None, 1000)
        set_(None, DEFAULT, 2000)
        set_(DEFAULT, DEFAULT, 3000)
        set_("userA", None, 4000)
        set_("userA", "client1", 5000)
        set_("userB", None, 6000)
        set_("userB", "client1", 7000)
        set_("userB", DEFAULT, 8000)
        set_("userC", None, 10000)
        set_(None, "client1", 9000)

        # The pair before the user, the user before defaults; a user's clients share what is the user's.
        check("userA", "client1", 5000, 4500, False)
        check("userA", "client2", 4000, 4500, True)
        check("userA", "client3", 4000, 0, True)
        check("userA", "client1", 5000, 0, False)

        check("userB", "client1", 7000, 8000, True)
        check("userB", "client2", 8000, 7000, False)
        check("userB", "client3", 8000, 7000, False)

        check("userD", "client1", 3000, 3500, True)
        check("userD", "client2", 3000, 2500, False)
        check("userE", "client1", 3000, 2500, False)

        # Without the default of pairs that of users; its tags are others, and it begins at nothing.
        set_(DEFAULT, DEFAULT, None)
        check("userD", "client1", 1000, 0, False)
        check("userE", "client4", 1000, 1500, True)
        check("userF", "client4", 1000, 800, False)
        check("userF", "client5", 1000, 800, True)

        # Without that, too, the default of client ids, which all users share.
        set_(DEFAULT, None, None)
        check("userF", "client4", 2000, 0, False)
        check("userF", "client5", 2000, 0, False)
        check("userF", "client5", 2000, 2500, True)
        check("userG", "client5", 2000, 0, True)

        set_("userA", None, 8000)
        set_("userA", "client1", 10000)
        check("userA", "client2", 8000, 0, False)
        check("userA", "client2", 8000, 4500, True)
        check("userA", "client1", 10000, 0, False)
        check("userA", "client1", 10000, 6000, True)
        set_("userA", "client1", None)
        check("userA", "client6", 8000, 0, True)
        set_("userA", "client6", 11000)
        check("userA", "client6", 11000, 8500, False)
        set_("userA", DEFAULT, 12000)
        set_("userA", "client6", None)
        check("userA", "client6", 12000, 4000, True)


@pytest.mark.deviation("D214")
def test_quota_violation(test: QuotaTest) -> None:
    with managing(test) as manager:
        set_quota(manager, None, DEFAULT, 500)

        for _ in range(10):
            assert test.maybe_record(manager, "ANONYMOUS", "unknown", 400) == 0
            test.time.sleep(1000)
        assert test.queue_size(manager) == 0

        # 400 * 10 + 2300 = 6300 in 10.5 s are 600 a second: (600 - 500) / 500 * 10.5 s = 2.1 s.
        test.time.sleep(500)
        throttle_time = test.maybe_record(manager, "ANONYMOUS", "unknown", 2300)
        assert throttle_time == 2100
        test.throttle(manager, throttle_time)
        assert test.callback.started == 1
        assert test.queue_size(manager) == 1
        assert not manager.throttled_channel_reaper.end_due()
        assert test.callback.ended == 0
        test.time.sleep(throttle_time)

        manager.throttled_channel_reaper.do_work()
        assert test.queue_size(manager) == 0
        assert test.callback.ended == 1

        for _ in range(10):
            test.maybe_record(manager, "ANONYMOUS", "unknown", 400)
            test.time.sleep(1000)
        assert test.maybe_record(manager, "ANONYMOUS", "unknown", 0) == 0, "the peak has left the window"


def test_expire_throttle_time_sensor(test: QuotaTest) -> None:
    with managing(test) as manager:
        set_quota(manager, None, DEFAULT, 500)
        test.maybe_record(manager, "ANONYMOUS", "client1", 100)
        test.metrics.remove_sensor("ProduceThrottleTime-:client1")
        assert test.maybe_record(manager, "ANONYMOUS", "client1", 10000) > 0
        assert test.metrics.get_sensor("ProduceThrottleTime-:client1") is not None


def test_expire_quota_sensors(test: QuotaTest) -> None:
    with managing(test) as manager:
        set_quota(manager, None, DEFAULT, 500)
        test.maybe_record(manager, "ANONYMOUS", "client1", 100)
        test.metrics.remove_sensor("ProduceThrottleTime-:client1")
        test.metrics.remove_sensor("Produce-:client1")
        assert test.maybe_record(manager, "ANONYMOUS", "client1", 10000) > 0
        assert test.metrics.get_sensor("ProduceThrottleTime-:client1") is not None
        assert test.metrics.get_sensor("Produce-:client1") is not None


def test_client_id_not_sanitized(test: QuotaTest) -> None:
    client_id = "client@#$%"
    with managing(test) as manager:
        set_quota(manager, None, DEFAULT, 500)
        test.maybe_record(manager, "ANONYMOUS", client_id, 100)
        assert test.metrics.get_sensor("ProduceThrottleTime-:" + client_id) is not None
        assert test.metrics.get_sensor("Produce-:" + client_id) is not None


# Ours.


def test_without_quotas_nothing_is_recorded(test: QuotaTest) -> None:
    with managing(test) as manager:
        before = len(test.metrics.metrics())
        for number in range(100):
            assert test.maybe_record(manager, "u", f"client{number}", 1e12) == 0
        assert len(test.metrics.metrics()) == before


def test_what_clients_call_themselves_is_forgotten(test: QuotaTest) -> None:
    """An hour after the last request of a client id there is nothing of it left."""
    with managing(test) as manager:
        set_quota(manager, None, DEFAULT, 500)
        before = len(test.metrics.metrics()), len(test.metrics._sensors)
        for number in range(1000):
            test.maybe_record(manager, "u", f"client{number}", 100)
        assert len(test.metrics.metrics()) == before[0] + 2000
        test.time.sleep(3_599_000)
        test.maybe_record(manager, "u", "client7", 100)
        test.time.sleep(1_001)
        Metrics.ExpireSensorTask(test.metrics).run()
        # The sensor of waits has had nothing, and goes; the other one stays.
        assert (len(test.metrics.metrics()), len(test.metrics._sensors)) == (before[0] + 1, before[1] + 1)
        test.time.sleep(3_600_000)
        Metrics.ExpireSensorTask(test.metrics).run()
        assert (len(test.metrics.metrics()), len(test.metrics._sensors)) == before


@pytest.mark.deviation("D212")
@pytest.mark.parametrize("strict", [False, True])
def test_a_throttle_time_beyond_32_bits(test: QuotaTest, strict: bool) -> None:
    """In Kafka a time from 2**31 ms on is negative, and throttles nobody (D212)."""
    with managing(test, ClientQuotaManagerConfig(fidelity_strict=strict)) as manager:
        set_quota(manager, None, DEFAULT, 1)
        throttle_time_ms = test.maybe_record(manager, "u", "c", 3e6)
        assert throttle_time_ms == (2_999_990_000 - 2**32 if strict else 2**31 - 1)


def test_a_client_id_that_is_to_be_limited_must_be_told(test: QuotaTest) -> None:
    with managing(test) as manager, pytest.raises(IllegalStateException, match="Client-id not provided"):
        manager.update_quota(None, None, "c", Quota(1, True))


def test_the_reaper_ends_throttling_and_goes(test: QuotaTest) -> None:
    manager = ClientQuotaManager(CONFIG, test.metrics, QuotaType.Produce, test.time, "broker-1-")
    ended = threading.Event()
    reaper = manager.throttled_channel_reaper
    assert reaper.name == "broker-1-ThrottledChannelReaper-Produce" and reaper.is_alive()
    test.callback.end_throttling = ended.set  # type: ignore[method-assign]
    test.throttle(manager, 10)
    test.time.sleep(10)
    assert ended.wait(120)
    # Those that wait do not hold it up; they are gone with the manager.
    test.throttle(manager, 2**31 - 1)
    manager.shutdown()
    assert reaper.is_shutdown_complete()
    reaper.join()
    manager.shutdown()


def test_entities() -> None:
    pair = KafkaQuotaEntity(UserEntity(Sanitizer.sanitize("a b")), ClientIdEntity("c d"))
    assert [(entity.name(), entity.entity_type().name) for entity in pair.config_entities()] == [
        ("a b", "USER"), ("c d", "CLIENT_ID")]
    assert (pair.sanitized_user(), pair.client_id(), str(pair)) == (
        "a%20b", "c d", "user a%20b client-id c d")
    defaults = KafkaQuotaEntity(DefaultUserEntity, DefaultClientIdEntity)
    assert [(entity.name(), entity.entity_type().name) for entity in defaults.config_entities()] == [
        (DEFAULT, "DEFAULT_USER"), (DEFAULT, "DEFAULT_CLIENT_ID")]
    assert (defaults.sanitized_user(), defaults.client_id(), str(defaults)) == (
        DEFAULT, DEFAULT, "default user default client-id")
    neither = KafkaQuotaEntity(None, None)
    assert (neither.sanitized_user(), neither.client_id(), str(neither)) == ("", "", "")


class ByTeam(ClientQuotaCallback):
    """A plug-in: the users of a team, which their names begin with, share a quota."""

    def __init__(self) -> None:
        self.limits: dict[str, float] = {}
        self.is_changed = False
        self.told: list[tuple[ClientQuotaType, list[str], float | None]] = []

    def configure(self, configs: Mapping[str, object]) -> None:
        raise AssertionError("made by the test")

    def quota_metric_tags(self, quota_type: ClientQuotaType, principal: KafkaPrincipal,
                          client_id: str) -> Mapping[str, str]:
        return {"team": principal.get_name().split("-")[0]}

    def quota_limit(self, quota_type: ClientQuotaType, metric_tags: Mapping[str, str]) -> float | None:
        return self.limits.get(metric_tags["team"])

    def update_quota(self, quota_type: ClientQuotaType, quota_entity: ClientQuotaEntity,
                     new_value: float) -> None:
        self._note(quota_type, quota_entity, new_value)

    def remove_quota(self, quota_type: ClientQuotaType, quota_entity: ClientQuotaEntity) -> None:
        self._note(quota_type, quota_entity, None)

    def _note(self, quota_type: ClientQuotaType, entity: ClientQuotaEntity, value: float | None) -> None:
        self.told.append((quota_type, [part.name() for part in entity.config_entities()], value))

    def quota_reset_required(self, quota_type: ClientQuotaType) -> bool:
        is_changed, self.is_changed = self.is_changed, False
        return is_changed

    def close(self) -> None:
        pass


def test_a_plug_in_decides(test: QuotaTest) -> None:
    by_team = ByTeam()
    with test.running(ClientQuotaManager(
            CONFIG, test.metrics, QuotaType.Fetch, test.time, "", by_team)) as manager:
        assert manager.quotas_enabled()
        assert test.maybe_record(manager, "red-1", "c", 1000 * 11) == 0, "a team without a limit"
        assert manager.get_max_value_in_quota_window(build_session("red-1"), "c") == sys.float_info.max
        by_team.limits["red"] = 500
        assert test.maybe_record(manager, "red-2", "d", 0) == 0, "nobody knows of the change"
        by_team.is_changed = True
        assert test.maybe_record(manager, "red-2", "d", 0) > 0
        assert test.maybe_record(manager, "blue-1", "c", 1000 * 11) == 0
        assert manager.quota("red-3", "c").bound() == 500
        assert manager.get_max_value_in_quota_window(build_session("red-1"), "c") == 5000
        set_quota(manager, "u", DEFAULT, 7)
        set_quota(manager, "u", DEFAULT, None)
        assert by_team.told == [(ClientQuotaType.FETCH, ["u", DEFAULT], 7),
                                (ClientQuotaType.FETCH, ["u", DEFAULT], None)]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_precedence(test: QuotaTest, seed: int) -> None:
    """Of any quotas that there may be, the first of the order counts; who has the same tags has the same."""
    chance = random.Random(seed)
    users, clients = ("u", "v"), ("c", "d")
    levels = [(user, client) for user in (*users, DEFAULT, None) for client in (*clients, DEFAULT, None)
              if user or client]
    with managing(test) as manager:
        quotas: dict[tuple[str | None, str | None], float] = {}
        for _ in range(60):
            level = chance.choice(levels)
            if level in quotas and chance.random() < 0.5:
                del quotas[level]
                set_quota(manager, *level, None)
            else:
                quotas[level] = chance.randrange(1, 1000)
                set_quota(manager, *level, quotas[level])
            for user in users:
                for client in clients:
                    expected = next(
                        (quotas[level] for level in (
                            (user, client), (user, DEFAULT), (user, None), (DEFAULT, client),
                            (DEFAULT, DEFAULT), (DEFAULT, None), (None, client), (None, DEFAULT))
                         if level in quotas), LONG_MAX)
                    assert manager.quota(user, client).bound() == expected
                    sensors = manager.get_or_create_quota_sensors(build_session(user), client)
                    metric, = sensors.quota_sensor.metrics()
                    quota = metric.config().quota()
                    assert quota is not None and quota.bound() == expected

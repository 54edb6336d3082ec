# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker on a clock that the test moves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.testing import Broker, MockTime
from kreactor.testing.clock import BrokerClock, ClockScheduler, ClockTimer
from tests.clients.client import Record
from tests.clients.clients import FIRST
from tests.core.server.wire import Wire
from tests.stepping import wait_until

TOPIC = "topic"


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def broker(time: MockTime) -> Iterator[Broker]:
    with Broker(time=time, topics=[TOPIC], properties={
            "connections.max.idle.ms": 60_000, "log.retention.ms": 3_600_000, "log.roll.ms": 1_000,
            "fetch.max.bytes": 1024}) as broker:
        yield broker


def wire(broker: Broker) -> Wire:
    return Wire(broker.host, broker.port)


def ask(connection: Wire) -> None:
    connection.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())


def test_idle_connections_go_all_at_once(broker: Broker, time: MockTime) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(wire(broker)) for _ in range(5)]
        busy = stack.enter_context(wire(broker))
        for connection in (*idle, busy):
            ask(connection)
        time.advance(40_000)
        ask(busy)
        time.advance(20_000)
        assert len(broker.connections()) == 6
        time.advance(1)
        assert len(broker.connections()) == 1
        for connection in idle:
            assert connection.socket.recv(1) == b""
        ask(busy)


def test_retention(broker: Broker, time: MockTime) -> None:
    client = FIRST(broker.bootstrap_servers)
    for number in range(3):
        client.produce(TOPIC, [Record(0, b"key", b"%d" % number, timestamp_ms=time.milliseconds())])
        time.advance(2_000)
    assert len(broker.records(TOPIC)) == 3
    time.advance(2 * 3_600_000)
    assert broker.records(TOPIC) == [] and broker.end_offsets(TOPIC) == {0: 3}


def test_a_fetch_that_waits(broker: Broker, time: MockTime) -> None:
    partition = FetchRequestData.FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1000)
    fetch = FetchRequestData(max_wait_ms=500, min_bytes=1, max_bytes=1000, topics=[
        FetchRequestData.FetchTopic(topic=TOPIC, partitions=[partition])])
    with wire(broker) as connection:
        correlation_id = connection.send(ApiKeys.FETCH, 4, fetch)
        purgatory = broker.server().replica_manager().delayed_fetch_purgatory
        broker.wait_for(lambda: broker.requests(api="Fetch"))
        # Handled by the time that a connection of later on has its answer: there is a handler for each.
        with wire(broker) as other:
            while not purgatory.num_delayed():
                ask(other)
        time.advance(499)
        connection.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            connection.socket.recv(1)
        connection.socket.settimeout(120)
        time.advance(1)
        assert purgatory.num_delayed() == 0
        connection.receive(ApiKeys.FETCH, 4, correlation_id)


def test_the_time_of_a_request(broker: Broker, time: MockTime) -> None:
    with wire(broker) as connection:
        ask(connection)
        time.advance(1_234)
        ask(connection)
    first, second = broker.requests()
    assert second.time_ms - first.time_ms == 1_234


def test_a_move_during_a_pause(broker: Broker, time: MockTime) -> None:
    with wire(broker) as connection:
        ask(connection)
        broker.pause()
        time.advance(61_000)
        assert len(broker.connections()) == 1
        broker.resume()
        broker.wait_for(lambda: not broker.connections())


def test_a_move_while_it_is_away(broker: Broker, time: MockTime) -> None:
    for stop in (broker.stop, broker.kill):
        stop()
        time.advance(1_000)
        assert time._listeners == ()
        broker.restart()
        assert len(time._listeners) == 1
    with wire(broker) as connection:
        ask(connection)


def test_two_brokers_on_one_clock(time: MockTime) -> None:
    properties = {"connections.max.idle.ms": 1_000}
    with (Broker(time=time, properties=properties) as first,
          Broker(time=time, properties=properties) as second,
          wire(first) as one, wire(second) as other):
        ask(one)
        ask(other)
        time.advance(1_001)
        assert not first.connections() and not second.connections()


def test_connections_that_come_too_fast(time: MockTime) -> None:
    with Broker(time=time, properties={"max.connection.creation.rate": 1, "quota.window.num": 2}) as broker, \
            ExitStack() as stack:
        connections = [stack.enter_context(wire(broker)) for _ in range(12)]
        wait_until(lambda: time.advance(1_000) or len(broker.connections()) == len(connections))
        for connection in connections:
            ask(connection)


def test_a_clock_that_moves_by_itself_is_none_for_a_broker() -> None:
    with pytest.raises(IllegalArgumentException):
        Broker(time=MockTime(auto_tick_ms=1)).start()


def test_a_thread_of_the_broker_that_sleeps(time: MockTime) -> None:
    clock = BrokerClock(time)
    awake = threading.Event()
    sleeper = threading.Thread(target=lambda: (clock.sleep(10), awake.set()))
    sleeper.start()
    time.advance(9)
    assert not awake.is_set()
    while not awake.is_set():
        time.advance(1)
    sleeper.join()
    clock.close()


class Task(TimerTask):
    def __init__(self, delay_ms: int, done: list[int]) -> None:
        super().__init__(delay_ms)
        self.done = done

    def run(self) -> None:
        self.done.append(self._delay_ms)
        if self._delay_ms == 7:
            raise ValueError("as it happens")


def test_timer(time: MockTime) -> None:
    clock = BrokerClock(time)
    timer = ClockTimer(clock)
    clock.add_due_runner(lambda: timer.advance_clock(0))
    done: list[int] = []
    tasks = [Task(delay_ms, done) for delay_ms in (0, 20, 10, 7, 30)]
    for task in tasks:
        timer.add(task)
    assert done == [0] and timer.size() == 4
    time.advance(9)
    assert done == [0, 7]
    time.advance(1)
    assert done == [0, 7, 10]
    tasks[1].cancel()
    assert timer.size() == 1
    time.advance(20)
    assert done == [0, 7, 10, 30]
    timer.add(Task(1, done))
    timer.close()
    time.advance(1)
    assert done[-1] == 30
    clock.close()


def test_scheduler(time: MockTime) -> None:
    clock = BrokerClock(time)
    scheduler = ClockScheduler(1, clock)
    done: list[tuple[str, int]] = []
    start_ms = time.milliseconds()

    def task(name: str) -> None:
        done.append((name, time.milliseconds() - start_ms))
        if name == "fails":
            raise ValueError(name)

    assert scheduler.schedule_once("early", lambda: task("early"), 1).is_done()
    scheduler.startup()
    once = scheduler.schedule_once("once", lambda: task("once"), 5)
    often = scheduler.schedule("often", lambda: task("often"), 10, 10)
    scheduler.schedule("fails", lambda: task("fails"), 25, 10)
    assert (once.get_delay_ms(), scheduler.task_running(once), once.is_done()) == (5, True, False)
    time.advance(4)
    assert not done
    time.advance(6)
    assert done == [("once", 10), ("often", 10)]
    assert once.is_done() and not once.is_cancelled() and not once.cancel()
    assert not scheduler.task_running(once)
    time.advance(25)
    # Twice due, and run once.
    assert done[2:] == [("often", 35), ("fails", 35)]
    assert often.get_delay_ms() == 5
    assert often.cancel() and often.is_cancelled() and not often.cancel()
    time.advance(10)
    assert done[4:] == [("fails", 45)]
    ran = threading.Event()
    scheduler.schedule_once("now", ran.set)
    assert ran.wait(120)
    scheduler.shutdown()
    time.advance(100)
    assert len(done) == 5
    clock.close()


def test_sessions_of_groups() -> None:
    """A member that says nothing for the time of its session is out, and the next leads its group."""
    with Broker(time=MockTime()) as broker, Wire(broker.host, broker.port) as connection:
        # The first who asks has the topic made that keeps groups, which is known before it is led.
        while connection.ask(ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(key="group")).error_code:
            pass
        request = JoinGroupRequestData(
            group_id="group", session_timeout_ms=10_000, protocol_type="consumer",
            protocols=[JoinGroupRequestData.JoinGroupRequestProtocol(name="range", metadata=b"")])
        joined = connection.ask(ApiKeys.JOIN_GROUP, 0, request)
        while joined.error_code in (Errors.NOT_COORDINATOR.code, Errors.COORDINATOR_LOAD_IN_PROGRESS.code):
            joined = connection.ask(ApiKeys.JOIN_GROUP, 0, request)
        assert joined.error_code == 0 and joined.leader == joined.member_id
        connection.ask(ApiKeys.SYNC_GROUP, 0, SyncGroupRequestData(
            group_id="group", generation_id=joined.generation_id, member_id=joined.member_id))
        broker.time.advance(9_000)
        assert broker.groups()["group"].state == "Stable"
        broker.time.advance(1_001)
        assert broker.groups()["group"].state == "Empty"

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaRequestHandlerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Handlers, the callbacks that come back to them, and the pool they make up."""

from __future__ import annotations

import logging
import threading
from typing import Any, Callable, Iterator

import pytest

from kreactor.common.errors import UnknownServerException
from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.sasl_authenticate_request import SaslAuthenticateRequest
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.exit import Exit
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.broker_topic_stats import BrokerTopicStats
from kreactor.core.server.kafka_request_handler import (
    ApiRequestHandler,
    KafkaRequestHandler,
    KafkaRequestHandlerPool,
    _thread_state,
)
from kreactor.core.server.request_local import RequestLocal
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.yammer import Meter, MetricsRegistry
from kreactor.testing.mock_time import MockTime
from tests.core.network.servers import clear_yammer_metrics
from tests.stepping import Background, stopped_at, wait_until

Handle = Callable[[RequestChannel.Request, RequestLocal], Any]


class Apis(ApiRequestHandler):
    """Handles requests by a function; counts its chances to complete what waits."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self.try_complete_actions_count = 0

    def handle(self, request: RequestChannel.Request, request_local: RequestLocal) -> None:
        self._handle(request, request_local)

    def try_complete_actions(self) -> None:
        self.try_complete_actions_count += 1


class CountingRequestLocal(RequestLocal):
    """Counts how often its buffers are asked for."""

    def __init__(self) -> None:
        super().__init__(BufferSupplier.create())
        self.asked = 0

    def buffer_supplier(self) -> BufferSupplier:
        self.asked += 1
        return super().buffer_supplier()


class Fixture:
    """A request channel on a mock clock, and one handler, whose ``run`` the test calls itself."""

    def __init__(self) -> None:
        self.time = MockTime()
        self.metrics = RequestChannel.Metrics([ApiKeys.SASL_AUTHENTICATE])
        self.channel = RequestChannel(10, "", self.time, self.metrics)
        self.meter = Meter("percent", TimeUnit.NANOSECONDS)
        self.background: list[Background] = []

    def handler(self, apis: ApiRequestHandler, total: int = 1) -> KafkaRequestHandler:
        self.last_handler = KafkaRequestHandler(
            0, 0, self.meter, lambda: total, self.channel, apis, self.time)
        return self.last_handler

    def pool(self, apis: ApiRequestHandler, num_threads: int) -> KafkaRequestHandlerPool:
        return KafkaRequestHandlerPool(
            0, self.channel, apis, Time.SYSTEM, num_threads, "RequestHandlerAvgIdlePercent", "data-plane")

    def run_async(self, call: Callable[[], Any]) -> None:
        self.background.append(Background(call))

    def request(self, memory_pool: MemoryPool = MemoryPool.NONE) -> RequestChannel.Request:
        """Return a request whose body keeps its memory until it is handled."""
        body = SaslAuthenticateRequest(SaslAuthenticateRequestData(auth_bytes=b"x" * 50), 0)
        data = body.serialize_with_header(RequestHeader.of(body.api_key(), 0, "", 0)).to_bytes()
        buffer = memory_pool.try_allocate(len(data))
        assert buffer is not None
        buffer.put(data).flip()
        return self._request(buffer, memory_pool)

    def _request(self, buffer: ByteBuffer, memory_pool: MemoryPool) -> RequestChannel.Request:
        context = RequestContext(
            RequestHeader.parse(buffer), "0", InetAddress.get_by_name("127.0.0.1"), KafkaPrincipal("", ""),
            ListenerName(""), SecurityProtocol.PLAINTEXT, ClientInformation.EMPTY, False)
        return RequestChannel.Request(0, context, self.time.nanoseconds(), memory_pool, buffer, self.metrics)


@pytest.fixture
def f() -> Iterator[Fixture]:
    clear_yammer_metrics()
    fixture = Fixture()
    yield fixture
    for background in fixture.background:
        background.result()
    fixture.metrics.close()
    clear_yammer_metrics()


def test_callback_timing(f: Fixture) -> None:
    start_time = f.time.nanoseconds()

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        f.time.sleep(2)

        def complete(_: RequestLocal, ms: int) -> None:
            f.time.sleep(ms)
            f.last_handler.stop()

        callback = KafkaRequestHandler.wrap_async_callback(complete, RequestLocal.NoCaching)
        f.run_async(lambda: callback(1))
        request.api_local_complete_time_nanos = f.time.nanoseconds()

    request = f.request()
    f.channel.send_request(request)
    f.handler(Apis(handle)).run()
    assert request.request_dequeue_time_nanos == start_time
    assert request.api_local_complete_time_nanos == start_time + 2_000_000
    assert request.callback_request_dequeue_time_nanos == start_time + 2_000_000
    assert request.callback_request_complete_time_nanos == start_time + 3_000_000


def test_callback_try_complete_actions(f: Fixture) -> None:
    handled: list[RequestChannel.Request] = []

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        handled.append(request)
        callback = KafkaRequestHandler.wrap_async_callback(
            lambda _, __: f.last_handler.stop(), RequestLocal.NoCaching)
        f.run_async(lambda: callback(1))

    apis = Apis(handle)
    f.channel.send_request(f.request())
    f.handler(apis).run()
    assert len(handled) == 1
    assert apis.try_complete_actions_count == 1


def _run_with_callback(f: Fixture, call: Callable[[Callable[[int], None]], None]) -> CountingRequestLocal:
    """Handle a request whose callback is called by ``call``; return the request local it was made with."""
    original_request_local = CountingRequestLocal()
    handled: list[int] = []

    def complete(request_local: RequestLocal, value: int) -> None:
        request_local.buffer_supplier().close()
        handled.append(value)
        f.last_handler.stop()

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        call(KafkaRequestHandler.wrap_async_callback(complete, original_request_local))

    f.channel.send_request(f.request())
    f.handler(Apis(handle)).run()
    assert handled == [1]
    return original_request_local


def test_handling_callback_on_new_thread(f: Fixture) -> None:
    """It runs with what belongs to the handler that it runs on."""
    assert _run_with_callback(f, lambda callback: f.run_async(lambda: callback(1))).asked == 0


def test_callback_on_same_thread(f: Fixture) -> None:
    """A callback that is called while its request is handled runs at once."""
    assert _run_with_callback(f, lambda callback: callback(1)).asked == 1


def test_topic_stats() -> None:
    """Without tiered storage, which there is none of, a topic has no rates of it."""
    stats = BrokerTopicStats(MetricsRegistry())
    for metrics in (stats.topic_stats("topic"), stats.all_topics_stats):
        assert not [name for name in metrics.metric_map() if "Remote" in name]
        assert metrics.metric_map().keys() >= {"BytesInPerSec", "BytesOutPerSec"}


# Not in the origin: what follows.


def test_the_times_of_several_callbacks_add_up(f: Fixture) -> None:
    """Only the sum of the spans is kept: the begin is moved by what came before."""
    callbacks: list[Callable[[int], None]] = []

    def complete(_: RequestLocal, ms: int) -> None:
        f.time.sleep(ms)
        if ms == 5:
            f.last_handler.stop()

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        callbacks.append(KafkaRequestHandler.wrap_async_callback(complete, RequestLocal.NoCaching))

    request = f.request()
    f.channel.send_request(request)
    handler = f.handler(Apis(handle))
    running = Background(handler.run)
    wait_until(lambda: callbacks)
    for i, ms in enumerate((2, 3, 5)):
        callbacks[0](ms)
        wait_until(lambda: f.channel._callback_queue.is_empty()
                   and request.callback_request_complete_time_nanos is not None
                   and span(request) == (2, 5, 10)[i] * 1_000_000)
        f.time.sleep(100)  # between callbacks: counts for none
    running.result()
    assert span(request) == 10_000_000


def span(request: RequestChannel.Request) -> int:
    begin, end = request.callback_request_dequeue_time_nanos, request.callback_request_complete_time_nanos
    return -1 if begin is None or end is None else end - begin


def test_a_callback_called_after_its_request_on_the_same_thread_waits_in_line(f: Fixture) -> None:
    """The thread is at another request then, whose times must not suffer."""
    order: list[str] = []
    callbacks: list[Callable[[str], None]] = []
    requests = [f.request(), f.request()]

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        if request is requests[0]:
            callbacks.append(KafkaRequestHandler.wrap_async_callback(
                lambda _, name: (order.append(name), f.last_handler.stop()), RequestLocal.NoCaching))
        else:
            callbacks[0]("callback")
            order.append("second request")

    for request in requests:
        f.channel.send_request(request)
    f.handler(Apis(handle)).run()
    assert order == ["second request", "callback"]
    assert requests[1].callback_request_dequeue_time_nanos is None
    assert requests[0].callback_request_dequeue_time_nanos is not None


def test_callbacks_are_wrapped_on_handlers_only(f: Fixture) -> None:
    def complete(request_local: RequestLocal, value: list[RequestLocal]) -> None:
        value.append(request_local)

    with pytest.raises(IllegalStateException, match="non-request handler thread"):
        KafkaRequestHandler.wrap_async_callback(complete, RequestLocal.NoCaching)
    KafkaRequestHandler.set_bypass_thread_check(True)
    try:
        found: list[RequestLocal] = []
        KafkaRequestHandler.wrap_async_callback(complete, RequestLocal.NoCaching)(found)
        assert found == [RequestLocal.NoCaching]
    finally:
        KafkaRequestHandler.set_bypass_thread_check(False)


def test_a_handler_that_has_ended_leaves_nothing_on_its_thread(f: Fixture) -> None:
    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        f.last_handler.stop()

    f.channel.send_request(f.request())
    f.handler(Apis(handle)).run()
    with pytest.raises(IllegalStateException):
        KafkaRequestHandler.wrap_async_callback(lambda _, __: None, RequestLocal.NoCaching)


@pytest.mark.parametrize("error", [UnknownServerException, SystemExit, KeyboardInterrupt, GeneratorExit])
def test_a_handler_survives_what_the_apis_raise(f: Fixture, caplog: pytest.LogCaptureFixture,
                                                error: type[BaseException]) -> None:
    pool = SimpleMemoryPool(1000, 1000, False, None)
    handled: list[RequestChannel.Request] = []

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        handled.append(request)
        if len(handled) == 3:
            f.last_handler.stop()
        if len(handled) == 2:
            callback = KafkaRequestHandler.wrap_async_callback(fail, RequestLocal.NoCaching)
            f.run_async(lambda: callback(1))
        raise error("of a handler")

    def fail(_: RequestLocal, __: int) -> None:
        f.channel.send_request(f.request(pool))
        raise error("of a callback")

    apis = Apis(handle)
    for _ in range(2):
        f.channel.send_request(f.request(pool))
    f.handler(apis).run()
    assert len(handled) == 3
    assert apis.try_complete_actions_count == 1
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [error] * 4
    assert pool.available_memory() == pool.size()


@pytest.mark.parametrize("in_callback", [False, True])
def test_a_fatal_error_ends_the_process(f: Fixture, in_callback: bool) -> None:
    def fail(*_: object) -> None:
        raise FatalExitError(3)

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        if not in_callback:
            fail()
        callback = KafkaRequestHandler.wrap_async_callback(fail, RequestLocal.NoCaching)
        f.run_async(lambda: callback(1))

    class Ended(Exception):
        pass

    def exit_procedure(status_code: int, message: str | None) -> None:
        raise Ended(status_code)

    handler = f.handler(Apis(handle))
    f.channel.send_request(f.request())
    Exit.set_exit_procedure(exit_procedure)
    try:
        with pytest.raises(Ended, match="3"):
            handler.run()
    finally:
        Exit.reset_exit_procedure()
    # A shutdown of the process does not wait for this handler.
    handler.await_shutdown()


def test_memory_is_given_back_when_the_handler_returns(f: Fixture) -> None:
    pool = SimpleMemoryPool(1000, 1000, False, None)
    seen: list[int] = []

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        seen.append(pool.available_memory())
        assert request.body(SaslAuthenticateRequest).data().auth_bytes == b"x" * 50
        f.last_handler.stop()

    f.channel.send_request(f.request(pool))
    f.handler(Apis(handle)).run()
    assert seen[0] < pool.available_memory() == pool.size()


def test_idle_time_is_shared_by_all_handlers(f: Fixture) -> None:
    """Each of four that waits all the time adds a quarter, so that together they are idle once."""
    receive = f.channel.receive_request_timeout

    def slow_receive(timeout: int) -> Any:
        assert timeout == 300
        f.time.sleep(8)
        return receive(0)

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        f.time.sleep(1000)  # busy: counts for nothing
        f.last_handler.stop()

    f.channel.receive_request_timeout = slow_receive  # type: ignore[method-assign]
    f.channel.send_request(f.request())
    f.handler(Apis(handle), total=4).run()
    assert f.meter.count() == 2_000_000


def test_the_dequeue_time_is_that_of_the_queue(f: Fixture) -> None:
    request = f.request()

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        f.time.sleep(5)
        f.last_handler.stop()

    f.time.sleep(7)
    f.channel.send_request(request)
    f.handler(Apis(handle)).run()
    assert request.request_dequeue_time_nanos == request.start_time_nanos + 7_000_000


@pytest.mark.deviation("D490")
def test_an_error_between_two_requests_does_not_end_a_handler(
        f: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    receive, failed, handled = f.channel.receive_request_timeout, threading.Event(), threading.Event()

    def fail_once(timeout_ms: int) -> object:
        if not failed.is_set():
            failed.set()
            raise MemoryError("of the test")
        return receive(timeout_ms)

    monkeypatch.setattr(f.channel, "receive_request_timeout", fail_once)
    pool = f.pool(Apis(lambda *_: handled.set()), 1)
    assert failed.wait(120)
    f.channel.send_request(f.request())
    wait_until(lambda: handled.is_set() or not handler_threads())
    assert handled.is_set()
    pool.shutdown()


def test_a_wakeup_that_comes_through_is_passed_over(
    f: Fixture, caplog: pytest.LogCaptureFixture,
) -> None:
    items: list[Any] = [RequestChannel.WakeupRequest, None, RequestChannel.ShutdownRequest]
    f.channel.receive_request_timeout = lambda timeout: items.pop(0)  # type: ignore[method-assign]
    caplog.set_level(logging.WARNING)
    KafkaRequestHandler(7, 3, f.meter, lambda: 1, f.channel, Apis(lambda *_: None), f.time, "aNode").run()
    assert items == []
    assert caplog.messages == ["[Kafka Request Handler 7 on ANode 3], unexpected wakeup request"]


@pytest.mark.parametrize("end", ["shutdown", "stop"])
def test_a_handler_that_ends_lets_its_buffers_go_and_is_no_handlers_thread_any_more(
    f: Fixture, monkeypatch: pytest.MonkeyPatch, end: str,
) -> None:
    closed: list[RequestLocal] = []
    monkeypatch.setattr(RequestLocal, "close", lambda self: closed.append(self))
    handler = f.handler(Apis(lambda *_: handler.stop()))
    if end == "shutdown":
        handler.initiate_shutdown()
    else:
        f.channel.send_request(f.request())
    handler.run()
    assert closed == [handler._request_local]
    handler.await_shutdown()
    with pytest.raises(IllegalStateException):
        KafkaRequestHandler.wrap_async_callback(lambda _, __: None, RequestLocal.NoCaching)
    # Nor does the thread keep what it has handled.
    assert _thread_state.request_channel is None and _thread_state.current_request is None


def test_shutdown_comes_after_the_requests_that_are_queued(f: Fixture) -> None:
    handled: list[RequestChannel.Request] = []
    release = threading.Event()

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        release.wait(120)
        handled.append(request)

    pool = f.pool(Apis(handle), 2)
    requests = [f.request() for _ in range(6)]
    for request in requests:
        f.channel.send_request(request)
    down = Background(pool.shutdown)
    release.set()
    down.result()
    assert set(map(id, handled)) == set(map(id, requests))
    assert f.channel._request_queue.is_empty()


def handler_threads() -> list[str]:
    return sorted(thread.name for thread in threading.enumerate() if "request-handler" in thread.name)


def test_resize(f: Fixture) -> None:
    pool = f.pool(Apis(lambda *_: None), 2)
    names = ["data-plane-kafka-request-handler-0", "data-plane-kafka-request-handler-1",
             "data-plane-kafka-request-handler-2"]
    assert handler_threads() == names[:2]
    assert all(thread.daemon for thread in threading.enumerate() if thread.name in names)
    pool.resize_thread_pool(3)
    assert handler_threads() == names
    assert pool.thread_pool_size() == len(pool.runnables) == 3
    pool.resize_thread_pool(3)
    assert handler_threads() == names
    pool.resize_thread_pool(1)
    assert pool.thread_pool_size() == len(pool.runnables) == 1
    wait_until(lambda: handler_threads() == names[:1], "handlers that were stopped go on")
    pool.resize_thread_pool(2)
    assert handler_threads() == names[:2]
    pool.shutdown()
    wait_until(lambda: handler_threads() == [])


@pytest.mark.deviation("D13")
def test_a_handler_that_was_stopped_does_not_take_the_end_of_another(f: Fixture) -> None:
    """It may be waiting for requests still when the pool is shut down, and then it finds what is not its own.

    In the origin the handler that this was for waits for ever, and so does the shutdown.
    """
    busy, release = threading.Event(), threading.Event()

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        busy.set()
        assert release.wait(120)

    pool = f.pool(Apis(handle), 1)
    f.channel.send_request(f.request())
    assert busy.wait(120)
    pool.resize_thread_pool(2)
    idle = pool.runnables[1]
    with stopped_at(f.channel, "receive_request_timeout") as stop:
        stop.wait()  # the second handler, about to wait for a request
        pool.resize_thread_pool(1)
        down = Background(pool.shutdown)
        wait_until(lambda: not f.channel._request_queue.is_empty())
    # The end that was meant for the first is taken by the second, which is the only one that looks.
    idle.await_shutdown()
    release.set()
    down.result()
    assert f.channel._request_queue.is_empty()


def test_resizing_under_load_loses_no_request(f: Fixture) -> None:
    lock, handled = threading.Lock(), set()

    def handle(request: RequestChannel.Request, request_local: RequestLocal) -> None:
        with lock:
            handled.add(request)

    pool = f.pool(Apis(handle), 4)
    requests = [f.request() for _ in range(600)]

    def send() -> None:
        for request in requests:
            f.channel.send_request(request)

    sending = Background(send)
    for size in (8, 1, 5, 2, 7, 3, 1, 4):
        pool.resize_thread_pool(size)
        reached = len(handled) + 60
        wait_until(lambda: len(handled) >= min(reached, len(requests)))
    sending.result()
    pool.shutdown()
    assert len(handled) == len(requests)
    wait_until(lambda: handler_threads() == [])


def threads_up_to(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no thread start after that many."""
    start = threading.Thread.start
    left = [limit]

    def limited(self: threading.Thread) -> None:
        if left[0] == 0:
            raise RuntimeError("can't start new thread")
        left[0] -= 1
        start(self)

    monkeypatch.setattr(threading.Thread, "start", limited)


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_a_pool_that_cannot_have_its_threads_leaves_none(f: Fixture, monkeypatch: pytest.MonkeyPatch,
                                                         limit: int) -> None:
    with monkeypatch.context() as patch:
        threads_up_to(limit, patch)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            f.pool(Apis(lambda *_: None), 3)
    assert f.channel.receive_request_timeout(0) is None, "no end is left for a later pool to find"
    # The name of its metric is free again.
    f.pool(Apis(lambda *_: None), 1).shutdown()


@pytest.mark.deviation("D90")
def test_a_pool_that_cannot_grow_has_what_it_could_get(f: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = f.pool(Apis(lambda *_: None), 1)
    with monkeypatch.context() as patch:
        threads_up_to(2, patch)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            pool.resize_thread_pool(5)
    assert (pool.thread_pool_size(), len(pool.runnables)) == (3, 3)
    pool.resize_thread_pool(4)
    assert sorted(thread.name[-1] for thread in threading.enumerate()
                  if "request-handler" in thread.name) == [
        "0", "1", "2", "3"]
    pool.resize_thread_pool(2)
    Background(pool.shutdown).result()

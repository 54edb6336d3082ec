# Licensed under the Apache License, Version 2.0; see LICENSE.
"""kreactor's broker with a few methods overridden, so that a test sees requests and injects faults.

The place of each intervention:

======================================== ============================================================
a test's call                            place
======================================== ============================================================
pause                                    network threads and acceptors, at the start of their wait
requests                                 the network thread, before the handlers get the request
faults instead of handling               the handler's thread, before KafkaApis
faults of the response                   the responding thread, before the network thread gets it
slow reads                               the network thread, between the channel and its socket
======================================== ============================================================

A broker of the plain classes runs none of this code.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from functools import partial
from typing import Any, TypeVar

from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.send import Send
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.common.utils.time import Time
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.log.log_cleaner import LogCleaner
from kreactor.core.log.log_manager import LogManager
from kreactor.core.network.acceptor import Acceptor
from kreactor.core.network.data_plane_acceptor import DataPlaneAcceptor
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.network.socket_server import SocketServer
from kreactor.core.server.api_version_manager import ApiVersionManager
from kreactor.core.server.client_quota_manager import ClientQuotaManager
from kreactor.core.server.delayed_operation import DelayedOperation, DelayedOperationPurgatory
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_request_handler import ApiRequestHandler
from kreactor.core.server.quota_factory import QuotaManagers
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.server.server import Server
from kreactor.embedded.broker_cluster import BrokerCluster
from kreactor.embedded.broker_server import BrokerServer
from kreactor.fast.selector import FastSelector
from kreactor.fast.socket_server import FastSocketServer
from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.locks import Condition, Lock
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.jdk.threads import AnyThread, Thread
from kreactor.metadata.node_storage import ScramCredentialKey
from kreactor.security.credential_provider import CredentialProvider
from kreactor.server.client_metrics_manager import ClientMetricsManager
from kreactor.server.metrics.client_metrics_receiver_plugin import ClientMetricsReceiverPlugin
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.server.util.kafka_scheduler import KafkaScheduler
from kreactor.server.util.timer.timer import Timer
from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.testing import background, groups
from kreactor.testing.background import SharedLogCleaner, SharedScheduler, SharedTimer, Strand, WakingQueue
from kreactor.testing.clock import BrokerClock, ClockScheduler, ClockTimer
from kreactor.testing.faults import (
    Close,
    Delay,
    Drop,
    Error,
    Fault,
    Faults,
    Rule,
    SlowReader,
    Split,
    Truncate,
)
from kreactor.testing.received import Answer, ReceivedRequest, RequestLog

Operation = TypeVar("Operation", bound=DelayedOperation)

# A network thread whose round takes longer than the first time is stuck. An acceptor may wait for a slot
# without limit; while it waits, it accepts nothing.
_PROCESSOR_PATIENCE_S = 10.0
_ACCEPTOR_PATIENCE_S = 1.0
# The interval at which Kafka's Metrics remove expired sensors.
_SENSORS_EXPIRE_MS = 30_000
_STOP_MS = 10_000


class Gate:
    """Blocks network threads while the broker is paused. Any thread opens and shuts the gate."""

    def __init__(self) -> None:
        self._condition = Condition()
        self._is_shut = False
        # The threads that wait at the gate.
        self._waiting: set[AnyThread] = set()

    def is_shut(self) -> bool:
        """Return whether the gate is shut."""
        return self._is_shut

    def pass_through(self) -> None:
        """Wait until the gate is open."""
        if self._is_shut:
            with self._condition:
                thread = Thread.current_thread()
                self._waiting.add(thread)
                self._condition.notify_all()
                self._condition.wait_for(lambda: not self._is_shut)
                self._waiting.discard(thread)

    def shut(self) -> None:
        """Block all threads that pass through, until ``open``."""
        with self._condition:
            self._is_shut = True

    def await_threads(self, threads: Sequence[Thread], timeout_s: float) -> bool:
        """Wait until all live threads of ``threads`` are at the gate; return whether they are."""
        with self._condition:
            return Clock.wait_for(
                self._condition,
                lambda: all(thread in self._waiting or not thread.is_alive() for thread in threads),
                timeout_s)

    def open(self) -> None:
        """Let the waiting threads continue."""
        with self._condition:
            self._is_shut = False
            self._condition.notify_all()


def _quota_managers(managers: QuotaManagers) -> tuple[ClientQuotaManager, ...]:
    return managers.fetch, managers.produce, managers.request, managers.controller_mutation


def replace_reapers(managers: QuotaManagers) -> list[Callable[[], bool]]:
    """Stop the quotas' reaper threads; return the functions that do their work when the clock moves."""
    end_due = []
    for manager in _quota_managers(managers):
        manager.shutdown()
        end_due.append(manager.throttled_channel_reaper.end_due)
        # One element per wake-up of the thread.
        end_due[-1]()
    return end_due


class _DelayedAction(TimerTask):
    """Runs an action after a delay."""

    __slots__ = ("_action",)

    def __init__(self, delay_ms: int, action: Callable[[], None]) -> None:
        super().__init__(delay_ms)
        self._action = action

    def run(self) -> None:
        self._action()


class _BytesChannel(TransferableChannel):
    """Collects the bytes of a send, to be sent in another way."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, src: ByteBuffer) -> int:
        return self.write_buffers((src,))

    def write_buffers(self, srcs: Sequence[ByteBuffer]) -> int:
        before = len(self.data)
        for src in srcs:
            self.data += src.view()
            src.set_position(src.limit())
        return len(self.data) - before

    def has_pending_writes(self) -> bool:
        return False

    def transfer_from(self, file_channel: FileChannel, position: int, count: int) -> int:
        buffer = ByteBuffer.allocate(count)
        file_channel.read(buffer, position)
        return self.write(buffer.flip())


class PiecewiseSend(Send):
    """Sends bytes in pieces; it may close the connection after the last piece."""

    def __init__(self, send: Send, piece: int | None, end: int | None) -> None:
        """Take the bytes of ``send``.

        With ``end`` only the first ``end`` bytes are sent, and then the connection is closed.
        """
        channel = _BytesChannel()
        while not send.completed():
            send.write_to(channel)
        self._size = len(channel.data)
        self._data = memoryview(channel.data)
        if end is not None:
            self._data = self._data[:end]
        self._is_cut = end is not None
        self._piece = piece or max(len(self._data), 1)
        self._position = 0

    def completed(self) -> bool:
        return self._position >= len(self._data) and not self._is_cut

    def size(self) -> int:
        return self._size

    def write_to(self, channel: TransferableChannel) -> int:
        written = 0
        if self._position < len(self._data):
            written = channel.write(ByteBuffer.wrap(
                bytes(self._data[self._position:self._position + self._piece])))
            self._position += written
        if self._is_cut and self._position >= len(self._data) and not channel.has_pending_writes():
            raise EOFException("a fault cuts the response off here")
        return written


class InstrumentedRequestChannel(RequestChannel):
    """Logs requests and responses, and applies faults to the responses. Called by any thread."""

    def __init__(self, server: InstrumentedServer, queue_size: int, metric_name_prefix: str, time: Time,
                 metrics: RequestChannel.Metrics, registry: MetricsRegistry | None) -> None:
        super().__init__(queue_size, metric_name_prefix, time, metrics, registry)
        self.server = server
        # By processor, set between the parsing of the header and the request: the bytes, and the start of the
        # body. Each network thread uses its own entry.
        self.payloads: dict[int, tuple[bytes, int]] = {}
        # Requests without a response yet, by identity. Each access is a single operation, safe for any
        # thread.
        self._pending: dict[int, tuple[RequestChannel.Request, ReceivedRequest]] = {}
        self._dropped: deque[RequestChannel.Request] = deque()
        # The client ids of connections, for slow reads. Written by network threads.
        self.client_ids: dict[str, str | None] = {}

    def send_request(self, request: RequestChannel.Request) -> None:
        # None for the control plane, whose processor is a plain one.
        payload = self.payloads.pop(request.processor, None)
        if payload is None or request.context.header.client_id() == groups.CLIENT_ID:
            super().send_request(request)
            return
        received = ReceivedRequest(request.context, *payload, self._time.milliseconds())
        self.client_ids[received.connection_id] = received.client_id
        received.faults = self.server.faults.choose(received)
        self._pending[id(request)] = (request, received)
        self.server.requests.add(received)
        super().send_request(request)

    def faults_of(self, request: RequestChannel.Request) -> tuple[Fault, ...]:
        """Return the faults that apply to a request without a response."""
        pending = self._pending.get(id(request))
        return () if pending is None else pending[1].faults

    def drop(self, request: RequestChannel.Request) -> None:
        """Never send a response to a request."""
        self._dropped.append(request)
        self.server.requests.changed()

    def close_dropped(self) -> None:
        """Close the connections whose response was dropped."""
        while self._dropped:
            super().send_response_response(RequestChannel.CloseConnectionResponse(self._dropped.popleft()))

    def send_response(self, request: RequestChannel.Request, response: AbstractResponse,
                      on_complete: Callable[[Send], None] | None) -> None:
        pending = self._pending.get(id(request))
        if pending is not None:
            # The size is set later.
            pending[1].answer = Answer("response", 0, _names(response.error_counts()),
                                       self._time.milliseconds())
        super().send_response(request, response, on_complete)

    def send_response_response(self, response: RequestChannel.Response) -> None:
        if isinstance(response, (RequestChannel.StartThrottlingResponse,
                                 RequestChannel.EndThrottlingResponse)):
            super().send_response_response(response)
            return
        request = response.request
        pending = self._pending.pop(id(request), None)
        if pending is None:
            super().send_response_response(response)
            return
        received = pending[1]
        now_ms = self._time.milliseconds()
        if isinstance(response, RequestChannel.SendResponse):
            errors = () if received.answer is None else received.answer.errors
            received.answer = Answer("response", response.response_send.size(), errors, now_ms)
        else:
            is_close = isinstance(response, RequestChannel.CloseConnectionResponse)
            received.answer = Answer("close" if is_close else "none", 0, (), now_ms)
        delay_ms = 0
        is_dropped = False
        for fault in received.faults:
            if isinstance(fault, Delay):
                delay_ms += fault.ms
            elif isinstance(fault, Drop):
                is_dropped = True
            elif isinstance(fault, Close):
                response = RequestChannel.CloseConnectionResponse(request)
            elif isinstance(response, RequestChannel.SendResponse):
                if isinstance(fault, Truncate):
                    response.response_send = PiecewiseSend(response.response_send, None, fault.size)
                elif isinstance(fault, Split):
                    response.response_send = PiecewiseSend(response.response_send, fault.size, None)
        if is_dropped:
            self._dropped.append(request)
        elif delay_ms > 0:
            self.server.run_later(delay_ms, partial(super().send_response_response, response))
        else:
            super().send_response_response(response)
        self.server.requests.changed()

    def clear(self) -> None:
        super().clear()
        self._pending.clear()


def _names(error_counts: Iterable[Errors]) -> tuple[str, ...]:
    return tuple(sorted(error.name for error in error_counts if error is not Errors.NONE))


class InstrumentedRequestHandler(ApiRequestHandler):
    """KafkaApis, which applies faults before the request is handled."""

    def __init__(self, apis: KafkaApis) -> None:
        self._apis = apis
        assert isinstance(apis.request_channel, InstrumentedRequestChannel)
        self._channel = apis.request_channel

    def handle(self, request: RequestChannel.Request, request_local: RequestLocal) -> None:
        for fault in self._channel.faults_of(request):
            if isinstance(fault, Error):
                self._apis.request_helper.handle_error(request, fault.exception())
                return
            if isinstance(fault, Drop) and not fault.handled:
                self._channel.drop(request)
                return
            if isinstance(fault, Close) and not fault.handled:
                self._channel.send_response_response(RequestChannel.CloseConnectionResponse(request))
                return
        self._apis.handle(request, request_local)

    def try_complete_actions(self) -> None:
        self._apis.try_complete_actions()


class _SlowTransportLayer:
    """Wraps a channel's transport layer and reads a few bytes at a time. Called by the network thread."""

    def __init__(self, processor: InstrumentedProcessor, channel: KafkaChannel, rule: Rule) -> None:
        self._processor = processor
        self._channel = channel
        self._inner: TransportLayer = channel._transport_layer
        self._rule = rule

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def read(self, dst: ByteBuffer) -> int:
        fault = self._rule.fault
        assert isinstance(fault, SlowReader)
        if not self._processor.is_slow(self._channel):
            self._channel._transport_layer = self._inner
            return self._inner.read(dst)
        limit = dst.limit()
        dst.set_limit(min(limit, dst.position() + fault.size))
        try:
            return self._inner.read(dst)
        finally:
            dst.set_limit(limit)
            self._inner.remove_interest_ops(SelectionKey.OP_READ)
            self._processor.read_later(self._channel, fault.pause_ms)


class InstrumentedProcessor(Processor):
    """A network thread that can be paused, and that counts its rounds."""

    def __init__(self, id: int, time: Time, max_request_size: int, request_channel: RequestChannel,
                 *args: Any) -> None:
        super().__init__(id, time, max_request_size, request_channel, *args)
        assert isinstance(request_channel, InstrumentedRequestChannel)
        self._channel = request_channel
        self._server = request_channel.server
        self._rounds_condition = Condition()
        self._rounds = 0
        # Channels whose pause is over, added by timers, and channels that a test closes.
        self._to_read: deque[KafkaChannel] = deque()
        self._to_close: deque[str] = deque()

    def _parse_request_header(self, buffer: ByteBuffer) -> RequestHeader:
        payload = bytes(buffer.view())
        header = super()._parse_request_header(buffer)
        self._channel.payloads[self.id] = (payload, len(payload) - buffer.remaining())
        return header

    def _poll(self) -> None:
        server = self._server
        server.gate.pass_through()
        if server.is_killed():
            # Here the results of the last poll are handled.
            self.selector._disconnected.clear()
            return
        while self._to_read:
            channel = self._to_read.popleft()
            if (channel.mute_state() is KafkaChannel.ChannelMuteState.NOT_MUTED
                    and channel.selection_key().is_valid()):
                channel._transport_layer.add_interest_ops(SelectionKey.OP_READ)
        while self._to_close:
            self._close_connection(self._to_close.popleft())
            server.requests.changed()
        if server.faults.has_slow():
            self._slow_down()
        with self._rounds_condition:
            self._rounds += 1
            self._rounds_condition.notify_all()
        super()._poll()

    def _configure_new_connections(self) -> None:
        before = len(self.selector.channels())
        super()._configure_new_connections()
        if len(self.selector.channels()) != before:
            self._server.requests.changed()

    def _process_disconnected(self) -> None:
        super()._process_disconnected()
        for connection_id in self.selector.disconnected():
            self._channel.client_ids.pop(connection_id, None)
            self._server.requests.changed()

    def _close_connection(self, connection_id: str) -> None:
        super()._close_connection(connection_id)
        self._channel.client_ids.pop(connection_id, None)

    def connections(self) -> dict[str, str | None]:
        """Return the client id of each open connection, by connection id. Called by any thread."""
        client_ids = self._channel.client_ids
        return {channel.id(): client_ids.get(channel.id()) for channel in self.selector.channels()}

    def disconnect(self, connection_id: str) -> None:
        """Close a connection in the thread's next round. Called by any thread."""
        self._to_close.append(connection_id)
        self.wakeup()

    def await_round(self) -> None:
        """Wake the thread, and wait for the end of a round that began after this call.

        Called by any thread.
        """
        with self._rounds_condition:
            target = self._rounds + 2
            deadline = Clock.seconds() + _PROCESSOR_PATIENCE_S
            while self._rounds < target and self.thread.is_alive() and not self._server.gate.is_shut():
                self.wakeup()
                self._rounds_condition.wait(0.05)
                if Clock.seconds() > deadline:
                    raise TimeoutError(f"{self.thread.name} is stuck")

    def _slow_down(self) -> None:
        for channel in self.selector.channels():
            if not isinstance(channel._transport_layer, _SlowTransportLayer):
                rule = self._slow_rule(channel)
                if rule is not None:
                    rule.hits += 1
                    channel._transport_layer = _SlowTransportLayer(  # type: ignore[assignment]
                        self, channel, rule)

    def is_slow(self, channel: KafkaChannel) -> bool:
        """Return whether a channel's reads are still slowed."""
        return self._slow_rule(channel) is not None

    def _slow_rule(self, channel: KafkaChannel) -> Rule | None:
        return self._server.faults.slow_rule(self._channel.client_ids.get(channel.id()))

    def read_later(self, channel: KafkaChannel, pause_ms: int) -> None:
        """Resume the reads of a channel after a pause."""
        def resume() -> None:
            self._to_read.append(channel)
            self.wakeup()

        self._server.run_later(pause_ms, resume)


class InstrumentedAcceptor(DataPlaneAcceptor):
    """An acceptor that can be paused."""

    PROCESSOR_CLASS = InstrumentedProcessor

    def _accept_new_connections(self) -> None:
        assert isinstance(self._request_channel, InstrumentedRequestChannel)
        self._request_channel.server.gate.pass_through()
        super()._accept_new_connections()


class InstrumentedSocketServer(SocketServer):
    """A socket server with the classes above."""

    def __init__(self, server: InstrumentedServer, config: KafkaConfig, metrics: Metrics, time: Time,
                 api_version_manager: ApiVersionManager, registry: MetricsRegistry,
                 credential_provider: CredentialProvider | None = None) -> None:
        # The base class's constructor makes the parts.
        self._server = server
        super().__init__(config, metrics, time, api_version_manager, registry, credential_provider)

    def _create_request_channel(self, queue_size: int, metric_name_prefix: str,
                                metrics_registry: MetricsRegistry | None) -> RequestChannel:
        return InstrumentedRequestChannel(
            self._server, queue_size, metric_name_prefix, self.time,
            self.api_version_manager.new_request_metrics(metrics_registry), metrics_registry)

    def _create_data_plane_acceptor(self, end_point: EndPoint, is_privileged_listener: bool,
                                    request_channel: RequestChannel) -> DataPlaneAcceptor:
        return InstrumentedAcceptor(
            self, end_point, self.config, self._node_id, self.connection_quotas, self.time,
            is_privileged_listener, request_channel, self.metrics, self._log_context, self._memory_pool,
            self.api_version_manager)

    def acceptors(self) -> list[Acceptor]:
        """Return the current acceptors."""
        with self._lock:
            return self._all_acceptors()

    def channels(self) -> list[InstrumentedRequestChannel]:
        """Return the request channels."""
        return [channel for channel in (self.data_plane_request_channel,
                                        self.control_plane_request_channel_opt)
                if isinstance(channel, InstrumentedRequestChannel)]


class FastInstrumentedProcessor(InstrumentedProcessor):
    """An instrumented processor with a fast selector."""

    SELECTOR_CLASS = FastSelector


class FastInstrumentedSocketServer(FastSocketServer, InstrumentedSocketServer):
    """An instrumented socket server with the fast parts."""

    PROCESSOR_CLASS = FastInstrumentedProcessor


class InstrumentedServer(BrokerServer):
    """A broker whose requests a test sees, and which a test can kill.

    The caller passes the request log and the faults, which outlive the broker. ``clock`` is the broker's
    time.
    """

    def __init__(self, config: KafkaConfig, requests: RequestLog, faults: Faults,
                 clock: BrokerClock | None,
                 scram_users: Mapping[ScramCredentialKey, ScramCredential] = MappingProxyType({}),
                 cluster: BrokerCluster | None = None) -> None:
        super().__init__(config, Time.SYSTEM if clock is None else clock, scram_users=scram_users,
                         cluster=cluster)
        self.requests = requests
        self.faults = faults
        self.gate = Gate()
        self._clock = clock
        self._is_killed = False
        # Created for the first delay. Guarded by the lock.
        self._timer_lock = Lock()
        self._timer: Timer | None = None
        self._timer_is_closed = False
        faults.on_slow = self._await_processor_rounds
        self._uses_background = False
        self._strand: Strand | None = None
        if clock is not None:
            clock.add_move_listener(self._apply_clock)

    def _start_parts(self) -> None:
        background.acquire()
        self._uses_background = True
        super()._start_parts()

    def _new_scheduler(self, threads: int, thread_name_prefix: str = "kafka-scheduler-") -> KafkaScheduler:
        if self._clock is None:
            return (SharedScheduler if threads == 1 else KafkaScheduler)(threads, True, thread_name_prefix)
        return ClockScheduler(threads, self._clock, thread_name_prefix)

    def _new_purgatory(self, name: str, purge_interval: int = 1000) -> DelayedOperationPurgatory[Operation]:
        timer = SharedTimer(name) if self._clock is None else ClockTimer(self._clock)
        purgatory: DelayedOperationPurgatory[Operation] = DelayedOperationPurgatory(
            name, timer, self.config().broker_id(), purge_interval, reaper_enabled=False,
            metrics_registry=self.metrics_registry())
        if isinstance(timer, SharedTimer):
            timer.on_due = lambda: purgatory.advance_clock(0)
            return purgatory
        assert self._clock is not None

        def run_due() -> bool:
            had = timer.size()
            purgatory.advance_clock(0)
            return timer.size() < had

        self._clock.add_due_runner(run_due)
        return purgatory

    def _new_log_cleaner(self, logs: LogManager) -> LogCleaner:
        return SharedLogCleaner(LogCleaner.cleaner_config(self.config()), [logs.directory()], logs.logs(),
                                self._time, self.metrics_registry())

    def _new_metrics(self) -> Metrics:
        metrics = Metrics(Server.build_metrics_config(self._config), time=self._time)
        self._strand = strand = Strand()
        strand.schedule_at_fixed_rate(
            Metrics.ExpireSensorTask(metrics).run, _SENSORS_EXPIRE_MS, _SENSORS_EXPIRE_MS)
        return metrics

    def _new_socket_server(self, metrics: Metrics, api_version_manager: ApiVersionManager) -> SocketServer:
        return (FastInstrumentedSocketServer if self.config().is_fast() else InstrumentedSocketServer)(
            self, self.config(), metrics, self._time, api_version_manager, self.metrics_registry(),
            self._credential_provider)

    def _new_quota_managers(self, metrics: Metrics) -> QuotaManagers:
        managers = super()._new_quota_managers(metrics)
        all_end_due = replace_reapers(managers)
        if self._clock is not None:
            for end_due in all_end_due:
                self._clock.add_due_runner(end_due)
            return managers
        for manager, end_due in zip(_quota_managers(managers), all_end_due):
            assert self._strand is not None, "metrics come before quotas"
            manager._delay_queue = manager.throttled_channel_reaper._delay_queue = WakingQueue(
                self._strand, end_due)
        return managers

    def _new_client_metrics_manager(self, receiver_plugin: ClientMetricsReceiverPlugin,
                                    metrics: Metrics) -> ClientMetricsManager:
        timer: Timer
        if self._clock is None:
            timer = SharedTimer("client-metrics")
        else:
            timer = ClockTimer(self._clock)
            self._clock.add_due_runner(lambda: timer.advance_clock(0))
        return ClientMetricsManager(
            receiver_plugin, self.config().client_telemetry_max_bytes(), self._time, metrics,
            expiration_timer=timer)

    def _new_request_handler(self, apis: KafkaApis) -> ApiRequestHandler:
        return InstrumentedRequestHandler(apis)

    def _close_storage(self) -> None:
        if self._is_killed:
            self.storage().abandon()
        else:
            super()._close_storage()

    def _stop_parts(self, drain_ms: int) -> None:
        self.gate.open()
        socket_server = self._socket_server
        if isinstance(socket_server, InstrumentedSocketServer) and not self._is_killed:
            for channel in socket_server.channels():
                channel.close_dropped()
        try:
            super()._stop_parts(drain_ms)
        finally:
            # Objects that the next server also uses must not refer to this server, which keeps the files of
            # its log.
            self.faults.on_slow = lambda: None
            with self._timer_lock:
                timer, self._timer, self._timer_is_closed = self._timer, None, True
            if timer is not None:
                timer.close()
            if self._strand is not None:
                self._strand.shutdown()
                self._strand.await_termination(_STOP_MS)
            if self._uses_background:
                self._uses_background = False
                background.release()

    def run_later(self, delay_ms: int, action: Callable[[], None]) -> None:
        """Run an action after a delay, on the timer's thread. A stop of the broker drops the action."""
        with self._timer_lock:
            if self._timer_is_closed:
                return
            if self._timer is None:
                if self._clock is None:
                    self._timer = SharedTimer("faults")
                else:
                    clock_timer = ClockTimer(self._clock)
                    self._clock.add_due_runner(lambda: clock_timer.advance_clock(0))
                    self._timer = clock_timer
            self._timer.add(_DelayedAction(delay_ms, action))

    # -- called by tests ---------------------------------------------------------------------

    def instrumented_socket_server(self) -> InstrumentedSocketServer:
        """Return the listeners."""
        socket_server = self.socket_server()
        assert isinstance(socket_server, InstrumentedSocketServer)
        return socket_server

    def _processors(self) -> list[InstrumentedProcessor]:
        return [processor for acceptor in self.instrumented_socket_server().acceptors()
                for processor in acceptor.processors() if isinstance(processor, InstrumentedProcessor)]

    def pause(self) -> None:
        """Pause. Returns when no thread reads, writes or accepts any more. Raises TimeoutError."""
        self.gate.shut()
        acceptors = self.instrumented_socket_server().acceptors()
        processors = self._processors()
        for acceptor in acceptors:
            acceptor.wakeup()
        for processor in processors:
            processor.wakeup()
        if not self.gate.await_threads([each.thread for each in processors], _PROCESSOR_PATIENCE_S):
            self.gate.open()
            raise TimeoutError("a network thread is stuck")
        # An acceptor that waits for a slot accepts as little as one that waits at the gate.
        self.gate.await_threads([each.thread for each in acceptors], _ACCEPTOR_PATIENCE_S)

    def resume(self) -> None:
        """End a pause."""
        self.gate.open()

    def connections(self) -> dict[str, str | None]:
        """Return the client ids of open connections, None before the first request, by connection id."""
        return {id: client_id for processor in self._processors()
                for id, client_id in processor.connections().items()}

    def disconnect(self, client_id: str | None) -> None:
        """Close the connections of a client, or all connections, in the next round of their threads."""
        for processor in self._processors():
            for id, its_client_id in processor.connections().items():
                if client_id is None or its_client_id == client_id:
                    processor.disconnect(id)

    def is_killed(self) -> bool:
        """Return whether the broker was killed, so that nothing may be read or written any more."""
        return self._is_killed

    def kill(self) -> None:
        """Stop as the kernel stops a process: reset the connections and write nothing."""
        self.pause()
        for processor in self._processors():
            selector = processor.selector
            for channel in [*selector._channels.values(), *selector._closing_channels.values()]:
                try:
                    channel._transport_layer.socket_channel().socket().set_so_linger(True, 0)
                except OSError:
                    pass  # the connection is closed already
        self._is_killed = True
        for acceptor in self.instrumented_socket_server().acceptors():
            acceptor.begin_shutdown()
        self.shutdown(0)

    def _await_processor_rounds(self) -> None:
        """Wake the network threads, and return when each has completed a round."""
        if self._socket_server is not None:
            for processor in self._processors():
                processor.await_round()

    def _apply_clock(self) -> None:
        """Have acceptors, quotas and network threads read the clock after a move."""
        socket_server = self._socket_server
        if not isinstance(socket_server, InstrumentedSocketServer) or self.gate.is_shut():
            return
        for acceptor in socket_server.acceptors():
            acceptor.wakeup()
        with socket_server.connection_quotas._counts_lock:
            socket_server.connection_quotas._counts_lock.notify_all()
        for processor in self._processors():
            # Each round closes at most one idle connection.
            while True:
                before = len(processor.selector.channels())
                processor.await_round()
                if len(processor.selector.channels()) >= before:
                    break
        self.requests.changed()

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The state of a running broker: its threads, queues, channels, memory pool and purgatories.

Fact: a lock of the broker may be held by the very thread that hangs. Consequence: a look that took the lock
would hang, too. Choice: nothing here takes a lock of the broker; containers are copied, again if another
thread changed them during the copy. Cost: the parts of one state are from slightly different moments.

No content of a request or a response is part of the state, so passwords, tokens and records are not. Names
that a peer chooses are escaped and cut. Any thread calls these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from kreactor.core.network.socket_server import SocketServer
from kreactor.core.server.delayed_operation import DelayedOperationPurgatory
from kreactor.core.server.kafka_request_handler import KafkaRequestHandler
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.text import shown_text
from kreactor.jdk.thread_dump import thread_stacks

if TYPE_CHECKING:
    from kreactor.common.network.kafka_channel import KafkaChannel
    from kreactor.common.network.selector import Selector
    from kreactor.core.network.acceptor import Acceptor
    from kreactor.core.network.processor import Processor
    from kreactor.core.network.request_channel import RequestChannel
    from kreactor.embedded.broker_server import BrokerServer

T = TypeVar("T")

# A container that changes during every copy is reported as empty after so many copies.
_COPIES = 100
# The most elements of a queue, and channels of a processor, that are listed. The counts are always complete.
_MAX_LISTED = 1000

_CONTAINERS = {
    "channels": "_channels",
    "closing": "_closing_channels",
    "delayed closing": "_delayed_closing_channels",
    "explicitly muted": "_explicitly_muted_channels",
    "completed receives": "_completed_receives",
    "disconnected": "_disconnected",
}


class State(dict[str, Any]):
    """The state of a broker, as values of JSON. ``str`` of it is the text for people."""

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def states_text(states: Iterable[Callable[[], State]]) -> str:
    """Return the states of brokers, for a thread dump; none of one that raises IllegalStateException."""
    texts = []
    for state in states:
        # The broker may stop at any time.
        with suppress(IllegalStateException):
            texts.append(str(state()))
    return "\n\n".join(texts)


def state_of(server: BrokerServer) -> State:
    """Return the state of a broker of the network layer of 3.8.0; parts that do not run are left out."""
    made = State(status=server._status.name, threads=threads(), listeners=[], request_queues={},
                 purgatories={})
    socket_server = server._socket_server
    # An older edition has another socket server.
    if isinstance(socket_server, SocketServer):
        acceptors = [*_copy(socket_server._data_plane_acceptors.values)]
        control_plane = socket_server._control_plane_acceptor_opt
        made["listeners"] = [_acceptor(each) for each in (*acceptors, control_plane) if each is not None]
        made["request_queues"] = {
            name: _request_queue(channel) for name, channel in (
                ("data plane", socket_server.data_plane_request_channel),
                ("control plane", socket_server.control_plane_request_channel_opt)) if channel is not None}
        pool = socket_server._memory_pool
        made["memory_pool"] = {"size": pool.size(), "available": pool.available_memory()}
    made["purgatories"] = {
        purgatory._purgatory_name: {"watched": purgatory.watched(), "delayed": purgatory.num_delayed()}
        for purgatory in _purgatories(server)}
    return made


def threads() -> list[dict[str, Any]]:
    """Return what each thread of this process does that runs code of kreactor."""
    made = []
    for stack in thread_stacks():
        frames = list(_frames_of_kreactor(stack.frame))
        if frames:
            request = next(filter(None, map(_current_request, frames)), None)
            # A wait ends in the jdk floor; of interest is who waits.
            at = next((each for each in frames if not _module(each).startswith("kreactor.jdk.")), frames[0])
            made.append({
                "name": shown_text(stack.name), "waits": stack.is_waiting, "at": _place(at),
                "stack": [_place(each) for each in frames], "request": request})
    return made


def _copy(read: Callable[[], Iterable[T]]) -> list[T]:
    """Return a copy of a container that other threads change. ``read`` returns the container."""
    for _ in range(_COPIES):
        try:
            return list(read())
        # Another thread changed the container during the copy.
        except RuntimeError:
            pass
    return []


def _frames_of_kreactor(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        if _module(frame).startswith("kreactor."):
            yield frame
        frame = frame.f_back


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__"))


def _place(frame: FrameType) -> str:
    return f"{_module(frame)}.{frame.f_code.co_qualname}:{frame.f_lineno}"


def _current_request(frame: FrameType) -> str | None:
    """Return the request of a handler whose ``run`` is ``frame``."""
    if frame.f_code is not KafkaRequestHandler.run.__code__:
        return None
    request = frame.f_locals.get("req")
    return None if request is None else repr(request)


def _acceptor(acceptor: Acceptor) -> dict[str, Any]:
    return {
        "listener": acceptor.end_point.listener_name().value(), "port": acceptor._local_port,
        "throttled_sockets": len(acceptor._throttled_sockets),
        "processors": [_processor(each) for each in _copy(lambda: acceptor._processors)]}


def _processor(processor: Processor) -> dict[str, Any]:
    selector = processor.selector
    in_flight = dict(_copy(processor._inflight_responses.items))
    found = {id: channel for name in ("_closing_channels", "_channels")
             for id, channel in _copy(getattr(selector, name).items)}
    return {
        "id": processor.id, "selector": repr(selector),
        "new_connections": processor._new_connections.size(),
        "responses": processor.response_queue_size(),
        "response_queue": _listed(_copy(lambda: processor._response_queue.queue)),
        "in_flight_responses": {shown_text(id): repr(each) for id, each in in_flight.items()},
        "channel_count": len(found),
        "channels": [_channel(selector, each) for each in list(found.values())[:_MAX_LISTED]]}


def _channel(selector: Selector, channel: KafkaChannel) -> dict[str, Any]:
    id, receive, send = channel.id(), channel._receive, channel._send
    # One look-up in a dict needs no copy.
    return {
        "id": shown_text(id), "state": channel.state().state().name, "mute_state": channel._mute_state.name,
        "containers": [name for name, field in _CONTAINERS.items() if id in (getattr(selector, field) or ())],
        "receive": None if receive is None else receive.progress(),
        "send": None if send is None else send.progress()}


def _request_queue(channel: RequestChannel) -> dict[str, Any]:
    requests = _copy(lambda: channel._request_queue.queue)
    return {"size": len(requests), "capacity": channel.queue_size, "requests": _listed(requests),
            "callbacks": channel._callback_queue.size()}


def _listed(elements: list[Any]) -> list[str]:
    return [repr(each) for each in elements[:_MAX_LISTED]]


def _purgatories(server: BrokerServer) -> Iterator[DelayedOperationPurgatory[Any]]:
    replica_manager, adapter = server._replica_manager, server._group_coordinator
    owners = (replica_manager, None if adapter is None else adapter._coordinator)
    for owner, name in ((owners[0], "delayed_fetch_purgatory"), (owners[0], "_delayed_produce_purgatory"),
                        (owners[1], "heartbeat_purgatory"), (owners[1], "rebalance_purgatory")):
        purgatory = getattr(owner, name, None)
        if isinstance(purgatory, DelayedOperationPurgatory):
            yield purgatory


def _lines(state: State) -> Iterator[str]:
    yield f"Broker: {state['status']}"
    yield "Threads:"
    for thread in state["threads"]:
        doing = "waits" if thread["waits"] else "runs"
        request = "" if thread["request"] is None else f", {thread['request']}"
        yield f"  {thread['name']}: {doing} at {thread['at']}{request}"
    for name, queue in state["request_queues"].items():
        yield (f"Request queue of the {name}: {queue['size']} of {queue['capacity']}, "
               f"{queue['callbacks']} callbacks")
        for request in queue["requests"]:
            yield f"  {request}"
    for listener in state["listeners"]:
        yield (f"Listener {listener['listener']} on port {listener['port']}: "
               f"{listener['throttled_sockets']} throttled sockets")
        for processor in listener["processors"]:
            yield from _processor_lines(processor)
    if "memory_pool" in state:
        pool = state["memory_pool"]
        yield f"Memory pool: {pool['available']} of {pool['size']} bytes available"
    for name, purgatory in state["purgatories"].items():
        yield f"Purgatory {name}: {purgatory['watched']} watched, {purgatory['delayed']} delayed"


def _processor_lines(processor: dict[str, Any]) -> Iterator[str]:
    yield (f"  Processor {processor['id']}: {processor['selector']}, {processor['new_connections']} new "
           f"connections, {processor['responses']} responses, {len(processor['in_flight_responses'])} in "
           "flight")
    for response in processor["response_queue"]:
        yield f"    queued {response}"
    for response in processor["in_flight_responses"].values():
        yield f"    in flight {response}"
    for channel in processor["channels"]:
        parts = [channel["mute_state"], channel["state"], f"in {', '.join(channel['containers'])}"]
        parts += [f"{name} {channel[name]}" for name in ("receive", "send") if channel[name] is not None]
        yield f"    {channel['id']}: {', '.join(parts)}"
    if (left := processor["channel_count"] - len(processor["channels"])) > 0:
        yield f"    and {left} more channels"

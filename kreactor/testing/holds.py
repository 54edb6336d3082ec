# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Threads of a broker that are stopped at a member until the test lets them go.

A hold replaces a method of objects of the running broker by one that waits first. The classes stay as they
are, and the method is as before once the hold has let go. A member that calls itself through a name that was
bound before the hold, such as the ``run`` of a thread that has started, cannot be held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import Condition, Lock
from kreactor.jdk.threads import Thread

if TYPE_CHECKING:
    from kreactor.embedded.broker_server import BrokerServer


class Hold:
    """A member at which threads are stopped. Any thread calls the methods.

    A ``with`` statement lets the threads go at its end.
    """

    def __init__(self, point: str, targets: list[object], thread: str | None,
                 forget: Callable[[Hold], None]) -> None:
        """Replace the member of each target. ``thread`` is a part of the name of the threads to stop."""
        self.point = point
        self._thread = thread
        self._forget = forget
        self._condition = Condition()
        self._held: list[str] = []
        self._is_open = False
        self._name = point.partition(".")[2]
        self._targets = targets
        for target in targets:
            setattr(target, self._name, self._waiting(getattr(target, self._name)))

    def _waiting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def waiting(*args: Any, **kwargs: Any) -> Any:
            self._stand()
            return original(*args, **kwargs)

        return waiting

    def _stand(self) -> None:
        name = Thread.current_thread().name
        if self._thread is not None and self._thread not in name:
            return
        with self._condition:
            if self._is_open:
                return
            self._held.append(name)
            self._condition.notify_all()
            try:
                while not self._is_open:
                    self._condition.wait()
            finally:
                self._held.remove(name)

    def threads(self) -> list[str]:
        """Return the names of the threads that stand at the member, in the order of their arrival."""
        return self._held.copy()

    def wait(self, count: int = 1, timeout_s: float = 10.0) -> list[str]:
        """Wait until ``count`` threads stand at the member; return their names. Raises TimeoutError."""
        with self._condition:
            if not Clock.wait_for(self._condition, lambda: len(self._held) >= count, timeout_s):
                raise TimeoutError(f"{len(self._held)} of {count} threads came to {self.point} within "
                                   f"{timeout_s:g} s")
            return self._held.copy()

    def go(self) -> None:
        """Let all threads go, and stop no further one. A second call does nothing."""
        with self._condition:
            if self._is_open:
                return
            self._is_open = True
            for target in self._targets:
                delattr(target, self._name)
            self._condition.notify_all()
        self._forget(self)

    def __enter__(self) -> Hold:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.go()


class Holds:
    """The holds of one broker."""

    def __init__(self) -> None:
        # Guards the list, and keeps two holds from replacing one member.
        self._lock = Lock()
        self._holds: list[Hold] = []

    def add(self, server: BrokerServer, point: str, thread: str | None) -> Hold:
        """Start a hold. Raises as ``Broker.hold``."""
        class_name, _, name = point.partition(".")
        with self._lock:
            targets = [each for each in _objects(server)
                       if class_name in (cls.__name__ for cls in type(each).__mro__)]
            if not targets:
                known = sorted({type(each).__name__ for each in _objects(server)})
                raise ValueError(f"{point}: the broker has no object of class {class_name}. Objects to hold: "
                                 f"{', '.join(known)}")
            for target in targets:
                if not callable(getattr(type(target), name, None)):
                    raise ValueError(f"{point}: {type(target).__name__} has no method {name or 'named'}")
                if name in vars(target):
                    raise IllegalStateException(f"{point} is replaced already: let the other hold go first")
            hold = Hold(point, targets, thread, self._remove)
            self._holds.append(hold)
            return hold

    def _remove(self, hold: Hold) -> None:
        with self._lock:
            self._holds.remove(hold)

    def held(self) -> dict[str, list[str]]:
        """Return the threads that stand at each member. Takes no lock."""
        return {hold.point: hold.threads() for hold in self._holds.copy()}

    def let_go(self) -> None:
        """Let all threads of all holds go."""
        for hold in self._holds.copy():
            hold.go()


def _objects(server: BrokerServer) -> Iterator[Any]:
    """The objects whose members can be held, by way of their class."""
    socket_server = server.socket_server()
    for acceptor in socket_server._all_acceptors():
        yield acceptor
        for processor in list(acceptor._processors):
            yield processor
            yield processor.selector
    yield socket_server.data_plane_request_channel
    if socket_server.control_plane_request_channel_opt is not None:
        yield socket_server.control_plane_request_channel_opt
    pool = server.data_plane_request_handler_pool()
    yield pool.apis
    yield from list(pool.runnables)
    yield server.data_plane_request_processor()
    yield server.replica_manager()

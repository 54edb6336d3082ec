# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Threads of a broker that a test stops at a member."""

from __future__ import annotations

import pytest

from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing import Broker
from tests.stepping import wait_until
from tests.testing.test_state import api_versions, connect


def test_a_processor_is_held_until_it_is_let_go() -> None:
    with Broker() as broker, connect(broker) as connection:
        hold = broker.hold("Processor._process_new_responses")
        name, = hold.wait()
        assert "network-thread" in name and hold.threads() == [name]
        connection.sendall(api_versions())
        connection.settimeout(0.2)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        hold.go()
        hold.go()
        connection.settimeout(60)
        assert connection.recv(1)
        wait_until(lambda: not hold.threads())
        assert "holds" in broker.state() and broker.state()["holds"] == {}


def test_all_handlers_are_held_and_none_after_that() -> None:
    with (Broker(properties={"num.io.threads": 2}) as broker, connect(broker) as first,
          connect(broker) as second):
        with broker.hold_handlers() as hold:
            first.sendall(api_versions())
            second.sendall(api_versions())
            assert len(set(hold.wait(2))) == 2
        assert first.recv(1) and second.recv(1)
        assert "handle" not in vars(broker.server().data_plane_request_handler_pool().apis)


def test_only_the_named_thread_is_held() -> None:
    with Broker() as broker, connect(broker) as connection:
        with broker.hold("ApiRequestHandler.handle", thread="no-such-thread") as hold:
            connection.sendall(api_versions())
            assert connection.recv(1)
            with pytest.raises(TimeoutError, match="0 of 1 threads came to ApiRequestHandler.handle"):
                hold.wait(timeout_s=0)


@pytest.mark.parametrize("way", ["stop", "kill", "close"])
def test_a_stop_lets_held_threads_go(way: str) -> None:
    with Broker() as broker, connect(broker) as connection:
        hold = broker.hold_handlers()
        other = broker.hold("Selector.poll")
        other.wait()
        other.go()
        connection.sendall(api_versions())
        hold.wait()
        getattr(broker, way)()
        wait_until(lambda: not hold.threads())


@pytest.mark.parametrize("point, message", [
    ("Procesor.run", "no object of class Procesor. Objects to hold: .*Processor"),
    ("Processor.no_method", "has no method no_method"),
    ("Processor", "has no method named"),
])
def test_an_unknown_point(point: str, message: str) -> None:
    with Broker() as broker, pytest.raises(ValueError, match=message):
        broker.hold(point)


def test_one_hold_for_a_member() -> None:
    with Broker() as broker, broker.hold("Processor._poll"):
        with pytest.raises(IllegalStateException, match="let the other hold go first"):
            broker.hold("Processor._poll")
    with pytest.raises(IllegalStateException, match="does not run"):
        broker.hold_handlers()

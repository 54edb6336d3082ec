# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A fast broker, and where there is none."""

from __future__ import annotations

import logging
import queue

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.network.selector import Selector
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.editions.registry import EDITIONS
from kreactor.embedded.broker_server import BrokerServer
from kreactor.fast.request_queue import OneAtATimeQueue
from kreactor.fast.selector import FastSelector
from kreactor.fast.socket_server import FastSocketServer
from kreactor.testing import Broker


def processors(server: BrokerServer) -> list[Processor]:
    return [processor for acceptor in server.socket_server()._all_acceptors()
            for processor in acceptor.processors()]


@pytest.mark.parametrize("fast", [False, True])
def test_a_broker_has_the_parts_that_were_asked_for(fast: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "kreactor")
    with Broker(fast=fast) as broker:
        server = broker.server()
        assert isinstance(server.socket_server(), FastSocketServer) is fast
        channel = server.socket_server().data_plane_request_channel
        assert type(channel) is not RequestChannel and isinstance(channel._request_queue, queue.Queue)
        assert isinstance(channel._request_queue, OneAtATimeQueue) is fast
        for processor in processors(server):
            assert isinstance(processor.selector, FastSelector) is fast
        broker.produce("topic", b"value")
        assert [record.value for record in broker.records("topic")] == [b"value"]
    assert any("kreactor.fast=true" in message for message in caplog.messages) is fast


def test_a_fast_broker_has_a_control_plane() -> None:
    properties = {
        "control.plane.listener.name": "CONTROL",
        "listeners": "PLAINTEXT://127.0.0.1:0,CONTROL://127.0.0.1:0",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROL:PLAINTEXT"}
    with Broker(fast=True, properties=properties) as broker:
        assert {type(processor.selector) for processor in processors(broker.server())} == {FastSelector}


def test_fast_and_strict_are_two_wishes() -> None:
    with pytest.raises(ConfigException, match="kreactor.fast=true: .*; set one"):
        KafkaConfig.from_props({
            "kreactor.fast": "true", "kreactor.fidelity": "strict", "zookeeper.connect": "zookeeper:2181"})


@pytest.mark.parametrize("edition", [name for name, edition in EDITIONS.items() if edition.module])
def test_an_older_edition_is_not_fast(edition: str) -> None:
    with pytest.raises(ConfigException, match="kreactor.fast: the network layer of Kafka"):
        Broker(edition=edition, fast=True)


def test_by_default_nothing_is_fast() -> None:
    assert Processor.SELECTOR_CLASS is Selector

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SelectorTest of Apache Kafka 1.0.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The 19 cases are as in 0.10.2.2 or in 2.2.2, and run against the selector of 1.0."""

from __future__ import annotations

import errno
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.editions.v1_0.common.network.channel_builder import ChannelBuilder
from kreactor.editions.v1_0.common.network.channel_state import ChannelState
from kreactor.editions.v1_0.common.network.kafka_channel import KafkaChannel
from kreactor.editions.v1_0.common.network.selector import Selector
from kreactor.jdk import nio_selector
from tests.editions.v0_10_2.common.network.test_selector import (  # noqa: F401
    metrics,
    parts,
    server,
    test_cant_send_without_connecting,
    test_connection_refused,
    test_empty_request,
    test_existing_connection_id,
    test_large_message_sequence,
    test_mute,
    test_no_route_to_host,
    test_normal_operation,
    test_nothing_is_read_while_receives_are_staged,
    test_send_large_request,
    time,
)
from tests.editions.v2_2.common.network.test_selector import (  # noqa: F401
    listener,
    new_selector,
    selector,
    test_a_selector_that_ends_closes_what_is_closing,
    test_cant_send_with_in_progress,
    test_close_connection_in_closing_state,
    test_close_oldest_connection,
    test_close_oldest_connection_with_multiple_staged_receives,
    test_close_oldest_connection_with_one_staged_receive,
    test_connect_disconnect_during_in_single_poll,
    test_immediately_connected_cleaned,
    test_mute_on_oom,
    test_register_failure,
    test_server_disconnect,
)


@pytest.fixture
def edition() -> Any:
    return SimpleNamespace(selector=Selector, builder=ChannelBuilder, channel=KafkaChannel)


@pytest.fixture
def states() -> Any:
    return ChannelState


def test_a_selector_without_descriptors_is_an_error_of_kafka(
        new_selector: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    failure = OSError(errno.EMFILE, "Too many open files")
    monkeypatch.setattr(nio_selector.Selector, "open", Mock(side_effect=failure))
    try:
        new_selector()
    except KafkaException as e:
        assert e.__cause__ is failure
    except AttributeError:
        pytest.fail("the constructor goes on without a selector")
    else:
        pytest.fail("there is a selector")

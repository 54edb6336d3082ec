# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Helpers of the broker."""

from __future__ import annotations

import logging

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.utils.core_utils import CoreUtils
from kreactor.core.utils.logging import Logging
from kreactor.jdk.exceptions import IllegalArgumentException

TRACE = 5


@pytest.mark.parametrize("level", [TRACE, logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR])
def test_swallow(level: int, caplog: pytest.LogCaptureFixture) -> None:
    def action() -> None:
        raise KafkaException("test 100%")

    caplog.set_level(TRACE)
    CoreUtils.swallow(action, Logging(), level)
    [record] = caplog.records
    assert (record.levelno, record.getMessage()) == (level, "test 100%")
    assert record.exc_info is not None and isinstance(record.exc_info[1], KafkaException)


def test_swallow_lets_a_fatal_exit_through() -> None:
    def action() -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        CoreUtils.swallow(action, Logging())


def test_listeners_and_their_errors() -> None:
    protocols = EndPoint._DEFAULT_SECURITY_PROTOCOL_MAP
    end_points = CoreUtils.listener_list_to_end_points("PLAINTEXT://a:1, SSL://b:0 ,SASL_SSL://c:0",
                                                       protocols)
    assert [e.connection_string() for e in end_points] == ["PLAINTEXT://a:1", "SSL://b:0", "SASL_SSL://c:0"]
    with pytest.raises(IllegalArgumentException) as e:
        CoreUtils.listener_list_to_end_points("a", protocols)
    assert str(e.value) == "Error creating broker listeners from 'a': Unable to parse a to a broker endpoint"
    with pytest.raises(IllegalArgumentException) as e:
        CoreUtils.listener_list_to_end_points("SSL://:99999999999", protocols)
    assert str(e.value) == ("Error creating broker listeners from 'SSL://:99999999999': "
                            "For input string: \"99999999999\"")
    with pytest.raises(IllegalArgumentException) as e:
        CoreUtils.listener_list_to_end_points("SSL://a:1,PLAINTEXT://b:1", protocols)
    assert str(e.value) == ("requirement failed: Each listener must have a different port, "
                            "listeners: SSL://a:1,PLAINTEXT://b:1")
    assert len(CoreUtils.listener_list_to_end_points("SSL://a:1,PLAINTEXT://b:1", protocols, False)) == 2

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The times of a request: what the client's quota gets, and what each histogram gets."""

from __future__ import annotations

from types import ModuleType
from typing import Any
from unittest.mock import Mock

import pytest

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.editions.v1_0.core.network import request_channel as of_1_0
from kreactor.editions.v2_2.core.network import request_channel as of_2_2

MS = 1_000_000
HISTOGRAMS = ("request_queue_time_hist", "local_time_hist", "remote_time_hist", "throttle_time_hist",
              "response_queue_time_hist", "response_send_time_hist", "total_time_hist")


@pytest.fixture(params=[of_1_0, of_2_2], ids=["1.0", "2.2"])
def edition(request: pytest.FixtureRequest) -> ModuleType:
    return request.param


def new_request(edition: ModuleType, start_time_nanos: int = 0) -> Any:
    context = Mock(principal=KafkaPrincipal.ANONYMOUS)
    context.header.api_key.return_value = ApiKeys.METADATA
    return edition.Request(0, context, start_time_nanos, Mock(), Mock(), Mock())


def set_clock(edition: ModuleType, monkeypatch: pytest.MonkeyPatch, nanos: int) -> None:
    monkeypatch.setattr(edition, "Time", Mock(SYSTEM=Mock(nanoseconds=lambda: nanos)))


def test_a_time_that_is_not_known_yet_is_minus_one(edition: ModuleType) -> None:
    request = new_request(edition)
    names = ("request_dequeue", "api_local_complete", "api_remote_complete", "response_complete",
             "response_dequeue")
    assert {name: getattr(request, f"{name}_time_nanos") for name in names} == dict.fromkeys(names, -1)
    assert request.message_conversions_time_nanos == request.temporary_memory_bytes == 0


@pytest.mark.parametrize("dequeued, completed, now, expected", [
    (1_000, -1, 1_700, 700), (1_000, 1_200, 1_700, 200), (1_000, 1_000, 1_700, 0), (1_000, 900, 1_700, 0)])
def test_a_handler_takes_the_time_from_the_queue_to_the_end_of_its_work(
        edition: ModuleType, monkeypatch: pytest.MonkeyPatch, dequeued: int, completed: int, now: int,
        expected: int) -> None:
    set_clock(edition, monkeypatch, now)
    request = new_request(edition)
    request.request_dequeue_time_nanos = dequeued
    request.api_local_complete_time_nanos = completed
    assert request.request_thread_time_nanos() == expected
    # A later look gives the same time.
    set_clock(edition, monkeypatch, now + 50)
    assert request.request_thread_time_nanos() == expected


@pytest.mark.parametrize("local, remote, expected", [
    # The clock goes on by 1, 2, 4, ... ms from each event to the next.
    (13 * MS, 17 * MS, (1, 2, 4, 8, 16, 32, 63)),
    # A response that the handler sent before it told its time was not delayed.
    (-1, -1, (1, 14, 0, 0, 16, 32, 63)),
    # No time is below 0.
    (10 * MS, 9 * MS, (1, 0, 0, 16, 16, 32, 63))])
def test_each_histogram_gets_its_part_of_the_time(
        edition: ModuleType, monkeypatch: pytest.MonkeyPatch, local: int, remote: int,
        expected: tuple[int, ...]) -> None:
    set_clock(edition, monkeypatch, 73 * MS)
    monkeypatch.setattr(edition, "request_logger", Mock(is_debug_enabled=lambda: False))
    request = new_request(edition, 10 * MS)
    request.request_dequeue_time_nanos = 11 * MS
    request.api_local_complete_time_nanos = local
    request.api_remote_complete_time_nanos = remote
    request.response_complete_time_nanos = 25 * MS
    request.response_dequeue_time_nanos = 41 * MS
    request.record_network_thread_time_callback = Mock()
    metrics = request._metrics.apply.return_value
    request.update_request_metrics(77, Mock())
    assert tuple(getattr(metrics, name).update.call_args.args[0] for name in HISTOGRAMS) == expected
    request.record_network_thread_time_callback.assert_called_once_with(77)

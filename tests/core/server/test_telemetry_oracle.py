# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Responses about the metrics of clients, as those of Kafka 3.8.0."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

from kreactor.common.protocol.api_keys import ApiKeys
from tests.core.server.brokers import connect, new_broker
from tests.core.server.conversation import Answers, cases
from tests.core.server.telemetry_conversation import LIVE_SETTLE_S, hold, read_recorded
from tests.core.server.test_oracle import compare
from tests.core.server.wire import Wire

CASES = cases(read_recorded())


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    with new_broker(tmp_path_factory.mktemp("telemetry")) as broker:
        return hold(lambda: connect(broker), "ours_")


@pytest.fixture(scope="module")
def live(oracle: Callable[[], Wire]) -> Answers:
    return hold(oracle, f"live_{os.getpid()}_", lambda: time.sleep(LIVE_SETTLE_S))


def test_all_was_asked(ours: Answers) -> None:
    assert ours.keys() == read_recorded().keys()
    assert CASES == [(ApiKeys.API_VERSIONS, 3), (ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1),
                     (ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, 0), (ApiKeys.PUSH_TELEMETRY, 0)]


@pytest.mark.parametrize(("api", "version"), CASES, ids=str)
def test_answers_as_recorded(ours: Answers, api: ApiKeys, version: int) -> None:
    compare(ours, read_recorded(), f"{api.name} v{version}")


@pytest.mark.parametrize(("api", "version"), CASES, ids=str)
def test_answers_as_a_live_broker(ours: Answers, live: Answers, api: ApiKeys, version: int) -> None:
    compare(ours, live, f"{api.name} v{version}")

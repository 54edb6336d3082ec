# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Responses about quotas, as those of Kafka 3.8.0."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

from kreactor.common.protocol.api_keys import ApiKeys
from tests.core.server.brokers import connect, new_broker
from tests.core.server.conversation import Answers, cases
from tests.core.server.quota_conversation import LIVE_SETTLE_S, hold, read_recorded
from tests.core.server.test_oracle import compare
from tests.core.server.wire import Wire

APIS = (ApiKeys.ALTER_CLIENT_QUOTAS, ApiKeys.DESCRIBE_CLIENT_QUOTAS)
CASES = cases(read_recorded())


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    with new_broker(tmp_path_factory.mktemp("quotas")) as broker:
        return hold(lambda: connect(broker), "ours_")


@pytest.fixture(scope="module")
def live(oracle: Callable[[], Wire]) -> Answers:
    return hold(oracle, f"live_{os.getpid()}_", lambda: time.sleep(LIVE_SETTLE_S))


def test_all_was_asked(ours: Answers) -> None:
    assert ours.keys() == read_recorded().keys()
    assert {label.split()[0] for label in ours} == {api.name for api in APIS}


@pytest.mark.parametrize(("api", "version"), CASES, ids=str)
def test_answers_as_recorded(ours: Answers, api: ApiKeys, version: int) -> None:
    compare(ours, read_recorded(), f"{api.name} v{version}")


@pytest.mark.parametrize(("api", "version"), CASES, ids=str)
def test_answers_as_a_live_broker(ours: Answers, live: Answers, api: ApiKeys, version: int) -> None:
    compare(ours, live, f"{api.name} v{version}")

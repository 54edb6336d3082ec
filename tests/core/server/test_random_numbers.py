# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker in somebody's test leaves that test's random numbers alone."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from tests.core.server.bench import fetch_request, produce
from tests.core.server.brokers import connect, new_broker
from tests.core.server.conversation import records

# Above it a histogram draws lots for who stays.
MORE_THAN_A_RESERVOIR = 1100
LARGEST = 200_000
SETTINGS = {"log.roll.jitter.ms": "1000", "queued.max.request.bytes": str(LARGEST),
            "socket.request.max.bytes": str(LARGEST)}


def test_a_broker_with_traffic_draws_none_of_the_process(tmp_path: Path) -> None:
    random.seed(20260801)
    state = random.getstate()
    try:
        with new_broker(tmp_path, SETTINGS) as broker, connect(broker) as wire:
            topics = [f"t{number}" for number in range(5)]
            wire.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
                CreateTopicsRequestData.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
                for name in topics]))
            assert produce(wire, "t0", records(b"v")).error_code == 0
            session = fetch_request("t0", 0)
            session.session_epoch = 0
            answer: Any = wire.ask(ApiKeys.FETCH, 12, session)
            assert answer.session_id != 0
            deleted: Any = wire.ask(
                ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(topic_names=topics, timeout_ms=60_000))
            assert {response.error_code for response in deleted.responses} == {0}
            # Of a request that never ends: connections draw lots for what is left of the memory.
            with connect(broker) as greedy:
                greedy.socket.sendall((LARGEST - 1000).to_bytes(4, "big") + bytes(LARGEST // 2))
                for _ in range(MORE_THAN_A_RESERVOIR):
                    wire.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())
        assert random.getstate() == state
    finally:
        random.seed()

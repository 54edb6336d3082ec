# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Consumer groups, as a test sees them."""

from __future__ import annotations

from contextlib import closing

import pytest

from kreactor.common.errors import GroupIdNotFoundException
from kreactor.testing import Broker
from tests.clients import kafka_python_client


def test_groups() -> None:
    with Broker(topics=["topic"]) as broker:
        assert broker.groups() == {}
        servers = broker.bootstrap_servers
        with closing(kafka_python_client.KafkaProducer(bootstrap_servers=servers)) as producer:
            for _ in range(5):
                producer.send("topic", b"value").get()
        with closing(kafka_python_client.KafkaConsumer(
                "topic", bootstrap_servers=servers, group_id="group", client_id="client",
                auto_offset_reset="earliest", enable_auto_commit=False)) as consumer:
            read = 0
            while read < 3:
                read += sum(map(len, consumer.poll(60_000, max_records=3 - read).values()))
            consumer.commit()
            group = broker.groups()["group"]
            assert (group.id, group.state, group.offsets) == ("group", "Stable", {"topic": {0: 3}})
            member, = group.members
            assert (member.client_id, member.assignment) == ("client", {"topic": [0]})
            assert broker.lag("group") == {"topic": {0: 2}}
        assert not broker.requests(client_id="kreactor.testing")
        with pytest.raises(GroupIdNotFoundException):
            broker.lag("another")

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The metrics of every edition have the names that Kafka's users know."""

from __future__ import annotations

import pytest

from tests.editions.editions import OLDER, serving


@pytest.mark.parametrize("edition", OLDER)
def test_metrics_have_the_names_of_kafka(edition, tmp_path):
    with serving(edition, tmp_path) as broker:
        names = {name.get_mbean_name() for name in broker.metrics_registry().all_metrics()}
        assert not [name for name in names if "editions" in name]
        assert {
            "kafka.network:type=RequestChannel,name=RequestQueueSize",
            "kafka.network:type=RequestChannel,name=ResponseQueueSize,processor=0",
            "kafka.network:type=Processor,name=IdlePercent,networkProcessor=0",
            "kafka.network:type=SocketServer,name=NetworkProcessorAvgIdlePercent",
            "kafka.server:type=KafkaRequestHandlerPool,name=RequestHandlerAvgIdlePercent"} <= names
        if edition == "2.2":
            assert {
                "kafka.network:type=SocketServer,name=MemoryPoolAvailable",
                "kafka.network:type=SocketServer,name=MemoryPoolUsed",
                "kafka.network:type=SocketServer,name=ExpiredConnectionsKilledCount",
                "kafka.network:type=SocketServer,name=ControlPlaneNetworkProcessorAvgIdlePercent",
                "kafka.network:type=SocketServer,name=ControlPlaneExpiredConnectionsKilledCount"} <= names

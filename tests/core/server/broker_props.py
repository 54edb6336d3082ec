# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Properties of brokers, for tests."""

from __future__ import annotations

MOCK_ZK_CONNECT = "127.0.0.1:1"


def create_broker_config(node_id: int, zk_connect: str | None = MOCK_ZK_CONNECT, port: int = 0,
                         log_dir_count: int = 1) -> dict[str, str]:
    """Return the properties of a ZooKeeper broker, or without ``zk_connect`` of a KRaft one."""
    listeners = f"PLAINTEXT://localhost:{port}"
    props = {"unstable.feature.versions.enable": "true", "listeners": listeners}
    if zk_connect is None:
        props |= {
            "node.id": str(node_id),
            "broker.id": str(node_id),
            "advertised.listeners": listeners,
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "process.roles": "broker",
            "controller.quorum.voters": "1000@localhost:0",
        }
    else:
        if node_id >= 0:
            props["broker.id"] = str(node_id)
        props |= {"zookeeper.connect": zk_connect, "zookeeper.connection.timeout.ms": "10000"}
    if log_dir_count > 1:
        props["log.dirs"] = ",".join(f"/log{i}" for i in range(log_dir_count))
    else:
        props["log.dir"] = "/log"
    props |= {
        "replica.socket.timeout.ms": "1500",
        "controller.socket.timeout.ms": "1500",
        "controlled.shutdown.enable": "true",
        "delete.topic.enable": "true",
        "log.segment.delete.delay.ms": "1000",
        "controlled.shutdown.retry.backoff.ms": "100",
        "log.cleaner.dedupe.buffer.size": "2097152",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "5",
        "group.initial.rebalance.delay.ms": "0",
        "num.network.threads": "2",
        "background.threads": "2",
        "num.partitions": "1",
        "default.replication.factor": "1",
    }
    return props

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Permissions by clients that others wrote: given, shown, in force, taken away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.core.server.brokers import HOST
from tests.core.server.test_acl_oracle import sasl_broker

WAIT_S = 120


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with sasl_broker(tmp_path) as broker:
        yield f"{HOST}:{broker.bound_port('SASL_PLAINTEXT')}"


def test_confluent_kafka(address: str) -> None:
    pytest.importorskip("confluent_kafka")
    from confluent_kafka import KafkaError, Producer
    from confluent_kafka.admin import (
        AclBinding,
        AclBindingFilter,
        AclOperation,
        AclPermissionType,
        AdminClient,
        NewTopic,
        ResourcePatternType,
        ResourceType,
    )

    def options(user: str) -> dict[str, Any]:
        return {"bootstrap.servers": address, "security.protocol": "sasl_plaintext", "log_level": "0",
                "sasl.mechanisms": "PLAIN", "sasl.username": user, "sasl.password": f"{user}-secret"}

    def write() -> KafkaError | None:
        delivered: list[Any] = []
        producer = Producer({**options("alice")})
        producer.produce("orders", b"value", on_delivery=lambda error, _: delivered.append(error))
        producer.flush(WAIT_S)
        return delivered[0]

    admin = AdminClient(options("admin"))
    admin.create_topics([NewTopic("orders", 1, 1)])["orders"].result(WAIT_S)
    error = write()
    assert error is not None and error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED
    allow, deny = [
        AclBinding(ResourceType.TOPIC, name, pattern, "User:alice", "*", AclOperation.WRITE, permission)
        for name, pattern, permission in (
            ("ord", ResourcePatternType.PREFIXED, AclPermissionType.ALLOW),
            ("orders", ResourcePatternType.LITERAL, AclPermissionType.DENY))]
    for acl in (allow, deny):
        admin.create_acls([acl])[acl].result(WAIT_S)
        error = write()
        assert (error is None) == (acl is allow)
    every = AclBindingFilter(ResourceType.TOPIC, "orders", ResourcePatternType.MATCH, None, None,
                             AclOperation.ANY, AclPermissionType.ANY)
    assert set(admin.describe_acls(every).result(WAIT_S)) == {allow, deny}
    assert set(admin.delete_acls([every])[every].result(WAIT_S)) == {allow, deny}
    assert admin.describe_acls(every).result(WAIT_S) == []


def test_kafka_python(address: str) -> None:
    pytest.importorskip("kafka")
    from kafka.admin import (
        ACL,
        ACLFilter,
        ACLOperation,
        ACLPermissionType,
        ACLResourcePatternType,
        KafkaAdminClient,
        ResourcePattern,
        ResourcePatternFilter,
        ResourceType,
    )
    from kafka.errors import ClusterAuthorizationFailedError

    def client(user: str) -> Any:
        return KafkaAdminClient(bootstrap_servers=address, security_protocol="SASL_PLAINTEXT",
                                sasl_mechanism="PLAIN", sasl_plain_username=user,
                                sasl_plain_password=f"{user}-secret")

    admin, alice = client("admin"), client("alice")
    try:
        acl = ACL("User:alice", "*", ACLOperation.DESCRIBE, ACLPermissionType.ALLOW,
                  ResourcePattern(ResourceType.CLUSTER, "kafka-cluster"))
        every = ACLFilter(None, None, ACLOperation.ANY, ACLPermissionType.ANY, ResourcePatternFilter(
            ResourceType.ANY, None, ACLResourcePatternType.ANY))
        with pytest.raises(ClusterAuthorizationFailedError):
            alice.describe_acls(every)
        assert admin.create_acls([acl]) == {"succeeded": [acl], "failed": []}
        assert alice.describe_acls(every)[0] == [acl]
        (_, deleted, _), = admin.delete_acls([every])
        assert deleted == [acl] and admin.describe_acls(every)[0] == []
    finally:
        admin.close()
        alice.close()

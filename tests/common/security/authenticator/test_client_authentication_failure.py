# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.ClientAuthenticationFailureTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What a client with a wrong password is told, whatever it wants."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kreactor.clients.cluster import Cluster
from kreactor.common.errors import SaslAuthenticationException
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from tests.common.security.authenticator.sasl_ends import USER, Ends, jaas

NOT_APPLICABLE = {
    "testTransactionalProducerWithInvalidCredentials": "there is no producer that has transactions",
}

TOPIC = "test"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    ends = Ends()
    server = ends.start()
    cluster = Cluster(f"localhost:{server.port}", security={
        "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": jaas("PLAIN", username=USER, password="anotherpassword")})
    yield cluster
    cluster.close()
    ends.close()


def test_consumer_with_invalid_credentials(cluster: Cluster) -> None:
    with pytest.raises(SaslAuthenticationException):
        cluster.offsets(TOPIC, {0: ListOffsetsRequest.EARLIEST_TIMESTAMP})
    with pytest.raises(SaslAuthenticationException):
        next(cluster.records(TOPIC, 0, 0, 1))


def test_producer_with_invalid_credentials(cluster: Cluster) -> None:
    with pytest.raises(SaslAuthenticationException):
        cluster.append(TOPIC, 0, [SimpleRecord(0, None, b"message")])


def test_admin_client_with_invalid_credentials(cluster: Cluster) -> None:
    with pytest.raises(SaslAuthenticationException):
        cluster.partitions(TOPIC)

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.consumer.internals.ConsumerProtocol of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What consumers tell each other through their group's coordinator, as far as the coordinator reads along.

DEVIATION D120: it stands beside the one that reads it; in Kafka it belongs to the clients.
"""

from __future__ import annotations

from kreactor.common.message.consumer_protocol_subscription import ConsumerProtocolSubscription
from kreactor.common.protocol.types.schema_exception import SchemaException
from kreactor.jdk.exceptions import BufferUnderflowException
from kreactor.jdk.nio_buffer import ByteBuffer

_CLASS = "clients.consumer.internals.ConsumerProtocol"

OMITTED = {f"{_CLASS}#{name}": "the coordinator reads subscriptions and nothing else" for name in (
    "serializeSubscription", "serializeAssignment", "deserializeAssignment", "checkAssignmentVersion",
    "deserializeSubscription(ByteBuffer)")}


class ConsumerProtocol:
    """:origin: clients.consumer.internals.ConsumerProtocol"""

    PROTOCOL_TYPE = "consumer"

    @staticmethod
    def deserialize_version(buffer: ByteBuffer) -> int:
        """Read the version that every message begins with. Raises SchemaException.

        :origin: clients.consumer.internals.ConsumerProtocol#deserializeVersion(ByteBuffer)
        """
        try:
            return buffer.get_short()
        except BufferUnderflowException as e:
            raise SchemaException("Buffer underflow while parsing consumer protocol's header", e) from e

    @staticmethod
    def deserialize_subscription(buffer: ByteBuffer, version: int) -> ConsumerProtocolSubscription:
        """Read a subscription. Raises SchemaException, and RuntimeError as ``Message.read`` does.

        Kafka's returns the consumer's own class, which has the same fields.

        :origin: clients.consumer.internals.ConsumerProtocol#deserializeSubscription(ByteBuffer, short)
        """
        version = ConsumerProtocol._check_subscription_version(version)
        try:
            return ConsumerProtocolSubscription.read(buffer, version)
        except BufferUnderflowException as e:
            raise SchemaException("Buffer underflow while parsing consumer protocol's subscription", e) from e

    @staticmethod
    def _check_subscription_version(version: int) -> int:
        """Return the version to read: the latest known one for those after it. Raises SchemaException.

        :origin: clients.consumer.internals.ConsumerProtocol#checkSubscriptionVersion(short)
        """
        if version < ConsumerProtocolSubscription.LOWEST_SUPPORTED_VERSION:
            raise SchemaException(f"Unsupported subscription version: {version}")
        return min(version, ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION)

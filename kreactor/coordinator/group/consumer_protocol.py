# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.consumer.internals.ConsumerProtocol of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Subscriptions and assignments of consumers: the parts that a group coordinator reads and writes.

DEVIATION D120: the module is beside the coordinator that uses it; in Kafka it belongs to the clients.
Messages replace the consumer's own classes, which have the same fields.
"""

from __future__ import annotations

from kreactor.common.message.consumer_protocol_assignment import ConsumerProtocolAssignment
from kreactor.common.message.consumer_protocol_subscription import ConsumerProtocolSubscription
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.protocol.types.schema_exception import SchemaException
from kreactor.jdk.exceptions import BufferUnderflowException
from kreactor.jdk.nio_buffer import ByteBuffer


class ConsumerProtocol:
    """:origin: clients.consumer.internals.ConsumerProtocol"""

    PROTOCOL_TYPE = "consumer"

    @staticmethod
    def deserialize_version(buffer: ByteBuffer) -> int:
        """Read the version at the start of every message. Raises SchemaException.

        :origin: clients.consumer.internals.ConsumerProtocol#deserializeVersion(ByteBuffer)
        """
        try:
            return buffer.get_short()
        except BufferUnderflowException as e:
            raise SchemaException("Buffer underflow while parsing consumer protocol's header", e) from e

    @staticmethod
    def deserialize_subscription(
            buffer: ByteBuffer, version: int | None = None) -> ConsumerProtocolSubscription:
        """Read a subscription; its version too, unless ``version`` is given.

        Raises SchemaException, and RuntimeError as ``Message.read`` does.

        :origin: clients.consumer.internals.ConsumerProtocol#deserializeSubscription(ByteBuffer, short)
        :origin: clients.consumer.internals.ConsumerProtocol#deserializeSubscription(ByteBuffer)
        """
        if version is None:
            version = ConsumerProtocol.deserialize_version(buffer)
        version = ConsumerProtocol._check_subscription_version(version)
        try:
            return ConsumerProtocolSubscription.read(buffer, version)
        except BufferUnderflowException as e:
            raise SchemaException("Buffer underflow while parsing consumer protocol's subscription", e) from e

    @staticmethod
    def serialize_assignment(assignment: ConsumerProtocolAssignment, version: int) -> bytes:
        """Raises SchemaException.

        :origin: clients.consumer.internals.ConsumerProtocol#serializeAssignment(Assignment, short)
        """
        return MessageUtil.to_version_prefixed_bytes(
            ConsumerProtocol._check_assignment_version(version), assignment)

    @staticmethod
    def deserialize_assignment(buffer: ByteBuffer, version: int | None = None) -> ConsumerProtocolAssignment:
        """Read an assignment; its version too, unless ``version`` is given.

        Raises SchemaException, and RuntimeError as ``Message.read`` does.

        :origin: clients.consumer.internals.ConsumerProtocol#deserializeAssignment(ByteBuffer, short)
        :origin: clients.consumer.internals.ConsumerProtocol#deserializeAssignment(ByteBuffer)
        """
        if version is None:
            version = ConsumerProtocol.deserialize_version(buffer)
        version = ConsumerProtocol._check_assignment_version(version)
        try:
            return ConsumerProtocolAssignment.read(buffer, version)
        except BufferUnderflowException as e:
            raise SchemaException("Buffer underflow while parsing consumer protocol's assignment", e) from e

    @staticmethod
    def _check_subscription_version(version: int) -> int:
        """Return the version to read: for an unknown later version, the latest known one. Raises
        SchemaException.

        :origin: clients.consumer.internals.ConsumerProtocol#checkSubscriptionVersion(short)
        """
        if version < ConsumerProtocolSubscription.LOWEST_SUPPORTED_VERSION:
            raise SchemaException(f"Unsupported subscription version: {version}")
        return min(version, ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION)

    @staticmethod
    def _check_assignment_version(version: int) -> int:
        """Return the version to use: for an unknown later version, the latest known one. Raises
        SchemaException.

        :origin: clients.consumer.internals.ConsumerProtocol#checkAssignmentVersion(short)
        """
        if version < ConsumerProtocolAssignment.LOWEST_SUPPORTED_VERSION:
            raise SchemaException(f"Unsupported assignment version: {version}")
        return min(version, ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION)

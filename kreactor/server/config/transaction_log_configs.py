# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.transaction.TransactionLogConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of the log of transactions, and of producer ids."""

from __future__ import annotations


class TransactionLogConfigs:
    """Names and defaults.

    :origin: coordinator.transaction.TransactionLogConfigs
    """

    TRANSACTIONS_TOPIC_PARTITIONS_CONFIG = "transaction.state.log.num.partitions"
    TRANSACTIONS_TOPIC_PARTITIONS_DEFAULT = 50
    TRANSACTIONS_TOPIC_PARTITIONS_DOC = (
        "The topic __transaction_state is created with this many partitions, which spread transactional ids "
        "over coordinators.")
    TRANSACTIONS_TOPIC_SEGMENT_BYTES_CONFIG = "transaction.state.log.segment.bytes"
    TRANSACTIONS_TOPIC_SEGMENT_BYTES_DEFAULT = 100 * 1024 * 1024
    TRANSACTIONS_TOPIC_SEGMENT_BYTES_DOC = "A segment of __transaction_state has at most this many bytes."
    TRANSACTIONS_TOPIC_REPLICATION_FACTOR_CONFIG = "transaction.state.log.replication.factor"
    TRANSACTIONS_TOPIC_REPLICATION_FACTOR_DEFAULT = 3
    TRANSACTIONS_TOPIC_REPLICATION_FACTOR_DOC = (
        "The topic __transaction_state is created with this many replicas.")
    TRANSACTIONS_TOPIC_MIN_ISR_CONFIG = "transaction.state.log.min.isr"
    TRANSACTIONS_TOPIC_MIN_ISR_DEFAULT = 2
    TRANSACTIONS_TOPIC_MIN_ISR_DOC = "The topic __transaction_state is created with this min.insync.replicas."
    TRANSACTIONS_LOAD_BUFFER_SIZE_CONFIG = "transaction.state.log.load.buffer.size"
    TRANSACTIONS_LOAD_BUFFER_SIZE_DEFAULT = 5 * 1024 * 1024
    TRANSACTIONS_LOAD_BUFFER_SIZE_DOC = (
        "A coordinator reads a partition of __transaction_state in pieces of this many bytes, and single "
        "larger batches.")
    TRANSACTION_PARTITION_VERIFICATION_ENABLE_CONFIG = "transaction.partition.verification.enable"
    TRANSACTION_PARTITION_VERIFICATION_ENABLE_DEFAULT = True
    TRANSACTION_PARTITION_VERIFICATION_ENABLE_DOC = (
        "True has a partition ask the coordinator whether a transaction includes it, before the first "
        "append.")
    PRODUCER_ID_EXPIRATION_MS_CONFIG = "producer.id.expiration.ms"
    PRODUCER_ID_EXPIRATION_MS_DEFAULT = 24 * 60 * 60 * 1000
    PRODUCER_ID_EXPIRATION_MS_DOC = (
        "A partition forgets a producer id without writes or an open transaction after this many "
        "milliseconds.")
    PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS_CONFIG = "producer.id.expiration.check.interval.ms"
    PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS_DEFAULT = 10 * 60 * 1000
    PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS_DOC = (
        "Each partition looks for expired producer ids every so many milliseconds.")

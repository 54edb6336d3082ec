# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.transaction.TransactionStateManagerConfigs
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of transactions: the timeouts of transactions and of their ids."""

from __future__ import annotations


class TransactionStateManagerConfigs:
    """Names and defaults.

    :origin: coordinator.transaction.TransactionStateManagerConfigs
    """

    TRANSACTIONS_MAX_TIMEOUT_MS_CONFIG = "transaction.max.timeout.ms"
    TRANSACTIONS_MAX_TIMEOUT_MS_DEFAULT = 15 * 60 * 1000
    TRANSACTIONS_MAX_TIMEOUT_MS_DOC = (
        "A producer that asks for a longer transaction timeout, in milliseconds, is refused.")
    TRANSACTIONAL_ID_EXPIRATION_MS_CONFIG = "transactional.id.expiration.ms"
    TRANSACTIONAL_ID_EXPIRATION_MS_DEFAULT = 7 * 24 * 60 * 60 * 1000
    TRANSACTIONAL_ID_EXPIRATION_MS_DOC = (
        "A transactional id without activity is forgotten after this many milliseconds.")
    TRANSACTIONS_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS_CONFIG = (
        "transaction.abort.timed.out.transaction.cleanup.interval.ms"
    )
    TRANSACTIONS_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS_DEFAULT = 10_000
    TRANSACTIONS_ABORT_TIMED_OUT_TRANSACTIONS_INTERVAL_MS_DOC = (
        "The coordinator looks for transactions past their timeout every so many milliseconds, and aborts "
        "them.")
    TRANSACTIONS_REMOVE_EXPIRED_TRANSACTIONAL_ID_CLEANUP_INTERVAL_MS_CONFIG = (
        "transaction.remove.expired.transaction.cleanup.interval.ms"
    )
    TRANSACTIONS_REMOVE_EXPIRED_TRANSACTIONAL_ID_CLEANUP_INTERVAL_MS_DEFAULT = 60 * 60 * 1000
    TRANSACTIONS_REMOVE_EXPIRED_TRANSACTIONS_INTERVAL_MS_DOC = (
        "The coordinator looks for expired transactional ids every so many milliseconds.")
    METRICS_GROUP = "transaction-coordinator-metrics"
    LOAD_TIME_SENSOR = "TransactionsPartitionLoadTime"

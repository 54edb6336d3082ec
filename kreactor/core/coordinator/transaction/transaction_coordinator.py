# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionCoordinator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Gives ids to producers. Of transactions it coordinates none yet, and says so as Kafka's does.

Any thread may call it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.utils.logging import Logging

_LATER = "transactions are not ported yet"
_CLASS = "kafka.coordinator.transaction.TransactionCoordinator"

OMITTED = {f"{_CLASS}#{name}": _LATER for name in (
    "apply", "initTransactionMetadata", "prepareInitProducerIdTransit", "handleListTransactions",
    "handleDescribeTransactions", "handleVerifyPartitionsInTransaction", "handleAddPartitionsToTransaction",
    "onElection", "onResignation", "logInvalidStateTransitionAndReturnError", "handleEndTransaction",
    "endTransaction", "transactionTopicConfigs", "partitionFor", "abortTimedOutTransactions", "startup",
    "shutdown", "onEndTransactionComplete")}


@dataclass(frozen=True, slots=True)
class InitProducerIdResult:
    """:origin: kafka.coordinator.transaction.InitProducerIdResult"""

    producer_id: int
    producer_epoch: int
    error: Errors


class TransactionCoordinator(Logging):
    """:origin: kafka.coordinator.transaction.TransactionCoordinator"""

    def __init__(self, config: KafkaConfig, generate_producer_id: Callable[[], int]) -> None:
        """``generate_producer_id`` gives ids that nobody has, and raises what a client is to be told.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#TransactionCoordinator
        """
        self._log_ident = f"[TransactionCoordinator id={config.broker_id()}] "
        self._config = config
        self._generate_producer_id = generate_producer_id

    @staticmethod
    def _init_transaction_error(error: Errors) -> InitProducerIdResult:
        """:origin: kafka.coordinator.transaction.TransactionCoordinator#initTransactionError"""
        return InitProducerIdResult(RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, error)

    def handle_init_producer_id(
        self, transactional_id: str | None, transaction_timeout_ms: int,
        expected_producer_id_and_epoch: ProducerIdAndEpoch | None,
        response_callback: Callable[[InitProducerIdResult], object],
    ) -> None:
        """Call back with an id, new if there is no ``transactional_id``.

        :origin: kafka.coordinator.transaction.TransactionCoordinator#handleInitProducerId
        """
        if transactional_id is None:
            try:
                producer_id = self._generate_producer_id()
            except Exception as e:
                self.error("no producer id could be had", exc=e)
                response_callback(self._init_transaction_error(Errors.for_exception(e)))
            else:
                response_callback(InitProducerIdResult(producer_id, 0, Errors.NONE))
        elif not transactional_id:
            response_callback(self._init_transaction_error(Errors.INVALID_REQUEST))
        elif not 0 < transaction_timeout_ms <= self._config.transaction_max_timeout_ms():
            response_callback(self._init_transaction_error(Errors.INVALID_TRANSACTION_TIMEOUT))
        else:
            # Kafka's answer while the coordinator of this id's partition is not here.
            response_callback(self._init_transaction_error(Errors.NOT_COORDINATOR))

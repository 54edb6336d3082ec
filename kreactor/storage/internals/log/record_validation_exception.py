# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.RecordValidationException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of records that were refused individually."""

from __future__ import annotations

from kreactor.common.errors import ApiException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.requests.produce_response import ProduceResponse


class RecordValidationException(KafkaException):
    """Records were refused. ``invalid_exception`` is the response's error; ``record_errors`` has the refused
    records and the reasons.

    As in Kafka, this is a RuntimeException around the ApiException, and not the ApiException itself.

    :origin: storage.internals.log.RecordValidationException
    """

    def __init__(self, invalid_exception: ApiException,
                 record_errors: list[ProduceResponse.RecordError]) -> None:
        """:origin: storage.internals.log.RecordValidationException#RecordValidationException(ApiException, List<RecordError>)"""  # noqa: E501
        super().__init__(cause=invalid_exception)
        self.invalid_exception = invalid_exception
        self.record_errors = record_errors

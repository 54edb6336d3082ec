# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.InitProducerIdRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request for the producer id of an idempotent producer."""

from __future__ import annotations

from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.message.init_producer_id_response_data import InitProducerIdResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.init_producer_id_response import InitProducerIdResponse
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer


class InitProducerIdRequest(AbstractRequest):
    """:origin: common.requests.InitProducerIdRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["InitProducerIdRequest"]):
        """:origin: common.requests.InitProducerIdRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: InitProducerIdRequestData) -> None:
            """:origin: common.requests.InitProducerIdRequest.Builder#Builder(InitProducerIdRequestData)"""
            super().__init__(ApiKeys.INIT_PRODUCER_ID)
            self._data = data

        def build_version(self, version: int) -> InitProducerIdRequest:
            """Build the request. Raises IllegalArgumentException for invalid data.

            :origin: common.requests.InitProducerIdRequest.Builder#build(short)
            """
            if self._data.transaction_timeout_ms <= 0:
                raise IllegalArgumentException("transaction timeout value is not positive: "
                                               f"{self._data.transaction_timeout_ms}")
            if self._data.transactional_id == "":
                raise IllegalArgumentException("Must set either a null or a non-empty transactional id.")
            return InitProducerIdRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.InitProducerIdRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: InitProducerIdRequestData, version: int) -> None:
        """:origin: common.requests.InitProducerIdRequest#InitProducerIdRequest(InitProducerIdRequestData,
            short)
        """
        super().__init__(ApiKeys.INIT_PRODUCER_ID, version)
        self._data = data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> InitProducerIdResponse:
        """:origin: common.requests.InitProducerIdRequest#getErrorResponse(int, Throwable)"""
        return InitProducerIdResponse(InitProducerIdResponseData(
            error_code=Errors.for_exception(e).code, producer_id=RecordBatch.NO_PRODUCER_ID,
            producer_epoch=RecordBatch.NO_PRODUCER_EPOCH, throttle_time_ms=0))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> InitProducerIdRequest:
        """:origin: common.requests.InitProducerIdRequest#parse(ByteBuffer, short)"""
        return InitProducerIdRequest(InitProducerIdRequestData.read(buffer, version), version)

    def data(self) -> InitProducerIdRequestData:
        """:origin: common.requests.InitProducerIdRequest#data()"""
        return self._data

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The result of a transactional request, and a thread that waits for it."""

from __future__ import annotations

import threading

import pytest

from kreactor.clients.producer.internals.transactional_request_result import TransactionalRequestResult
from kreactor.common.errors import TimeoutException
from kreactor.common.kafka_exception import KafkaException
from kreactor.jdk.time_unit import TimeUnit


def test_a_result_that_does_not_come_can_be_waited_for_again() -> None:
    result = TransactionalRequestResult("EndTxn(true)")
    with pytest.raises(TimeoutException, match=r"^Timeout expired after 0ms while awaiting EndTxn\(true\)$"):
        result.await_timeout(0, TimeUnit.SECONDS)
    assert (result.is_completed(), result.is_successful(), result.is_acked()) == (False, False, False)

    result.done()
    assert (result.is_completed(), result.is_successful(), result.is_acked()) == (True, True, False)
    result.await_()
    assert result.is_acked()


def test_a_waiter_gets_the_error() -> None:
    result = TransactionalRequestResult("InitProducerId")
    error = KafkaException("no")
    raised: list[BaseException] = []

    def wait() -> None:
        try:
            result.await_()
        except KafkaException as e:
            raised.append(e)

    waiter = threading.Thread(target=wait)
    waiter.start()
    result.fail(error)
    waiter.join()
    assert raised == [error]
    assert (result.is_completed(), result.is_successful(), result.is_acked()) == (True, False, True)
    assert result.error() is error

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.FindCoordinatorRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A coordinator that is looked for."""

from __future__ import annotations

import pytest

from kreactor.common.errors import InvalidRequestException
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest


def test_get_invalid_coordinator_type_id() -> None:
    with pytest.raises(InvalidRequestException):
        FindCoordinatorRequest.CoordinatorType.for_id(10)

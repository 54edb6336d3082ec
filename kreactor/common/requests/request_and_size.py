# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.RequestAndSize of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A parsed request with its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kreactor.common.requests.abstract_request import AbstractRequest


class RequestAndSize:
    """A request, and the size of its body in bytes. Immutable.

    :origin: common.requests.RequestAndSize
    """

    __slots__ = ("request", "size")

    def __init__(self, request: AbstractRequest, size: int) -> None:
        """:origin: common.requests.RequestAndSize#RequestAndSize(AbstractRequest, int)"""
        self.request = request
        self.size = size

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AbstractRequestResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The base of requests, responses and their headers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kreactor.common.protocol.message import ApiMessage


class AbstractRequestResponse(ABC):
    """An object with a message.

    :origin: common.requests.AbstractRequestResponse
    """

    __slots__ = ()

    @abstractmethod
    def data(self) -> ApiMessage:
        """Return the message.

        :origin: common.requests.AbstractRequestResponse#data()
        """

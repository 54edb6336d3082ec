# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.Configurable of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a plug-in that is constructed by its class name and then configured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping


class Configurable(ABC):
    """An object that is configured after its construction without arguments.

    :origin: common.Configurable
    """

    __slots__ = ()

    @abstractmethod
    def configure(self, configs: Mapping[str, object]) -> None:
        """Read ``configs``. Called once, before all other methods.

        :origin: common.Configurable#configure(Map<String,?>)
        """

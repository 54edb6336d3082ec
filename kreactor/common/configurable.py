# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.Configurable of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The face of a plug-in that is made by its class name and then handed the configuration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping


class Configurable(ABC):
    """Something that takes configuration after it was constructed without arguments.

    :origin: common.Configurable
    """

    __slots__ = ()

    @abstractmethod
    def configure(self, configs: Mapping[str, object]) -> None:
        """Take ``configs``, once, before anything else is called.

        :origin: common.Configurable#configure(Map<String,?>)
        """

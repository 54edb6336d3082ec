# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ListenerReconfigurable of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A part of one listener that can be reconfigured while it runs."""

from __future__ import annotations

from abc import abstractmethod

from kreactor.common.network.listener_name import ListenerName
from kreactor.common.reconfigurable import Reconfigurable


class ListenerReconfigurable(Reconfigurable):
    """A reconfigurable that is given the settings of its listener.

    :origin: common.network.ListenerReconfigurable
    """

    @abstractmethod
    def listener_name(self) -> ListenerName:
        """Return the listener whose settings concern this.

        :origin: common.network.ListenerReconfigurable#listenerName()
        """

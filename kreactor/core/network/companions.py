# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of the companions of kafka.network.SocketServer and kafka.network.Processor of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Names that the socket server shares with its acceptors and processors."""

# DEVIATION D02: in Scala these names are in the companions of SocketServer and Processor. The companions and
# the parts import each other, which Python's modules cannot do.

from __future__ import annotations

import logging

from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.core.utils.core_utils import CoreUtils
from kreactor.core.utils.logging import Logging
from kreactor.jdk.nio_channels import SocketChannel

# :origin: kafka.network.SocketServer#MetricsGroup
METRICS_GROUP = "socket-server-metrics"

# :origin: kafka.network.Processor#NetworkProcessorMetricTag
NETWORK_PROCESSOR_METRIC_TAG = "networkProcessor"
# :origin: kafka.network.Processor#ListenerMetricTag
LISTENER_METRIC_TAG = "listener"

# Connections that wait for one processor to register them. The acceptor waits when all are full.
# :origin: kafka.network.Processor#ConnectionQueueSize
CONNECTION_QUEUE_SIZE = 20

INT_MAX_VALUE = 2**31 - 1

# For a statistic that is recorded into without a sensor, and looks at no setting.
NO_CONFIG = MetricConfig()


def number(value: object) -> float:
    """Return the value of a metric that is known to be a number."""
    assert isinstance(value, (int, float))
    return value


def close_socket(channel: SocketChannel, log: Logging) -> None:
    """Close a connection that no selector has; log what goes wrong.

    :origin: kafka.network.SocketServer#closeSocket
    """
    CoreUtils.swallow(channel.socket().close, log, logging.ERROR)
    CoreUtils.swallow(channel.close, log, logging.ERROR)

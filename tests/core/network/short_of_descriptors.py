# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A server in a process that may open few descriptors more. Run by ``test_resources``.

Prints its port, then echoes until its input ends, then ``stopped``. The log goes to the standard error.
"""

from __future__ import annotations

import logging
import os
import resource
import sys

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.utils.time import Time
from kreactor.core.network.socket_server import SocketServer
from kreactor.core.server.api_version_manager import SimpleApiVersionManager
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_request_handler import KafkaRequestHandlerPool
from tests.core.network.opaque import APIS, Echo

LEFT = 5


def main() -> None:
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    config = KafkaConfig.from_props({"listeners": "PLAINTEXT://localhost:0", "num.network.threads": "1"})
    server = SocketServer(config, Metrics(), Time.SYSTEM, SimpleApiVersionManager(ListenerType.BROKER, APIS))
    channel = server.data_plane_request_channel
    pool = KafkaRequestHandlerPool(
        1, channel, Echo(channel), Time.SYSTEM, 1, "RequestHandlerAvgIdlePercent", "data-plane")
    server.enable_request_processing({}).get(10_000)
    # The numbers that are free from here on, without the one that finds it out.
    first_free = os.dup(0)
    os.close(first_free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (first_free + LEFT, first_free + LEFT))
    print(server.bound_port(ListenerName("PLAINTEXT")), flush=True)
    sys.stdin.read()
    server.stop_processing_requests()
    pool.shutdown()
    server.shutdown()
    server.metrics.close()
    print("stopped", flush=True)


if __name__ == "__main__":
    main()

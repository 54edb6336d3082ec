# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker in this process, for tests of Kafka clients: on a free port, with its own data folder."""
import tempfile

from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.broker_server import BrokerServer

with tempfile.TemporaryDirectory() as folder:
    config = KafkaConfig.from_props({"listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": folder})
    with BrokerServer(config) as broker:
        print(f"bootstrap.servers=127.0.0.1:{broker.bound_port('PLAINTEXT')}")

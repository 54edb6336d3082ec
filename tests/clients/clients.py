# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The clients that there are on this machine."""

from __future__ import annotations

import pytest

from tests import packages
from tests.clients.aiokafka_client import AiokafkaClient
from tests.clients.client import Client
from tests.clients.kafka_python_client import KafkaPythonClient
from tests.clients.kcat_client import KCAT, KcatClient, needs_kcat

INSTALLED: list[type[Client]] = [KafkaPythonClient, AiokafkaClient]
# For a test that each of them takes by itself.
CLIENTS = [pytest.param(each, id=each.name) for each in INSTALLED]
if packages.is_without_build("confluent_kafka"):
    CLIENTS.insert(0, pytest.param(None, id="confluent-kafka", marks=pytest.mark.skip(
        packages.reason("confluent_kafka"))))
else:
    from tests.clients.confluent_client import ConfluentClient

    INSTALLED.insert(0, ConfluentClient)
    CLIENTS.insert(0, pytest.param(ConfluentClient, id=ConfluentClient.name))
if KCAT is not None:
    INSTALLED.append(KcatClient)
CLIENTS.insert(0, pytest.param(KcatClient, id=KcatClient.name, marks=needs_kcat))

# One that all have: for what is not about clients.
FIRST = INSTALLED[0]

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The clients that there are on this machine."""

from __future__ import annotations

import pytest

from tests.clients.aiokafka_client import AiokafkaClient
from tests.clients.client import Client
from tests.clients.confluent_client import ConfluentClient
from tests.clients.kafka_python_client import KafkaPythonClient
from tests.clients.kcat_client import KCAT, KcatClient

INSTALLED: list[type[Client]] = [ConfluentClient, KafkaPythonClient, AiokafkaClient]
if KCAT is not None:
    INSTALLED.append(KcatClient)

# For a test that each of them takes by itself.
CLIENTS = [
    pytest.param(each, id=each.name,
                 marks=pytest.mark.skipif(each not in INSTALLED, reason=f"{each.name} is not installed"))
    for each in (KcatClient, ConfluentClient, KafkaPythonClient, AiokafkaClient)]

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.ProducerTestUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Runs a Sender step by step."""

from __future__ import annotations

from typing import Callable

from kreactor.clients.producer.internals.sender import Sender

MAX_TRIES = 10


def run_until(sender: Sender, condition: Callable[[], bool], max_tries: int = MAX_TRIES) -> None:
    """Let the sender take a step, and another, until ``condition`` holds."""
    tries = 0
    while not condition() and tries < max_tries:
        tries += 1
        sender.run_once()
    assert condition(), f"the condition does not hold after {max_tries} tries"

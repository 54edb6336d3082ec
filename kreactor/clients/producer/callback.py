# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.Callback of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The type of a user's callback, which is called once a record is acknowledged or has failed."""

from __future__ import annotations

from typing import Callable

from kreactor.clients.producer.record_metadata import RecordMetadata

# A function of the record's metadata and of the exception, which is None if the broker has the record. After
# an error the metadata have the partition, -1 if none was chosen, and every other number is -1. The sender's
# thread makes the call, so a slow callback delays all other records.
# :origin: clients.producer.Callback
Callback = Callable[[RecordMetadata | None, Exception | None], None]

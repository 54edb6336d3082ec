# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.common.MetadataVersionValidatorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The validator lists the versions that it accepts."""

from __future__ import annotations

from kreactor.server.common.metadata_version import VERSIONS
from kreactor.server.common.metadata_version_validator import MetadataVersionValidator


def test_metadata_version_validator() -> None:
    text = str(MetadataVersionValidator())
    assert len(text[1:].split(",")) == len(VERSIONS)

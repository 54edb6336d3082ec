# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.ConfigSynonymTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker's hours and minutes are a topic's milliseconds."""

from __future__ import annotations

from kreactor.server.config.config_synonym import ConfigSynonym


def test_hours_to_milliseconds() -> None:
    convert = ConfigSynonym.HOURS_TO_MILLISECONDS
    assert [convert(text) for text in ("", " ", "0", "123", " 123 ", "not_a_number")] == [
        "0", "0", "0", "442800000", "442800000", "0"]


def test_minutes_to_milliseconds() -> None:
    convert = ConfigSynonym.MINUTES_TO_MILLISECONDS
    assert [convert(text) for text in ("", " ", "0", "123", " 123 ", "not_a_number")] == [
        "0", "0", "0", "7380000", "7380000", "0"]

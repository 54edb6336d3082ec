# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.Csv of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Comma-separated values and pairs, as settings contain them."""

from __future__ import annotations

from kreactor.jdk.text import split_at_commas


class Csv:
    """Parses lists and maps.

    :origin: server.util.Csv
    """

    @staticmethod
    def parse_csv_map(string: str | None) -> dict[str, str]:
        """Parse ``key1:value1, key2:value2``. The last colon of a pair separates it, so a key may contain
        colons.

        Raises ValueError if a pair has no colon.

        :origin: server.util.Csv#parseCsvMap(String)
        """
        result: dict[str, str] = {}
        if not string:
            return result
        for pair in _split(string):
            colon = pair.rfind(":")
            if colon < 0:
                # Java's message for substring(0, -1), which becomes part of an error about the setting.
                raise ValueError(f"begin 0, end -1, length {len(pair)}")
            result[pair[:colon].strip()] = pair[colon + 1:].strip()
        return result

    @staticmethod
    def parse_csv_list(csv_list: str | None) -> list[str]:
        """Parse ``value1, value2``; empty values are ignored.

        :origin: server.util.Csv#parseCsvList(String)
        """
        if not csv_list:
            return []
        return [value for value in _split(csv_list) if value]


def _split(string: str) -> list[str]:
    # Java's split drops empty strings at the end.
    values = split_at_commas(string)
    while values and not values[-1]:
        values.pop()
    return values

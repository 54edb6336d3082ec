# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.util.Csv of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Values and pairs separated by commas, as settings hold them."""

from __future__ import annotations

import re

_COMMA = re.compile(r"\s*,\s*", re.ASCII)


class Csv:
    """Reads lists and maps.

    :origin: server.util.Csv
    """

    @staticmethod
    def parse_csv_map(string: str | None) -> dict[str, str]:
        """Read ``key1:value1, key2:value2``; the last colon of a pair parts it, so that a key may hold some.

        Raises ValueError if a pair has no colon.

        :origin: server.util.Csv#parseCsvMap(String)
        """
        result: dict[str, str] = {}
        if not string:
            return result
        for pair in _split(string):
            colon = pair.rfind(":")
            if colon < 0:
                # Java's message for substring(0, -1); it ends up in an error about the setting.
                raise ValueError(f"begin 0, end -1, length {len(pair)}")
            result[pair[:colon].strip()] = pair[colon + 1:].strip()
        return result

    @staticmethod
    def parse_csv_list(csv_list: str | None) -> list[str]:
        """Read ``value1, value2``; empty ones do not count.

        :origin: server.util.Csv#parseCsvList(String)
        """
        if not csv_list:
            return []
        return [value for value in _split(csv_list) if value]


def _split(string: str) -> list[str]:
    # Java's split drops empty strings at the end.
    values = _COMMA.split(string)
    while values and not values[-1]:
        values.pop()
    return values

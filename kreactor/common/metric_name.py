# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.MetricName of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The identity of a metric."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.jdk.text import java_text


class MetricName:
    """A name within a group, with tags that distinguish equal names. Created by ``Metrics.metric_name``.

    Two names are equal if name, group and tags are; the description does not count. ``tags`` must not change.

    :origin: common.MetricName
    """

    __slots__ = ("_name", "_group", "_description", "_tags", "_hash")

    def __init__(self, name: str, group: str, description: str, tags: Mapping[str, str]) -> None:
        """Keep the fields. ``tags`` is not copied.

        :origin: common.MetricName#MetricName(String, String, String, Map<String,String>)
        """
        self._name = name
        self._group = group
        self._description = description
        self._tags = tags
        self._hash = 0

    def name(self) -> str:
        """Return the name.

        :origin: common.MetricName#name()
        """
        return self._name

    def group(self) -> str:
        """Return the group.

        :origin: common.MetricName#group()
        """
        return self._group

    def tags(self) -> Mapping[str, str]:
        """Return the tags.

        :origin: common.MetricName#tags()
        """
        return self._tags

    def description(self) -> str:
        """Return the description, which may be empty.

        :origin: common.MetricName#description()
        """
        return self._description

    def __hash__(self) -> int:
        """Return the cached hash of the compared fields. The order of the tags does not count.

        :origin: common.MetricName#hashCode()
        """
        result = self._hash
        if result == 0:
            result = hash((self._group, self._name, frozenset(self._tags.items())))
            self._hash = result
        return result

    def __eq__(self, other: object) -> bool:
        """Compare name, group and tags.

        :origin: common.MetricName#equals(Object)
        """
        if self is other:
            return True
        if not isinstance(other, MetricName):
            return False
        return self._group == other._group and self._name == other._name and self._tags == other._tags

    def __str__(self) -> str:
        """Return all fields in the format of log lines and messages.

        :origin: common.MetricName#toString()
        """
        return (f"MetricName [name={self._name}, group={self._group}, description={self._description}, "
                f"tags={java_text(self._tags)}]")

    __repr__ = __str__

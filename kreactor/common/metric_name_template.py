# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.MetricNameTemplate of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The template of metrics that differ only in the values of their tags."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from kreactor.jdk.text import java_text


class MetricNameTemplate:
    """A metric name whose tags have no values yet. Two templates are equal if name, group and tag names are.

    :origin: common.MetricNameTemplate
    """

    __slots__ = ("_name", "_group", "_description", "_tags")

    def __init__(self, name: str, group: str, description: str, tags_names: Iterable[str] = ()) -> None:
        """Keep the tag names in the order of ``tags_names``.

        :origin: common.MetricNameTemplate#MetricNameTemplate(String, String, String, Set<String>)
        :origin: common.MetricNameTemplate#MetricNameTemplate(String, String, String, String...)
        """
        self._name = name
        self._group = group
        self._description = description
        self._tags: dict[str, None] = self._get_tags(tags_names)

    @staticmethod
    def _get_tags(keys: Iterable[str]) -> dict[str, None]:
        """Return the keys as an ordered set.

        :origin: common.MetricNameTemplate#getTags(String...)
        """
        return dict.fromkeys(keys)

    def name(self) -> str:
        """Return the name.

        :origin: common.MetricNameTemplate#name()
        """
        return self._name

    def group(self) -> str:
        """Return the group.

        :origin: common.MetricNameTemplate#group()
        """
        return self._group

    def description(self) -> str:
        """Return the description.

        :origin: common.MetricNameTemplate#description()
        """
        return self._description

    def tags(self) -> AbstractSet[str]:
        """Return the tag names, iterable in their order.

        :origin: common.MetricNameTemplate#tags()
        """
        return self._tags.keys()

    def __hash__(self) -> int:
        """Hash the compared fields.

        :origin: common.MetricNameTemplate#hashCode()
        """
        return hash((self._name, self._group, frozenset(self._tags)))

    def __eq__(self, other: object) -> bool:
        """Compare name, group and tag names. The description and the order of tags do not count.

        :origin: common.MetricNameTemplate#equals(Object)
        """
        if not isinstance(other, MetricNameTemplate):
            return False
        return self._name == other._name and self._group == other._group and self._tags == other._tags

    def __str__(self) -> str:
        """Return name, group and tag names.

        :origin: common.MetricNameTemplate#toString()
        """
        return f"name={self._name}, group={self._group}, tags={java_text(self._tags.keys())}"

    __repr__ = __str__

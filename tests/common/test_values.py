# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The small value types of ``kreactor.common``."""

from __future__ import annotations

import pytest

from kreactor.common.endpoint import Endpoint
from kreactor.common.errors import ApiException
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.metric_name import MetricName
from kreactor.common.metric_name_template import MetricNameTemplate
from kreactor.common.node import Node
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.jdk.exceptions import IllegalArgumentException


def test_kafka_exception_with_a_message() -> None:
    e = KafkaException("it broke")
    assert str(e) == e.get_message() == "it broke"
    assert e.__cause__ is None


def test_kafka_exception_with_a_cause_alone_has_its_text() -> None:
    cause = OSError("no route")
    e = KafkaException(cause=cause)
    assert str(e) == "OSError: no route"
    assert e.__cause__ is cause
    assert str(KafkaException(cause=KafkaException())) == "kreactor.common.kafka_exception.KafkaException"


def test_kafka_exception_with_both_and_with_neither() -> None:
    cause = OSError("no route")
    e = KafkaException("it broke", cause)
    assert (str(e), e.__cause__) == ("it broke", cause)
    assert str(KafkaException()) == ""
    assert KafkaException().get_message() is None


def test_a_kafka_exception_is_no_broken_connection() -> None:
    assert not issubclass(KafkaException, OSError)
    assert issubclass(InvalidRecordException, ApiException)


def test_metric_name() -> None:
    name = MetricName("count", "group", "how many", {"b": "2", "a": "1"})
    assert (name.name(), name.group(), name.description()) == ("count", "group", "how many")
    assert name.tags() == {"a": "1", "b": "2"}
    other = MetricName("count", "group", "", {"a": "1", "b": "2"})
    assert name == other and hash(name) == hash(other)
    for different in (MetricName("x", "group", "", {"a": "1", "b": "2"}),
                      MetricName("count", "x", "", {"a": "1", "b": "2"}),
                      MetricName("count", "group", "", {"a": "1"})):
        assert name != different
    assert name != "count"
    assert str(name) == "MetricName [name=count, group=group, description=how many, tags={b=2, a=1}]"


def test_metric_name_template() -> None:
    template = MetricNameTemplate("count", "group", "how many", ["b", "a", "b"])
    assert list(template.tags()) == ["b", "a"]
    assert (template.name(), template.group(), template.description()) == ("count", "group", "how many")
    other = MetricNameTemplate("count", "group", "", ("a", "b"))
    assert template == other and hash(template) == hash(other)
    assert template != MetricNameTemplate("count", "group", "", ("a",))
    assert str(template) == "name=count, group=group, tags=[b, a]"
    assert list(MetricNameTemplate("count", "group", "").tags()) == []


def test_node() -> None:
    node = Node(1, "host", 9092, "rack")
    assert (node.id(), node.id_string(), node.host(), node.port(), node.rack()) == (1, "1", "host", 9092,
                                                                                    "rack")
    assert node.has_rack() and not Node(1, "host", 9092).has_rack()
    assert str(node) == "host:9092 (id: 1 rack: rack)"
    assert str(Node(1, None, 9092)) == "null:9092 (id: 1 rack: null)"
    assert node == Node(1, "host", 9092, "rack")
    assert hash(node) == hash(Node(1, "host", 9092, "rack"))
    assert node not in (Node(2, "host", 9092, "rack"), Node(1, "x", 9092, "rack"), Node(1, "host", 1, "rack"),
                        Node(1, "host", 9092), "host")


def test_no_node() -> None:
    assert Node.no_node().is_empty()
    assert Node.no_node() is Node.no_node()
    assert Node.no_node() == Node(-1, "", -1)
    assert Node(1, None, 9092).is_empty()
    assert Node(1, "host", -1).is_empty()
    assert not Node(1, "host", 0).is_empty()


def test_endpoint() -> None:
    endpoint = Endpoint("EXTERNAL", SecurityProtocol.SSL, "host", 9093)
    assert endpoint.listener_name() == "EXTERNAL"
    assert endpoint.security_protocol() is SecurityProtocol.SSL
    assert (endpoint.host(), endpoint.port()) == ("host", 9093)
    assert endpoint == Endpoint("EXTERNAL", SecurityProtocol.SSL, "host", 9093)
    assert hash(endpoint) == hash(Endpoint("EXTERNAL", SecurityProtocol.SSL, "host", 9093))
    assert endpoint != Endpoint(None, SecurityProtocol.SSL, "host", 9093)
    assert str(endpoint) == "Endpoint(listenerName='EXTERNAL', securityProtocol=SSL, host='host', port=9093)"


def test_isolation_level() -> None:
    for level in IsolationLevel:
        assert IsolationLevel.for_id(level.id()) is level
    assert str(IsolationLevel.READ_COMMITTED) == "read_committed"
    with pytest.raises(IllegalArgumentException, match="^Unknown isolation level 2$"):
        IsolationLevel.for_id(2)

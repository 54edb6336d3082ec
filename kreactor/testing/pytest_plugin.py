# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Fixtures for tests that need a broker. pytest loads this module wherever kreactor is installed.

``kafka_broker`` is one broker for the whole run. ``pytest.mark.kafka_broker(...)`` on a function, a class or
a module gives that function, class or module a broker of its own, by a fixture of the same name.
``kafka_cluster`` is a cluster of three brokers for one test.

The broker's modules are imported when a test first asks for a broker.
"""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Iterator, Mapping
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from kreactor.testing.broker import Broker
    from kreactor.testing.cluster import Cluster

_MARK = "kafka_broker"
# A topic's name has 249 characters at most.
_NAME_LENGTH = 200
_numbers = itertools.count(1)


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line(
        "markers", "kafka_broker(properties={}, **kwargs): give this function, class or module a broker of "
                   "its own, made with these arguments of kreactor.testing.Broker")


@pytest.fixture(scope="session")
def kafka_properties() -> Mapping[str, object]:
    """The broker's properties, by Kafka's names. Override this fixture in a conftest.py."""
    return {}


@pytest.fixture(scope="session")
def kafka_broker(kafka_properties: Mapping[str, object]) -> Iterator[Broker]:
    """A broker in this process, started when the first test asks for it."""
    from kreactor.testing.broker import Broker

    with Broker(properties=kafka_properties) as broker:
        yield broker


@pytest.fixture
def kafka_cluster(kafka_properties: Mapping[str, object]) -> Iterator[Cluster]:
    """A cluster of three brokers in this process, for one test."""
    from kreactor.testing.cluster import Cluster

    with Cluster(properties=kafka_properties) as cluster:
        yield cluster


@pytest.fixture
def kafka_topic(request: pytest.FixtureRequest, kafka_broker: Broker) -> Iterator[str]:
    """The name of a new topic for one test; the topic is deleted after the test."""
    name = f"{re.sub('[^a-zA-Z0-9._-]', '-', request.node.name)[:_NAME_LENGTH]}-{next(_numbers)}"
    kafka_broker.create_topic(name)
    yield name
    if kafka_broker.is_running() and name in kafka_broker.topics():
        kafka_broker.delete_topic(name)


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> None:
    """Add a fixture to a marked class or module, before pytest resolves the fixtures of its tests."""
    if isinstance(collector, pytest.Module) and not hasattr(collector, "_kafka_broker_is_known"):
        setattr(collector, "_kafka_broker_is_known", True)
        _register(collector, collector.nodeid, collector.obj, "module")
    if isinstance(obj, type):
        _register(collector, f"{collector.nodeid}::{name}", obj, "class")
    elif isinstance(obj, FunctionType):
        _register(collector, f"{collector.nodeid}::{name}", obj, "function")


def _register(collector: Any, nodeid: str, obj: object,
              scope: Literal["function", "class", "module"]) -> None:
    # A class has the marks of its base classes, as always in pytest.
    marks = getattr(obj, "pytestmark", [])
    for each in reversed(marks if isinstance(marks, list) else [marks]):
        mark: Any = getattr(each, "mark", each)
        if mark.name == _MARK:
            if mark.args:
                raise pytest.UsageError(f"{nodeid}: kafka_broker takes keyword arguments only")
            arguments = dict(mark.kwargs)
            break
    else:
        return

    @pytest.fixture(scope=scope, name=_MARK)
    def own_broker(kafka_properties: Mapping[str, object]) -> Iterator[Broker]:
        """A broker in this process, for the marked function, class or module alone."""
        from kreactor.testing.broker import Broker

        properties = {**kafka_properties, **arguments.get("properties", {})}
        with Broker(**{**arguments, "properties": properties}) as broker:
            yield broker

    holder = ModuleType(nodeid)
    setattr(holder, _MARK, own_broker)
    # Registered by the node id, which newer pytest releases deprecate, because the node does not exist yet.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collector.session._fixturemanager.parsefactories(holder, nodeid)

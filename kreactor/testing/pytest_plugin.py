# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Fixtures for tests that need a broker. pytest loads this module wherever kreactor is installed.

``kafka_broker`` is one broker for the whole run. ``pytest.mark.kafka_broker(...)`` gives the marked function,
class, module or package, or one set of parameters, a broker of its own, by a fixture of the same name.
``kafka_cluster`` is a cluster of three brokers for one test, and ``pytest.mark.kafka_cluster(...)`` changes
it.

The broker's modules are imported when a test first asks for a broker.

Fact: a mark may come from a decorator, from a base class, from parameters, or from a hook of another plugin.
Consequence: the marks of a test are known only after the collection. Choice: the plugin then registers the
fixtures of marked nodes, and puts them into the fixtures that pytest has found for each test. Cost: the
plugin uses ``_fixturemanager``, ``_fixtureinfo`` and ``_initrequest`` of pytest. A mark that comes too late
for that raises UsageError.

pytest rewrites the assertions of all modules of a distribution that has a plugin. Of kreactor's hundreds of
modules none profits, and rewriting takes seconds, so ``_PlainImports`` imports them without it.
PYTEST_DONT_REWRITE excludes the modules that are imported earlier.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import pytest

if TYPE_CHECKING:
    from kreactor.testing.broker import Broker
    from kreactor.testing.cluster import Cluster

T = TypeVar("T")

_Scope = Literal["function", "class", "module", "package", "session"]
_SCOPES = ("function", "class", "module", "package", "session")

_BROKER = "kafka_broker"
_CLUSTER = "kafka_cluster"
# A topic's name has 249 characters at most.
_NAME_LENGTH = 200
_numbers = itertools.count(1)


class _PlainImports:
    """Finds the modules of kreactor before pytest's import hook does, so that pytest does not rewrite them.

    ``sys.meta_path`` has one object of this class, between the start and the end of a pytest run.
    """

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
                  ) -> ModuleSpec | None:
        """Return the spec of a module inside kreactor, None for any other module."""
        return PathFinder.find_spec(name, path, target) if name.startswith("kreactor.") else None


_plain_imports = _PlainImports()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Import kreactor's modules without pytest's import hook. No conftest.py is imported before this call."""
    if _plain_imports not in sys.meta_path:
        sys.meta_path.insert(0, _plain_imports)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave imports to Python again."""
    if _plain_imports in sys.meta_path:
        sys.meta_path.remove(_plain_imports)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks."""
    config.addinivalue_line(
        "markers", "kafka_broker(properties={}, **kwargs): give this function, class, module or package a "
                   "broker of its own, made with these arguments of kreactor.testing.Broker")
    config.addinivalue_line(
        "markers", "kafka_cluster(properties={}, **kwargs): make the cluster of each test with these "
                   "arguments of kreactor.testing.Cluster")


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
def kafka_cluster(request: pytest.FixtureRequest, kafka_properties: Mapping[str, object]
                  ) -> Iterator[Cluster]:
    """A cluster of three brokers in this process, for one test."""
    from kreactor.testing.cluster import Cluster

    found = _closest(request.node, _CLUSTER)
    arguments: Mapping[str, Any] = {} if found is None else found[1].kwargs
    with _made(Cluster, _CLUSTER, request.node.nodeid, kafka_properties, arguments) as cluster:
        yield cluster


@pytest.fixture
def kafka_topic(request: pytest.FixtureRequest, kafka_broker: Broker) -> Iterator[str]:
    """The name of a new topic for one test; the topic is deleted after the test."""
    name = f"{re.sub('[^a-zA-Z0-9._-]', '-', request.node.name)[:_NAME_LENGTH]}-{next(_numbers)}"
    kafka_broker.create_topic(name)
    yield name
    if kafka_broker.is_running() and name in kafka_broker.topics():
        kafka_broker.delete_topic(name)


def _made(kind: Callable[..., T], name: str, nodeid: str, properties: Mapping[str, object],
          arguments: Mapping[str, Any]) -> T:
    """Return a broker or cluster with the arguments of a mark. Raises UsageError for wrong arguments."""
    __tracebackhide__ = True
    try:
        return kind(**{**arguments, "properties": {**properties, **arguments.get("properties", {})}})
    except (TypeError, ValueError) as e:
        raise pytest.UsageError(f"{nodeid}: the mark {name}: {e}") from None


# -- marks -----------------------------------------------------------------------------------------


class _Own(NamedTuple):
    """A mark of a node and its fixture, for the tests below that node."""

    mark: pytest.Mark
    fixture: Any
    scope: _Scope


_own_of_node = pytest.StashKey[_Own]()
# The mark whose broker a test gets, None for the broker of the whole run.
_mark_of_item = pytest.StashKey["pytest.Mark | None"]()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Give the marked tests their fixtures. The setup of a test raises the errors of its marks.

    An error here would end the workers of pytest-xdist without a message.
    """
    for item in session.items:
        with suppress(pytest.UsageError):
            _honour_mark(item)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give a test its fixture if a hook has marked it since the collection.

    Raises UsageError for a mark that cannot have an effect.
    """
    __tracebackhide__ = True
    _honour_mark(item)
    _closest(item, _CLUSTER)
    _check_scopes(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Raise UsageError if the test or one of its fixtures has added a mark."""
    __tracebackhide__ = True
    _check_nothing_added(item)
    yield
    _check_nothing_added(item)


def _closest(item: pytest.Item, name: str) -> tuple[Any, pytest.Mark] | None:
    """Return the closest mark of a test, with its node. Raises UsageError for a mark with wrong arguments.

    Of the marks of one node the last wins: that of parameters, of the derived class, or of a hook.
    """
    __tracebackhide__ = True
    for node in reversed(item.listchain()):
        for mark in reversed([*_marks_of_package(item, node), *node.own_markers]):
            if mark.name == name:
                if mark.args:
                    raise pytest.UsageError(f"{node.nodeid}: the mark {name} takes keyword arguments only")
                properties = mark.kwargs.get("properties", {})
                if not isinstance(properties, Mapping):
                    raise pytest.UsageError(
                        f"{node.nodeid}: the mark {name}: properties={properties!r}: not a mapping")
                return node, mark
    return None


def _marks_of_package(item: pytest.Item, node: Any) -> list[pytest.Mark]:
    """Return the marks in a package's ``__init__.py``, to which pytest itself pays no attention."""
    if not isinstance(node, pytest.Package):
        return []
    name = getattr(getattr(item, "module", None), "__package__", None)
    while name:
        package = sys.modules.get(name)
        if package is not None and str(node.path) in (getattr(package, "__path__", None) or ()):
            marks = getattr(package, "pytestmark", [])
            listed: list[Any] = marks if isinstance(marks, list) else [marks]
            return [getattr(each, "mark", each) for each in listed]
        name = name.rpartition(".")[0]
    return []


def _honour_mark(item: pytest.Item) -> None:
    """Put the fixture of a test's mark behind the fixtures that the mark overrides. Raises UsageError."""
    __tracebackhide__ = True
    found = _closest(item, _BROKER)
    mark = None if found is None else found[1]
    if item.stash.get(_mark_of_item, None) is mark:
        return
    if not hasattr(item, "_fixtureinfo"):
        if isinstance(item, pytest.Function):
            raise pytest.UsageError(f"the mark kafka_broker does not work with pytest {pytest.__version__}")
        # A test without fixtures, of another plugin.
        return
    if found is None:
        raise pytest.UsageError(f"{item.nodeid}: the mark kafka_broker was removed too late")
    own = _own_fixture(*found)
    info = getattr(item, "_fixtureinfo")
    registered = _visible_fixtures(item)
    if not set(info.name2fixturedefs.get(_BROKER, ())) <= set(registered):
        # A parameter of the test has the name of the fixture.
        item.stash[_mark_of_item] = mark
        return
    visible: list[Any] = []
    position = None
    for each in registered:
        if each is own.fixture:
            position = len(visible) if position is None else position
        elif each.baseid != own.fixture.baseid:
            visible.append(each)
        # The marked node's own fixtures wrap its broker. The session has the fixture of this module, too.
        elif getattr(each.func, "__module__", None) != __name__:
            if _BROKER not in each.argnames:
                raise pytest.UsageError(
                    f"{each.baseid}: has both the mark kafka_broker and a fixture kafka_broker: remove one "
                    "of them, or let the fixture request kafka_broker")
            position = len(visible) if position is None else position
            visible.append(each)
    visible.insert(len(visible) if position is None else position, own.fixture)
    names = _in_order(info, own)
    # pytest shares the original between the items of one function.
    setattr(item, "_fixtureinfo", dataclasses.replace(
        info, names_closure=names, name2fixturedefs={**info.name2fixturedefs, _BROKER: tuple(visible)}))
    setattr(item, "fixturenames", names)
    getattr(item, "_initrequest")()
    item.stash[_mark_of_item] = mark


def _in_order(info: Any, own: _Own) -> list[str]:
    """Return the fixtures of a test in the order of their setups, for the scope of its own broker.

    As pytest has it: by scope, then automatic fixtures, then those that the test names. pytest has sorted
    them by the scope of the broker of the whole run.
    """
    names = [name for name in info.names_closure if name != _BROKER]
    if len(names) == len(info.names_closure):
        return names
    initial = list(info.initialnames)
    before = initial[:initial.index(_BROKER)] if _BROKER in initial else initial
    own_width = _SCOPES.index(own.scope)

    def precedes(name: str) -> bool:
        fixtures = info.name2fixturedefs.get(name)
        width = _SCOPES.index(fixtures[-1].scope) if fixtures else 0
        return width > own_width or width == own_width and name in before

    position = max((i + 1 for i, name in enumerate(names) if precedes(name)), default=0)
    return [*names[:position], _BROKER, *names[position:]]


def _visible_fixtures(node: Any) -> Sequence[Any]:
    """Return the fixtures kafka_broker that are visible to a test or another node, the closest last."""
    # Before pytest 8.1, the id selects the node.
    key = node if pytest.version_tuple >= (8, 1) else node.nodeid
    return node.session._fixturemanager.getfixturedefs(_BROKER, key) or ()


def _own_fixture(node: Any, mark: pytest.Mark) -> _Own:
    """Return the fixture for the tests below a marked node."""
    own: _Own | None = node.stash.get(_own_of_node, None)
    if own is None or own.mark is not mark:
        node.stash[_own_of_node] = own = _new_fixture(node, mark)
    return own


def _new_fixture(node: Any, mark: pytest.Mark) -> _Own:
    def own_broker(kafka_properties: Mapping[str, object]) -> Iterator[Broker]:
        """A broker in this process, for the marked tests alone."""
        from kreactor.testing.broker import Broker

        with _made(Broker, _BROKER, node.nodeid, kafka_properties, mark.kwargs) as broker:
            yield broker

    scope = _scope_of(node)
    register = getattr(pytest, "register_fixture", None)
    if register is not None:
        register(name=_BROKER, func=own_broker, node=node, scope=scope)
    else:
        # Before pytest 9.1, fixtures belong to a node's id.
        holder = ModuleType(node.nodeid)
        setattr(holder, _BROKER, pytest.fixture(scope=scope, name=_BROKER)(own_broker))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node.session._fixturemanager.parsefactories(holder, node.nodeid)
    registered, = (each for each in _visible_fixtures(node) if each.func is own_broker)
    return _Own(mark, registered, scope)


def _scope_of(node: Any) -> _Scope:
    scopes: Mapping[type, _Scope] = {pytest.Item: "function", pytest.Class: "class",
                                     pytest.Module: "module", pytest.Session: "session"}
    return next((scope for kind, scope in scopes.items() if isinstance(node, kind)), "package")


def _check_scopes(item: pytest.Item) -> None:
    """Raise UsageError if a fixture with a wider scope than the test's own broker requests that broker."""
    __tracebackhide__ = True
    found = _closest(item, _BROKER)
    info = getattr(item, "_fixtureinfo", None)
    if found is None or info is None:
        return
    own = _own_fixture(*found)
    for name in info.names_closure:
        closest = (info.name2fixturedefs.get(name) or [None])[-1]
        if (closest is not None and _BROKER in closest.argnames
                and _SCOPES.index(closest.scope) > _SCOPES.index(own.scope)):
            raise pytest.UsageError(
                f"{item.nodeid}: the mark kafka_broker of {found[0].nodeid or 'the session'} gives each "
                f"{own.scope} a broker, but the fixture {name}, which requests kafka_broker, lives for a "
                f"{closest.scope}: mark a {closest.scope}, or narrow the scope of {name}")


def _check_nothing_added(item: pytest.Item) -> None:
    __tracebackhide__ = True
    found = _closest(item, _BROKER)
    if hasattr(item, "_fixtureinfo") and (found and found[1]) is not item.stash.get(_mark_of_item, None):
        raise pytest.UsageError(
            f"{item.nodeid}: the mark kafka_broker was added while the test ran, which is too late for its "
            "broker: add the mark in pytest_collection_modifyitems, or use kreactor.testing.Broker")

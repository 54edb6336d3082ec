# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The pytest plugin of tools/peers/suites: it gives the suites a running broker, and records each outcome.

The suites' own fixtures would start containers and programs. The fixtures in FIXTURES get a value instead,
and missing modules that the fixtures import are replaced.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType, SimpleNamespace
from typing import Any

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

SETTINGS = json.loads(os.environ["PEER_SUITES"])
# The time after which a waiting test fails.
PATIENCE_S = 120


class Absent:
    """A part of a broker's surroundings that is missing. A test that uses it is skipped."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return pytest.skip(f"there is no {self._what}")


class AclManager:
    """Grants and revokes permissions, in place of Kafka's script."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._given: list[AclBinding] = []

    def list_acl(self) -> None:
        """Return nothing; each test with SASL begins with this call."""
        if SETTINGS["sasl_port"] is None:
            pytest.skip("the broker's SASL is not known")

    def add_acl(self, operation: str, cluster: bool = False, topic: str | None = None,
                group: str | None = None, transactional_id: str | None = None,
                allow_principal: str | None = None, deny_principal: str | None = None) -> None:
        """Allow or deny a user an operation on a resource."""
        resource, name = next(
            (resource, name) for resource, name in (
                (ResourceType.BROKER, "kafka-cluster" if cluster else None), (ResourceType.TOPIC, topic),
                (ResourceType.GROUP, group), (ResourceType.TRANSACTIONAL_ID, transactional_id))
            if name is not None)
        binding = AclBinding(
            resource, name, ResourcePatternType.LITERAL, f"User:{allow_principal or deny_principal}", "*",
            AclOperation[operation.upper()],
            AclPermissionType.DENY if deny_principal else AclPermissionType.ALLOW)
        admin = AdminClient({"bootstrap.servers": self._address})
        for done in admin.create_acls([binding]).values():
            done.result(PATIENCE_S)
        self._given.append(binding)

    def cleanup(self) -> None:
        """Revoke all granted permissions."""
        filters = [AclBindingFilter(each.restype, each.name, each.resource_pattern_type, each.principal,
                                    each.host, each.operation, each.permission_type) for each in self._given]
        self._given.clear()
        if filters:
            admin = AdminClient({"bootstrap.servers": self._address})
            for done in admin.delete_acls(filters).values():
                done.result(PATIENCE_S)


class ScramUsers:
    """Creates users, in place of Kafka's script."""

    def __init__(self, address: str) -> None:
        self._address = address

    def add_scram_user(self, name: str, password: str) -> None:
        """Create a user for both mechanisms, with one request each."""
        admin = AdminClient({"bootstrap.servers": self._address})
        for mechanism in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512):
            user = UserScramCredentialUpsertion(
                name, ScramCredentialInfo(mechanism, 4096), password.encode())
            for done in admin.alter_user_scram_credentials([user]).values():
                done.result(PATIENCE_S)


def fixtures() -> dict[str, Any]:
    """Return the values of the suites' fixtures, by name."""
    host, port = SETTINGS["address"].rsplit(":", 1)
    ssl_port, certificates = SETTINGS["ssl_port"], Path(SETTINGS["certificates"])
    return {
        # Fixtures of aiokafka.
        "docker": None,
        "kafka_image": "3.8.0",
        "ssl_folder": certificates,
        "kafka_server": SimpleNamespace(
            host=host, port=int(port), hosts=[SETTINGS["address"]], ssl_port=ssl_port,
            sasl_plain_port=SETTINGS["sasl_port"], sasl_ssl_port=0, container=None),
        "acl_manager": AclManager(SETTINGS["address"]),
        "kafka_config": ScramUsers(SETTINGS["address"]),
        "kerberos_utils": Absent("Kerberos"),
        # Fixtures of kafka-python.
        "ssl_kafka": SimpleNamespace(port=ssl_port, ssl_dir=str(certificates)),
    }


FIXTURES = fixtures()


def _put_in_place(name: str, **members: Any) -> None:
    try:
        is_there = importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        is_there = False
    if not is_there:
        module = sys.modules[name] = ModuleType(name)
        module.__dict__.update(members)


_put_in_place("docker", models=SimpleNamespace(containers=SimpleNamespace(Container=object)))
# Modules of tests that need no broker, and are not run.
_put_in_place("pytest_mock", MockerFixture=object)
# Source distributions of kafka-python lack this module.
_put_in_place("test.service", SpawnedService=object, ExternalService=lambda host, port: SimpleNamespace(
    host=host, port=port, dump_logs=lambda: None))


def pytest_configure(config: pytest.Config) -> None:
    # aiokafka's suite reads the version from it.
    if hasattr(config.option, "docker_image"):
        config.option.docker_image = "kafka:3.8.0"


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: Any, request: pytest.FixtureRequest) -> Any:
    name = fixturedef.argname
    if name not in FIXTURES:
        return None
    if name == "ssl_kafka" and SETTINGS["ssl_port"] is None:
        pytest.skip("the broker's TLS is not known")
    value = FIXTURES[name]
    fixturedef.cached_result = value, fixturedef.cache_key(request), None
    # With None pytest would call the next hook.
    return value if value is not None else False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests without a broker, and skip tests with missing requirements."""
    with_broker = [item for item in items
                   if not FIXTURES.keys().isdisjoint(getattr(item, "fixturenames", ()))
                   or "integration" in item.path.parts]
    config.hook.pytest_deselected(items=[item for item in items if item not in with_broker])
    items[:] = with_broker
    for item in items:
        for start, reason in SETTINGS["not_applicable"].items():
            if item.nodeid.startswith(start):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"not over after {PATIENCE_S} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE_S)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _note(report.nodeid, "failed", "its tests cannot be collected")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when != "call" and report.outcome == "passed":
        return
    reason = ""
    if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
    elif report.outcome == "failed":
        crash = getattr(report.longrepr, "reprcrash", None)
        reason = (crash.message if crash is not None else str(report.longrepr)).partition("\n")[0]
    _note(report.nodeid, report.outcome, reason)


def _note(name: str, outcome: str, reason: str) -> None:
    with Path(SETTINGS["results"]).open("a") as results:
        results.write(json.dumps({"name": name, "outcome": outcome, "reason": reason}) + "\n")

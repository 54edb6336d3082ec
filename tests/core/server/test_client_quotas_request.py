# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ClientQuotasRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Quotas that are set and told of over the wire; answers to the letter stand in the conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.embedded.broker_server import BrokerServer
from kreactor.jdk.net import InetAddress
from tests.core.server.brokers import connect, new_broker
from tests.core.server.quota_conversation import (
    ANY,
    DEFAULT,
    EXACT,
    Component,
    Entity,
    Ops,
    alteration,
    entry,
    filter_of,
)
from tests.core.server.wire import Wire

Found = dict[frozenset[tuple[str, str | None]], dict[str, float]]
Refused = tuple[Errors, str]


class Client:
    """A broker, and a connection to it."""

    def __init__(self, broker: BrokerServer, wire: Wire) -> None:
        self.broker = broker
        self.wire = wire

    def alter(self, entity: Entity, ops: Ops, validate_only: bool = False) -> Refused:
        """Change somebody's quotas; return what became of it."""
        answer: Any = self.wire.ask(ApiKeys.ALTER_CLIENT_QUOTAS, 1, alteration(
            entry(entity, ops), validate_only=validate_only))
        result, = answer.entries
        return Errors.for_code(result.error_code), result.error_message or ""

    def describe(self, *components: Component, strict: bool = False) -> Found | Refused:
        answer: Any = self.wire.ask(ApiKeys.DESCRIBE_CLIENT_QUOTAS, 1, filter_of(*components, strict=strict))
        if answer.entries is None:
            return Errors.for_code(answer.error_code), answer.error_message
        return {frozenset((part.entity_type, part.entity_name) for part in found.entity):
                {value.key: value.value for value in found.values} for found in answer.entries}

    def quotas_of(self, entity: Entity) -> dict[str, float]:
        """Return the quotas of one entity, and of no other."""
        found = self.describe(*exactly(entity), strict=True)
        assert isinstance(found, dict) and found.keys() <= {frozenset(entity.items())}, found
        return found.get(frozenset(entity.items()), {})


def exactly(entity: Entity) -> list[Component]:
    return [(type_, DEFAULT if name is None else EXACT, name) for type_, name in entity.items()]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with new_broker(tmp_path) as broker, connect(broker) as wire:
        yield Client(broker, wire)


OK: Refused = (Errors.NONE, "")


def test_alter_client_quotas_request(client: Client) -> None:
    entity = {"user": "user", "client-id": "client-id"}
    assert client.quotas_of(entity) == {}
    expected: dict[str, float] = {}
    for changes in (
            {"producer_byte_rate": 10000.0, "consumer_byte_rate": 20000.0}, {"producer_byte_rate": 15000.0},
            {"producer_byte_rate": None}, {"request_percentage": None}, {"producer_byte_rate": 5000.0},
            {"producer_byte_rate": 20000.0, "consumer_byte_rate": None, "request_percentage": 12.3}):
        assert client.alter(entity, changes) == OK
        expected = {key: value for key, value in {**expected, **changes}.items() if value is not None}
        assert client.quotas_of(entity) == expected


def test_alter_client_quotas_request_validate_only(client: Client) -> None:
    entity = {"user": "user"}
    quotas = {"producer_byte_rate": 20000.0, "request_percentage": 23.45}
    assert client.alter(entity, quotas) == OK
    ops: Mapping[str, float | None]
    for ops in ({"consumer_byte_rate": 50000.0}, {"producer_byte_rate": 10000.0},
                {"request_percentage": None},
                {"producer_byte_rate": 10000.0, "consumer_byte_rate": 50000.0, "request_percentage": None}):
        assert client.alter(entity, ops, validate_only=True) == OK
        assert client.quotas_of(entity) == quotas


def test_alter_ip_quotas_request(client: Client) -> None:
    known, default = {"ip": "1.2.3.4"}, {"ip": None}
    quotas = client.broker.socket_server().connection_quotas

    def verify(rate: float | None, default_rate: float | None) -> None:
        found = {frozenset(entity.items()): {"connection_creation_rate": value}
                 for entity, value in ((known, rate), (default, default_rate)) if value is not None}
        assert client.describe(("ip", ANY, None), strict=True) == found
        no_limit = 2**31 - 1
        for ip, expected in (("1.2.3.4", rate or default_rate), ("2.3.4.5", default_rate)):
            assert quotas.connection_rate_for_ip(InetAddress.get_by_name(ip)) == (expected or no_limit)

    verify(None, None)
    for entity, value, expected in (
            (known, 100.0, (100.0, None)), (known, 150.0, (150.0, None)), (default, 200.0, (150.0, 200.0)),
            (known, None, (None, 200.0)), (default, None, (None, None))):
        assert client.alter(entity, {"connection_creation_rate": value}) == OK
        verify(*expected)


def test_alter_client_quotas_invalid_requests(client: Client) -> None:
    entity: Entity
    for entity, key, value in (
            ({"user": ""}, "request_percentage", 12.34), ({"client-id": ""}, "request_percentage", 12.34),
            ({"": "name"}, "request_percentage", 12.34), ({}, "producer_byte_rate", 10000.5),
            ({"user": "user"}, "bad", 1.0), ({"user": "user"}, "producer_byte_rate", 10000.5)):
        assert client.alter(entity, {key: value}, validate_only=True)[0] is Errors.INVALID_REQUEST


def test_alter_client_quotas_invalid_entity_combination(client: Client) -> None:
    for entity in ({"user": "user", "ip": "1.2.3.4"}, {"client-id": "client", "ip": "1.2.3.4"}):
        error, message = client.alter(entity, {"request_percentage": 12.34}, validate_only=True)
        assert error is Errors.INVALID_REQUEST and "Invalid quota entity combination" in message


def test_alter_client_quotas_bad_ip(client: Client) -> None:
    for name in ("not a valid host because it has spaces", "RFC2606.invalid"):
        error, message = client.alter({"ip": name}, {"connection_creation_rate": 50.0}, validate_only=True)
        assert error is Errors.INVALID_REQUEST and "not a valid IP" in message


def test_describe_client_quotas_invalid_filter_combination(client: Client) -> None:
    for other in ("user", "client-id"):
        refused = client.describe(("ip", ANY, None), (other, ANY, None))
        assert isinstance(refused, tuple) and refused[0] is Errors.INVALID_REQUEST
        assert "Invalid entity filter component combination" in refused[1]


def entity_of(user: str | None | bool, client_id: str | None | bool) -> dict[str, str | None]:
    """Return an entity; False is for what it has not."""
    entity: dict[str, str | None] = {}
    if not isinstance(user, bool):
        entity["user"] = user
    if not isinstance(client_id, bool):
        entity["client-id"] = client_id
    return entity


USERS_AND_CLIENTS = [entity_of(user, client_id) for user, client_id in (
    ("user-1", "client-id-1"), ("user-2", "client-id-1"), ("user-3", "client-id-2"), (None, "client-id-1"),
    ("user-1", None), ("user-3", None), ("user-1", False), ("user-2", False), ("user-3", False),
    (None, False), (False, "client-id-2"))]
ENTITIES: list[dict[str, str | None]] = [*USERS_AND_CLIENTS, {"ip": "1.2.3.4"}, {"ip": "2.3.4.5"}]
QUOTAS = {frozenset(entity.items()):
          {"connection_creation_rate" if "ip" in entity else "request_percentage": 10.0 + number}
          for number, entity in enumerate(ENTITIES)}


@pytest.fixture
def many(client: Client) -> Client:
    """A broker with the quotas of ENTITIES."""
    answer: Any = client.wire.ask(ApiKeys.ALTER_CLIENT_QUOTAS, 1, alteration(*(
        entry(entity, QUOTAS[frozenset(entity.items())]) for entity in ENTITIES)))
    assert [result.error_code for result in answer.entries] == len(ENTITIES) * [0]
    return client


def test_describe_client_quotas_match_exact(many: Client) -> None:
    for entity in USERS_AND_CLIENTS:
        assert many.quotas_of(entity) == QUOTAS[frozenset(entity.items())]
    for user, client_id in (("user-1", "client-id-2"), ("user-3", "client-id-1"), ("user-2", None),
                            ("user-4", False), (None, "client-id-2"), (False, "client-id-1"),
                            (False, "client-id-3")):
        assert many.quotas_of(entity_of(user, client_id)) == {}


MATCHES: list[tuple[list[Component], bool, int, Callable[[dict[str, str | None]], bool]]] = [
    ([("user", EXACT, "user-1")], False, 3, lambda e: e.get("user") == "user-1"),
    ([("user", EXACT, "unknown")], False, 0, lambda e: False),
    ([("client-id", EXACT, "client-id-2")], False, 2, lambda e: e.get("client-id") == "client-id-2"),
    ([("user", DEFAULT, None)], False, 2, lambda e: e.get("user", "") is None),
    ([("user", EXACT, "user-2")], True, 1, lambda e: e == {"user": "user-2"}),
    ([("client-id", EXACT, "client-id-1")], True, 0, lambda e: False),
    ([("user", ANY, None)], True, 4, lambda e: e.keys() == {"user"}),
    ([("user", ANY, None)], False, 10, lambda e: "user" in e),
    ([("client-id", ANY, None)], True, 1, lambda e: e.keys() == {"client-id"}),
    ([("client-id", ANY, None)], False, 7, lambda e: "client-id" in e),
    ([("ip", ANY, None)], False, 2, lambda e: "ip" in e),
    ([], False, 13, lambda e: True),
    ([], True, 0, lambda e: False),
]


def test_describe_client_quotas_match_partial(many: Client) -> None:
    for components, strict, size, matches in MATCHES:
        expected = {frozenset(entity.items()) for entity in ENTITIES if matches(entity)}
        assert len(expected) == size
        assert many.describe(*components, strict=strict) == {key: QUOTAS[key] for key in expected}


def test_client_quotas_unsupported_entity_types(client: Client) -> None:
    assert client.describe(("other", EXACT, "name"), strict=True) == (
        Errors.UNSUPPORTED_VERSION, "Unsupported entity type other")


def test_client_quotas_sanitized(client: Client) -> None:
    entity = {"user": "user with spaces"}
    assert client.alter(entity, {"producer_byte_rate": 20000.0}) == OK
    assert client.quotas_of(entity) == {"producer_byte_rate": 20000.0}
    assert client.broker.quota_managers().produce.quota("user with spaces", "c").bound() == 20000.0


def test_client_quotas_with_default_name(client: Client) -> None:
    entity = {"client-id": "<default>"}
    assert client.alter(entity, {"producer_byte_rate": 20000.0}) == OK
    assert client.quotas_of(entity) == {"producer_byte_rate": 20000.0}
    assert client.describe(("client-id", DEFAULT, None), strict=True) == {}
    produce = client.broker.quota_managers().produce
    assert produce.quota("u", "<default>").bound() == 20000.0
    assert produce.quota("u", "c").bound() == float(2**63 - 1)


# Ours.


def test_quotas_are_in_force_after_the_end(tmp_path: Path) -> None:
    with new_broker(tmp_path) as broker, connect(broker) as wire:
        client = Client(broker, wire)
        for entity, ops in (
                ({"user": "a b"}, {"producer_byte_rate": 1.0, "consumer_byte_rate": 2.0}),
                ({"user": None, "client-id": "c"}, {"request_percentage": 3.5}),
                ({"client-id": None}, {"controller_mutation_rate": 4.5}),
                ({"ip": "127.0.0.9"}, {"connection_creation_rate": 5.0}),
                ({"user": "gone"}, {"producer_byte_rate": 6.0})):
            assert client.alter(entity, ops) == OK
        assert client.alter({"user": "gone"}, {"producer_byte_rate": None}) == OK
        before = client.describe()
        assert isinstance(before, dict) and len(before) == 4
    with new_broker(tmp_path) as broker, connect(broker) as wire:
        assert Client(broker, wire).describe() == before
        quotas = broker.quota_managers()
        assert quotas.produce.quota("a b", "x").bound() == 1
        assert quotas.fetch.quota("a b", "x").bound() == 2
        assert quotas.request.quota("u", "c").bound() == 3.5
        assert quotas.controller_mutation.quota("u", "x").bound() == 4.5
        assert quotas.produce.quota("gone", "x").bound() == float(2**63 - 1)
        assert broker.socket_server().connection_quotas.connection_rate_for_ip(
            InetAddress.get_by_name("127.0.0.9")) == 5


def test_a_host_that_is_gone_holds_nothing_up(tmp_path: Path) -> None:
    """Its quota is not in force; those of others are."""
    with new_broker(tmp_path) as broker, connect(broker) as wire:
        client = Client(broker, wire)
        assert client.alter({"ip": "localhost"}, {"connection_creation_rate": 5.0}) == OK
        assert client.alter({"user": "u"}, {"producer_byte_rate": 1.0}) == OK
    file = tmp_path / "client_quotas.json"
    file.write_text(file.read_text().replace("localhost", "example.invalid"))
    with new_broker(tmp_path) as broker:
        assert broker.quota_managers().produce.quota("u", "x").bound() == 1

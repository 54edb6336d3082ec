# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A conversation with a broker, as ``conversation``: about the quotas of users, clients and addresses.

``hold`` leads it and leaves nothing behind. ``python -m tests.core.server.quota_conversation HOST:PORT``
writes the answers of Kafka's broker anew.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from typing import Any, Callable

from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.message.describe_client_quotas_request_data import DescribeClientQuotasRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from tests.core.server.conversation import (
    Answers,
    Conversation,
    connector,
    read_answers,
    record_answers,
    versions,
)
from tests.core.server.wire import Wire

RECORDED = os.path.join(os.path.dirname(__file__), "quota_answers_3_8_0.json")

EXACT, DEFAULT, ANY = range(3)

Entity = Mapping[str, str | None]
Ops = Mapping[str, float | None]
Component = tuple[str, int, str | None]


class QuotaConversation(Conversation):
    """Asks, and writes down. ``settle`` waits until a broker has heard of a change from its controller."""

    def __init__(self, connect: Callable[[], Wire], prefix: str, settle: Callable[[], None]) -> None:
        super().__init__(connect, prefix)
        self.settle = settle

    def _clean(self, api: ApiKeys, node: Any, key: str = "") -> Any:
        cleaned = super()._clean(api, node, key)
        if not isinstance(cleaned, list):
            return cleaned
        if len(cleaned) > 10_000:
            # All the same, but for whom they are.
            cleaned = [{**first, "entity": len(cleaned)} for first in cleaned[:1]]
        # Maps without an order, in Kafka.
        return sorted(cleaned, key=repr)


def entry(entity: Entity | list[tuple[str, str | None]],
          ops: Ops | list[tuple[str, float | None]]) -> AlterClientQuotasRequestData.EntryData:
    """Return whose quotas are to be what; None takes one away."""
    entities = entity.items() if isinstance(entity, Mapping) else entity
    changes = ops.items() if isinstance(ops, Mapping) else ops
    return AlterClientQuotasRequestData.EntryData(
        entity=[AlterClientQuotasRequestData.EntityData(entity_type=type_, entity_name=name)
                for type_, name in entities],
        ops=[AlterClientQuotasRequestData.OpData(key=key, value=value or 0.0, remove=value is None)
             for key, value in changes])


def alteration(*entries: AlterClientQuotasRequestData.EntryData,
               validate_only: bool = False) -> AlterClientQuotasRequestData:
    return AlterClientQuotasRequestData(entries=list(entries), validate_only=validate_only)


def filter_of(*components: Component, strict: bool = False) -> DescribeClientQuotasRequestData:
    """Return what asks for the quotas of those who match all of ``components``."""
    return DescribeClientQuotasRequestData(strict=strict, components=[
        DescribeClientQuotasRequestData.ComponentData(entity_type=type_, match_type=match_type, match=match)
        for type_, match_type, match in components])


def hold(connect: Callable[[], Wire], prefix: str, settle: Callable[[], None] = lambda: None) -> Answers:
    """Lead the conversation, and return all answers by what was asked. There must be no quotas before."""
    talk = QuotaConversation(connect, prefix, settle)
    try:
        wrong_alterations(talk)
        wrong_filters(talk)
        for version in versions(ApiKeys.ALTER_CLIENT_QUOTAS):
            changes(talk, version)
            matches(talk, version)
    finally:
        talk.close()
    return talk.answers


def wrong_alterations(talk: QuotaConversation) -> None:
    api = ApiKeys.ALTER_CLIENT_QUOTAS
    rate = {"producer_byte_rate": 1000.0}
    connections = {"connection_creation_rate": 10.0}
    user = {"user": "u"}
    wrong = {
        "nothing": [],
        "of nobody": [entry({}, rate)],
        "of an unknown kind": [entry({"foo": "bar"}, rate)],
        "of a kind without a name": [entry({"": "bar"}, rate)],
        "of a user and an unknown kind": [entry({"user": "u", "foo": "bar"}, rate)],
        "of an unknown kind and an address": [entry({"foo": "bar", "ip": "1.2.3.4"}, rate)],
        "of a user and an address": [entry({"user": "u", "ip": "1.2.3.4"}, rate)],
        "of a client and an address": [entry({"client-id": "c", "ip": "1.2.3.4"}, connections)],
        "of a user without a name": [entry({"user": ""}, rate)],
        "of a client without a name": [entry({"client-id": ""}, rate)],
        "of an address without a name": [entry({"ip": ""}, connections)],
        "of no address": [entry({"ip": "not a host because of spaces"}, connections)],
        "of an unknown host": [entry({"ip": "example.invalid"}, connections)],
        "of a host that cannot be": [entry({"ip": "a" * 70 + ".example"}, connections)],
        "of a kind twice": [entry([("user", "a"), ("user", "")], rate)],
        "no operations": [entry(user, {})],
        "unknown key": [entry(user, {"bad": 1.0})],
        "key without a name": [entry(user, {"": 1.0})],
        "key of addresses for a user": [entry(user, connections)],
        "key of users for an address": [entry({"ip": "1.2.3.4"}, rate)],
        "right and wrong keys": [entry(user, {**rate, "bad": 1.0})],
        "one that is not there taken away": [entry(user, {"producer_byte_rate": None})],
        "unknown one taken away": [entry(user, {"bad": None})],
        "key twice": [entry(user, [("producer_byte_rate", 1.0), ("producer_byte_rate", 2.0)])],
        "key of both twice": [entry({"user": "u", "client-id": "c"}, [
            ("producer_byte_rate", 1.0), ("producer_byte_rate", None)])],
        "one twice": [entry(user, {"producer_byte_rate": None}), entry(user, rate)],
        "of two one wrong": [entry({"client-id": "c"}, {"consumer_byte_rate": None}), entry({}, rate)],
        "more than 10,000": [entry({"client-id": f"c{number}"}, rate) for number in range(10_001)],
    }
    values = (0.0, -1.0, 0.5, 1.5, 1.0000001, 1.00001, 9.3e18, float("inf"), float("nan"), 2.0**31, 2.0**63)
    for key in ("producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate"):
        for value in values:
            wrong[f"{key}={value}"] = [entry(user, {key: value})]
    for value in values:
        wrong[f"connection_creation_rate={value}"] = [
            entry({"ip": "1.2.3.4"}, {"connection_creation_rate": value})]
    for version in versions(api):
        for label, entries in wrong.items():
            talk.ask(label, api, version, alteration(*entries, validate_only=True))


def wrong_filters(talk: QuotaConversation) -> None:
    api = ApiKeys.DESCRIBE_CLIENT_QUOTAS
    wrong: dict[str, tuple[Component, ...]] = {
        "nothing": (),
        "unknown kind": (("other", EXACT, "name"),),
        "no kind": (("", ANY, None),),
        "kind twice": (("user", EXACT, "a"), ("user", EXACT, "b")),
        "kind twice in two ways": (("user", ANY, None), ("user", DEFAULT, None)),
        "exactly nobody": (("user", EXACT, None),),
        "exactly the empty name": (("user", EXACT, ""),),
        "default with a name": (("client-id", DEFAULT, "c"),),
        "any with a name": (("client-id", ANY, "c"),),
        "unknown way": (("user", 3, None),),
        "way below all": (("user", -1, "u"),),
        "address and user": (("ip", ANY, None), ("user", ANY, None)),
        "client and default address": (("client-id", EXACT, "c"), ("ip", DEFAULT, None)),
    }
    for version in versions(api):
        for label, components in wrong.items():
            talk.ask(label, api, version, filter_of(*components))


def changes(talk: QuotaConversation, version: int) -> None:
    """Quotas of one user come, change and go."""
    entity = {"user": "changed", "client-id": None}

    def alter(label: str, ops: Ops, validate_only: bool = False) -> None:
        talk.ask(label, ApiKeys.ALTER_CLIENT_QUOTAS, version,
                 alteration(entry(entity, ops), validate_only=validate_only))
        talk.settle()
        talk.ask(f"after {label}", ApiKeys.DESCRIBE_CLIENT_QUOTAS, version, filter_of(
            ("user", EXACT, "changed"), ("client-id", DEFAULT, None), strict=True))

    alter("two set", {"producer_byte_rate": 10000.0, "consumer_byte_rate": 20000.0})
    alter("one changed", {"producer_byte_rate": 15000.0})
    alter("one set again", {"producer_byte_rate": 15000.0})
    alter("one as if set", {"request_percentage": 12.3}, validate_only=True)
    alter("one taken away", {"producer_byte_rate": None})
    alter("one as if taken away", {"consumer_byte_rate": None}, validate_only=True)
    alter("one of two cannot be", {"request_percentage": 5.5, "consumer_byte_rate": 0.0})
    alter("all kinds of changes", {
        "producer_byte_rate": 20000.0, "consumer_byte_rate": None, "request_percentage": 12.3,
        "controller_mutation_rate": 0.25})
    alter("all taken away", {
        "producer_byte_rate": None, "request_percentage": None, "controller_mutation_rate": None})


def matches(talk: QuotaConversation, version: int) -> None:
    """Those of many are found in all ways."""
    entities: list[Entity] = [
        {"user": "user-1", "client-id": "client-id-1"}, {"user": "user-2", "client-id": "client-id-1"},
        {"user": "user-3", "client-id": "client-id-2"}, {"user": None, "client-id": "client-id-1"},
        {"user": "user-1", "client-id": None}, {"user": None, "client-id": None}, {"user": "user-1"},
        {"user": None}, {"client-id": "client-id-2"}, {"client-id": None}, {"user": "<default>"},
        {"user": "name with blanks: \u00e4 %"}]
    addresses: list[Entity] = [{"ip": "1.2.3.4"}, {"ip": "localhost"}, {"ip": None}]
    quotas = [*((entity, "request_percentage") for entity in entities),
              *((entity, "connection_creation_rate") for entity in addresses)]
    talk.ask("many", ApiKeys.ALTER_CLIENT_QUOTAS, version, alteration(*(
        entry(entity, {key: 1000.0 + number}) for number, (entity, key) in enumerate(quotas))))
    talk.settle()
    names: dict[str, tuple[str | None, ...]] = {
        "user": ("user-1", "nobody", "<default>", None), "client-id": ("client-id-1", None),
        "ip": ("1.2.3.4", "127.0.0.1", None)}
    ways: dict[str, list[Component]] = {
        type_: [(type_, ANY, None), *((type_, DEFAULT if name is None else EXACT, name) for name in names_)]
        for type_, names_ in names.items()}
    both = [(user, client) for user in ways["user"] for client in ways["client-id"]]
    filters: list[tuple[Component, ...]] = [
        (), *((way,) for ways_ in ways.values() for way in ways_), *both]
    for components in filters:
        for strict in (False, True):
            label = ", ".join(f"{type_} {('is', 'default', 'any')[way]} {name or ''}".strip()
                              for type_, way, name in components) or "all"
            talk.ask(f"many, {label}{', and no other' if strict else ''}",
                     ApiKeys.DESCRIBE_CLIENT_QUOTAS, version, filter_of(*components, strict=strict))
    talk.ask("many taken away", ApiKeys.ALTER_CLIENT_QUOTAS, version, alteration(*(
        entry(entity, {key: None}) for entity, key in quotas)))
    talk.settle()
    talk.ask("none is left", ApiKeys.DESCRIBE_CLIENT_QUOTAS, version, filter_of())


def read_recorded() -> Answers:
    """Return the answers of Kafka 3.8.0 in KRaft mode, with all its settings at their defaults."""
    return read_answers(RECORDED)


# How long a live broker may take to hear of a change.
LIVE_SETTLE_S = 0.5

if __name__ == "__main__":
    record_answers(RECORDED, hold(connector(sys.argv[1]), f"record_{os.getpid()}_",
                                  lambda: time.sleep(LIVE_SETTLE_S)))

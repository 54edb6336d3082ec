# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.ClientQuotaControlManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which quotas can be set for whom, and that they are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.errors import KafkaStorageException, PolicyViolationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.protocol.errors import Errors
from kreactor.common.quota.client_quota_alteration import ClientQuotaAlteration
from kreactor.common.quota.client_quota_entity import ClientQuotaEntity
from kreactor.common.requests.api_error import ApiError
from kreactor.controller.client_quota_control_manager import ClientQuotaControlManager
from kreactor.embedded import client_quotas
from kreactor.embedded.client_quotas import ClientQuotaStore

USER, CLIENT_ID, IP = ClientQuotaEntity.USER, ClientQuotaEntity.CLIENT_ID, ClientQuotaEntity.IP


class Told:
    """Stands where quotas are put in force."""

    def __init__(self) -> None:
        self.updates: list[tuple[ClientQuotaEntity, Mapping[str, float | None]]] = []

    def update(self, entity: ClientQuotaEntity, changes: Mapping[str, float | None]) -> None:
        self.updates.append((entity, dict(changes)))


class Manager:
    """A manager on a file of its own."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / client_quotas.FILE_NAME
        self.told = Told()
        self.store = ClientQuotaStore(str(self.path))
        self.subject = ClientQuotaControlManager(self.store)
        self.subject.add(self.told)  # type: ignore[arg-type]

    def alter(self, entity: ClientQuotaEntity, quotas: Mapping[Any, float | None]) -> ApiError:
        return self.alter_all({entity: quotas})[entity]

    def alter_all(
        self, quotas: Mapping[ClientQuotaEntity, Mapping[Any, float | None]],
    ) -> dict[ClientQuotaEntity, ApiError]:
        return self.subject.alter_client_quotas(
            [ClientQuotaAlteration(entity, [ClientQuotaAlteration.Op(key, value)
                                            for key, value in values.items()])
             for entity, values in quotas.items()], False)

    def quotas(self) -> dict[ClientQuotaEntity, dict[str, float]]:
        """Return what is kept, by the file, too."""
        kept = {entity: dict(values) for entity, values in self.store.quotas().items()}
        assert {entity: dict(values) for entity, values in ClientQuotaStore(str(self.path)).quotas().items()
                } == kept
        return kept


@pytest.fixture
def manager(tmp_path: Path) -> Manager:
    return Manager(tmp_path)


def entity_of(**names: str | None) -> ClientQuotaEntity:
    return ClientQuotaEntity({type_.replace("_", "-"): name for type_, name in names.items()})


def assert_invalid(manager: Manager, entity: ClientQuotaEntity, quotas: Mapping[Any, float | None]) -> None:
    assert manager.alter(entity, quotas).error() is Errors.INVALID_REQUEST
    assert manager.quotas() == {} and manager.told.updates == []


def test_invalid_entity_types(manager: Manager) -> None:
    for entity in (
            entity_of(foo="bar"), ClientQuotaEntity({None: "null"}),  # type: ignore[dict-item]
            entity_of(user="user-1", foo="bar"), entity_of(foo="bar", ip="1.2.3.4"),
            entity_of(user="user-1", ip="1.2.3.4"), entity_of(client_id="user-1", ip="1.2.3.4"), entity_of()):
        assert_invalid(manager, entity, {"producer_byte_rate": 10000.0})


def test_invalid_quota_keys(manager: Manager) -> None:
    entity = entity_of(user="user-1")
    assert_invalid(manager, entity, {"not.a.quota.key": 0.0, "request_percentage": 99.9})
    assert_invalid(manager, entity, {"request_percentage": 99.9, "not.a.quota.key": 0.0})
    assert_invalid(manager, entity, {None: 99.9})


def test_alter_and_remove(manager: Manager) -> None:
    user = entity_of(user="user-1")

    def alter(expected: Mapping[str, float], **quotas: float | None) -> None:
        assert manager.alter(user, quotas).is_success()
        assert manager.quotas() == ({user: dict(expected)} if expected else {})

    alter({"producer_byte_rate": 10000.0}, producer_byte_rate=10000.0)
    alter({"producer_byte_rate": 10001.0, "consumer_byte_rate": 20000.0},
          producer_byte_rate=10001.0, consumer_byte_rate=20000.0)
    alter({"consumer_byte_rate": 20000.0}, producer_byte_rate=None)
    # Nothing changes.
    changes = manager.store.changes()
    alter({"consumer_byte_rate": 20000.0}, request_percentage=None)
    alter({"consumer_byte_rate": 20000.0}, consumer_byte_rate=20000.0)
    assert manager.store.changes() == changes
    alter({}, consumer_byte_rate=None)
    alter({}, consumer_byte_rate=None)
    alter({"request_percentage": 99.0, "producer_byte_rate": 10002.0, "consumer_byte_rate": 20001.0},
          request_percentage=99.0, controller_mutation_rate=None, producer_byte_rate=10002.0,
          consumer_byte_rate=20001.0)
    assert manager.told.updates[-1] == (user, {
        "request_percentage": 99.0, "producer_byte_rate": 10002.0, "consumer_byte_rate": 20001.0})


def test_entity_types(manager: Manager) -> None:
    entities = [entity_of(user=user, client_id=client_id) for user, client_id in (
        ("user-1", "client-id-1"), ("user-2", "client-id-1"), ("user-3", "client-id-2"),
        (None, "client-id-1"), ("user-1", None), ("user-3", None))]
    entities += [entity_of(user=user) for user in ("user-1", "user-2", "user-3", None)]
    entities.append(entity_of(client_id="client-id-2"))
    quotas = {entity: {"request_percentage": 50.5 + number} for number, entity in enumerate(entities)}
    results = manager.alter_all(quotas)
    assert results == {entity: ApiError.NONE for entity in entities}
    assert manager.quotas() == quotas
    assert manager.told.updates == list(quotas.items())


def test_is_valid_ip_entity_with_null() -> None:
    assert ClientQuotaControlManager.is_valid_ip_entity(None)


def test_is_valid_ip_entity_with_unresolvable_hostname() -> None:
    assert not ClientQuotaControlManager.is_valid_ip_entity("example.invalid")
    assert not ClientQuotaControlManager.is_valid_ip_entity("a" * 70 + ".example")
    assert not ClientQuotaControlManager.is_valid_ip_entity("a\0b")


def test_is_valid_ip_entity_with_localhost() -> None:
    assert ClientQuotaControlManager.is_valid_ip_entity("127.0.0.1")


def config_keys(*types: str) -> dict[str, Any] | ApiError:
    """Return the keys that an entity of these types may have, or why it cannot be."""
    output: dict[str, Any] = {}
    error = ClientQuotaControlManager.config_keys_for_entity_type(
        {type_: "127.0.0.1" if type_ == IP else "foo" for type_ in types}, output)
    return error if error.is_failure() else output


def keys_of(*types: str) -> set[str]:
    keys = config_keys(*types)
    assert isinstance(keys, dict)
    return set(keys)


USER_KEYS = {"producer_byte_rate", "consumer_byte_rate", "controller_mutation_rate", "request_percentage"}


def test_config_keys_for_entity_type_with_user() -> None:
    assert keys_of(USER) == USER_KEYS


def test_config_keys_for_entity_type_with_client_id() -> None:
    assert keys_of(CLIENT_ID) == USER_KEYS


def test_config_keys_for_entity_type_with_user_and_client_id() -> None:
    assert keys_of(CLIENT_ID, USER) == USER_KEYS


def test_config_keys_for_entity_type_with_ip() -> None:
    assert keys_of(IP) == {"connection_creation_rate"}


def test_config_keys_for_empty_entity() -> None:
    assert config_keys() == ApiError(Errors.INVALID_REQUEST, "Invalid empty client quota entity")


COMBINATION = ApiError(Errors.INVALID_REQUEST, "Invalid quota entity combination, IP entity should"
                       "not be combined with User or ClientId")


def test_config_keys_for_entity_type_with_ip_and_user() -> None:
    assert config_keys(IP, USER) == COMBINATION


def test_config_keys_for_entity_type_with_ip_and_client_id() -> None:
    assert config_keys(IP, CLIENT_ID) == COMBINATION


def test_config_keys_for_unresolvable_ip_entity() -> None:
    assert ClientQuotaControlManager.config_keys_for_entity_type({IP: "example.invalid"}, {}) == ApiError(
        Errors.INVALID_REQUEST, "example.invalid is not a valid IP or resolvable host.")


def validate(key: str, value: float, *types: str) -> ApiError:
    keys = config_keys(*(types or (CLIENT_ID,)))
    assert isinstance(keys, dict)
    return ClientQuotaControlManager.validate_quota_key_value(keys, key, value)


def invalid(message: str) -> ApiError:
    return ApiError(Errors.INVALID_REQUEST, message)


def test_validate_quota_key_value_for_unknown_quota() -> None:
    assert validate("foobar", 1.0) == invalid("Invalid configuration key foobar")


def test_validate_quota_key_value_for_zero_quota() -> None:
    assert validate("producer_byte_rate", 0.0) == invalid("Quota producer_byte_rate must be greater than 0")


def test_validate_quota_key_value_for_negative_quota() -> None:
    assert validate("consumer_byte_rate", -2.0) == invalid("Quota consumer_byte_rate must be greater than 0")


def test_validate_quota_key_value_for_valid_consumer_byte_rate() -> None:
    assert validate("consumer_byte_rate", 1234.0) == ApiError.NONE


def test_validate_quota_key_value_for_consumer_byte_rate_too_large() -> None:
    assert validate("consumer_byte_rate", 36893488147419103232.4) == invalid(
        "Proposed value for consumer_byte_rate is too large for a LONG.")
    assert validate("connection_creation_rate", 2.0**31, IP) == invalid(
        "Proposed value for connection_creation_rate is too large for an INT.")


@pytest.mark.parametrize("type_, largest", [
    (ConfigDef.Type.SHORT, 2**15 - 1), (ConfigDef.Type.INT, 2**31 - 1)])
def test_the_largest_value_of_an_integral_quota(type_: ConfigDef.Type, largest: int) -> None:
    keys = ConfigDef().define("quota", type_, ConfigDef.Importance.LOW, "").config_keys()
    article = "an" if type_ is ConfigDef.Type.INT else "a"
    validate_value = ClientQuotaControlManager.validate_quota_key_value
    assert validate_value(keys, "quota", float(largest)) == ApiError.NONE
    assert validate_value(keys, "quota", largest + 1.0) == invalid(
        f"Proposed value for quota is too large for {article} {type_.name}.")


def test_validate_quota_key_value_for_fractional_consumer_byte_rate() -> None:
    assert validate("consumer_byte_rate", 2.245) == invalid(
        "consumer_byte_rate cannot be a fractional value.")


def test_validate_quota_key_value_for_valid_consumer_byte_rate2() -> None:
    assert validate("consumer_byte_rate", 1235.0000001) == ApiError.NONE


def test_validate_quota_key_value_for_valid_request_percentage() -> None:
    assert validate("request_percentage", 56.62367) == ApiError.NONE


# Ours.


def test_too_many_are_refused_whole(manager: Manager) -> None:
    quotas = {entity_of(user=f"u{number}"): {"producer_byte_rate": 1.0} for number in range(10_001)}
    with pytest.raises(PolicyViolationException, match="excessively large batch operation"):
        manager.alter_all(quotas)
    assert manager.quotas() == {} and manager.told.updates == []
    quotas.popitem()
    manager.alter_all(quotas)
    assert len(manager.quotas()) == 10_000


def test_a_disk_that_refuses_changes_nothing(manager: Manager, monkeypatch: pytest.MonkeyPatch) -> None:
    user = entity_of(user="u")
    manager.alter(user, {"producer_byte_rate": 1.0})

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("kreactor.embedded.json_file.write_atomically", refuse)
        with pytest.raises(KafkaStorageException, match="cannot be written"):
            manager.alter(user, {"producer_byte_rate": 2.0})
    assert manager.quotas() == {user: {"producer_byte_rate": 1.0}}
    assert len(manager.told.updates) == 1


def test_what_is_kept_is_in_force_at_the_start(manager: Manager) -> None:
    for entity in (
            entity_of(user="\u00e4\U0001f600"), entity_of(user=None, client_id="c"), entity_of(ip=None)):
        key = "connection_creation_rate" if IP in entity.entries() else "request_percentage"
        assert manager.alter(entity, {key: 5.0}).is_success()
    again = Manager(manager.path.parent)
    assert again.told.updates == manager.told.updates
    assert again.store.changes() == 3


@pytest.mark.parametrize("content", [
    b"", b"{", b"[]", b'{"version": 2, "changes": 1, "quotas": []}', b'{"version": 1, "quotas": []}',
    b'{"version": 1, "changes": 1, "quotas": [{"entity": {"user": "u"}}]}',
    b'{"version": 1, "changes": 1, "quotas": [{"entity": [], "values": {}}]}',
    b'{"version": 1, "changes": 1, "quotas": [{"entity": {}, "values": {"k": "v"}}]}', b"\xff"])
def test_a_file_that_is_none_is_not_taken_for_no_quotas(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / client_quotas.FILE_NAME
    path.write_bytes(content)
    with pytest.raises(KafkaException, match="client_quotas.json"):
        ClientQuotaStore(str(path))


def test_the_file(manager: Manager) -> None:
    manager.alter(entity_of(user="u", client_id=None), {"producer_byte_rate": 1024.0})
    assert json.loads(manager.path.read_text()) == {"version": 1, "changes": 1, "quotas": [
        {"entity": {"user": "u", "client-id": None}, "values": {"producer_byte_rate": 1024.0}}]}


@pytest.mark.parametrize("value", [1e-300, 0.1, 2.0**53 + 2, 9.2e18, float("inf"), float("nan")])
def test_every_number_is_kept_as_it_is(manager: Manager, value: float) -> None:
    user = entity_of(user="u")
    assert manager.alter(user, {"request_percentage": value}).is_success()
    kept = ClientQuotaStore(str(manager.path)).quotas()[user]["request_percentage"]
    assert kept == value or kept != kept and value != value

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Users, permissions and quotas of a cluster: set at one broker, looked for at another one.

Each broker has a PLAINTEXT listener for the administrator, and a SASL_PLAINTEXT listener for users of SCRAM.
"""

from __future__ import annotations

from typing import Any

from kreactor.common.message.create_acls_request_data import CreateAclsRequestData
from kreactor.common.message.delete_acls_request_data import DeleteAclsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.acl_conversation import delete_filter, delete_filters
from tests.core.server.quota_conversation import alteration as quota_alteration, entry
from tests.core.server.scram_conversation import alteration, deletion, upsertion
from tests.core.server.scram_wire import ScramWire
from tests.core.server.wire import Wire

TOPIC, USER, PASSWORD = "topic", "alice", "alice's secret"
PROPERTIES = {
    "listeners": "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
    "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config":
        "org.apache.kafka.common.security.scram.ScramLoginModule required;",
    "authorizer.class.name": "kreactor.metadata.authorizer.standard_authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
_MECHANISM = ScramMechanism.SCRAM_SHA_256


def _ask(broker: BrokerServer, api: ApiKeys, version: int, body: Any) -> Any:
    with Wire("127.0.0.1", broker.bound_port("PLAINTEXT")) as wire:
        return wire.ask(api, version, body)


def add_user(broker: BrokerServer) -> None:
    salted = ScramFormatter(_MECHANISM).salted_password(PASSWORD, b"salt", 4096)
    answer = _ask(broker, ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, 0,
                  alteration(upsertion(USER, salted_password=salted)))
    assert answer.results[0].error_code == 0


def remove_user(broker: BrokerServer) -> None:
    answer = _ask(broker, ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, 0, alteration(deletion(USER)))
    assert answer.results[0].error_code == 0


def permit(broker: BrokerServer) -> None:
    answer = _ask(broker, ApiKeys.CREATE_ACLS, 3, CreateAclsRequestData(creations=[
        CreateAclsRequestData.AclCreation(
            resource_type=2, resource_name=TOPIC, principal=f"User:{USER}", host="*", operation=8,
            permission_type=3)]))
    assert answer.results[0].error_code == 0


def forbid(broker: BrokerServer) -> None:
    filters: DeleteAclsRequestData = delete_filters(delete_filter(resource_name_filter=TOPIC))
    answer = _ask(broker, ApiKeys.DELETE_ACLS, 3, filters)
    assert [len(each.matching_acls) for each in answer.filter_results] == [1]


def set_quota(broker: BrokerServer, bound: float | None) -> None:
    answer = _ask(broker, ApiKeys.ALTER_CLIENT_QUOTAS, 1,
                  quota_alteration(entry({"user": USER}, {"producer_byte_rate": bound})))
    assert answer.entries[0].error_code == 0


def view(broker: BrokerServer) -> tuple[Errors, Errors | None, float]:
    """Return how a broker authenticates the user, what it answers about the topic, and the user's quota."""
    quota = broker.quota_managers().produce.quota(USER, "client").bound()
    with Wire("127.0.0.1", broker.bound_port("SASL_PLAINTEXT")) as wire:
        scram = ScramWire(wire, _MECHANISM, USER, PASSWORD)
        error = Errors.for_code(scram.refusal[0] if scram.refusal is not None else
                                scram.authenticate(scram.final()).error_code)
        if error is not Errors.NONE:
            return error, None, quota
        answer: Any = wire.ask(ApiKeys.METADATA, 9, MetadataRequestData(
            topics=[MetadataRequestData.MetadataRequestTopic(name=TOPIC)], allow_auto_topic_creation=False))
        return error, Errors.for_code(answer.topics[0].error_code), quota

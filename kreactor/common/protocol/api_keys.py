# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.protocol.ApiKeys of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The APIs of the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kreactor.common.message.api_message_type import ApiMessageType, ListenerType
from kreactor.common.record.record_batch import RecordBatch
from kreactor.jdk.exceptions import IllegalArgumentException

if TYPE_CHECKING:
    from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData


class ApiKeys:
    """An API. Immutable; each API has one instance. ``str`` returns the name of its constant.

    ``id`` is the permanent key on the wire. ``name`` is used in logs and metrics. ``cluster_action`` means
    that only brokers send the request. ``forwardable`` means that a broker may forward it to the controller.
    ``requires_delayed_allocation`` means that the request's buffer is in use until the request is complete.

    :origin: common.protocol.ApiKeys
    """

    __slots__ = ("id", "name", "cluster_action", "min_required_inter_broker_magic",
                 "forwardable", "requires_delayed_allocation", "message_type", "_oldest_version",
                 "_latest_version", "_latest_stable_version")

    PRODUCE: ClassVar[ApiKeys]
    FETCH: ClassVar[ApiKeys]
    LIST_OFFSETS: ClassVar[ApiKeys]
    METADATA: ClassVar[ApiKeys]
    LEADER_AND_ISR: ClassVar[ApiKeys]
    STOP_REPLICA: ClassVar[ApiKeys]
    UPDATE_METADATA: ClassVar[ApiKeys]
    CONTROLLED_SHUTDOWN: ClassVar[ApiKeys]
    OFFSET_COMMIT: ClassVar[ApiKeys]
    OFFSET_FETCH: ClassVar[ApiKeys]
    FIND_COORDINATOR: ClassVar[ApiKeys]
    JOIN_GROUP: ClassVar[ApiKeys]
    HEARTBEAT: ClassVar[ApiKeys]
    LEAVE_GROUP: ClassVar[ApiKeys]
    SYNC_GROUP: ClassVar[ApiKeys]
    DESCRIBE_GROUPS: ClassVar[ApiKeys]
    LIST_GROUPS: ClassVar[ApiKeys]
    SASL_HANDSHAKE: ClassVar[ApiKeys]
    API_VERSIONS: ClassVar[ApiKeys]
    CREATE_TOPICS: ClassVar[ApiKeys]
    DELETE_TOPICS: ClassVar[ApiKeys]
    DELETE_RECORDS: ClassVar[ApiKeys]
    INIT_PRODUCER_ID: ClassVar[ApiKeys]
    OFFSET_FOR_LEADER_EPOCH: ClassVar[ApiKeys]
    ADD_PARTITIONS_TO_TXN: ClassVar[ApiKeys]
    ADD_OFFSETS_TO_TXN: ClassVar[ApiKeys]
    END_TXN: ClassVar[ApiKeys]
    WRITE_TXN_MARKERS: ClassVar[ApiKeys]
    TXN_OFFSET_COMMIT: ClassVar[ApiKeys]
    DESCRIBE_ACLS: ClassVar[ApiKeys]
    CREATE_ACLS: ClassVar[ApiKeys]
    DELETE_ACLS: ClassVar[ApiKeys]
    DESCRIBE_CONFIGS: ClassVar[ApiKeys]
    ALTER_CONFIGS: ClassVar[ApiKeys]
    ALTER_REPLICA_LOG_DIRS: ClassVar[ApiKeys]
    DESCRIBE_LOG_DIRS: ClassVar[ApiKeys]
    SASL_AUTHENTICATE: ClassVar[ApiKeys]
    CREATE_PARTITIONS: ClassVar[ApiKeys]
    CREATE_DELEGATION_TOKEN: ClassVar[ApiKeys]
    RENEW_DELEGATION_TOKEN: ClassVar[ApiKeys]
    EXPIRE_DELEGATION_TOKEN: ClassVar[ApiKeys]
    DESCRIBE_DELEGATION_TOKEN: ClassVar[ApiKeys]
    DELETE_GROUPS: ClassVar[ApiKeys]
    ELECT_LEADERS: ClassVar[ApiKeys]
    INCREMENTAL_ALTER_CONFIGS: ClassVar[ApiKeys]
    ALTER_PARTITION_REASSIGNMENTS: ClassVar[ApiKeys]
    LIST_PARTITION_REASSIGNMENTS: ClassVar[ApiKeys]
    OFFSET_DELETE: ClassVar[ApiKeys]
    DESCRIBE_CLIENT_QUOTAS: ClassVar[ApiKeys]
    ALTER_CLIENT_QUOTAS: ClassVar[ApiKeys]
    DESCRIBE_USER_SCRAM_CREDENTIALS: ClassVar[ApiKeys]
    ALTER_USER_SCRAM_CREDENTIALS: ClassVar[ApiKeys]
    VOTE: ClassVar[ApiKeys]
    BEGIN_QUORUM_EPOCH: ClassVar[ApiKeys]
    END_QUORUM_EPOCH: ClassVar[ApiKeys]
    DESCRIBE_QUORUM: ClassVar[ApiKeys]
    ALTER_PARTITION: ClassVar[ApiKeys]
    UPDATE_FEATURES: ClassVar[ApiKeys]
    ENVELOPE: ClassVar[ApiKeys]
    FETCH_SNAPSHOT: ClassVar[ApiKeys]
    DESCRIBE_CLUSTER: ClassVar[ApiKeys]
    DESCRIBE_PRODUCERS: ClassVar[ApiKeys]
    BROKER_REGISTRATION: ClassVar[ApiKeys]
    BROKER_HEARTBEAT: ClassVar[ApiKeys]
    UNREGISTER_BROKER: ClassVar[ApiKeys]
    DESCRIBE_TRANSACTIONS: ClassVar[ApiKeys]
    LIST_TRANSACTIONS: ClassVar[ApiKeys]
    ALLOCATE_PRODUCER_IDS: ClassVar[ApiKeys]
    CONSUMER_GROUP_HEARTBEAT: ClassVar[ApiKeys]
    CONSUMER_GROUP_DESCRIBE: ClassVar[ApiKeys]
    CONTROLLER_REGISTRATION: ClassVar[ApiKeys]
    GET_TELEMETRY_SUBSCRIPTIONS: ClassVar[ApiKeys]
    PUSH_TELEMETRY: ClassVar[ApiKeys]
    ASSIGN_REPLICAS_TO_DIRS: ClassVar[ApiKeys]
    LIST_CLIENT_METRICS_RESOURCES: ClassVar[ApiKeys]
    DESCRIBE_TOPIC_PARTITIONS: ClassVar[ApiKeys]

    _VALUES: ClassVar[list[ApiKeys]] = []
    _APIS_BY_LISTENER: ClassVar[dict[ListenerType, dict[ApiKeys, None]]] = {}
    _ID_TO_TYPE: ClassVar[dict[int, ApiKeys]] = {}

    def __init__(self, message_type: ApiMessageType, *, cluster_action: bool = False,
                 min_required_inter_broker_magic: int = RecordBatch.MAGIC_VALUE_V0,
                 forwardable: bool = False) -> None:
        """:origin: common.protocol.ApiKeys#ApiKeys(ApiMessageType, boolean, byte, boolean)
        :origin: common.protocol.ApiKeys#ApiKeys(ApiMessageType)
        :origin: common.protocol.ApiKeys#ApiKeys(ApiMessageType, boolean)
        :origin: common.protocol.ApiKeys#ApiKeys(ApiMessageType, boolean, boolean)
        """
        self.message_type = message_type
        self.id = message_type.api_key()
        self.name = message_type.name
        self.cluster_action = cluster_action
        self.min_required_inter_broker_magic = min_required_inter_broker_magic
        self.requires_delayed_allocation = forwardable or message_type._retains_buffer
        self.forwardable = forwardable
        self._oldest_version = message_type.lowest_supported_version()
        self._latest_version = message_type.highest_supported_version(True)
        self._latest_stable_version = message_type.highest_supported_version(False)
        ApiKeys._VALUES.append(self)
        ApiKeys._ID_TO_TYPE[self.id] = self

    @staticmethod
    def values() -> list[ApiKeys]:
        """Return all APIs in the order of their ids.

        :origin: common.protocol.ApiKeys#values()
        """
        return list(ApiKeys._VALUES)

    @staticmethod
    def for_id(id_: int) -> ApiKeys:
        """Return the API with this id. Raises IllegalArgumentException for an unknown id.

        :origin: common.protocol.ApiKeys#forId(int)
        """
        api_key = ApiKeys._ID_TO_TYPE.get(id_)
        if api_key is None:
            raise IllegalArgumentException(f"Unexpected api key: {id_}")
        return api_key

    @staticmethod
    def has_id(id_: int) -> bool:
        """Return whether an API has this id.

        :origin: common.protocol.ApiKeys#hasId(int)
        """
        return id_ in ApiKeys._ID_TO_TYPE

    def latest_version(self, enable_unstable_last_version: bool = True) -> int:
        """Return the latest version. An unstable one counts only with ``enable_unstable_last_version``.

        :origin: common.protocol.ApiKeys#latestVersion()
        :origin: common.protocol.ApiKeys#latestVersion(boolean)
        """
        return self._latest_version if enable_unstable_last_version else self._latest_stable_version

    def oldest_version(self) -> int:
        """Return the lowest version.

        :origin: common.protocol.ApiKeys#oldestVersion()
        """
        return self._oldest_version

    def all_versions(self) -> list[int]:
        """Return the versions, with the unstable one.

        :origin: common.protocol.ApiKeys#allVersions()
        """
        return list(range(self._oldest_version, self._latest_version + 1))

    def is_version_supported(self, api_version: int) -> bool:
        """Return whether this software supports the version.

        :origin: common.protocol.ApiKeys#isVersionSupported(short)
        """
        return self._oldest_version <= api_version <= self._latest_version

    def is_version_enabled(self, api_version: int, enable_unstable_last_version: bool) -> bool:
        """Return whether requests of the version are accepted.

        Every version of ApiVersions is accepted, because an unknown one gets a response of version 0
        (KIP-511).

        :origin: common.protocol.ApiKeys#isVersionEnabled(short, boolean)
        """
        if self is ApiKeys.API_VERSIONS:
            return True
        return self._oldest_version <= api_version <= (
            self._latest_version if enable_unstable_last_version else self._latest_stable_version)

    def is_version_deprecated(self, api_version: int) -> bool:
        """Return whether the version is deprecated.

        :origin: common.protocol.ApiKeys#isVersionDeprecated(short)
        """
        deprecated = self.message_type._deprecated
        return deprecated.lowest <= api_version <= deprecated.highest

    def to_api_version(self, enable_unstable_last_version: bool) -> ApiVersionsResponseData.ApiVersion | None:
        """Return the API's entry for an ApiVersions response, None without a stable version.

        :origin: common.protocol.ApiKeys#toApiVersion(boolean)
        """
        from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
        oldest_version = self._oldest_version
        latest_version = self.latest_version(enable_unstable_last_version)
        if latest_version >= oldest_version:
            return ApiVersionsResponseData.ApiVersion(
                api_key=self.id, min_version=oldest_version, max_version=latest_version)
        return None

    def request_header_version(self, api_version: int) -> int:
        """Return the version of the request header.

        :origin: common.protocol.ApiKeys#requestHeaderVersion(short)
        """
        return self.message_type.request_header_version(api_version)

    def response_header_version(self, api_version: int) -> int:
        """Return the version of the response header, always 0 for ApiVersions.

        :origin: common.protocol.ApiKeys#responseHeaderVersion(short)
        """
        return self.message_type.response_header_version(api_version)

    def in_scope(self, listener: ListenerType) -> bool:
        """Return whether listeners of this type serve the API.

        :origin: common.protocol.ApiKeys#inScope(ApiMessageType.ListenerType)
        """
        return listener in self.message_type.listeners()

    @staticmethod
    def client_apis() -> list[ApiKeys]:
        """Return the APIs of brokers with ZooKeeper or KRaft, in the order of their ids.

        :origin: common.protocol.ApiKeys#clientApis()
        """
        return [api_key for api_key in ApiKeys._VALUES
                if api_key.in_scope(ListenerType.ZK_BROKER) or api_key.in_scope(ListenerType.BROKER)]

    @staticmethod
    def apis_for_listener(listener: ListenerType) -> list[ApiKeys]:
        """Return the APIs of a listener, in the order of their ids.

        :origin: common.protocol.ApiKeys#apisForListener(ApiMessageType.ListenerType)
        """
        return list(ApiKeys._APIS_BY_LISTENER[listener])

    @staticmethod
    def _filter_apis_for_listener(listener: ListenerType) -> dict[ApiKeys, None]:
        """Return the APIs of a listener as a set in the order of their ids.

        :origin: common.protocol.ApiKeys#filterApisForListener(ApiMessageType.ListenerType)
        """
        return {api_key: None for api_key in ApiKeys._VALUES if api_key.in_scope(listener)}

    def __str__(self) -> str:
        """:origin: common.protocol.ApiKeys#toString()"""
        return self.message_type._constant

    __repr__ = __str__


ApiKeys.PRODUCE = ApiKeys(ApiMessageType.PRODUCE)
ApiKeys.FETCH = ApiKeys(ApiMessageType.FETCH)
ApiKeys.LIST_OFFSETS = ApiKeys(ApiMessageType.LIST_OFFSETS)
ApiKeys.METADATA = ApiKeys(ApiMessageType.METADATA)
ApiKeys.LEADER_AND_ISR = ApiKeys(ApiMessageType.LEADER_AND_ISR, cluster_action=True)
ApiKeys.STOP_REPLICA = ApiKeys(ApiMessageType.STOP_REPLICA, cluster_action=True)
ApiKeys.UPDATE_METADATA = ApiKeys(ApiMessageType.UPDATE_METADATA, cluster_action=True)
ApiKeys.CONTROLLED_SHUTDOWN = ApiKeys(ApiMessageType.CONTROLLED_SHUTDOWN, cluster_action=True)
ApiKeys.OFFSET_COMMIT = ApiKeys(ApiMessageType.OFFSET_COMMIT)
ApiKeys.OFFSET_FETCH = ApiKeys(ApiMessageType.OFFSET_FETCH)
ApiKeys.FIND_COORDINATOR = ApiKeys(ApiMessageType.FIND_COORDINATOR)
ApiKeys.JOIN_GROUP = ApiKeys(ApiMessageType.JOIN_GROUP)
ApiKeys.HEARTBEAT = ApiKeys(ApiMessageType.HEARTBEAT)
ApiKeys.LEAVE_GROUP = ApiKeys(ApiMessageType.LEAVE_GROUP)
ApiKeys.SYNC_GROUP = ApiKeys(ApiMessageType.SYNC_GROUP)
ApiKeys.DESCRIBE_GROUPS = ApiKeys(ApiMessageType.DESCRIBE_GROUPS)
ApiKeys.LIST_GROUPS = ApiKeys(ApiMessageType.LIST_GROUPS)
ApiKeys.SASL_HANDSHAKE = ApiKeys(ApiMessageType.SASL_HANDSHAKE)
ApiKeys.API_VERSIONS = ApiKeys(ApiMessageType.API_VERSIONS)
ApiKeys.CREATE_TOPICS = ApiKeys(ApiMessageType.CREATE_TOPICS, forwardable=True)
ApiKeys.DELETE_TOPICS = ApiKeys(ApiMessageType.DELETE_TOPICS, forwardable=True)
ApiKeys.DELETE_RECORDS = ApiKeys(ApiMessageType.DELETE_RECORDS)
ApiKeys.INIT_PRODUCER_ID = ApiKeys(ApiMessageType.INIT_PRODUCER_ID)
ApiKeys.OFFSET_FOR_LEADER_EPOCH = ApiKeys(ApiMessageType.OFFSET_FOR_LEADER_EPOCH)
ApiKeys.ADD_PARTITIONS_TO_TXN = ApiKeys(
    ApiMessageType.ADD_PARTITIONS_TO_TXN, min_required_inter_broker_magic=RecordBatch.MAGIC_VALUE_V2)
ApiKeys.ADD_OFFSETS_TO_TXN = ApiKeys(
    ApiMessageType.ADD_OFFSETS_TO_TXN, min_required_inter_broker_magic=RecordBatch.MAGIC_VALUE_V2)
ApiKeys.END_TXN = ApiKeys(
    ApiMessageType.END_TXN, min_required_inter_broker_magic=RecordBatch.MAGIC_VALUE_V2)
ApiKeys.WRITE_TXN_MARKERS = ApiKeys(
    ApiMessageType.WRITE_TXN_MARKERS, cluster_action=True,
    min_required_inter_broker_magic=RecordBatch.MAGIC_VALUE_V2)
ApiKeys.TXN_OFFSET_COMMIT = ApiKeys(
    ApiMessageType.TXN_OFFSET_COMMIT, min_required_inter_broker_magic=RecordBatch.MAGIC_VALUE_V2)
ApiKeys.DESCRIBE_ACLS = ApiKeys(ApiMessageType.DESCRIBE_ACLS)
ApiKeys.CREATE_ACLS = ApiKeys(ApiMessageType.CREATE_ACLS, forwardable=True)
ApiKeys.DELETE_ACLS = ApiKeys(ApiMessageType.DELETE_ACLS, forwardable=True)
ApiKeys.DESCRIBE_CONFIGS = ApiKeys(ApiMessageType.DESCRIBE_CONFIGS)
ApiKeys.ALTER_CONFIGS = ApiKeys(ApiMessageType.ALTER_CONFIGS, forwardable=True)
ApiKeys.ALTER_REPLICA_LOG_DIRS = ApiKeys(ApiMessageType.ALTER_REPLICA_LOG_DIRS)
ApiKeys.DESCRIBE_LOG_DIRS = ApiKeys(ApiMessageType.DESCRIBE_LOG_DIRS)
ApiKeys.SASL_AUTHENTICATE = ApiKeys(ApiMessageType.SASL_AUTHENTICATE)
ApiKeys.CREATE_PARTITIONS = ApiKeys(ApiMessageType.CREATE_PARTITIONS, forwardable=True)
ApiKeys.CREATE_DELEGATION_TOKEN = ApiKeys(ApiMessageType.CREATE_DELEGATION_TOKEN, forwardable=True)
ApiKeys.RENEW_DELEGATION_TOKEN = ApiKeys(ApiMessageType.RENEW_DELEGATION_TOKEN, forwardable=True)
ApiKeys.EXPIRE_DELEGATION_TOKEN = ApiKeys(ApiMessageType.EXPIRE_DELEGATION_TOKEN, forwardable=True)
ApiKeys.DESCRIBE_DELEGATION_TOKEN = ApiKeys(ApiMessageType.DESCRIBE_DELEGATION_TOKEN)
ApiKeys.DELETE_GROUPS = ApiKeys(ApiMessageType.DELETE_GROUPS)
ApiKeys.ELECT_LEADERS = ApiKeys(ApiMessageType.ELECT_LEADERS, forwardable=True)
ApiKeys.INCREMENTAL_ALTER_CONFIGS = ApiKeys(ApiMessageType.INCREMENTAL_ALTER_CONFIGS, forwardable=True)
ApiKeys.ALTER_PARTITION_REASSIGNMENTS = ApiKeys(
    ApiMessageType.ALTER_PARTITION_REASSIGNMENTS,
    forwardable=True)
ApiKeys.LIST_PARTITION_REASSIGNMENTS = ApiKeys(
    ApiMessageType.LIST_PARTITION_REASSIGNMENTS,
    forwardable=True)
ApiKeys.OFFSET_DELETE = ApiKeys(ApiMessageType.OFFSET_DELETE)
ApiKeys.DESCRIBE_CLIENT_QUOTAS = ApiKeys(ApiMessageType.DESCRIBE_CLIENT_QUOTAS)
ApiKeys.ALTER_CLIENT_QUOTAS = ApiKeys(ApiMessageType.ALTER_CLIENT_QUOTAS, forwardable=True)
ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS = ApiKeys(ApiMessageType.DESCRIBE_USER_SCRAM_CREDENTIALS)
ApiKeys.ALTER_USER_SCRAM_CREDENTIALS = ApiKeys(
    ApiMessageType.ALTER_USER_SCRAM_CREDENTIALS,
    forwardable=True)
ApiKeys.VOTE = ApiKeys(ApiMessageType.VOTE, cluster_action=True)
ApiKeys.BEGIN_QUORUM_EPOCH = ApiKeys(ApiMessageType.BEGIN_QUORUM_EPOCH, cluster_action=True)
ApiKeys.END_QUORUM_EPOCH = ApiKeys(ApiMessageType.END_QUORUM_EPOCH, cluster_action=True)
ApiKeys.DESCRIBE_QUORUM = ApiKeys(ApiMessageType.DESCRIBE_QUORUM, cluster_action=True, forwardable=True)
ApiKeys.ALTER_PARTITION = ApiKeys(ApiMessageType.ALTER_PARTITION, cluster_action=True)
ApiKeys.UPDATE_FEATURES = ApiKeys(ApiMessageType.UPDATE_FEATURES, cluster_action=True, forwardable=True)
ApiKeys.ENVELOPE = ApiKeys(ApiMessageType.ENVELOPE, cluster_action=True)
ApiKeys.FETCH_SNAPSHOT = ApiKeys(ApiMessageType.FETCH_SNAPSHOT)
ApiKeys.DESCRIBE_CLUSTER = ApiKeys(ApiMessageType.DESCRIBE_CLUSTER)
ApiKeys.DESCRIBE_PRODUCERS = ApiKeys(ApiMessageType.DESCRIBE_PRODUCERS)
ApiKeys.BROKER_REGISTRATION = ApiKeys(ApiMessageType.BROKER_REGISTRATION, cluster_action=True)
ApiKeys.BROKER_HEARTBEAT = ApiKeys(ApiMessageType.BROKER_HEARTBEAT, cluster_action=True)
ApiKeys.UNREGISTER_BROKER = ApiKeys(ApiMessageType.UNREGISTER_BROKER, forwardable=True)
ApiKeys.DESCRIBE_TRANSACTIONS = ApiKeys(ApiMessageType.DESCRIBE_TRANSACTIONS)
ApiKeys.LIST_TRANSACTIONS = ApiKeys(ApiMessageType.LIST_TRANSACTIONS)
ApiKeys.ALLOCATE_PRODUCER_IDS = ApiKeys(
    ApiMessageType.ALLOCATE_PRODUCER_IDS, cluster_action=True,
    forwardable=True)
ApiKeys.CONSUMER_GROUP_HEARTBEAT = ApiKeys(ApiMessageType.CONSUMER_GROUP_HEARTBEAT)
ApiKeys.CONSUMER_GROUP_DESCRIBE = ApiKeys(ApiMessageType.CONSUMER_GROUP_DESCRIBE)
ApiKeys.CONTROLLER_REGISTRATION = ApiKeys(ApiMessageType.CONTROLLER_REGISTRATION)
ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS = ApiKeys(ApiMessageType.GET_TELEMETRY_SUBSCRIPTIONS)
ApiKeys.PUSH_TELEMETRY = ApiKeys(ApiMessageType.PUSH_TELEMETRY)
ApiKeys.ASSIGN_REPLICAS_TO_DIRS = ApiKeys(ApiMessageType.ASSIGN_REPLICAS_TO_DIRS)
ApiKeys.LIST_CLIENT_METRICS_RESOURCES = ApiKeys(ApiMessageType.LIST_CLIENT_METRICS_RESOURCES)
ApiKeys.DESCRIBE_TOPIC_PARTITIONS = ApiKeys(ApiMessageType.DESCRIBE_TOPIC_PARTITIONS)

for _listener in ListenerType:
    ApiKeys._APIS_BY_LISTENER[_listener] = ApiKeys._filter_apis_for_listener(_listener)

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""One sample request of every API with a value in each field, to which a broker responds with an error.

Every name begins with a character that is illegal in topic names, and every request that can be a dry run is
one. So a broker that handles a sample, or a changed sample, creates, changes and deletes nothing.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from kreactor.conformance.batches import batch, message_set
from kreactor.conformance.schemas import Api

PREFIX = "@"
NAME = PREFIX + "nobody"
INSTANCE = PREFIX + "instance"
UNKNOWN_ID = bytes(range(16))
_PRODUCER_ID = 1 << 40
_ACL = {"operation": 3, "permissionType": 3}
_ACL_FILTER = {"resourceTypeFilter": 2, "resourceNameFilter": NAME, "patternTypeFilter": 3,
               "principalFilter": "User:@me", "hostFilter": "@here", **_ACL}
_ONE_UUID = struct.pack(">QQ", 0, 1)

Body = dict[str, Any]


def sample(api: Api, version: int) -> Body:
    """Return the body of the sample of an API in a version. Raises KeyError for an API without one."""
    body = dict(_SAMPLES[api.name])
    if version_of := _BY_VERSION.get(api.name):
        body.update(version_of(version))
    return body


def has_sample(api: Api) -> bool:
    return api.name in _SAMPLES


def _producer(**more: Any) -> Body:
    return {"transactionalId": NAME, "producerId": _PRODUCER_ID, "producerEpoch": 7, **more}


def _fetch(version: int) -> Body:
    topic = {"topic": NAME, "topicId": UNKNOWN_ID}
    return {"topics": [{**topic, "partitions": [{"partition": 0, "partitionMaxBytes": 1000}]}],
            "forgottenTopicsData": [{**topic, "partitions": [1, 2]}] if version >= 7 else []}


def _add_partitions(version: int) -> Body:
    topics = [{"name": NAME, "partitions": [0, 1]}]
    if version < 4:
        return {"v3AndBelowTransactionalId": NAME, "v3AndBelowProducerId": _PRODUCER_ID,
                "v3AndBelowProducerEpoch": 7, "v3AndBelowTopics": topics}
    return {"transactions": [_producer(verifyOnly=True, topics=topics)]}


def _offset_fetch(version: int) -> Body:
    topics = [{"name": NAME, "partitionIndexes": [0, 1]}]
    if version < 8:
        return {"groupId": NAME, "topics": topics}
    return {"groups": [{"groupId": NAME, "topics": topics, "memberId": PREFIX, "memberEpoch": 1}]}


def _records(version: int) -> bytes:
    # The records have the format of the version: message sets up to 2, batches from 3 on.
    records = [(None, b"a value")]
    return batch(records) if version >= 3 else message_set(records, magic=version // 2)


_SAMPLES: dict[str, Body] = {
    "Produce": {"acks": 1, "timeoutMs": 1000},
    "Fetch": {"maxWaitMs": 100, "minBytes": 1, "maxBytes": 10_000, "rackId": "@rack",
              "clusterId": "@cluster"},
    "ListOffsets": {"replicaId": -1, "topics": [
        {"name": NAME, "partitions": [{"partitionIndex": 0, "timestamp": -1, "maxNumOffsets": 1}]}]},
    "Metadata": {"topics": [{"name": NAME}, {"name": PREFIX}]},
    "OffsetCommit": {"groupId": NAME, "memberId": PREFIX, "generationIdOrMemberEpoch": 1,
                     "groupInstanceId": INSTANCE, "topics": [{"name": NAME, "partitions": [
                         {"partitionIndex": 0, "committedOffset": 1, "committedMetadata": "why"}]}]},
    "OffsetFetch": {"requireStable": True},
    "FindCoordinator": {"key": NAME, "keyType": 9, "coordinatorKeys": [NAME, PREFIX]},
    "JoinGroup": {"groupId": NAME, "memberId": PREFIX, "sessionTimeoutMs": 1, "protocolType": "consumer",
                  "rebalanceTimeoutMs": 2, "groupInstanceId": INSTANCE, "reason": "why",
                  "protocols": [{"name": "range", "metadata": b"data"}]},
    "Heartbeat": {"groupId": NAME, "memberId": PREFIX, "generationId": 1, "groupInstanceId": INSTANCE},
    "LeaveGroup": {"groupId": NAME, "memberId": PREFIX, "members": [
        {"memberId": PREFIX, "groupInstanceId": INSTANCE, "reason": "why"}]},
    "SyncGroup": {"groupId": NAME, "memberId": PREFIX, "generationId": 1, "groupInstanceId": INSTANCE,
                  "protocolType": "consumer", "protocolName": "range",
                  "assignments": [{"memberId": PREFIX, "assignment": b"data"}]},
    "DescribeGroups": {"groups": [NAME, PREFIX], "includeAuthorizedOperations": True},
    "ListGroups": {"statesFilter": ["@state"], "typesFilter": ["@type"]},
    "SaslHandshake": {"mechanism": NAME},
    "ApiVersions": {"clientSoftwareName": "conformance", "clientSoftwareVersion": "1"},
    "CreateTopics": {"timeoutMs": 1000, "validateOnly": True, "topics": [
        {"name": NAME, "numPartitions": -1, "replicationFactor": -1,
         "assignments": [{"partitionIndex": 0, "brokerIds": [1, 2]}],
         "configs": [{"name": "@setting", "value": "@value"}]}]},
    "DeleteTopics": {"timeoutMs": 1000, "topicNames": [NAME, PREFIX], "topics": [{"name": NAME}]},
    "DeleteRecords": {"timeoutMs": 1000, "topics": [
        {"name": NAME, "partitions": [{"partitionIndex": 0, "offset": 5}]}]},
    "InitProducerId": {"transactionalId": None, "transactionTimeoutMs": 1000, "producerEpoch": 5},
    "OffsetForLeaderEpoch": {"replicaId": -1, "topics": [
        {"topic": NAME, "partitions": [{"partition": 0, "leaderEpoch": 1}]}]},
    "AddPartitionsToTxn": {},
    "AddOffsetsToTxn": _producer(groupId=NAME),
    "EndTxn": _producer(committed=True),
    "WriteTxnMarkers": {"markers": [
        {"producerId": _PRODUCER_ID, "producerEpoch": 7, "transactionResult": True, "coordinatorEpoch": 3,
         "topics": [{"name": NAME, "partitionIndexes": [0, 1]}]}]},
    "TxnOffsetCommit": {"transactionalId": NAME, "groupId": NAME, "producerId": 1, "producerEpoch": 1,
                        "topics": [{"name": NAME, "partitions": [
                            {"partitionIndex": 0, "committedOffset": 1, "committedMetadata": "why"}]}]},
    "DescribeAcls": _ACL_FILTER,
    "CreateAcls": {"creations": [{"resourceType": 2, "resourceName": NAME, "resourcePatternType": 3,
                                  "principal": "User:@me", "host": "@here", **_ACL}]},
    "DeleteAcls": {"filters": [_ACL_FILTER]},
    "DescribeConfigs": {"resources": [
        {"resourceType": 2, "resourceName": NAME, "configurationKeys": ["@setting", PREFIX]}]},
    "AlterConfigs": {"validateOnly": True, "resources": [
        {"resourceType": 2, "resourceName": NAME, "configs": [{"name": "@setting", "value": "@value"}]}]},
    "AlterReplicaLogDirs": {"dirs": [
        {"path": "@folder", "topics": [{"name": NAME, "partitions": [0, 1]}]}]},
    "DescribeLogDirs": {"topics": [{"topic": NAME, "partitions": [0, 1]}]},
    "SaslAuthenticate": {"authBytes": b"@nobody"},
    "CreatePartitions": {"timeoutMs": 1000, "validateOnly": True, "topics": [
        {"name": NAME, "count": 2, "assignments": [{"brokerIds": [1, 2]}]}]},
    "CreateDelegationToken": {
        "maxLifetimeMs": 1000, "ownerPrincipalType": "User", "ownerPrincipalName": "@me",
        "renewers": [{"principalType": "User", "principalName": "@you"}]},
    "RenewDelegationToken": {"hmac": b"@hmac", "renewPeriodMs": 1000},
    "ExpireDelegationToken": {"hmac": b"@hmac", "expiryTimePeriodMs": 1000},
    "DescribeDelegationToken": {"owners": [{"principalType": "User", "principalName": "@me"}]},
    "DeleteGroups": {"groupsNames": [NAME, PREFIX]},
    "ElectLeaders": {"timeoutMs": 1000, "topicPartitions": [{"topic": NAME, "partitions": [0, 1]}]},
    "IncrementalAlterConfigs": {"validateOnly": True, "resources": [
        {"resourceType": 2, "resourceName": NAME, "configs": [
            {"name": "@setting", "configOperation": 0, "value": "@value"}]}]},
    "AlterPartitionReassignments": {"timeoutMs": 1000, "topics": [
        {"name": NAME, "partitions": [{"partitionIndex": 0, "replicas": [1, 2]}]}]},
    "ListPartitionReassignments": {"timeoutMs": 1000, "topics": [
        {"name": NAME, "partitionIndexes": [0, 1]}]},
    "OffsetDelete": {"groupId": NAME, "topics": [{"name": NAME, "partitions": [{"partitionIndex": 0}]}]},
    "DescribeClientQuotas": {"strict": True, "components": [
        {"entityType": "@kind", "matchType": 0, "match": "@me"}]},
    "AlterClientQuotas": {"validateOnly": True, "entries": [
        {"entity": [{"entityType": "@kind", "entityName": "@me"}], "ops": [{"key": "@key", "value": 1.0}]}]},
    "DescribeUserScramCredentials": {"users": [{"name": "@me"}]},
    # The user does not exist, and the new one has too few iterations.
    "AlterUserScramCredentials": {
        "deletions": [{"name": "@me", "mechanism": 1}],
        "upsertions": [{"name": "@you", "mechanism": 2, "iterations": 1, "salt": b"@salt",
                        "saltedPassword": b"@password"}]},
    "DescribeQuorum": {"topics": [{"topicName": NAME, "partitions": [{"partitionIndex": 0}]}]},
    "UpdateFeatures": {"timeoutMs": 1000, "featureUpdates": [{"feature": NAME, "maxVersionLevel": 1}]},
    "DescribeCluster": {},
    "DescribeProducers": {"topics": [{"name": NAME, "partitionIndexes": [0, 1]}]},
    "UnregisterBroker": {"brokerId": 77},
    "DescribeTransactions": {"transactionalIds": [NAME, ""]},
    "ListTransactions": {"stateFilters": ["@state"], "producerIdFilters": [1 << 62], "durationFilter": 5},
    "ConsumerGroupHeartbeat": {
        "groupId": NAME, "memberId": PREFIX, "memberEpoch": 1, "instanceId": INSTANCE, "rackId": "@rack",
        "rebalanceTimeoutMs": 1, "subscribedTopicNames": [NAME], "serverAssignor": "@assignor",
        "topicPartitions": [{"topicId": UNKNOWN_ID, "partitions": [0]}]},
    "ConsumerGroupDescribe": {"groupIds": [NAME, PREFIX], "includeAuthorizedOperations": True},
    "GetTelemetrySubscriptions": {"clientInstanceId": _ONE_UUID},
    "PushTelemetry": {"clientInstanceId": _ONE_UUID, "compressionType": 1, "metrics": b"metrics"},
    "ListClientMetricsResources": {},
    "DescribeTopicPartitions": {
        "topics": [{"name": NAME}, {"name": PREFIX}], "responsePartitionLimit": 5,
        "cursor": {"topicName": NAME, "partitionIndex": 1}},
}

# Fields whose value depends on the version.
_BY_VERSION: dict[str, Callable[[int], Body]] = {
    "Produce": lambda version: {"topicData": [
        {"name": NAME, "partitionData": [{"index": 0, "records": _records(version)}]}]},
    "Fetch": _fetch,
    "Metadata": lambda version: {"allowAutoTopicCreation": version < 4},
    "FindCoordinator": lambda version: {"key": NAME if version < 4 else ""},
    "OffsetFetch": _offset_fetch,
    "AddPartitionsToTxn": _add_partitions,
    # The sample has the fields of a controller's client.
    "DescribeCluster": lambda version: {"endpointType": 2 if version >= 1 else 1},
}

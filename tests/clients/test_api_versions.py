# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.ApiVersionsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which batch format all known nodes take."""

from __future__ import annotations

from kreactor.clients.api_versions import ApiVersions
from kreactor.clients.node_api_versions import ApiVersion, NodeApiVersions
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.record.record_batch import RecordBatch


def test_max_usable_produce_magic():
    api_versions = ApiVersions()
    assert api_versions.max_usable_produce_magic() == RecordBatch.CURRENT_MAGIC_VALUE

    api_versions.update("0", NodeApiVersions.create())
    assert api_versions.max_usable_produce_magic() == RecordBatch.CURRENT_MAGIC_VALUE

    api_versions.update("1", NodeApiVersions.create_api_key(ApiKeys.PRODUCE.id, 0, 2))
    assert api_versions.max_usable_produce_magic() == RecordBatch.MAGIC_VALUE_V1

    api_versions.remove("1")
    assert api_versions.max_usable_produce_magic() == RecordBatch.CURRENT_MAGIC_VALUE


def test_max_usable_produce_magic_with_raft_controller():
    api_versions = ApiVersions()
    assert api_versions.max_usable_produce_magic() == RecordBatch.CURRENT_MAGIC_VALUE

    # As a controller of a Raft quorum, which does not speak Produce.
    fetch = ApiVersion(api_key=ApiKeys.FETCH.id, min_version=0, max_version=2)
    api_versions.update("2", NodeApiVersions.create([fetch]))
    assert api_versions.max_usable_produce_magic() == RecordBatch.CURRENT_MAGIC_VALUE


def test_a_node_without_produce_has_no_say():
    api_versions = ApiVersions()
    fetch = ApiVersion(api_key=ApiKeys.FETCH.id, min_version=0, max_version=2)
    versions = NodeApiVersions([fetch], [], False)
    api_versions.update("2", versions)
    assert api_versions.get("2") is versions
    assert api_versions.get("3") is None
    assert api_versions.max_usable_produce_magic() == RecordBatch.CURRENT_MAGIC_VALUE

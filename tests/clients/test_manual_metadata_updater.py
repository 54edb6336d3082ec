# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Nodes that are given by hand, and what a client does without any."""

from __future__ import annotations

import pytest

from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.manual_metadata_updater import ManualMetadataUpdater
from kreactor.clients.metadata_recovery_strategy import MetadataRecoveryStrategy
from kreactor.common.node import Node
from kreactor.jdk.exceptions import IllegalArgumentException

NODES = [Node(0, "localhost", 1), Node(1, "localhost", 2)]


def test_the_nodes_are_those_that_were_given():
    updater = ManualMetadataUpdater(NODES)
    assert updater.fetch_nodes() == NODES
    updater.fetch_nodes().clear()
    assert updater.fetch_nodes() == NODES
    updater.set_nodes(NODES[1:])
    assert updater.fetch_nodes() == NODES[1:]
    assert ManualMetadataUpdater().fetch_nodes() == []


def test_they_are_never_due():
    updater = ManualMetadataUpdater(NODES)
    assert not updater.is_update_due(0)
    assert updater.maybe_update(0) == (1 << 63) - 1
    updater.handle_server_disconnect(0, "0", None)
    updater.handle_failed_request(0, None)
    updater.close()
    assert updater.fetch_nodes() == NODES


def test_a_strategy_has_a_name_in_any_case():
    assert MetadataRecoveryStrategy.for_name("ReBootstrap") is MetadataRecoveryStrategy.REBOOTSTRAP
    assert MetadataRecoveryStrategy.for_name(
        CommonClientConfigs.DEFAULT_METADATA_RECOVERY_STRATEGY) is MetadataRecoveryStrategy.NONE
    for name, text in (("other", "other"), (None, "null")):
        with pytest.raises(IllegalArgumentException, match=f"Illegal MetadataRecoveryStrategy: {text}"):
            MetadataRecoveryStrategy.for_name(name)

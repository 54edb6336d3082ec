# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.ManualMetadataUpdater of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metadata updater whose nodes a caller sets, without requests."""

from __future__ import annotations

from collections.abc import Iterable

from kreactor.clients.metadata_updater import MetadataUpdater
from kreactor.common.errors import AuthenticationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.node import Node
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.requests.request_header import RequestHeader

_LONG_MAX_VALUE = (1 << 63) - 1


class ManualMetadataUpdater(MetadataUpdater):
    """:origin: clients.ManualMetadataUpdater"""

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        """:origin: clients.ManualMetadataUpdater#ManualMetadataUpdater()
        :origin: clients.ManualMetadataUpdater#ManualMetadataUpdater(List<Node>)
        """
        self._nodes = nodes

    def set_nodes(self, nodes: Iterable[Node]) -> None:
        """Replace the nodes.

        :origin: clients.ManualMetadataUpdater#setNodes(List<Node>)
        """
        self._nodes = nodes

    def fetch_nodes(self) -> list[Node]:
        """Return the nodes as a new list.

        :origin: clients.ManualMetadataUpdater#fetchNodes()
        """
        return list(self._nodes)

    def is_update_due(self, now: int) -> bool:
        """Return False, because a caller sets the nodes.

        :origin: clients.ManualMetadataUpdater#isUpdateDue(long)
        """
        return False

    def maybe_update(self, now: int) -> int:
        """Return the largest long, because a poll may wait without limit.

        :origin: clients.ManualMetadataUpdater#maybeUpdate(long)
        """
        return _LONG_MAX_VALUE

    def handle_server_disconnect(self, now: int, node_id: str,
                                 maybe_auth_exception: AuthenticationException | None) -> None:
        """Do nothing; the client logs it.

        :origin: clients.ManualMetadataUpdater#handleServerDisconnect(
            long, String, Optional<AuthenticationException>)
        """

    def handle_failed_request(self, now: int, maybe_fatal_exception: KafkaException | None) -> None:
        """Do nothing.

        :origin: clients.ManualMetadataUpdater#handleFailedRequest(long, Optional<KafkaException>)
        """

    def handle_successful_response(self, request_header: RequestHeader, now: int,
                                   metadata_response: MetadataResponse) -> None:
        """Do nothing.

        :origin: clients.ManualMetadataUpdater#handleSuccessfulResponse(RequestHeader, long, MetadataResponse)
        """

    def close(self) -> None:
        """Do nothing.

        :origin: clients.ManualMetadataUpdater#close()
        """

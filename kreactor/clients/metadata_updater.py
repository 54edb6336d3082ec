# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.MetadataUpdater of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface by which a NetworkClient gets its nodes and keeps them up to date.

Owner: the thread that polls the client. Times are times of day in milliseconds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from kreactor.common.errors import AuthenticationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.node import Node
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.requests.request_header import RequestHeader


class MetadataUpdater(ABC):
    """:origin: clients.MetadataUpdater"""

    @abstractmethod
    def fetch_nodes(self) -> Sequence[Node]:
        """Return the nodes without blocking.

        :origin: clients.MetadataUpdater#fetchNodes()
        """

    @abstractmethod
    def is_update_due(self, now: int) -> bool:
        """Return whether a metadata update is due now.

        :origin: clients.MetadataUpdater#isUpdateDue(long)
        """

    @abstractmethod
    def maybe_update(self, now: int) -> int:
        """Begin an update if it is due and possible; return the milliseconds that a poll may wait.

        :origin: clients.MetadataUpdater#maybeUpdate(long)
        """

    @abstractmethod
    def handle_server_disconnect(self, now: int, node_id: str,
                                 maybe_auth_exception: AuthenticationException | None) -> None:
        """Handle the end of a connection, with its authentication error if there was one.

        :origin: clients.MetadataUpdater#handleServerDisconnect(
            long, String, Optional<AuthenticationException>)
        """

    @abstractmethod
    def handle_failed_request(self, now: int, maybe_fatal_exception: KafkaException | None) -> None:
        """Handle a failed metadata request, with its error if the failure is fatal.

        :origin: clients.MetadataUpdater#handleFailedRequest(long, Optional<KafkaException>)
        """

    @abstractmethod
    def handle_successful_response(self, request_header: RequestHeader, now: int,
                                   metadata_response: MetadataResponse) -> None:
        """Handle the response to a metadata request of the updater.

        :origin: clients.MetadataUpdater#handleSuccessfulResponse(RequestHeader, long, MetadataResponse)
        """

    @abstractmethod
    def close(self) -> None:
        """Release the resources of the updater.

        :origin: clients.MetadataUpdater#close()
        """

# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.MetadataUpdater of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Where a NetworkClient has its nodes from, and who keeps them up to date.

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
        """Return the nodes; does not wait.

        :origin: clients.MetadataUpdater#fetchNodes()
        """

    @abstractmethod
    def is_update_due(self, now: int) -> bool:
        """Return whether the metadata are to be updated now.

        :origin: clients.MetadataUpdater#isUpdateDue(long)
        """

    @abstractmethod
    def maybe_update(self, now: int) -> int:
        """Begin to update if that is due and possible; return how long a poll may wait, in milliseconds.

        :origin: clients.MetadataUpdater#maybeUpdate(long)
        """

    @abstractmethod
    def handle_server_disconnect(self, now: int, node_id: str,
                                 maybe_auth_exception: AuthenticationException | None) -> None:
        """Hear that a connection is gone, and whether because authentication failed.

        :origin: clients.MetadataUpdater#handleServerDisconnect(
            long, String, Optional<AuthenticationException>)
        """

    @abstractmethod
    def handle_failed_request(self, now: int, maybe_fatal_exception: KafkaException | None) -> None:
        """Hear that a request for metadata failed, and why if it always will.

        :origin: clients.MetadataUpdater#handleFailedRequest(long, Optional<KafkaException>)
        """

    @abstractmethod
    def handle_successful_response(self, request_header: RequestHeader, now: int,
                                   metadata_response: MetadataResponse) -> None:
        """Take the response to a request for metadata that the updater sent by the client.

        :origin: clients.MetadataUpdater#handleSuccessfulResponse(RequestHeader, long, MetadataResponse)
        """

    @abstractmethod
    def close(self) -> None:
        """End.

        :origin: clients.MetadataUpdater#close()
        """

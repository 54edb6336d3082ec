# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.SocketServer of Apache Kafka 0.10.1.1,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The processor of 0.10.1, as far as it differs from 0.10.2; the rest of the file is the same in both.

It uses its release's selector, which has no closing channels. So a response without bytes raises if its
connection is closed, and so does a receive.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from kreactor.common.errors import InvalidRequestException
from kreactor.common.network import channel_builder
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.types.schema_exception import SchemaException
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.core.utils.core_utils import CoreUtils
from kreactor.editions.v0_10_1.common.network.channel_builder import ChannelBuilder
from kreactor.editions.v0_10_1.common.network.selector import Selector as KSelector
from kreactor.editions.v0_10_2.core.network import socket_server
from kreactor.editions.v0_10_2.core.network.request_channel import ResponseAction
from kreactor.editions.v0_10_2.core.network.socket_server import ConnectionQuotas

# 0.10.2.2 changed three things besides the processor. A listener has a name; in 0.10.1.1 it has only its
# security protocol. A server that cannot bind its port can be shut down. A gauge outlives its metric.


class SocketServer(socket_server.SocketServer):
    """All listeners of a broker, with processors of 0.10.1.

    :origin: 0.10.1.1 kafka.network.SocketServer
    """

    def new_processor(
        self, id: int, connection_quotas: ConnectionQuotas, listener_name: ListenerName,
        security_protocol: SecurityProtocol,
    ) -> Processor:
        """:origin: 0.10.1.1 kafka.network.SocketServer#newProcessor"""
        return Processor(
            id, self.time, self.config.socket_request_max_bytes(), self.request_channel, connection_quotas,
            self.config.connections_max_idle_ms(), listener_name, security_protocol, self.config,
            self.metrics, self.credential_provider, self.api_version_manager)


class Processor(socket_server.Processor):
    """One network thread and its selector.

    :origin: 0.10.1.1 kafka.network.Processor
    """

    # The two selectors have no common base class, because each is a separate port.
    selector: Any

    def _new_selector(self, parts: channel_builder.ChannelBuilder) -> Any:
        return KSelector(
            self._connections_max_idle_ms, self._metrics, self._time, "socket-server", ChannelBuilder(parts),
            max_receive_size=self._max_request_size, metric_tags=self.metric_tags,
            metrics_per_connection=False)

    def _process_new_responses(self) -> None:
        """:origin: 0.10.1.1 kafka.network.Processor#processNewResponses"""
        curr = self._request_channel.receive_response(self.id)
        while curr is not None:
            try:
                match curr.response_action:
                    case ResponseAction.NoOpAction:
                        # The client gets no response, and may have further requests in flight.
                        curr.request.update_request_metrics()
                        self.trace("no response to send, registering for read: %s", curr)
                        # BUG until 0.10.2.0, KAFKA-3703: the peer may have left, and then this raises.
                        self.selector.unmute(curr.request.connection_id)
                    case ResponseAction.SendAction:
                        self.send_response(curr)
                    case ResponseAction.CloseConnectionAction:
                        curr.request.update_request_metrics()
                        self.trace("closing the connection, as the response says")
                        self.close_connection(self.selector, curr.request.connection_id)
            finally:
                # BUG until 1.0.0, KAFKA-5790: an exception also drops the next response.
                curr = self._request_channel.receive_response(self.id)

    def _process_completed_receives(self) -> None:
        """:origin: 0.10.1.1 kafka.network.Processor#processCompletedReceives"""
        for receive in self.selector.completed_receives():
            try:
                # BUG until 0.10.2.0, KAFKA-3703: the channel is None if the same poll has closed it.
                channel = self.selector.channel(receive.source())
                req = self._new_request(receive, channel)
                self._request_channel.send_request(req)
                self.selector.mute(receive.source())
            except (InvalidRequestException, SchemaException) as e:
                self.error("closing socket for %s because of error", receive.source(), exc=e)
                self.close_connection(self.selector, receive.source())

    def _close_all(self) -> None:
        """:origin: 0.10.1.1 kafka.network.Processor#closeAll"""
        # DEVIATION D353: new connections too.
        while (channel := self._new_connections.poll()) is not None:
            CoreUtils.swallow(partial(self.close_channel, channel), self)
        for channel in self.selector.channels():
            CoreUtils.swallow(partial(self.close_connection, self.selector, channel.id()), self)
        self.selector.close()

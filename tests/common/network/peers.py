# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Parts for channels that a plain socket is not enough to show: a buffering transport, an authenticator."""

from __future__ import annotations

from typing import Sequence

from kreactor.common.errors import AuthenticationException
from kreactor.common.memory.simple_memory_pool import SimpleMemoryPool
from kreactor.common.network.authenticator import Authenticator
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.plaintext_channel_builder import PlaintextChannelBuilder
from kreactor.common.network.plaintext_transport_layer import PlaintextTransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.exceptions import EOFException
from kreactor.jdk.nio_buffer import ByteBuffer


class BufferingTransportLayer(PlaintextTransportLayer):
    """Takes more from the socket than it is asked for, as TLS does: the socket knows nothing of it then.

    And as under TLS the end of the stream, or its failure, can be met while bytes from before it wait: it
    is raised at once, and whoever reads on gets those bytes.
    """

    __slots__ = ("_taken", "_ended")

    CHUNK = 300

    def __init__(self, key) -> None:
        super().__init__(key)
        self._taken = b""
        self._ended = False

    def read(self, dst: ByteBuffer) -> int:
        if not dst.has_remaining():
            return 0
        if not self._ended:
            chunk = ByteBuffer.allocate(self.CHUNK)
            self._ended = True
            if super().read(chunk) < 0:
                raise EOFException()
            self._ended = False
            self._taken += chunk.flip().to_bytes()
        count = min(len(self._taken), dst.remaining())
        if not count and self._ended:
            return -1
        dst.put(self._taken[:count])
        self._taken = self._taken[count:]
        return count

    def read_buffers(self, dsts: Sequence[ByteBuffer]) -> int:
        raise AssertionError("a receive reads into one buffer")

    def has_bytes_buffered(self) -> bool:
        return bool(self._taken)


class TokenAuthenticator(Authenticator):
    """Lets in who sends a plus, refuses who sends a minus, and says so when the channel is closed."""

    __slots__ = ("_layer", "_complete", "_failed")

    REFUSAL = b"refused"

    def __init__(self, layer: PlaintextTransportLayer) -> None:
        self._layer = layer
        self._complete = self._failed = False

    def authenticate(self) -> None:
        token = ByteBuffer.allocate(1)
        count = self._layer.read(token)
        if count < 0:
            raise EOFException()
        if count and not self._failed:
            if token.flip().to_bytes() == b"+":
                self._complete = True
            else:
                self._failed = True
                raise AuthenticationException("wrong token")

    def handle_authentication_failure(self) -> None:
        self._layer.write(ByteBuffer.wrap(self.REFUSAL))

    def principal(self) -> KafkaPrincipal:
        return KafkaPrincipal.ANONYMOUS

    def principal_serde(self) -> None:
        return None

    def complete(self) -> bool:
        return self._complete

    def close(self) -> None:
        pass


class PeerChannelBuilder(PlaintextChannelBuilder):
    """Builds plain channels; those whose id begins with ``auth`` want a token first."""

    def __init__(self, buffering: bool = False) -> None:
        super().__init__(None)
        self._buffering = buffering

    def _build_transport_layer(self, key) -> PlaintextTransportLayer:
        return BufferingTransportLayer(key) if self._buffering else PlaintextTransportLayer(key)

    def _build_channel_transport_layer(self, id, transport_layer, authenticator_creator, *args):
        if id.startswith("auth"):
            def authenticator_creator():
                return TokenAuthenticator(transport_layer)
        return KafkaChannel(id, transport_layer, authenticator_creator, *args)


class CountingPool(SimpleMemoryPool):
    """Keeps count of its refusals."""

    __slots__ = ("refusals",)

    def __init__(self, size_in_bytes: int, max_single_allocation_bytes: int) -> None:
        super().__init__(size_in_bytes, max_single_allocation_bytes, False, None)
        self.refusals = 0

    def try_allocate(self, size_bytes: int) -> ByteBuffer | None:
        buffer = super().try_allocate(size_bytes)
        self.refusals += buffer is None
        return buffer

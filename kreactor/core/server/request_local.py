# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.RequestLocal of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The buffers that a handler thread lends to its current request."""

from __future__ import annotations

from typing import ClassVar

from kreactor.common.utils.buffer_supplier import BufferSupplier


class RequestLocal:
    """Holds state for the duration of a request, or of the thread that handles requests one after the other.

    :origin: kafka.server.RequestLocal
    :origin: kafka.server.RequestLocal
    """

    __slots__ = ("_buffer_supplier",)

    NoCaching: ClassVar[RequestLocal]

    @staticmethod
    def with_thread_confined_caching() -> RequestLocal:
        """Return an object for use by a single thread.

        :origin: kafka.server.RequestLocal#withThreadConfinedCaching
        """
        return RequestLocal(BufferSupplier.create())

    def __init__(self, buffer_supplier: BufferSupplier) -> None:
        """:origin: kafka.server.RequestLocal#RequestLocal"""
        self._buffer_supplier = buffer_supplier

    def buffer_supplier(self) -> BufferSupplier:
        """Return the supplier of buffers for decompression.

        :origin: kafka.server.RequestLocal#bufferSupplier
        """
        return self._buffer_supplier

    def close(self) -> None:
        """Release the buffers.

        :origin: kafka.server.RequestLocal#close
        """
        self._buffer_supplier.close()


RequestLocal.NoCaching = RequestLocal(BufferSupplier.NO_CACHING)

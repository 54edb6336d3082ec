# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.telemetry.internals.ClientTelemetryUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Compresses and decompresses the metrics of clients. Used by any thread."""

from __future__ import annotations

from kreactor.common.compress.compression import Compression
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.jdk.nio_buffer import ByteBuffer

# The limit of decompressed metrics: 64 times the default limit of compressed metrics in a broker.
MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024
_READ_STEP = 64 * 1024


class ClientTelemetryUtils:
    """The part of the origin that a broker needs.

    :origin: common.telemetry.internals.ClientTelemetryUtils
    """

    @staticmethod
    def compress(raw: bytes, compression_type: CompressionType) -> bytes:
        """Return ``raw`` compressed.

        :origin: common.telemetry.internals.ClientTelemetryUtils#compress(byte[], CompressionType)
        """
        compressed_out = ByteBufferOutputStream(512)
        compression = Compression.of(compression_type).build()
        with compression.wrap_for_output(compressed_out, RecordBatch.CURRENT_MAGIC_VALUE) as out:
            out.write(raw)
            out.flush()
        compressed_out.buffer().flip()
        return compressed_out.buffer().to_bytes()

    @staticmethod
    def decompress(metrics: bytes, compression_type: CompressionType) -> ByteBuffer:
        """Return ``metrics`` decompressed.

        Raises KafkaException for corrupt metrics, or for more than ``MAX_DECOMPRESSED_BYTES``.

        :origin: common.telemetry.internals.ClientTelemetryUtils#decompress(byte[], CompressionType)
        """
        data = ByteBuffer.wrap(metrics)
        compression = Compression.of(compression_type).build()
        try:
            with compression.wrap_for_input(
                    data, RecordBatch.CURRENT_MAGIC_VALUE, BufferSupplier.create()) as in_:
                out = bytearray()
                buffer = memoryview(bytearray(_READ_STEP))
                while (n_read := in_.read_into(buffer)) != -1:
                    # DEVIATION D125: the origin decompresses without a limit, up to a thousand times the
                    # received size.
                    if len(out) + n_read > MAX_DECOMPRESSED_BYTES:
                        raise KafkaException(
                            f"Metrics data is more than {MAX_DECOMPRESSED_BYTES} bytes when decompressed")
                    out += buffer[:n_read]
                return ByteBuffer.wrap(out)
        except OSError as e:
            raise KafkaException("Failed to decompress metrics data", e) from e

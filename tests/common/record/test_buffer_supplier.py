# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's BufferSupplierTest, which stands in this package there too."""

from __future__ import annotations

from kreactor.common.utils.buffer_supplier import BufferSupplier


def test_growable_buffer() -> None:
    supplier = BufferSupplier.GrowableBufferSupplier()
    buffer = supplier.get(1024)
    assert (buffer.position(), buffer.capacity()) == (0, 1024)
    supplier.release(buffer.set_position(7))

    cached = supplier.get(512)
    assert cached is buffer and cached.position() == 0
    increased = supplier.get(2048)
    assert (increased.position(), increased.capacity()) == (0, 2048)
    supplier.release(increased)
    supplier.close()
    assert supplier.get(1) is not increased


# -- ours ----------------------------------------------------------------------------------------------------


def test_default_supplier() -> None:
    with BufferSupplier.create() as supplier:
        first, second = supplier.get(8), supplier.get(8)
        assert first is not second
        supplier.release(first)
        supplier.release(second.set_limit(3))
        assert supplier.get(9) not in (first, second)
        assert supplier.get(8) is first
        assert supplier.get(8) is second and second.limit() == 8
        supplier.release(first)
    assert supplier.get(8) is not first


def test_no_caching() -> None:
    buffer = BufferSupplier.NO_CACHING.get(8)
    BufferSupplier.NO_CACHING.release(buffer)
    assert BufferSupplier.NO_CACHING.get(8) is not buffer
    BufferSupplier.NO_CACHING.close()

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The buffers that a handler lends to its requests."""

from __future__ import annotations

from kreactor.core.server.request_local import RequestLocal


def test_a_buffer_comes_back_only_with_caching() -> None:
    caching = RequestLocal.with_thread_confined_caching()
    buffer = caching.buffer_supplier().get(100)
    caching.buffer_supplier().release(buffer)
    assert caching.buffer_supplier().get(100) is buffer
    caching.close()
    buffer = RequestLocal.NoCaching.buffer_supplier().get(100)
    RequestLocal.NoCaching.buffer_supplier().release(buffer)
    assert RequestLocal.NoCaching.buffer_supplier().get(100) is not buffer

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.network`` of 1.0.2.

Send, ByteBufferSend and NetworkSend did not change: they are those of ``v0_10_2``.
"""

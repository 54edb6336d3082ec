# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.network`` of 2.2.2.

Send, ByteBufferSend and NetworkSend are those of 0.10.2.2: their files are the same at both tags.
ChannelState and Receive are those of 3.8.0.
"""

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The smallest truthful single node behind the APIs: logs on disk, topics, producer ids. Not a port.

What lies on the disk is Kafka's, byte for byte, so that Kafka's own tools read it; what the node does with
it is what Kafka 3.8.0 does where a client could tell. ``storage`` ties the parts together.
"""

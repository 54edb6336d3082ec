# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.config``: names and defaults of the settings of a broker.

DEVIATION D62: the holders of ``storage``, ``coordinator``, ``raft``, ``security``, ``server.metrics`` and
``server.log`` are here too. A single node has the settings of those packages and nothing else.
"""

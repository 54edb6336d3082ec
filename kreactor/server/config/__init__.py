# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.config``: names and defaults of a broker's settings.

DEVIATION D62: the settings of ``storage``, ``coordinator``, ``raft``, ``security``, ``server.metrics`` and
``server.log`` are here too, so that one folder has all settings of a broker.
"""

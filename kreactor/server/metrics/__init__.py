# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.metrics``: the metrics of a server, and the library that they use."""

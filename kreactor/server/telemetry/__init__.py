# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.telemetry``: the interface of a plug-in that receives the metrics of clients."""

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.telemetry``: what a plug-in that takes the metrics of clients is made of."""

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.telemetry``: the metrics that clients push to brokers (KIP-714)."""

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.telemetry``: the metrics of clients on their way to brokers (KIP-714)."""

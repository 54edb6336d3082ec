# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.metadata.placement``: which brokers get the replicas of new partitions."""

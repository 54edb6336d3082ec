# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.metadata.placement``: the placement of new partitions' replicas on brokers."""

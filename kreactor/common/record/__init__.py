# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.record``: record batches in memory, on disk and on the wire."""

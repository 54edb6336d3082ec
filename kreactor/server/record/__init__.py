# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.record``: how a broker stores records."""

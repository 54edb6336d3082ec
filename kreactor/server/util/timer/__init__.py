# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.util.timer``: a hierarchical timing wheel, and its drivers."""

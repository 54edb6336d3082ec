# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.util``: threads with a shutdown, a scheduler, timers."""

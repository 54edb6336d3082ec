# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.util``: threads that end when told, a scheduler, timers."""

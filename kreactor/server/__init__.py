# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server``: metrics, timers and threads of a server."""

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.network``: settings and sessions of the socket server."""

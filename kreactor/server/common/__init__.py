# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.common``: the versions on which brokers agree, and checkpoint files."""

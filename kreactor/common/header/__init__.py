# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.header``: what a user hangs on a record beside key and value."""

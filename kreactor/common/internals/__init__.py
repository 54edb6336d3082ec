# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.internals``: topic names, and the error that ends the process."""

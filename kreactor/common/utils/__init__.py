# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.utils``: time, threads, logging and small tools."""

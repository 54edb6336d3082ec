# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.network`` of 0.10.1.1."""

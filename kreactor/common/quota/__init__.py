# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.quota``: for whom a quota is, and how it is changed."""

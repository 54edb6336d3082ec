# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.quota``: entities of quotas, and changes of quotas."""

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.quota``: the interface of a plug-in that decides about quotas."""

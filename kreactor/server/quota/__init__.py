# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.quota``: what a plug-in that decides about quotas is made of."""

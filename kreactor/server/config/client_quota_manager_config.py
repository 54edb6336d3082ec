# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ClientQuotaManagerConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The time window in which a client's rate is measured."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.server.config.quota_configs import QuotaConfigs


class ClientQuotaManagerConfig(NamedTuple):
    """The number of samples, and the length of each in seconds.

    ``fidelity_strict`` is ours: whether ``kreactor.fidelity`` is strict.

    :origin: server.config.ClientQuotaManagerConfig
    """

    num_quota_samples: int = QuotaConfigs.NUM_QUOTA_SAMPLES_DEFAULT
    quota_window_size_seconds: int = QuotaConfigs.QUOTA_WINDOW_SIZE_SECONDS_DEFAULT
    fidelity_strict: bool = False

    def is_strict(self) -> bool:
        """Return whether the faults of ``STRICT_DEVIATIONS`` are there."""
        return self.fidelity_strict

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The number of schedules of a property test: few in the suite, or KREACTOR_SCHEDULES of each."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings


def schedules(few: int) -> settings:
    """Return hypothesis's settings for ``few`` schedules, each of which may take its time."""
    return settings(max_examples=int(os.environ.get("KREACTOR_SCHEDULES", few)), deadline=None,
                    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port of ``kafka.coordinator.transaction``: producer ids and transactions."""

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port of ``org.apache.kafka.coordinator.group``: consumer groups, and the records of the offsets
topic."""

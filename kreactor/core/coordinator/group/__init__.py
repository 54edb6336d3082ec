# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port of ``kafka.coordinator.group``: groups of the classic protocol, their members and offsets."""

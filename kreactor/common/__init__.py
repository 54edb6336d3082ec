# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common``: what every floor above shares; the network layer in its midst."""

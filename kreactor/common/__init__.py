# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common``: the packages that all other packages share, with the network layer."""

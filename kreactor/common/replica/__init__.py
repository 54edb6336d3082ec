# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.replica``: the choice of the replica that a consumer reads."""

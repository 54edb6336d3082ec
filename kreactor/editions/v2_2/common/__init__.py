# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common`` of 2.2.2."""

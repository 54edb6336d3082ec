# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.security.scram.internals``: messages, arithmetic, and both ends of SCRAM."""

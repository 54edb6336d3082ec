# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.security.ssl``: keys and certificates, and the engines that use them."""

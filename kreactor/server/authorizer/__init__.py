# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.authorizer``: the interface of an authorizer, its arguments and results."""

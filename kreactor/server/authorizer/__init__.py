# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.authorizer``: the face of an authorizer, and what it is asked and answers."""

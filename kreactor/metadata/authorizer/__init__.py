# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.metadata.authorizer``: the authorizer whose ACLs the node stores."""

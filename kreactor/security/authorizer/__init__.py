# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port of ``org.apache.kafka.security.authorizer``, as far as there is no authorizer yet."""

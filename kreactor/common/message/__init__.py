# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.message``: the bodies and headers of requests and responses, one class each.

``tools/checks/generate_messages`` generates the classes from Kafka's message definitions. Only here, Python
attributes replace Java's accessors: ``data.max_wait_ms`` is the getter, and an assignment is the setter. A
class has the fields of all versions. A constructor takes any fields by name, and uses Kafka's defaults for
the others.
"""

# DEVIATION D44: attributes replace the generated accessors and setters, because a message is only data.

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The network layer of Apache Kafka 1.0.2."""

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The network layer of Kafka 2.2.2."""

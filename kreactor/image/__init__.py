# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port of ``org.apache.kafka.image``: immutable views of the cluster, its quotas and SCRAM users."""

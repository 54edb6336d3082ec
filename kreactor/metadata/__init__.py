# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port of ``org.apache.kafka.metadata``: authorizer, schema of settings, placement of replicas.

``node_storage`` is ours: the protocols of the stored metadata.
"""

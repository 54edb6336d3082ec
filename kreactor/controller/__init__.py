# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port of ``org.apache.kafka.controller``: each manager changes one part of the cluster's metadata.

Kafka's managers write records to a metadata log. These managers change the node's own storage.
"""

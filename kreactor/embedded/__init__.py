# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The node that assembles the ported parts, its data folder, and simulated replication. Not a port.

``broker_server`` makes, starts and stops the parts. ``storage`` connects the logs with the JSON files beside
them. The port imports nothing from here: it uses the storage through the protocols of
``metadata/node_storage.py``.
"""

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The node that ties the ported parts, its data folder, and simulated replication. Not a port.

``broker_server`` makes, starts and stops the parts. ``storage`` ties the logs to the JSON files beside them.
The port imports nothing from here: it knows the storage by the protocols of ``metadata/node_storage.py``.
"""

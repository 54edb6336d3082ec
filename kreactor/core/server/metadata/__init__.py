# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port of ``kafka.server.metadata``: applies a cluster's metadata to a broker."""

# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port of ``kafka.server.metadata``: what a broker knows of its cluster's settings."""

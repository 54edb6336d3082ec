# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kafka.network``: the socket server and the channel between its threads and the handlers'."""

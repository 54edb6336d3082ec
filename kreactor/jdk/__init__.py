# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The parts of java.nio, java.net, java.io and java.util.concurrent that Kafka uses, on the stdlib.

Not a port: as much of each class as the floors above call, under the names they know it by. This is
the only floor where Python's own quirks show. It imports nothing of the floors above.
"""
